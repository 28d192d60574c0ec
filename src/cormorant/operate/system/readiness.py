"""Readiness: whether this installation can be searched, and whether it is crawling.

It is meant for monitoring, and reveals no figures.

    database, index: search needs both           -> without one it is not ready
    disk, conductor: crawling needs them as well -> without one it is ready, and degraded

So a full disk, or a restart of the conductor, does not stop search.
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
    """Return the state of each part, and of the whole. `look` checks like a search, and raises if it would fail."""
    checks: Checks = {"database": AWAY, "index": OK, "disk": OK, "conductor": SILENT}
    with suppress(CormorantError), house.store.read() as tx:
        checks["conductor"] = OK if heartbeats.alive(tx, "conductor") else SILENT
        checks["database"] = OK
    try:
        look()
    except (CormorantError, OSError) as error:  # a failing disk raises OSError
        if checks["database"] == OK or isinstance(error, IndexDamaged):
            checks["index"] = AWAY
    if any(each.full for each in disks(house)):
        checks["disk"] = FULL
    lacking = [name for name, state in checks.items() if state != OK]
    away = any(name in _NEEDED for name in lacking)
    return {"status": NOT_READY if away else DEGRADED if lacking else READY, "checks": checks}
