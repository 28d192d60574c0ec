"""The sandbox's task for a format of a package: its own function, with the usual payload and answer.

    "cormorant_ics:convert" --task_of--> payload -> convert(body, task) -> answer

The fork server calls `task_of` once. The import of the module is tried in a child first: if the import fails, ends the
process or starts threads, the server starts all the same, and reports that for each document.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from cormorant.base.errors import PluginUnusable
from cormorant.extract.convert import answered
from cormorant.extract.job import CONVERSION_FAILED, Body, ConversionFault, ExtractionTask, decode_task, encode_result
from cormorant.extract.plugin_import import tried_import
from cormorant.extract.sanitize import name_of
from cormorant.model.content import Extraction

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
    found = tried_import(reference)
    if not callable(found):
        raise PluginUnusable("it is no function.")
    function: Convert = found
    return function


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
