"""Clock repair: limits the wait for times written by a clock that has been set back since.

The conductor repairs the times of all processes when it begins or has not checked for long, since it cannot know what
the clock showed before, and whenever it detects that the clock was set back. The clock may go forward and back between
two checks: retrievers and the provider, which wrote the times meanwhile, detect that and check as well. Times of a
process that was killed before its next check are repaired only when a conductor begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cormorant.base.log import logger
from cormorant.frontier.queue import host_leases
from cormorant.frontier.state import host_facts
from cormorant.store.catalog import receivers
from cormorant.store.db import heartbeats
from cormorant.store.db.clock_steps import LONG_S

if TYPE_CHECKING:
    from cormorant.base.clock import Clock
    from cormorant.store.db.database import Store

_log = logger(__name__)
LOOK_S: Final = 2.0


class Setbacks:
    """Repairs times for one process; only after setbacks detected here, unless `for_all`."""

    def __init__(self, store: Store, clock: Clock, *, for_all: bool = True) -> None:
        self._store, self._clock, self._for_all = store, clock, for_all
        self._seen, self._begins = 0, for_all
        self._looked_at = -LOOK_S

    def look(self) -> None:
        """Repair times if there is a reason to."""
        now = self._clock.monotonic()
        since = now - self._looked_at
        if since < LOOK_S:
            return
        self._begins |= self._for_all and since > LONG_S
        self._looked_at = now
        with self._store.read() as tx:
            tx.now()
        set_back = self._store.steady.set_back > self._seen
        if not (set_back or self._begins):
            return
        with self._store.begin() as tx:
            count = host_leases.shorten(tx) + host_facts.shorten(tx)
            heartbeats.shorten(tx)
            receivers.awake(tx, 0.0 if set_back else receivers.MOST_REST_S)
        _log.info("clock looked at", extra={"set_back": self._store.steady.set_back, "put_right": count})
        self._seen, self._begins = self._store.steady.set_back, False
