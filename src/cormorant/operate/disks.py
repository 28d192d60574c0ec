"""How much room have the disks that a crawl writes to?"""

from __future__ import annotations

import shutil
from typing import Any, NamedTuple

from cormorant.crawl.room import least
from cormorant.operate.house import House


class Disk(NamedTuple):
    """The disk of a folder, in bytes. Below `least` free ones nothing is visited."""

    name: str
    folder: str
    free: int
    total: int

    @property
    def least(self) -> int:
        """How much has to be free."""
        return least(self.total)

    @property
    def full(self) -> bool:
        """Is too little free?"""
        return self.free < self.least

    def as_record(self) -> dict[str, Any]:
        """As `status` tells it."""
        return {
            "disk": self.name, "folder": self.folder, "free_bytes": self.free, "size_bytes": self.total,
            "least_bytes": self.least, "full": self.full,
        }  # fmt: skip


def disks(house: House) -> list[Disk]:
    """The disk of the data folder and that of the kept copies; one that cannot be looked at is left out."""
    found = []
    for name, folder in (("data", house.folder), ("copies", house.packs.directory)):
        try:
            usage = shutil.disk_usage(folder)
        except OSError:  # what is wrong with it is told by whoever reads or writes there
            continue
        found.append(Disk(name, str(folder), usage.free, usage.total))
    return found
