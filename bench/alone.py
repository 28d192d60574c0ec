"""Measure one thing at a time: two benchmarks here would disturb each other."""

from __future__ import annotations

import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from bench.places import CACHE


@contextmanager
def alone() -> Iterator[bool]:
    """Keep others out for the length of a block. False, and a word about it, when another is under way."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another benchmark is running here; two would disturb each other.", file=sys.stderr)
            yield False
        else:
            yield True
