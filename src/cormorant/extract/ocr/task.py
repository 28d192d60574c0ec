"""Conversion of PDF documents and pictures with recognition of text, run in the sandboxed child process.

Each engine has a fork server of its own, which starts when the first document comes and holds the engine's models.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final

from cormorant.extract.convert import answered
from cormorant.extract.job import Body, ExtractionTask, decode_task
from cormorant.extract.ocr.documents import extract_image, extract_pdf_with_ocr
from cormorant.extract.ocr.engine_interface import EngineMissing
from cormorant.extract.ocr.engines import load_engine
from cormorant.model.content import Extraction

_PDF: Final = "application/pdf"


def task_of(engine: str) -> Callable[[bytes], bytes]:
    """Return the task of an engine, loaded if it is installed: else each document says that it is not."""
    with suppress(EngineMissing):
        load_engine(engine)
    return partial(_convert, engine)


def _convert(engine: str, payload: bytes) -> bytes:
    """Read one document; otherwise like `convert.convert`."""
    task, body = decode_task(payload)
    del payload
    return answered(task, body, partial(_read, engine))


def _read(engine: str, task: ExtractionTask, body: Body) -> Extraction:
    read = extract_pdf_with_ocr if task.mime == _PDF else extract_image
    return read(body.take(), task, engine)
