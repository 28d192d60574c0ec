"""Memory of forked processes: sharing pages, and releasing the memory of large documents.

A forked child shares every page of memory with its parent until either writes to it. The garbage collector writes into
each object that it examines, so objects that exist before a fork are excluded from collection. And the C library
(glibc; elsewhere nothing happens) keeps freed memory between two blocks in use, which a crawl of large pages produces
all the time: large blocks are therefore mapped one by one, and the rest is released now and then.

The index maps its files. A merge reads each segment once, from end to end, and all of it would stay in memory until the
engine releases the files: tens of megabytes in a small index, any amount in a large one. So pages of mapped files below
a folder are released while the process goes on (Linux from 5.4; elsewhere nothing happens).

The process that starts the others has loaded the modules that each of them needs, and then waits. Its pages of programs
and libraries are released then.
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
"""Bytes of a block that is mapped by itself. By default, glibc raises this to 32 MB after the first large body."""
_TOP: Final = 8 << 20
"""Free bytes at the end of the heap that are released at once.

The tree of one page takes some megabytes. Releasing it after each page would cost the next a fault for every 4 kB.
"""
_REST_S: Final = 15.0
"""Seconds for which freed memory is kept for the next pages: they then cost half the faults."""
_GROWN: Final = 24 << 20
"""Bytes of growth since the last release that cause another: a page of some megabytes takes far more."""
_ARENAS: Final = 2
"""Heaps of a process, which has that many busy threads at most."""
# Option numbers of mallopt, from the C library's malloc.h.
_M_TRIM_THRESHOLD: Final = -1
_M_MMAP_THRESHOLD: Final = -3
_M_ARENA_MAX: Final = -8

_MAPPED: Final = 8 << 20
"""Bytes of mapped files that may be read before they are released."""
_LOOK_S: Final = 0.05
_STATM: Final = Path("/proc/self/statm")
# From the kernel's mman-common.h: write back if necessary, and release. Another process that uses a page keeps it.
_MADV_PAGEOUT: Final = 21
# From mman(2): release; pages of a file are read from it again when needed.
_MADV_DONTNEED: Final = 4
_SMAPS: Final = Path("/proc/self/smaps")
_MAPPING: Final = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) r-.p \S+ \S+ [1-9]\d* .*\n((?:[A-Z]\w*:.*\n)+)", re.MULTILINE)
"""A private read-only mapping of a file, and the statistics of its pages (proc(5), smaps)."""
_SIZE: Final = re.compile(r"^(\w+): +(\d+) kB$", re.MULTILINE)


@cache
def _c_library() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def share_from_here() -> None:
    """Prepare for forks: existing objects stay shared, and large blocks of memory are released when they are freed."""
    tune = getattr(_c_library(), "mallopt", None)
    if tune is not None:
        for option, value in ((_M_MMAP_THRESHOLD, _LARGE), (_M_TRIM_THRESHOLD, _TOP), (_M_ARENA_MAX, _ARENAS)):
            tune(option, value)
    gc.collect()
    gc.freeze()


def collect_late(young: int = 20_000, middle: int = 50, old: int = 1_000) -> None:
    """Tune the collector for a long life with few cycles: existing objects are never examined again.

    `young`, `middle` and `old` are the arguments of `gc.set_threshold`. Cycles wait until there are `young` new
    objects, which are some megabytes of each process.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(young, middle, old)


def trimmer(clock: Clock) -> Callable[[], None]:
    """Return a function that releases free memory, if the last release is long ago or the process has grown.

    Call it at the end of a batch.
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
    """Return the resident memory of this process in bytes; 0 if the system does not report it."""
    return _statm_bytes(1) if _STATM.exists() else 0


def _statm_bytes(column: int) -> int:
    """One figure of this process's memory: 1 all resident memory, 2 resident mapped files (proc(5), statm).

    0 if it cannot be read, as with too many open files.
    """
    with suppress(OSError):
        return int(_STATM.read_bytes().split()[column]) * os.sysconf("SC_PAGESIZE")
    return 0


def leave_libraries() -> None:
    """Release this process's pages of programs and libraries, if it only waits from here.

    No other thread may run: one that loads a library meanwhile could write into a listed mapping.
    """
    with suppress(OSError):
        for start, end in only_read(_SMAPS.read_text(errors="replace")):
            _c_library().madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), _MADV_DONTNEED)


def only_read(smaps: str) -> Iterator[tuple[int, int]]:
    """Yield mapped files without any page, in memory or swapped out, that was modified by this process.

    The loader writes addresses into some parts before it protects them. Sizes that are all 0 are unknown, as under an
    emulator.
    """
    for start, end, said in _MAPPING.findall(smaps):
        sizes = dict(_SIZE.findall(said))
        if sizes.get("Rss", "0") != "0" and sizes.get("Anonymous") == sizes.get("Swap") == "0":
            yield int(start, 16), int(end, 16)


@contextmanager
def kept_small(folder: Path) -> Iterator[None]:
    """Release this process's pages of mapped files below `folder` repeatedly for the length of a block."""
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
    """Release pages whenever many were read since the last release."""
    while not ended.wait(_LOOK_S):
        if _mapped_bytes() - left > _MAPPED:
            _hand_back(folder)
            left = _mapped_bytes()


def _mapped_bytes() -> int:
    """Return the resident bytes of files that this process has mapped into memory."""
    return _statm_bytes(2)


def _hand_back(folder: str) -> None:
    """Release the mapped files below `folder`.

    A file may have been unmapped, and its place taken, since it was listed: the call only declares that the memory is
    not needed soon, and changes no content.
    """
    with suppress(OSError):
        for line in Path("/proc/self/maps").read_text(errors="replace").splitlines():
            addresses, *_, path = line.split(maxsplit=5)
            if path.startswith(folder):
                start, end = (int(address, 16) for address in addresses.split("-"))
                _c_library().madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), _MADV_PAGEOUT)
