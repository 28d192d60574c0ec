"""``python -m bench.formats.libraries FOLDER``: write documents and a list of them, by the libraries at hand."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Final

from bench.formats.libraries import portable, sheets, slides, words

_Writer = Callable[[Path], tuple[str, ...]]
WRITERS: Final[tuple[tuple[str, str, _Writer], ...]] = (
    ("docx", "python-docx", words.with_python_docx),
    ("odt", "odfpy", words.with_odfpy),
    ("xlsx", "openpyxl", sheets.with_openpyxl),
    ("xlsx", "xlsxwriter", sheets.with_xlsxwriter),
    ("xlsx", "xlsxwriter, days from 1904", sheets.with_xlsxwriter_from_1904),
    ("xlsx", "msoffcrypto-tool", sheets.with_default_password),
    ("xls", "xlwt", sheets.with_xlwt),
    ("pptx", "python-pptx", slides.with_python_pptx),
    ("pdf", "reportlab", portable.with_reportlab),
    ("7z", "py7zr", portable.with_py7zr),
)
"""The format, the library, and the function that writes a document to a path and returns the names of its places."""


def main(folder: Path) -> int:
    """Write each document and list.json; one that fails is a line with its reason."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for form, library, write in WRITERS:
        path = folder / f"{library}.{form}"
        row: dict[str, object] = {"form": form, "writer": library, "file": path.name}
        try:
            row["places"] = write(path)
            name, _, rest = library.partition(",")
            row["writer"] = f"{name} {version(name)}{rest and ','}{rest}"
        except Exception as error:  # noqa: BLE001 - whatever a library raises is said in the tables
            row["why"] = f"{type(error).__name__}: {error}"
        rows.append(row)
    (folder / "list.json").write_text(json.dumps(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
