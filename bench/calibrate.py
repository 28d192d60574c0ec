"""How fast is this machine just now?

A fixed piece of work of the kinds a crawl is made of: interpreted Python on strings, sets and dictionaries, and C
code over 40 kB blocks. Its CPU time is printed with every result, so that figures of two days, or of a busy moment,
can be read against each other. Nothing is divided by it.
"""

from __future__ import annotations

import hashlib
import time
import zlib

_ROUNDS = 600
_REPEATS = 3


def calibrate() -> float:
    """CPU seconds of the calibration loop, the median of three."""
    return sorted(_once() for _ in range(_REPEATS))[_REPEATS // 2]


def _once() -> float:
    began = time.process_time()
    _work()
    return time.process_time() - began


def _work() -> int:
    """The fixed work; the result is returned so that none of it can be left out."""
    block = bytes(range(256)) * 160
    seen: set[str] = set()
    counts: dict[str, int] = {}
    total = 0
    for turn in range(_ROUNDS):
        for link in range(800):
            address = f"http://127.0.1.{turn % 18}/part{link % 97}/page{turn * link % 1_009}.html"
            path = address.partition("//")[2].split("/")
            counts[path[1]] = counts.get(path[1], 0) + len(path)
            if address not in seen:
                seen.add(address)
        total += len(zlib.compress(block, 1)) + hashlib.sha256(block).digest()[0]
        total += len(b" ".join(block.split(b"\n")))
    return total + len(seen) + sum(counts.values())
