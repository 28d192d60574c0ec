"""Reader of RTF documents: text, links and metadata, and the files in their objects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.document.links import page_links
from cormorant.extract.errors import Unreadable
from cormorant.extract.html.head import MAX_KEYWORDS
from cormorant.extract.job import ExtractionTask
from cormorant.extract.rtf.destinations import DESTINATIONS
from cormorant.extract.rtf.machine import RtfMachine, tidy_lines
from cormorant.extract.rtf.objects import object_file
from cormorant.extract.rtf.tokens import RtfTokens
from cormorant.extract.rtf.words import WORDS
from cormorant.extract.sanitize import MAX_TEXT, one_line, title_or_name
from cormorant.model.content import Extraction, Value
from cormorant.model.no_text import OF_READING

_SIGNATURE: Final = b"{\\rtf"
_HEAD: Final = 1024
_ALL_WORDS: Final = {**WORDS, **DESTINATIONS}
_OBJECT: Final = re.compile(rb"\\objdata(?![A-Za-z]) ?")
_ATTRIBUTES: Final = {
    "subject": "Subject", "doccomm": "Description", "category": "Category", "company": "Company",
}  # fmt: skip


def extract_rtf(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the extraction of an RTF document. Raises Unreadable for any other document."""
    machine = RtfMachine(body, _ALL_WORDS, DESTINATIONS.keys())
    machine.tokens.place = _start(body)
    whole = machine.run()
    for line in tidy_lines(machine.body.text()).split("\n"):
        machine.out.line(line)
    links, seen = page_links(task.address, machine.links)
    info = machine.info
    too_long = machine.body.size > MAX_TEXT
    return Extraction(
        text=machine.out.text(),
        title=title_or_name(info.get("title", "") or info.get("subject", ""), task.address, task.file_name),
        links=links,
        attributes=_attributes(machine),
        links_seen=seen,
        truncated=not whole or too_long or machine.out.full,
        fault="" if whole or too_long else "Its end is missing.",
    )


def rtf_embedded_files(body: bytes, _task: ExtractionTask) -> Iterator[EmbeddedFile]:
    """Yield the files in the objects of a document. Raises Unreadable if it is no RTF."""
    _start(body)
    tokens = RtfTokens(body)
    while (match := _OBJECT.search(body, tokens.place)) is not None:
        tokens.place = match.end()
        file = object_file(tokens.skip_group())
        if file is not None:
            yield file


def _start(body: bytes) -> int:
    start = body.find(_SIGNATURE, 0, _HEAD)
    if start < 0:
        raise Unreadable("it is no RTF document")
    return start


def _attributes(machine: RtfMachine) -> dict[str, Value]:
    found: dict[str, Value] = {}
    authors = _several(machine.info.get("author", "").split(";"))
    if authors:
        found["Author"] = authors[0] if len(authors) == 1 else authors
    for name, attribute in _ATTRIBUTES.items():
        if machine.info.get(name):
            found[attribute] = machine.info[name]
    keywords = _several(machine.info.get("keywords", "").replace(";", ",").split(","))
    if keywords:
        found["Keywords"] = keywords
    for name, value in machine.custom.items():
        if name not in OF_READING:
            found.setdefault(name, value)
    return found


def _several(values: Iterable[str]) -> tuple[str, ...]:
    lines = (one_line(value) for value in values)
    return tuple(dict.fromkeys(line for line in lines if line))[:MAX_KEYWORDS]
