"""Resource guard: pauses a crawl that lacks disk space, open files, memory or threads.

Below a limit nothing is visited, until there is again.

Room is on the disks that it writes to, and among the files, the memory and the threads that a process may have.
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
"""A disk is nearly full when less is free than this share of it and than these bytes."""
LOOK_S: Final = 2.0
"""How often a disk is looked at: the visits of so long fit into what is left."""

MOST_ALONE: Final = 20
"""Times in a row that one visit alone falls short of something before that is taken for its own doing."""
REST_S: Final = 2.0
"""How long nothing is begun after a process was short of something: what is under way gives it back meanwhile."""


def least(total: int) -> int:
    """Return how many bytes must be free on a disk of `total` bytes."""
    return min(int(total * LOW_SHARE), LOW_BYTES)


class DiskGuard:
    """Looks at the disks of some folders now and then, and is told what else there is too little of.

    `now` gives monotonic seconds.
    """

    def __init__(self, folders: Sequence[Path], now: Callable[[], float]) -> None:
        self._folders, self._now = folders, now
        self._looked_at, self._lack = -LOOK_S, ""
        self._shortage, self._short_until = Shortage.FILES, now()
        self._fell_last, self._fell = 0, 0

    def fall_short(self, of: Shortage, resource: int) -> bool:
        """A visit was not made, as this process was short of something. False: that happens to this one time and again.

        What others fall short of too has them all wait; one that does alone may bring it about itself.
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
        """Why nothing may be visited, as a sentence that stays the same meanwhile; "" while there is room."""
        if (short := self.shortage()) is not None:
            return short.said
        if self._now() - self._looked_at >= LOOK_S:
            self._looked_at = self._now()
            self._lack = next(filter(None, map(_lack, self._folders)), "")
        return self._lack


def _lack(folder: Path) -> str:
    try:
        usage = shutil.disk_usage(folder)
    except OSError:  # what is wrong with it is told by whoever writes there
        return ""
    if usage.free >= least(usage.total):
        return ""
    return (
        f"The disk of {folder} is nearly full: less than {least(usage.total) / 1000000.0:,.0f} MB are free. Visits "
        "wait until there is enough space; then they continue."
    )
