"""Reader of Office documents that are encrypted: those whose password Office tries by itself, and no others."""

from __future__ import annotations

from collections.abc import Iterator

from cormorant.base.entry_points import imported
from cormorant.extract.detect.built_in import BY_MEDIA_TYPE
from cormorant.extract.detect.sniff import sniff
from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ooxml.embedded_files import ooxml_embedded_files
from cormorant.extract.ooxml.encryption import decrypted_package
from cormorant.model.content import Extraction


def extract_encrypted(body: bytes, task: ExtractionTask) -> Extraction:
    """Return what the document in an encrypted one says.

    Raises Protected when a person has to know its password, Unreadable when it is damaged or no Office document.
    """
    package = decrypted_package(body)
    del body
    made = BY_MEDIA_TYPE.get(sniff("", package, task.file_name or task.address))
    read = imported(made.converter) if made is not None and made.embedded.startswith(__package__) else None
    if not callable(read):
        raise Unreadable("it is decrypted, and holds no Office document: it is cut short or damaged")
    found: Extraction = read(package, task)
    return found


def encrypted_embedded_files(body: bytes, task: ExtractionTask) -> Iterator[EmbeddedFile]:
    """Yield the documents embedded in an encrypted document; none of one whose password a person has to know.

    Raises Unreadable when it is damaged.
    """
    try:
        package = decrypted_package(body)
    except Protected:
        return
    yield from ooxml_embedded_files(package, task)
