"""Text extraction from office documents.

The library xberg reads Word, Excel, PowerPoint, OpenDocument, RTF, EPUB and mail.

It runs only in the sandbox. xberg gets bytes, never a path or an address; recognition of text in pictures, its cache,
its network and the unpacking of archives inside are off. Its interface is asynchronous: a loop runs for the one call.
"""

from __future__ import annotations

import asyncio
import io
import os
import zipfile
import zlib
from collections.abc import Sequence
from typing import Any, Final
from xml.parsers import expat

from xberg import _xberg

from cormorant.extract.detect import zip as zip_files
from cormorant.extract.detect.media_types import DOCX, ODF, OOXML, PPTX, XLSX
from cormorant.extract.errors import Unreadable
from cormorant.extract.html.head import MAX_KEYWORDS, language_tag
from cormorant.extract.html.links import MAX_ANCHOR, MAX_LINKS, SCHEMES
from cormorant.extract.job import ExtractionTask
from cormorant.extract.sanitize import MAX_TEXT, MAX_VALUE, clean_lines, one_line, title_or_name
from cormorant.model.content import Extraction, PageLink, Value
from cormorant.model.url import join

# Read at the first document: one thread for its own work, so that no machine exceeds the limit of threads.
_ONE_THREAD: Final = {"TOKIO_WORKER_THREADS": "1", "RAYON_NUM_THREADS": "1"}
_CONFIG: Final = """{
    "use_cache": false, "enable_quality_processing": false, "disable_ocr": true, "max_archive_depth": 0,
    "output_format": "plain", "concurrency": {"max_threads": 1},
    "content_filter": {"include_headers": true, "include_footers": true, "include_footnotes": true,
        "strip_repeating_text": false, "include_watermarks": false},
    "security_limits": {"max_archive_size": 536870912, "max_compression_ratio": 200, "max_files_in_archive": 10000,
        "max_content_size": 104857600, "max_table_cells": 2000000, "max_iterations": 100000000}
}"""
_SAME_AS: Final = {
    "application/vnd.ms-word.document.macroenabled.12": DOCX,
    "application/vnd.ms-excel.sheet.macroenabled.12": XLSX,
    "application/vnd.ms-powerpoint.presentation.macroenabled.12": PPTX,
    "application/vnd.ms-excel.sheet.binary.macroenabled.12": "application/vnd.ms-excel.sheet.binary.macroEnabled.12",
    OOXML + "wordprocessingml.template": DOCX,
    OOXML + "spreadsheetml.template": XLSX,
    OOXML + "presentationml.template": PPTX,
    OOXML + "presentationml.slideshow": PPTX,
    ODF + "text-template": ODF + "text",
    ODF + "spreadsheet-template": ODF + "spreadsheet",
    ODF + "presentation-template": ODF + "presentation",
}


def extract_office(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the text of an office document.

    Raises Protected for one behind a password and Unreadable for a damaged or too large one.
    """
    mime = task.mime
    if body.startswith(b"PK"):
        zip_files.check(body)
        if _SAME_AS.get(mime, mime) == PPTX:
            check(body)
    document = asyncio.run(_converted(body, _SAME_AS.get(mime, mime)))
    about = document.metadata
    links, seen = _links(task.address, document.uris or ())
    return Extraction(
        text=clean_lines(document.content),
        title=title_or_name(about.title or about.subject or "", task.address, task.file_name),
        links=links,
        language=language_tag(about.language or ""),
        attributes=_attributes(about),
        links_seen=seen,
        truncated=len(document.content) > MAX_TEXT,
    )


async def _converted(body: bytes, mime: str) -> Any:
    os.environ.update(_ONE_THREAD)
    config = _xberg.ExtractionConfig.from_json(_CONFIG)
    result = await _xberg.extract(input=_xberg.ExtractInput.from_bytes(body, mime), config=config)
    if result.results:
        return result.results[0]
    reasons = [f"{error.error_type}: {error.message}" for error in result.errors]
    raise Unreadable("its contents are damaged", one_line("; ".join(reasons)) or "xberg found nothing in it")


def _attributes(about: Any) -> dict[str, Value]:
    found: dict[str, Value] = {}
    authors = _several(about.authors or ([about.created_by] if about.created_by else []))
    if authors:
        found["Author"] = authors[0] if len(authors) == 1 else authors
    if about.subject:
        found["Subject"] = one_line(about.subject, MAX_VALUE)
    if about.abstract_text:
        found["Description"] = one_line(about.abstract_text, MAX_VALUE)
    keywords = _several(word for given in about.keywords or () for word in given.replace(";", ",").split(","))
    if keywords:
        found["Keywords"] = keywords
    return {name: value for name, value in found.items() if value}


def _several(values: Any) -> tuple[str, ...]:
    lines = (one_line(value) for value in values)
    return tuple(dict.fromkeys(line for line in lines if line))[:MAX_KEYWORDS]


def _links(address: str, uris: Sequence[Any]) -> tuple[tuple[PageLink, ...], int]:
    """Hyperlinks of the document; a reference without a scheme leads beside it."""
    labels = {uri.url: one_line(uri.label or "", MAX_ANCHOR) for uri in reversed(uris) if uri.url[:1] != "#"}
    links: dict[str, PageLink] = {}
    for reference, target in join(address, reversed(labels)):
        if target.startswith(SCHEMES) and len(links) < MAX_LINKS:
            links.setdefault(target, PageLink(target, labels[reference]))
    return tuple(links.values()), len(uris)


_FOLDER: Final = "ppt/slides/"


def check(body: bytes) -> None:
    """Read the XML of every slide. Raises Unreadable when one is broken. `zip.check` has counted the bytes."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            for name in filter(_is_slide, archive.namelist()):
                expat.ParserCreate().Parse(archive.read(name), True)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, expat.ExpatError) as error:
        raise Unreadable("a slide in it is damaged", f"{type(error).__name__}: {error}") from None


def _is_slide(name: str) -> bool:
    return name.startswith(_FOLDER) and name.endswith(".xml") and "/" not in name.removeprefix(_FOLDER)
