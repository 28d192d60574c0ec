"""What was written by a clock that has been set back since: nobody waits for it longer than anything takes.

Looked at when a process begins, which cannot know what the clock showed before, and whenever it is seen to be set back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cormorant.base.log import logger
from cormorant.catalog import receivers
from cormorant.frontier import facts, leases
from cormorant.store import processes

if TYPE_CHECKING:
    from cormorant.base.clock import Clock
    from cormorant.store.database import Store

_log = logger(__name__)
LOOK_S: Final = 2.0


class Setbacks:
    """Sees to it, for one process."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._seen = -1
        self._looked_at = -LOOK_S

    def look(self) -> None:
        """Put right what is wrong, when there is a reason to."""
        if self._clock.monotonic() - self._looked_at < LOOK_S:
            return
        self._looked_at = self._clock.monotonic()
        with self._store.read() as tx:
            tx.now()
        if self._store.steady.set_back == self._seen:
            return
        with self._store.begin() as tx:
            count = leases.shorten(tx) + facts.shorten(tx)
            processes.shorten(tx)
            receivers.awake(tx, receivers.MOST_REST_S if self._seen < 0 else 0.0)
        _log.info("clock looked at", extra={"set_back": self._store.steady.set_back, "put_right": count})
        self._seen = self._store.steady.set_back
