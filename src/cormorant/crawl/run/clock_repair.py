"""Clock repair: bounds the wait for times written by a clock that has been set back since.

Who looks for all others (the conductor) does so when it begins or has not looked for long, since it cannot know what
the clock showed before, and whenever that is seen to be set back. It may have been set forward and back again between
two of its looks: retrievers and the provider, who wrote what was written meanwhile, have seen that and look as well.
What one of them wrote that was killed before it looked again is found when a conductor begins, and not before.
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
    """Sees to it, for one process; only for what that has seen itself when it is not `for_all`."""

    def __init__(self, store: Store, clock: Clock, *, for_all: bool = True) -> None:
        self._store, self._clock, self._for_all = store, clock, for_all
        self._seen, self._begins = 0, for_all
        self._looked_at = -LOOK_S

    def look(self) -> None:
        """Put right what is wrong, when there is a reason to."""
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
