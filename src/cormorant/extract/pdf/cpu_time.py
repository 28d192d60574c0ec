"""Remaining processor time of this process.

A reader that is killed at the limit returns nothing; one that stops shortly before returns most of the text. This is no
clock: only the process's own limit (RLIMIT_CPU) is read, and without a limit time is never short.
"""

from __future__ import annotations

import math
import resource
from typing import Final

SHARE: Final = 0.75
"""The part of the limit after which a reader starts no further page."""


def cpu_is_short(share: float = SHARE) -> bool:
    """Return whether more than `share` of the processor time that this process may use is gone."""
    limit = _limit()
    return limit != math.inf and cpu_seconds() > share * limit


def cpu_left() -> float:
    """Return the seconds of processor time until this process is killed, infinity for a process without a limit."""
    return _limit() - cpu_seconds()


def cpu_seconds() -> float:
    """Return the seconds of processor time that this process has used, all threads together."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _limit() -> float:
    limit = resource.getrlimit(resource.RLIMIT_CPU)[0]
    return math.inf if limit == resource.RLIM_INFINITY else float(limit)
