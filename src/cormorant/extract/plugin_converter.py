"""The limited child's task for a format that a package adds: its own function, between the usual two ends.

    "cormorant_ics:convert" --task_of--> payload -> convert(body, task) -> answer

The fork server calls `task_of` once. What the module does when it is imported is tried in a child first: where it
cannot be imported, ends its process or starts threads, the server starts all the same, and says so of each document.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from functools import partial
from typing import Final, NoReturn

from msgspec.structs import replace

from cormorant.base.entry_points import imported
from cormorant.base.errors import PluginUnusable
from cormorant.extract.convert import answered
from cormorant.extract.job import CONVERSION_FAILED, Body, ConversionFault, ExtractionTask, decode_task, encode_result
from cormorant.extract.sanitize import name_of
from cormorant.model.content import Extraction

IMPORT_S: Final = 20
"""Seconds that the import of a converter may take."""

Convert = Callable[[bytes, ExtractionTask], Extraction]


def task_of(reference: str) -> Callable[[bytes], bytes]:
    """Return the task that a converter ("module:function") does, or one that says why it cannot."""
    try:
        return partial(_convert, _function(reference))
    except PluginUnusable as error:
        fault = ConversionFault(CONVERSION_FAILED, f"The converter {reference} cannot be loaded: {error.sentence}")
        return lambda _: encode_result(fault)


def _function(reference: str) -> Convert:
    """Import a converter, once that has gone well in a child. Raises PluginUnusable."""
    if why := _tried(reference):
        raise PluginUnusable(why)
    found = imported(reference)
    if not callable(found):
        raise PluginUnusable("it is no function.")
    function: Convert = found
    return function


def _tried(reference: str) -> str:
    """Import a converter in a child; returns what is wrong with that, "" for nothing."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        _try(reference, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as said:
        words = said.read().decode("utf-8", "replace")
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code == -signal.SIGALRM:
        return f"its module was not imported within {IMPORT_S} seconds."
    return words if code == 0 else f"its module ends the process that imports it ({code})."


def _try(reference: str, writing: int) -> NoReturn:
    """Be the child: import, say what is wrong, and end whatever happens."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(IMPORT_S)
    try:
        imported(reference)
        words = "its module starts threads, which a converter may not." if threading.active_count() > 1 else ""
    except PluginUnusable as error:
        words = error.sentence
    os.write(writing, words.encode("utf-8", "replace"))
    os._exit(0)


def _convert(function: Convert, payload: bytes) -> bytes:
    """Read one document. Raises what `convert.convert` raises, and TypeError for what is no Extraction."""
    task, body = decode_task(payload)
    del payload
    return answered(task, body, partial(_read, function))


def _read(function: Convert, task: ExtractionTask, body: Body) -> Extraction:
    said: object = function(body.take(), task)
    if not isinstance(said, Extraction):
        raise TypeError(f"the converter returned {type(said).__name__}, and no Extraction")
    return said if said.title else replace(said, title=name_of(task.address, task.file_name))
