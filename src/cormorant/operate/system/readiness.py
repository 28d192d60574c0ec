"""Readiness: whether this installation can be searched, and whether it is crawling.

For those who watch over it; nobody is told a figure.

    database, index: search needs both           -> without one it is not ready
    disk, conductor: crawling needs them as well -> without one it is ready, and degraded

So a full disk, or a conductor that is restarted, ends no search.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from cormorant.base.errors import CormorantError, IndexDamaged
from cormorant.operate.installation import Installation
from cormorant.operate.records.system import Checks, Readiness
from cormorant.operate.system.disks import disks
from cormorant.store.db import heartbeats

OK: Final = "ok"
AWAY: Final = "away"
FULL: Final = "full"
SILENT: Final = "silent"
READY: Final = "ready"
DEGRADED: Final = "degraded"
NOT_READY: Final = "unavailable"
_NEEDED: Final = ("database", "index")


def readiness(house: Installation, look: Callable[[], object]) -> Readiness:
    """Say how it is with each part, and on the whole. `look` does what a search does, and raises when it cannot."""
    checks: Checks = {"database": AWAY, "index": OK, "disk": OK, "conductor": SILENT}
    with suppress(CormorantError), house.store.read() as tx:
        checks["conductor"] = OK if heartbeats.alive(tx, "conductor") else SILENT
        checks["database"] = OK
    try:
        look()
    except (CormorantError, OSError) as error:  # a disk says no in words of its own
        if checks["database"] == OK or isinstance(error, IndexDamaged):
            checks["index"] = AWAY
    if any(each.full for each in disks(house)):
        checks["disk"] = FULL
    lacking = [name for name, said in checks.items() if said != OK]
    away = any(name in _NEEDED for name in lacking)
    return {"status": NOT_READY if away else DEGRADED if lacking else READY, "checks": checks}
