"""Found, providing, finished: every receiver is told what is in the stream, from its own place on.

    stream behind the place -> documents (row + cache) -> receive -> place moves, in one transaction with its effects

At least once for every receiver; exactly once for the index, whose commit remembers the place by itself.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from cormorant.base.errors import CormorantError
from cormorant.catalog import receivers
from cormorant.frontier import hiding
from cormorant.journal import runs
from cormorant.receivers import stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from cormorant.catalog.receivers import ReceiverRow
    from cormorant.crawl.delivery import Outlet
    from cormorant.store.database import Store

READ = 128
TICK_S, MOST_TICK_S = 0.1, 0.5
AGAIN_S = 10.0
"""Events read at a time; how often it looks, the seldomer, the longer there was nothing to deliver; how long a receiver
that raised is left alone."""


class Provider:
    """The one process that delivers. `connect` makes an outlet of a configured receiver."""

    def __init__(self, store: Store, connect: Callable[[ReceiverRow], Outlet], tidy: Callable[[], None]) -> None:
        self._store, self._connect, self._tidy = store, connect, tidy
        self._outlets: dict[tuple[int, str], Outlet] = {}
        self._resting: dict[int, float] = {}

    async def provide(self, stop: asyncio.Event) -> None:
        """Deliver until `stop` is set. A receiver that fails rests; the others go on."""
        loop, tick = asyncio.get_running_loop(), TICK_S
        while not stop.is_set():
            with self._store.read() as tx:
                rows = receivers.every(tx)
            self._forget(rows)
            moved = False
            for row in rows:
                if not row.paused and self._resting.get(row.id, 0.0) <= loop.time():
                    moved = self._deliver(row, loop.time()) or moved
            await asyncio.sleep(0 if moved else tick)
            tick = TICK_S if moved else min(tick * 1.1, MOST_TICK_S)
        for outlet in self._outlets.values():
            outlet.close()

    def _deliver(self, row: ReceiverRow, now: float) -> bool:
        """Hand a receiver its next events; says whether there were any."""
        try:
            outlet = self._outlets.get(row.made_of) or self._outlets.setdefault(row.made_of, self._connect(row))
            with self._store.read() as tx:
                events = stream.after(tx, outlet.place, READ, row.source_id)
                found = outlet.prepare(tx, events)
                # Behind its last event there may be others' only: it passes them, or the stream is never trimmed.
                upto = stream.head(tx) if len(found) == len(events) < READ else found[-1].event.seq
            place = outlet.receive(found, upto, now)
            if place > row.place or row.error:
                self._acknowledge(row, place, outlet)
                self._tidy()
        except CormorantError as error:
            self._fault(row, error.sentence, now)
            return False
        return bool(events)

    def _acknowledge(self, row: ReceiverRow, place: int, outlet: Outlet) -> None:
        """Write the place, what was refused, what was counted by run, and what the index no longer has."""
        with self._store.begin() as tx:
            receivers.set_place(tx, row.id, place)
            receivers.add_refused(tx, row.id, outlet.refused())
            if row.kind == receivers.INDEX:
                hiding.passed(tx, place)
            for run, counters in outlet.counted().items():
                total = runs.counted_by(tx, run, f"receiver {row.name}")
                total.add(counters)
                runs.count(tx, run, f"receiver {row.name}", total)
            stream.trim(tx)

    def _fault(self, row: ReceiverRow, sentence: str, now: float) -> None:
        """A receiver raised: say why, close it, try again later from its place."""
        outlet = self._outlets.pop(row.made_of, None)
        if outlet is not None:
            outlet.close()
        self._resting[row.id] = now + AGAIN_S
        with self._store.begin() as tx:
            receivers.set_error(tx, row.id, sentence)

    def _forget(self, rows: list[ReceiverRow]) -> None:
        """Close outlets of receivers that are no longer configured, or otherwise."""
        for made_of in self._outlets.keys() - {row.made_of for row in rows}:
            self._outlets.pop(made_of).close()
