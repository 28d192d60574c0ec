"""The pages of a PowerPoint document, and where they lie: [MS-PPT] 2.1.2 and 2.4.14.

Current User ─> user edit ─> user edit before it ─> ...   each has a directory of what it wrote: number ─> place
document ─> list of slides ─> number of each, and the text of its placeholders
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Final

from cormorant.extract.detect.compound_file import Storage
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.ole.ppt.records import Kind, PptRecord, all_records, child_records, record_at
from cormorant.extract.ole.ppt.slide import STAND_INS, record_text, stand_in_place, without_stand_ins

MAX_EDITS: Final = 10_000
MAX_OBJECTS: Final = 1_000_000
"""Numbers of objects that are listed."""

_DUAL: Final = "PP97_DUALSTORAGE"
_STREAM: Final = "PowerPoint Document"
_ENCRYPTED_TOKEN: Final = 0xF3D1C4DF
_ENCRYPTED_SUMMARY: Final = "EncryptedSummary"
_U32: Final = struct.Struct("<I")
_CURRENT: Final = struct.Struct("<12xII")
_EDIT: Final = struct.Struct("<8xIII")
_PERSIST: Final = struct.Struct("<I8xI")
_NOTES_OF_SLIDE: Final = 16
_SLIDES, _MASTERS, _NOTES = 0, 1, 2


@dataclass
class PptPage:
    """A page in a list of pages: its record, its number among slides or notes, its texts in the outline."""

    record: PptRecord
    number: int
    outline: list[str] = field(default_factory=list)


class Presentation:
    """A PowerPoint document: `data` is its stream, `places` where its objects lie by number.

    `document` is the record that lists everything, None when it cannot be found. `damaged`: something is missing.
    """

    def __init__(self, storage: Storage) -> None:
        """Read the directories. Raises Protected when it is encrypted, Unreadable when its stream is missing."""
        storage = storage.storage(_DUAL) or storage
        self.data = storage.read(_STREAM) or b""
        if len(self.data) < _CURRENT.size:
            raise Unreadable("the stream of its slides is missing or cut short")
        self.damaged = False
        self.places: dict[int, int] = {}
        user = storage.read("Current User") or b""
        token, edit = _CURRENT.unpack_from(user) if len(user) >= _CURRENT.size else (0, 0)
        if token == _ENCRYPTED_TOKEN or _ENCRYPTED_SUMMARY in storage:
            raise Protected
        number = self._read_edits(edit)
        self.document = self._object(number, Kind.DOCUMENT)
        if self.document is None:
            self.damaged = True
            top = child_records(self.data, 0, len(self.data))
            self.document = next((each for each in top if each.kind == Kind.DOCUMENT), None)

    def slides(self) -> list[PptPage]:
        """Return the slides in the order in which they are shown."""
        return self._pages(_SLIDES)

    def notes(self) -> list[PptPage]:
        """Return the pages of notes."""
        return self._pages(_NOTES)

    def masters(self) -> list[PptPage]:
        """Return the masters of slides."""
        return self._pages(_MASTERS)

    def notes_of(self, slide: PptPage) -> int:
        """Return the number of the notes of a slide, 0 when it has none: [MS-PPT] 2.5.10."""
        for each in child_records(self.data, slide.record.start, slide.record.end):
            body = each.body(self.data) if each.kind == Kind.SLIDE_ATOM else b""
            if len(body) >= _NOTES_OF_SLIDE + 4:
                return int(_U32.unpack_from(body, _NOTES_OF_SLIDE)[0])
        return 0

    def _read_edits(self, place: int) -> int:
        """Follow the edits from the newest one; return the number of the document's record."""
        document = 0
        seen: set[int] = set()
        while place and place not in seen and len(seen) < MAX_EDITS:
            seen.add(place)
            edit = record_at(self.data, place)
            if edit is None or edit.kind != Kind.USER_EDIT or edit.end - edit.start < _EDIT.size:
                self.damaged = True
                break
            place, directory, number = _EDIT.unpack_from(self.data, edit.start)
            document = document or number
            if edit.end - edit.start >= 32 and self._is_encrypted(edit):
                raise Protected
            self._read_directory(directory)
        self.damaged |= not document
        return document

    def _is_encrypted(self, edit: PptRecord) -> bool:
        return bool(_U32.unpack_from(self.data, edit.start + 28)[0])

    def _read_directory(self, place: int) -> None:
        """Read where objects lie; newer directories come first: [MS-PPT] 2.3.4 and 2.3.5."""
        directory = record_at(self.data, place)
        if directory is None or directory.kind != Kind.PERSIST_DIRECTORY:
            self.damaged = True
            return
        size = (directory.end - directory.start) & ~3
        numbers = [number for (number,) in _U32.iter_unpack(self.data[directory.start : directory.start + size])]
        at = 0
        while at < len(numbers) and len(self.places) < MAX_OBJECTS:
            first, count = numbers[at] & 0xFFFFF, numbers[at] >> 20
            for step, found in enumerate(numbers[at + 1 : at + 1 + count]):
                self.places.setdefault(first + step, found)
            at += 1 + count

    def _object(self, number: int, *kinds: Kind) -> PptRecord | None:
        record = record_at(self.data, self.places.get(number, -1))
        return record if record is not None and record.kind in kinds else None

    def _pages(self, which: int) -> list[PptPage]:
        if self.document is None:
            return []
        pages: list[PptPage] = []
        for each in child_records(self.data, self.document.start, self.document.end):
            if each.kind == Kind.SLIDE_LIST and each.instance == which:
                pages += self._listed(each)
        return pages

    def _listed(self, found: PptRecord) -> list[PptPage]:
        """Return the pages of a list with their texts in the outline: [MS-PPT] 2.4.14.3."""
        pages: list[PptPage] = []
        outline: list[str] = []
        stand_ins: list[int] = []
        for each in all_records(self.data, found.start, found.end):
            if each.kind in STAND_INS:
                stand_ins.append(stand_in_place(each, self.data))
                continue
            if outline and stand_ins:
                outline[-1] = without_stand_ins(outline[-1], stand_ins)
                stand_ins = []
            if each.kind == Kind.SLIDE_PERSIST and each.end - each.start >= _PERSIST.size:
                outline = []
                pages.append(self._page(each, outline))
            elif each.kind == Kind.TEXT_HEADER:
                outline.append("")
            elif each.kind in (Kind.TEXT_CHARACTERS, Kind.TEXT_BYTES) and outline:
                outline[-1] = record_text(each, self.data)
        return pages

    def _page(self, listed: PptRecord, outline: list[str]) -> PptPage:
        reference, number = _PERSIST.unpack_from(self.data, listed.start)
        page = self._object(reference, Kind.SLIDE, Kind.NOTES, Kind.MAIN_MASTER)
        self.damaged |= page is None
        return PptPage(page or PptRecord(0, 0, 0, 0, holds_records=False), number, outline)
