"""Import of a package's code into a fork server, once that has gone well in a child.

A module that cannot be imported, ends its process or starts threads is refused, so that the server starts all the same.
"""

from __future__ import annotations

import os
import signal
import threading
from typing import Final, NoReturn

from cormorant.base.entry_points import imported
from cormorant.base.errors import PluginUnusable

IMPORT_S: Final = 20
"""Seconds that the import may take."""


def tried_import(reference: str) -> object:
    """Import the object of a reference ("module:name"). Raises PluginUnusable with the problem."""
    if why := _tried(reference):
        raise PluginUnusable(why)
    return imported(reference)


def _tried(reference: str) -> str:
    """Import in a child; returns the problem, "" for none."""
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
    """Run in the child: import, report the problem, and end in any case."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(IMPORT_S)
    try:
        imported(reference)
        words = "its module starts threads, which it may not." if threading.active_count() > 1 else ""
    except PluginUnusable as error:
        words = error.sentence
    os.write(writing, words.encode("utf-8", "replace"))
    os._exit(0)
