"""Readers of Office documents that are no plain ZIP file: encrypted ones, and those that are one XML file.

Each is given the usual form first, and is then read by the reader of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from msgspec.structs import replace

from cormorant.base.entry_points import imported
from cormorant.extract.detect.built_in import BY_MEDIA_TYPE
from cormorant.extract.detect.media_types import WORD_2003
from cormorant.extract.detect.sniff import sniff
from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ooxml.embedded_files import ooxml_embedded_files
from cormorant.extract.ooxml.encryption import decrypted_package
from cormorant.extract.ooxml.flat_package import packed
from cormorant.extract.ooxml.word.word_2003 import packed_word_2003
from cormorant.model.content import Extraction

_CUT: Final = "A part of it is damaged, or larger than is read."


def extract_encrypted(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the extraction of the document in an encrypted one.

    Raises Protected for an unknown password, Unreadable when it is damaged or no Office document.
    """
    package = decrypted_package(body)
    del body
    return _read(package, task)


def encrypted_embedded_files(body: bytes, task: ExtractionTask) -> Iterator[EmbeddedFile]:
    """Yield the documents embedded in an encrypted document; none of one with an unknown password.

    Raises Unreadable when it is damaged.
    """
    try:
        package = decrypted_package(body)
    except Protected:
        return
    yield from ooxml_embedded_files(package, task)


def extract_flat(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the extraction of a document that is one XML file, of Word 2003 or as a flat package.

    Raises Unreadable for any other document, or one that declares entities.
    """
    package, complete = _packer(task)(body)
    del body
    found = _read(package, task)
    return found if complete else replace(found, truncated=True, fault=found.fault or _CUT)


def flat_embedded_files(body: bytes, task: ExtractionTask) -> Iterator[EmbeddedFile]:
    """Yield the documents embedded in a document that is one XML file. Raises Unreadable as `extract_flat` does."""
    package, _ = _packer(task)(body)
    yield from ooxml_embedded_files(package, task)


def _packer(task: ExtractionTask) -> Callable[[bytes], tuple[bytes, bool]]:
    return packed_word_2003 if task.mime == WORD_2003 else packed


def _read(package: bytes, task: ExtractionTask) -> Extraction:
    """Read a ZIP file with the reader of its contents."""
    made = BY_MEDIA_TYPE.get(sniff("", package, task.file_name or task.address))
    read = imported(made.converter) if made is not None and made.embedded.startswith(__package__) else None
    if not callable(read):
        raise Unreadable("it holds no Office document that could be read: it is cut short or damaged")
    found: Extraction = read(package, task)
    return found
