"""Provider loop: each receiver gets the events of the stream behind its place.

    stream behind the place -> documents (row + cache) -> receive, in a thread of its own -> place moves on

At least once for each receiver. The index stores its own place, but its work is counted here: events that it committed
and the store has not acknowledged are delivered once more and counted once. A slow, hanging or failing receiver holds
up no other, and has at most one batch in hand.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from cormorant.base.errors import CormorantError
from cormorant.base.polling import nap
from cormorant.crawl.deliver import ack, replay
from cormorant.crawl.deliver.receiver_task import LATE_S, ReceiverTask, is_of_making, rest_of, within
from cormorant.receivers import stream
from cormorant.receivers.protocol import NotTaken
from cormorant.store.catalog import receivers

if TYPE_CHECKING:
    from collections.abc import Callable

    from cormorant.crawl.deliver.payload import Sink
    from cormorant.store.catalog.receivers import ReceiverRow
    from cormorant.store.db.database import Store

READ = 256
TICK_S, MOST_TICK_S = 0.1, 0.5
LEAVE_S = 5.0
"""Events read at a time, at most; seconds between checks, which grow while there is nothing to deliver; seconds that
receivers have to end their batch when the process ends."""


class Provider:
    """The one process that delivers. `connect` makes the sink of a configured receiver."""

    def __init__(self, store: Store, connect: Callable[[ReceiverRow], Sink], tidy: Callable[[], None]) -> None:
        self._store, self._connect, self._tidy = store, connect, tidy
        self._errands: dict[tuple[int, str], ReceiverTask] = {}
        self._woken = asyncio.Event()

    async def provide(self, stop: asyncio.Event) -> None:
        """Deliver until `stop` is set. A receiver that fails rests; the others go on."""
        tick = TICK_S
        while not stop.is_set():
            self._woken.clear()
            tick = TICK_S if self._look() else min(tick * 1.1, MOST_TICK_S)
            await nap(tick, self._woken)
        await within(LEAVE_S, [each.finish() for each in self._errands.values()])
        self._look(more=False)
        ending = [(each.busy, each.end()) for each in self._errands.values()]
        await within(LEAVE_S, [ended for hangs, ended in ending if not hangs])

    def _look(self, *, more: bool = True) -> bool:
        """Acknowledge finished batches and hand out `more`; returns whether any receiver got events."""
        with self._store.read() as tx:
            rows, now = receivers.served(tx), tx.now()
        for made_of in self._errands.keys() - {row.made_of for row in rows}:
            self._errands.pop(made_of).end()  # no longer configured, configured differently, or lent
        return sum(self._serve(row, now, more=more) for row in rows) > 0

    def _serve(self, row: ReceiverRow, now: float, *, more: bool) -> bool:
        errand = self._errands.get(row.made_of)
        if errand is not None and errand.busy:
            if errand.take_lateness():
                self._note(row, f"It has not come back for {LATE_S:.0f} seconds.", 0.0)
            return False
        try:
            place = errand.take() if errand is not None else None
            if errand is not None and place is not None and (place > errand.confirmed or row.error):
                with self._store.begin() as tx:
                    ack.acknowledge(tx, row, errand, place)
                self._tidy()
            rests = row.paused or (row.try_at or 0.0) > now or (errand is not None and errand.gathers())
            return more and not rests and self._hand_over(row, errand or self._begin(row))
        except CormorantError as error:
            if not isinstance(error, NotTaken) and row.made_of in self._errands:
                self._errands.pop(row.made_of).end()
            self._note(row, error.sentence, rest_of(error, row.failures), unmade=is_of_making(error))
            return False

    def _begin(self, row: ReceiverRow) -> ReceiverTask:
        errand = self._errands[row.made_of] = ReceiverTask(row.name, self._connect(row), row.place)
        return errand

    def _hand_over(self, row: ReceiverRow, errand: ReceiverTask) -> bool:
        """Hand a receiver its next events; returns whether there were any."""
        with self._store.read() as tx:
            events = stream.after(tx, errand.outlet.place, READ, row.source_id, row.id)
            found = errand.outlet.prepare(tx, events)
            # Later events may be for other receivers only: the place moves past them, or the stream is never trimmed.
            upto = stream.head(tx) if len(found) == len(events) < READ else ack.end(found, events)
        errand.hand_over(found, upto, self._woken.set, more=len(found) < len(events) or len(events) == READ)
        return bool(found) or (len(events) < READ and replay.go_on(self._store, row))

    def _note(self, row: ReceiverRow, sentence: str, rest_s: float, *, unmade: bool = False) -> None:
        with self._store.begin() as tx:
            receivers.set_error(tx, row.id, sentence, rest_s, unmade=unmade)
