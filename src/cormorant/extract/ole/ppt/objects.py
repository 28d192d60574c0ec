"""Objects that are embedded in a PowerPoint document: [MS-PPT] 2.10.34 and 2.10.35, and the pictures that show them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import islice
from typing import Final

from cormorant.extract.detect.compound_file import CompoundFile, Storage
from cormorant.extract.errors import Unreadable
from cormorant.extract.ole.office_art import picture_numbers
from cormorant.extract.ole.ppt.presentation import Presentation
from cormorant.extract.ole.ppt.records import Kind, PptRecord, all_records, record_at

MAX_OBJECTS: Final = 10_000
MAX_UNPACKED: Final = 256 * 1024 * 1024
"""Bytes that an object of a presentation unpacks to."""

_COMPRESSED: Final = 1
_SIZE_FIELD: Final = 4


def object_storages(presentation: Presentation) -> Iterator[Storage]:
    """Yield the storages of the objects that are sound."""
    data = presentation.data
    for place in islice(dict.fromkeys(presentation.places.values()), MAX_OBJECTS):
        record = record_at(data, place)
        if record is None or record.kind != Kind.OBJECT_STORAGE:
            continue
        stored = record.body(data)
        try:
            yield CompoundFile(_inflated(stored[_SIZE_FIELD:]) if record.instance == _COMPRESSED else stored).root
        except Unreadable:
            continue


def blip_store(presentation: Presentation) -> bytes:
    """Return the records of the entries for pictures, empty when there are none."""
    data, document = presentation.data, presentation.document
    for record in all_records(data, document.start, document.end) if document is not None else ():
        if record.kind == Kind.BLIP_STORE:
            return record.body(data)
    return b""


def page_pictures(data: bytes, page: PptRecord) -> tuple[set[int], set[int]]:
    """Return the numbers of all pictures on a page, and of those that show an object (ExObjRefAtom)."""
    shown: set[int] = set()
    previews: set[int] = set()
    of_shape: list[int] = []
    for record in all_records(data, page.start, page.end):
        if record.kind == Kind.SHAPE:
            of_shape = []
        elif record.kind == Kind.PROPERTIES:
            of_shape = list(picture_numbers(record.body(data), record.instance))
            shown.update(of_shape)
        elif record.kind == Kind.OBJECT_REFERENCE:
            previews.update(of_shape)
    return shown, previews


def _inflated(data: bytes) -> bytes:
    """Return what data unpacks to, as far as it can be and at most MAX_UNPACKED bytes."""
    inflator = zlib.decompressobj()
    try:
        return inflator.decompress(data, MAX_UNPACKED)
    except zlib.error:
        return b""
