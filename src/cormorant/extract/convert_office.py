"""Conversion of an office document, run in the sandboxed child process.

Apart from `convert`, since loading xberg takes 23 MB.
"""

from __future__ import annotations

from cormorant.extract.convert import answered
from cormorant.extract.formats.office import extract_office
from cormorant.extract.job import Body, ExtractionTask, decode_task
from cormorant.model.content import Extraction


def convert(payload: bytes) -> bytes:
    """Read one office document; otherwise like `convert.convert`."""
    task, body = decode_task(payload)
    del payload
    return answered(task, body, _read)


def _read(task: ExtractionTask, body: Body) -> Extraction:
    return extract_office(body.take(), task.mime, address=task.address, file_name=task.file_name)
