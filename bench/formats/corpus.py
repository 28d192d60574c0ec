"""All samples, made into a folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from bench.formats import from_libraries
from bench.formats.by_hand.archives import archive_samples
from bench.formats.by_hand.mail import mail_samples
from bench.formats.by_hand.old_workbook import old_workbook_samples
from bench.formats.by_hand.outlook import outlook_samples
from bench.formats.by_hand.pdf import pdf_samples
from bench.formats.by_hand.rich_text import rich_text_samples
from bench.formats.by_hand.workbook import workbook_samples
from bench.formats.converted import converted
from bench.formats.packages import packed
from bench.formats.sample import Sample, Unmade

FORMS: Final = (
    "docx", "xlsx", "pptx", "odt", "ods", "odp", "fodt", "fods", "fodp", "pdf", "rtf", "eml", "msg", "epub", "idml",
    "doc", "xls", "ppt", "xlsb", "flat.xml", "word.xml", "excel.xml", "zip", "tar", "tar.gz", "7z", "gz", "bz2", "xz",
)  # fmt: skip
"""The formats by the extension of their files, in the order of the tables."""


class Corpus(NamedTuple):
    """Samples, each with the file that it lies in, and the documents that could not be made."""

    samples: dict[Path, Sample]
    unmade: tuple[Unmade, ...]


def make(folder: Path, work: Path, forms: frozenset[str]) -> Corpus:
    """Write the samples of these formats into a folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    samples: dict[Path, Sample] = {}
    unmade = []
    for made in _made(work, forms):
        if isinstance(made, Unmade):
            unmade.append(made)
            continue
        path = folder / made.form / made.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(made.body)
        samples[path] = made
    return Corpus(samples, tuple(unmade))


def _made(work: Path, forms: frozenset[str]) -> Iterator[Sample | Unmade]:
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    packages = tuple(packed())
    first = {each.form: each for each in reversed(packages)}
    by_hand = chain(
        packages, pdf_samples(), rich_text_samples(), mail_samples(), outlook_samples(), workbook_samples(),
        old_workbook_samples(), archive_samples(),
    )  # fmt: skip
    others = chain(converted(first, work, forms), from_libraries.made(work / "libraries"))
    yield from (each for each in chain(by_hand, others) if each.form in forms)
