"""How do the processes share memory, and give back what big pages took?

A forked child shares every page of memory with its parent until either writes to it. The garbage collector writes into
each object it looks at, so what exists before a fork is put out of its sight. And the C library (glibc; elsewhere
nothing happens) keeps what was freed between two things in use, which a crawl of large pages does all the time: large
pieces are therefore taken from the system one by one, and the rest is handed back now and then.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from functools import cache, partial
from typing import Final

_LARGE: Final = 256 * 1024
"""Bytes of a piece that is mapped by itself. Left alone, glibc raises this to 32 MB after the first large body."""
_TOP: Final = 1 << 20
"""Free bytes at the end of the heap that are handed back at once."""
_ARENAS: Final = 2
"""Heaps of a process, which has that many busy threads at most."""
# The numbers that mallopt takes, from the C library's malloc.h.
_M_TRIM_THRESHOLD: Final = -1
_M_MMAP_THRESHOLD: Final = -3
_M_ARENA_MAX: Final = -8


@cache
def _c_library() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def share_from_here() -> None:
    """Prepare for forks: what exists now stays shared, and large pieces of memory go back when they are freed."""
    tune = getattr(_c_library(), "mallopt", None)
    if tune is not None:
        for option, value in ((_M_MMAP_THRESHOLD, _LARGE), (_M_TRIM_THRESHOLD, _TOP), (_M_ARENA_MAX, _ARENAS)):
            tune(option, value)
    gc.collect()
    gc.freeze()


def collect_late() -> None:
    """Tune the collector for a long life that makes few cycles: what exists now is never looked at again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 1000)


def trimmer() -> Callable[[], None]:
    """Return what hands free memory back to the system; a few milliseconds, so it is for the end of a batch."""
    trim = getattr(_c_library(), "malloc_trim", None)
    return partial(trim, 0) if trim is not None else lambda: None
