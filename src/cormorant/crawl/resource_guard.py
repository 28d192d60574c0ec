"""Resource guard: pauses a crawl that lacks disk space, open files, memory or threads.

While a resource is below its limit, no visit begins.

It checks the disks that the crawl writes to, and the open files, memory and threads that a process may have.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from cormorant.base.exhaustion import Shortage
from cormorant.base.log import logger

_log = logger(__name__)
LOW_SHARE: Final = 0.05
LOW_BYTES: Final = 2 << 30
"""A disk is nearly full when less is free than this share of it and less than these bytes."""
LOOK_S: Final = 2.0
"""Seconds between checks of a disk: the visits of so long fit into the reserve."""

MOST_ALONE: Final = 20
"""Consecutive shortages of the same visit before the visit itself is taken for the cause."""
REST_S: Final = 2.0
"""Seconds without new visits after a shortage: visits under way release resources meanwhile."""


def least(total: int) -> int:
    """Return how many bytes must be free on a disk of `total` bytes."""
    return min(int(total * LOW_SHARE), LOW_BYTES)


class DiskGuard:
    """Checks the disks of some folders now and then, and takes reports of other shortages.

    `now` gives monotonic seconds.
    """

    def __init__(self, folders: Sequence[Path], now: Callable[[], float]) -> None:
        self._folders, self._now = folders, now
        self._looked_at, self._lack = -LOOK_S, ""
        self._shortage, self._short_until = Shortage.FILES, now()
        self._fell_last, self._fell = 0, 0

    def fall_short(self, of: Shortage, resource: int) -> bool:
        """Report a visit that failed for a shortage in this process. Returns False if it is the likely cause.

        A shortage pauses all visits; a visit that runs short alone and repeatedly may cause the shortage itself.
        """
        if resource != self._fell_last:
            self._fell_last, self._fell = resource, 0
        self._fell += 1
        if self._fell > MOST_ALONE:
            return False
        if self.shortage() is not of:
            _log.warning("short", extra={"reason": of.said})
        self._shortage, self._short_until = of, self._now() + REST_S
        return True

    def shortage(self) -> Shortage | None:
        """Resource that this process was short of a moment ago; None if it has enough."""
        return self._shortage if self._now() < self._short_until else None

    def lack(self) -> str:
        """Why no visit may begin, as a sentence that stays the same meanwhile; "" if nothing is short."""
        if (short := self.shortage()) is not None:
            return short.said
        if self._now() - self._looked_at >= LOOK_S:
            self._looked_at = self._now()
            self._lack = next(filter(None, map(_lack, self._folders)), "")
        return self._lack


def _lack(folder: Path) -> str:
    try:
        usage = shutil.disk_usage(folder)
    except OSError:  # writers to this folder report its errors
        return ""
    if usage.free >= least(usage.total):
        return ""
    return (
        f"The disk of {folder} is nearly full: less than {least(usage.total) / 1000000.0:,.0f} MB are free. Visits "
        "wait until there is enough space; then they continue."
    )
