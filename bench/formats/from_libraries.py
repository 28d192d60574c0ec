"""Documents that libraries of others write, in an environment of their own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.formats.environments import NotHere, environment
from bench.formats.sample import Sample, Unmade, named, sample
from bench.places import ROOT

PACKAGES: Final = (
    "python-docx==1.2.0", "openpyxl==3.1.5", "xlsxwriter==3.3.1", "python-pptx==1.0.2", "odfpy==1.4.1",
    "reportlab==5.1.0", "py7zr==1.1.4", "xlwt==1.3.0", "msoffcrypto-tool==6.1.0",
)  # fmt: skip
_LIMIT_S: Final = 300


def made(folder: Path) -> Iterator[Sample | Unmade]:
    """Yield the documents, or why there are none."""
    try:
        python = environment("writers", *PACKAGES)
        command = (str(python), "-m", "bench.formats.libraries", str(folder))
        subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=_LIMIT_S)
        listed = json.loads((folder / "list.json").read_text("utf-8"))
    except NotHere as error:
        yield Unmade("docx", "libraries", str(error))
        return
    except (OSError, subprocess.TimeoutExpired) as error:
        yield Unmade("docx", "libraries", f"{type(error).__name__}: {error}")
        return
    for row in listed:
        if "why" in row:
            yield Unmade(row["form"], row["writer"], row["why"])
        else:
            yield sample(row["form"], row["writer"], (folder / row["file"]).read_bytes(), named(*row["places"]))
