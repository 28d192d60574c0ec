"""Disk usage: free space on the disks that a crawl writes to.

The data folder and the kept copies are always told of; database, index and logs where they are on a disk of their own.
The folder for what is temporary is none of them: a crawl writes nothing there.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

from cormorant.crawl.resource_guard import least
from cormorant.operate.installation import Installation
from cormorant.operate.records.system import DiskRecord


class DiskUsage(NamedTuple):
    """The disk of a folder, in bytes. Below `least` free ones nothing is visited."""

    name: str
    folder: str
    free: int
    total: int

    @property
    def least(self) -> int:
        """Bytes that have to be free."""
        return least(self.total)

    @property
    def full(self) -> bool:
        """Return whether too little space is free."""
        return self.free < self.least

    def as_record(self) -> DiskRecord:
        """As `status` tells it."""
        return {
            "disk": self.name, "folder": self.folder, "free_bytes": self.free, "size_bytes": self.total,
            "least_bytes": self.least, "full": self.full,
        }  # fmt: skip


_FILE = "sqlite:///"


def places(house: Installation) -> list[tuple[str, Path]]:
    """Return where a crawl writes: a name and a folder for each disk."""
    found = [("data", house.folder), ("copies", house.packs.directory)]
    own = _device(house.folder)
    others = [(name, house.folder / name) for name in ("index", "logs")]
    if house.store.url.startswith(_FILE):
        others.insert(0, ("database", Path(house.store.url.removeprefix(_FILE)).parent))
    return found + [(name, folder) for name, folder in others if _device(folder) not in (None, own)]


def _device(folder: Path) -> int | None:
    """On which disk a folder is; None where it is not there, or nobody may look."""
    try:
        return folder.stat().st_dev
    except OSError:
        return None


def disks(house: Installation) -> list[DiskUsage]:
    """The disks that a crawl writes to; one that cannot be looked at is left out."""
    found = []
    for name, folder in places(house):
        try:
            usage = shutil.disk_usage(folder)
        except OSError:  # a process that reads or writes there names the fault
            continue
        found.append(DiskUsage(name, str(folder), usage.free, usage.total))
    return found
