"""The files in Office 97-2003 documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from cormorant.extract.archives.member_path import DistinctPaths, harmless_path
from cormorant.extract.detect.compound_file import CompoundFile, Storage, kind_of_storage
from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.excel import xls_embedded_files
from cormorant.extract.ole.object_storage import embedded_object
from cormorant.extract.ole.ppt.objects import object_storages
from cormorant.extract.ole.ppt.presentation import Presentation
from cormorant.extract.ole.word import OBJECTS

MAX_EMBEDDED: Final = 10_000


def ole_embedded_files(body: bytes, task: ExtractionTask) -> Iterator[EmbeddedFile]:
    """Yield the documents embedded in a Word, Excel or PowerPoint document.

    Names are distinct; files without one have "". Raises Unreadable when `body` is no OLE file, Protected when it is
    encrypted.
    """
    yield from with_distinct_names(_files(body, task))


def with_distinct_names(files: Iterable[EmbeddedFile]) -> Iterator[EmbeddedFile]:
    """Yield files with names that are harmless and distinct; those without one keep ""."""
    paths = DistinctPaths()
    for file in files:
        name = harmless_path(file.path).rpartition("/")[2]
        yield file._replace(path=paths.distinct(name) if name else "")


def _files(body: bytes, task: ExtractionTask) -> Iterator[EmbeddedFile]:
    root = CompoundFile(body).root
    kind = kind_of_storage(root)
    if kind == "application/vnd.ms-excel":
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
    for storage in object_storages(Presentation(root)):
        file = embedded_object(storage)
        if file is not None:
            yield file
