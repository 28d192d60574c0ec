"""Documents as LibreOffice writes them: from the flat OpenDocument in documents/, and from those by hand.

A conversion loses places; those that are left are judged. In a PDF nobody can look that up, so a table says what is
displayed there.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from bench.formats.packages import DOCUMENTS
from bench.formats.places import Place
from bench.formats.sample import Sample, Unmade, named, places_in, sample, still_in

_LIMIT_S: Final = 120
_NUMBERS: Final = ("percent as displayed", "date as displayed", "number as displayed")
_STORED: Final = ("percent as stored", "date as stored", "number as stored")
_IN_PDF: Final = {
    "text": (
        "heading", "body", "header", "footer", "footnote", "endnote", "shape", "text box", "table", "nested table",
        "tab", "line break", "several spaces", "neighbouring cells", "text box anchor", "hard hyphen", "soft hyphen",
        "word in pieces", "list item", "list number", "tracked insertion", "link text", "link target", "form field",
        "chosen value", "ruby base", "ruby text", "section", "property title", "property subject", "property author",
        "property keywords", "style name", "bookmark name", "frame name",
    ),
    "sheet": (
        "body", "header", "header in the middle", "footer", "sheet name", "neighbouring cells", "line break",
        "merged cell", "formula result", "link text", "link target", "text box", "chart title", "chart subtitle",
        "chart axis", "property title", "property subject", "property author", "property keywords", "formula code",
        "shape name", *_NUMBERS,
    ),
    "slides": (
        "slide title", "body", "list item", "text box", "shape", "group of shapes", "table", "neighbouring cells",
        "line break", "link text", "link target", "footer", "master text", "master prompt", "property title",
        "property subject", "property author", "property keywords", "shape name",
    ),
}  # fmt: skip


class _Recipe(NamedTuple):
    """A source, the formats that it is converted to, and the patterns that they have beside the words."""

    source: str
    targets: tuple[str, ...]
    patterns: tuple[str, ...]


_RECIPES: Final = (
    _Recipe("text.fodt", ("odt", "docx", "doc", "rtf", "word.xml", "pdf"), ("list number",)),
    _Recipe("sheet.fods", ("ods", "xlsx", "xls", "excel.xml", "pdf"), (*_NUMBERS, *_STORED)),
    _Recipe("slides.fodp", ("odp", "pptx", "ppt", "pdf"), ()),
)
_FILTERS: Final = {"word.xml": "xml:MS Word 2003 XML", "excel.xml": "xml:MS Excel 2003 XML"}
"""LibreOffice's names of formats whose extension is ambiguous."""
_LOST: Final = {
    ("sheet.fods", "xls"): ("formula result",),  # 0 is written in its place
    ("text.fodt", "rtf"): ("alt title",),  # becomes the name of a shape
    ("from-docx.docx", "odt"): ("placeholder prompt",),  # becomes an entry like any other
    ("text.fodt", "word.xml"): ("tab", "list number", "tracked deletion"),  # no tab, no number, text like any other
    ("sheet.fods", "excel.xml"): (
        "validation prompt",
        "validation error",
        "date as displayed",
        "number as displayed",
    ),  # stand where they are no text of a workbook; other formats
    ("from-docx.docx", "rtf"): ("alt title", "placeholder prompt"),
    ("from-xlsx.xlsx", "xls"): ("notice of threads",),  # becomes a remark like any other
    ("from-xlsx.xlsx", "ods"): ("notice of threads",),
    ("from-docx.docx", "doc"): ("placeholder prompt",),  # becomes text like any other
}
"""The places that a conversion makes into something else."""
_FROM_SAMPLES: Final = {"docx": ("doc", "odt", "rtf"), "xlsx": ("xls", "ods"), "pptx": ("ppt", "odp")}
"""The formats that documents by hand are converted to."""


def converted(by_hand: Mapping[str, Sample], work: Path, forms: frozenset[str]) -> Iterator[Sample | Unmade]:
    """Yield LibreOffice's conversions of the sources to the requested formats, or the reason why there is none.

    `by_hand` are documents by format that it converts as well; `work` is a folder for its files.
    """
    for recipe in _RECIPES:
        path = DOCUMENTS / recipe.source
        places = (*places_in(path.read_text("utf-8")), *named(*recipe.patterns))
        yield sample(path.suffix[1:], "by hand", path.read_bytes(), places)
        for target in (each for each in recipe.targets if each in forms):
            yield _one(path, places, target, work)
    for form, targets in _FROM_SAMPLES.items():
        made = by_hand.get(form)
        path = work / f"from-{form}.{form}"
        for target in (each for each in targets if each in forms and made):
            assert made
            path.write_bytes(made.body)
            yield _one(path, made.places, target, work)


def version() -> str:
    """Return the version of LibreOffice, "" where there is none."""
    program = shutil.which("soffice")
    if not program:
        return ""
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=_LIMIT_S)
    return " ".join(done.stdout.split()[:2])


def _one(path: Path, places: tuple[Place, ...], target: str, work: Path) -> Sample | Unmade:
    writer = f"LibreOffice, from {path.suffix[1:] if path.is_relative_to(DOCUMENTS) else path.suffix[1:] + ' by hand'}"
    program = shutil.which("soffice")
    if not program:
        return Unmade(target, writer, "LibreOffice is not on this machine")
    command = (
        program, f"-env:UserInstallation={(work / 'profile').as_uri()}", "--headless", "--convert-to",
        _FILTERS.get(target, target), "--outdir", str(work / "out"), str(path),
    )  # fmt: skip
    try:
        subprocess.run(command, capture_output=True, check=False, timeout=_LIMIT_S)
        body = (work / "out" / f"{path.stem}.{target.rpartition('.')[2]}").read_bytes()
    except (subprocess.TimeoutExpired, OSError) as error:
        return Unmade(target, writer, f"LibreOffice does not convert it: {type(error).__name__}")
    left = named(*_IN_PDF[path.stem]) if target == "pdf" else still_in(places, body)
    lost = named(*_LOST.get((path.name, target), ()))
    return sample(target, writer, body, (place for place in left if place not in lost))
