"""Conversion of an office document, run in the sandboxed child process.

It is separate from `convert`, since the readers of office documents take some 30 MB.
"""

from __future__ import annotations

from cormorant.extract.convert import answered, load_converters, read_declared
from cormorant.extract.detect.format import OFFICE_SERVER
from cormorant.extract.job import decode_task

load_converters(OFFICE_SERVER)


def convert(payload: bytes) -> bytes:
    """Read one office document; otherwise like `convert.convert`."""
    task, body = decode_task(payload)
    del payload
    return answered(task, body, read_declared)
