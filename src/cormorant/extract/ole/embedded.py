"""The files in Office 97-2003 documents and Outlook messages."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import islice
from typing import Final

from cormorant.extract.archives.member_path import DistinctPaths, harmless_path
from cormorant.extract.detect.compound_file import CompoundFile, Storage, kind_of_storage
from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.excel import xls_embedded_files
from cormorant.extract.ole.object_storage import embedded_object, unpack_object
from cormorant.extract.ole.outlook import msg_embedded_files
from cormorant.extract.ole.ppt.presentation import Presentation
from cormorant.extract.ole.ppt.records import Kind, record_at
from cormorant.extract.ole.tnef import TNEF_MAGIC, tnef_embedded_files
from cormorant.extract.ole.word import OBJECTS

MAX_EMBEDDED: Final = 10_000
MAX_UNPACKED: Final = 256 * 1024 * 1024
"""Bytes that an object of a presentation unpacks to."""

_COMPRESSED: Final = 1
_SIZE_FIELD: Final = 4


def ole_embedded_files(body: bytes, task: ExtractionTask) -> Iterator[EmbeddedFile]:
    """Yield the documents embedded in a Word, Excel or PowerPoint document, and the attachments of a message.

    Names are distinct; files without one have "". Raises Unreadable when `body` is neither an OLE file nor a message,
    Protected when it is encrypted.
    """
    paths = DistinctPaths()
    for file in _files(body, task):
        name = harmless_path(file.path).rpartition("/")[2]
        yield file._replace(path=paths.distinct(name) if name else "")


def _files(body: bytes, task: ExtractionTask) -> Iterator[EmbeddedFile]:
    if body.startswith(TNEF_MAGIC):
        yield from tnef_embedded_files(body)
        return
    root = CompoundFile(body).root
    kind = kind_of_storage(root)
    if kind == "application/vnd.ms-outlook":
        yield from msg_embedded_files(root)
    elif kind == "application/vnd.ms-excel":
        yield from xls_embedded_files(body, task)
    elif kind == "application/vnd.ms-powerpoint":
        yield from _of_presentation(root)
    else:
        yield from _of_document(root)


def _of_document(root: Storage) -> Iterator[EmbeddedFile]:
    pool = root.storage(OBJECTS)
    for _, storage in () if pool is None else islice(pool.storages(), MAX_EMBEDDED):
        file = embedded_object(storage)
        if file is not None:
            yield file


def _of_presentation(root: Storage) -> Iterator[EmbeddedFile]:
    """Yield what lies in storages of objects: [MS-PPT] 2.10.34 and 2.10.35."""
    presentation = Presentation(root)
    data = presentation.data
    for place in islice(dict.fromkeys(presentation.places.values()), MAX_EMBEDDED):
        record = record_at(data, place)
        if record is None or record.kind != Kind.OBJECT_STORAGE:
            continue
        stored = record.body(data)
        body = _inflated(stored[_SIZE_FIELD:]) if record.instance == _COMPRESSED else stored
        file = unpack_object(body)
        if file is not None:
            yield file


def _inflated(data: bytes) -> bytes:
    """Return what data unpacks to, as far as it can be and at most MAX_UNPACKED bytes."""
    inflator = zlib.decompressobj()
    try:
        return inflator.decompress(data, MAX_UNPACKED)
    except zlib.error:
        return b""
