"""Is there room on the disks that a crawl writes to? Below the limit nothing is visited, until there is again."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

LOW_SHARE: Final = 0.05
LOW_BYTES: Final = 2 << 30
"""A disk is nearly full when less is free than this share of it and than these bytes."""
LOOK_S: Final = 2.0
"""How often a disk is looked at: the visits of so long fit into what is left."""


def least(total: int) -> int:
    """How many bytes have to be free on a disk of so many."""
    return min(int(total * LOW_SHARE), LOW_BYTES)


class Room:
    """Looks at the disks of some folders now and then. `now` gives monotonic seconds."""

    def __init__(self, folders: Sequence[Path], now: Callable[[], float]) -> None:
        self._folders, self._now = folders, now
        self._looked_at, self._lack = -LOOK_S, ""

    def lack(self) -> str:
        """Why nothing may be visited, as a sentence that stays the same meanwhile; "" while there is room."""
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
        f"The disk of {folder} is nearly full: less than {least(usage.total) / 1e6:,.0f} MB are free. Nothing is "
        "visited until there is room; then it goes on by itself."
    )
