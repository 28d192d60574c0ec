"""Memory of forked processes: sharing pages, and giving back what large documents took.

A forked child shares every page of memory with its parent until either writes to it. The garbage collector writes into
each object it looks at, so what exists before a fork is put out of its sight. And the C library (glibc; elsewhere
nothing happens) keeps what was freed between two things in use, which a crawl of large pages does all the time: large
pieces are therefore taken from the system one by one, and the rest is handed back now and then.

The index maps its files. Joining segments reads each of them once, from end to end, and all of it would stay in memory
until the engine lets go of them: tens of megabytes in a small index, any amount in a large one. So what a process has
read of files below a folder is handed back while it goes on (Linux from 5.4; elsewhere nothing happens).

Whoever begins the other processes has loaded what each of them needs, and then waits. What it has read of programs and
libraries until then is handed back.
"""

from __future__ import annotations

import ctypes
import gc
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import Event, Thread
from typing import Final

from cormorant.base.clock import Clock

_LARGE: Final = 1 << 20
"""Bytes of a piece that is mapped by itself. Left alone, glibc raises this to 32 MB after the first large body."""
_TOP: Final = 8 << 20
"""Free bytes at the end of the heap that are handed back at once.

The tree of one page is some megabytes. Were it handed back after each, the next would cost a fault for every 4 kB.
"""
_REST_S: Final = 15.0
"""How long what was freed is kept for what comes next: a page then costs half the faults."""
_GROWN: Final = 24 << 20
"""Bytes that a process may have grown by since it handed back last: a page of some megabytes takes far more."""
_ARENAS: Final = 2
"""Heaps of a process, which has that many busy threads at most."""
# The numbers that mallopt takes, from the C library's malloc.h.
_M_TRIM_THRESHOLD: Final = -1
_M_MMAP_THRESHOLD: Final = -3
_M_ARENA_MAX: Final = -8

_MAPPED: Final = 8 << 20
"""Bytes of mapped files that may be read before they are handed back."""
_LOOK_S: Final = 0.05
_STATM: Final = Path("/proc/self/statm")
# From the kernel's mman-common.h: write back, if need be, and forget. Another process that has a page keeps it.
_MADV_PAGEOUT: Final = 21
# From mman(2): forget; what is a file's alone is read from it again when it is needed.
_MADV_DONTNEED: Final = 4
_SMAPS: Final = Path("/proc/self/smaps")
_MAPPING: Final = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) r-.p \S+ \S+ [1-9]\d* .*\n((?:[A-Z]\w*:.*\n)+)", re.MULTILINE)
"""A private mapping of a file that cannot be written, and what is said of its pages (proc(5), smaps)."""
_SIZE: Final = re.compile(r"^(\w+): +(\d+) kB$", re.MULTILINE)


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


def collect_late(young: int = 20_000, middle: int = 50, old: int = 1_000) -> None:
    """Tune the collector for a long life that makes few cycles: what exists now is never looked at again.

    `young`, `middle` and `old` are what `gc.set_threshold` takes. Cycles wait until there are as many objects as
    `young` says, which are some megabytes of each process.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(young, middle, old)


def trimmer(clock: Clock) -> Callable[[], None]:
    """Return what hands free memory back to the system, when it has not done so lately or the process has grown.

    For the end of a batch.
    """
    trim = getattr(_c_library(), "malloc_trim", None)
    due, before = clock.monotonic() + _REST_S, _resident_bytes()

    def trims() -> None:
        nonlocal due, before
        now = clock.monotonic()
        if trim is not None and (now >= due or _resident_bytes() - before > _GROWN):
            trim(0)
            due, before = now + _REST_S, _resident_bytes()

    return trims


def _resident_bytes() -> int:
    """Return the resident memory of this process in bytes; 0 where the system does not report it."""
    return _statm_bytes(1) if _STATM.exists() else 0


def _statm_bytes(column: int) -> int:
    """One figure of this process's memory: 1 all that is in it, 2 what of that is mapped files (proc(5), statm).

    0 when it cannot be asked just now, as too many files are open.
    """
    with suppress(OSError):
        return int(_STATM.read_bytes().split()[column]) * os.sysconf("SC_PAGESIZE")
    return 0


def leave_libraries() -> None:
    """Hand back what this process has read of programs and libraries: for one that only waits from here.

    No other thread may run: one that loads a library just then writes into what was listed as only read.
    """
    with suppress(OSError):
        for start, end in only_read(_SMAPS.read_text(errors="replace")):
            _c_library().madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), _MADV_DONTNEED)


def only_read(smaps: str) -> Iterator[tuple[int, int]]:
    """Yield where files are mapped of which nothing in memory, or swapped out, is this process's own.

    The loader writes addresses into some parts before it closes them. Where all sizes are 0 nobody has looked, as under
    an emulator.
    """
    for start, end, said in _MAPPING.findall(smaps):
        sizes = dict(_SIZE.findall(said))
        if sizes.get("Rss", "0") != "0" and sizes.get("Anonymous") == sizes.get("Swap") == "0":
            yield int(start, 16), int(end, 16)


@contextmanager
def kept_small(folder: Path) -> Iterator[None]:
    """For the length of a block, hand back what this process has read of mapped files below `folder`."""
    if not _STATM.exists():
        yield
        return
    ended = Event()
    watch = Thread(target=_watch, args=(f"{folder.resolve()}/", _mapped_bytes(), ended), name="memory", daemon=True)
    watch.start()
    try:
        yield
    finally:
        ended.set()
        watch.join()


def _watch(folder: str, left: int, ended: Event) -> None:
    """Hand back whenever much has come to what was left the last time."""
    while not ended.wait(_LOOK_S):
        if _mapped_bytes() - left > _MAPPED:
            _hand_back(folder)
            left = _mapped_bytes()


def _mapped_bytes() -> int:
    """Return the resident bytes of files that this process has mapped into memory."""
    return _statm_bytes(2)


def _hand_back(folder: str) -> None:
    """Hand back the mapped files below `folder`.

    One may have been unmapped, and its place taken, since it was listed: the call only says that memory is not needed
    soon, whatever is there, and changes nothing in it.
    """
    with suppress(OSError):
        for line in Path("/proc/self/maps").read_text(errors="replace").splitlines():
            addresses, *_, path = line.split(maxsplit=5)
            if path.startswith(folder):
                start, end = (int(address, 16) for address in addresses.split("-"))
                _c_library().madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), _MADV_PAGEOUT)
