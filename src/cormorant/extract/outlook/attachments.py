"""The attachments of Outlook messages in any kind of file."""

from __future__ import annotations

from collections.abc import Iterator

from cormorant.extract.detect.compound_file import CompoundFile
from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.embedded import with_distinct_names
from cormorant.extract.outlook.msg import msg_embedded_files
from cormorant.extract.outlook.tnef import TNEF_MAGIC, tnef_embedded_files


def outlook_embedded_files(body: bytes, _task: ExtractionTask) -> Iterator[EmbeddedFile]:
    """Yield the attachments of a message (.msg) or a winmail.dat. Raises Unreadable when `body` is neither."""
    tnef = body.startswith(TNEF_MAGIC)
    files = tnef_embedded_files(body) if tnef else msg_embedded_files(CompoundFile(body).root)
    yield from with_distinct_names(files)
