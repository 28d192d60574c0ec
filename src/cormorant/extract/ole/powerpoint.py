"""Text of PowerPoint 97-2003 documents (PPT, PPS, POT): [MS-PPT].

body     each slide in its order, hidden ones too: its shapes, tables and groups, WordArt, alternative texts; its notes
asides   comments, headers and footers, what masters show on every slide; the words of charts and in metafiles
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from cormorant.extract.detect.compound_file import CompoundFile, Storage
from cormorant.extract.document.links import page_links
from cormorant.extract.document.text_builder import TextBuilder
from cormorant.extract.errors import Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.code_pages import joined_units
from cormorant.extract.ole.excel import graph_lines
from cormorant.extract.ole.object_storage import is_read_apart
from cormorant.extract.ole.office_art import MAX_RECORDS
from cormorant.extract.ole.pictures import BlipText
from cormorant.extract.ole.ppt.objects import blip_store, object_storages, page_pictures
from cormorant.extract.ole.ppt.presentation import PptPage, Presentation
from cormorant.extract.ole.ppt.records import Kind, PptRecord, all_records, child_records, record_at
from cormorant.extract.ole.ppt.slide import SlideText, record_text, shown_strings, strings_of
from cormorant.extract.ole.properties import read_properties
from cormorant.extract.sanitize import title_or_name
from cormorant.model.content import Extraction

MAX_MASTERS: Final = 20
"""Masters whose prompts are kept apart in a damaged document."""

_TEXT_ATOM: Final = re.compile(rb"\0\0[\xa0\xa8]\x0f")
_NAME, _TARGET = 0, 1
_PICTURES: Final = "Pictures"


def extract_ppt(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the extraction of a PowerPoint document.

    Raises Protected if it is encrypted, Unreadable if no text is found.
    """
    root = CompoundFile(body).root
    return _PowerPointReader(Presentation(root), task).extraction(root)


class _PowerPointReader:
    def __init__(self, presentation: Presentation, task: ExtractionTask) -> None:
        self._from = presentation
        self._task = task
        self._builder = TextBuilder()
        self._labels: dict[int, str] = {}
        self._asides: list[str] = []
        self._read: set[int] = set()
        self._shown: set[int] = set()
        self._previews: set[int] = set()
        self._left = 2 * len(presentation.data)  # pages of a sound document share no bytes

    def extraction(self, root: Storage) -> Extraction:
        self._add_slides()
        self._add_what_all_show()
        damaged = self._from.damaged or root.file.damaged
        if damaged or not self._read:
            self._add_lost()
        for text in (*self._asides, *self._words_of_objects(), *self._words_of_pictures(root)):
            self._builder.aside(text)
        text = self._builder.text()
        if damaged and not text:
            raise Unreadable("no slide in it can be found: it is cut short or damaged")
        properties = read_properties(root)
        links, seen = page_links(self._task.address, self._links())
        return Extraction(
            text=text,
            title=title_or_name(properties.title, self._task.address, self._task.file_name),
            links=links,
            links_seen=seen,
            attributes=properties.attributes,
            truncated=damaged or self._builder.full,
            fault="A part of it is damaged or missing; the rest was read." if damaged else "",
        )

    def _add_slides(self) -> None:
        notes = {each.number: each for each in self._from.notes()}
        for slide in self._from.slides():
            self._builder.add("\n")
            self._add_page(slide)
            beside = notes.pop(self._from.notes_of(slide), None)
            if beside is not None:
                self._add_page(beside)
            if self._builder.full or self._left < 0:
                return
        for beside in notes.values():
            self._add_page(beside)

    def _add_page(self, page: PptPage) -> None:
        self._read.add(page.record.start)
        self._left -= page.record.end - page.record.start
        if self._left < 0:
            self._from.damaged = True
            return
        found = SlideText(page.outline, links=self._labels)
        found.read(self._from.data, page.record)
        for line in found.lines:
            self._builder.line(line)
        self._asides += found.asides
        self._note_pictures(page)

    def _note_pictures(self, page: PptPage) -> None:
        shown, previews = page_pictures(self._from.data, page.record)
        self._shown |= shown
        self._previews |= previews

    def _words_of_objects(self) -> Iterator[str]:
        """Yield the words of charts of Microsoft Graph."""
        for storage in object_storages(self._from):
            yield from graph_lines(storage)

    def _words_of_pictures(self, root: Storage) -> Iterator[str]:
        """Yield the text in metafiles, without those that only show a document which is read apart."""
        if self._previews and all(is_read_apart(storage) for storage in object_storages(self._from)):
            self._shown -= self._previews
        yield from BlipText().stored(blip_store(self._from), root.read(_PICTURES) or b"", self._shown)

    def _add_what_all_show(self) -> None:
        """Gather headers and footers of the document, and what masters show beside the prompts of placeholders."""
        data, document = self._from.data, self._from.document
        for each in child_records(data, document.start, document.end) if document is not None else ():
            if each.kind == Kind.HEADERS_FOOTERS:
                self._asides += shown_strings(each, data)
        for master in self._from.masters():
            found = SlideText(own_only=True, links=self._labels)
            found.read(data, master.record)
            self._asides += found.lines
            self._note_pictures(master)

    def _links(self) -> Iterator[tuple[str, str]]:
        """Yield the targets of hyperlinks with their words: [MS-PPT] 2.10.16 (ExHyperlinkContainer)."""
        data, document = self._from.data, self._from.document
        for each in all_records(data, document.start, document.end) if document is not None else ():
            if each.kind != Kind.HYPERLINK:
                continue
            target = next(iter(strings_of(each, data, _TARGET)), "")
            name = next(iter(strings_of(each, data, _NAME)), "")
            yield target, self._labels.get(self._number_of(each), "") or (name if name != target else "")

    def _number_of(self, hyperlink: PptRecord) -> int:
        first = record_at(self._from.data, hyperlink.start, hyperlink.end)
        return int.from_bytes(first.body(self._from.data)[:4], "little") if first is not None else 0

    def _add_lost(self) -> None:
        """Add pages that no list leads to, old versions among them, then every text that is not there yet."""
        data, masters = self._from.data, []
        for record in child_records(data, 0, len(data)):
            if record.kind in (Kind.SLIDE, Kind.NOTES) and record.start not in self._read:
                self._add_page(PptPage(record, 0))
            elif record.kind == Kind.MAIN_MASTER:
                masters.append(range(record.start, record.end))
        known = set(self._builder.text().split("\n"))
        for found in islice(_TEXT_ATOM.finditer(data), MAX_RECORDS):
            place = record_at(data, found.start())
            if place is None or any(found.start() in master for master in masters[:MAX_MASTERS]):
                continue
            lines = (line.strip() for line in joined_units(record_text(place, data)).split("\n"))
            new = dict.fromkeys(line for line in lines if line and line not in known)
            known.update(new)
            for line in new:
                self._builder.line(line)
            if self._builder.full:
                return
