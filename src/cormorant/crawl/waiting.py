"""When is a run done retrieving, and when delivered? Looked up in the store, since other processes do the work."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, NamedTuple

from cormorant.catalog import receivers
from cormorant.frontier import progress
from cormorant.journal import runs
from cormorant.receivers import stream

if TYPE_CHECKING:
    from cormorant.base.errors import CormorantError
    from cormorant.journal.runs import RunRow
    from cormorant.model.run import Counters
    from cormorant.sources.protocol import Source
    from cormorant.store.database import Store

TICK_S, MOST_TICK_S = 0.1, 0.5
"""How often it looks: the seldomer, the longer it has waited, which costs a long run nothing that it would notice."""
TRIED_AGAIN_S = 12.0
"""Longer than the provider leaves a receiver alone that failed."""
BACKLOG = 5_000
"""Undelivered events above which the delivering side is behind."""


class Ended(NamedTuple):
    """Retrieving ended: because nothing is left (`complete`), or for a reason. What held it up most of the time."""

    complete: bool
    reason: str | None
    bottleneck: str


async def until_retrieved(store: Store, row: RunRow, source: Source) -> Ended:
    """Wait until nothing is left, or only what must wait longer than patience, or the run's limit is reached.

    Waiting begins anew when a visit ends otherwise than put off once more. Also ends when somebody stops the run: the
    retrievers then leave what is left.
    """
    waiting_since: float | None = None
    tick = TICK_S
    before: tuple[int, ...] = ()
    settings, held_up = source.settings, Counter[str]()
    while True:
        with store.read() as tx:
            stopped = runs.again(tx, row).state is not row.state
            left, now = progress.left(tx, row.source_id, row.generation), tx.now()
            counters = runs.counters(tx, row.id)
            head = stream.head(tx)
            backlog = head - min((each.place for each in receivers.told_of(tx, row.source_id)), default=head)
            pace = max((source.pace(key, {}).delay_s for key in left.some), default=0.0)
        if left.sites == 0 or stopped:
            return Ended(not stopped, None, _worst(held_up))
        if settings.max_documents is not None and counters.fetched >= settings.max_documents:
            reason = f"max_documents is {settings.max_documents}: more was found than one run may fetch"
            return Ended(False, reason, _worst(held_up))
        resting, moved = left.goes_on_at > now, _moved(counters)
        if moved != before:
            before, waiting_since = moved, None
        if resting:
            waiting_since = waiting_since or now
        if resting and waiting_since is not None and left.goes_on_at - waiting_since > settings.patience_s:
            reason = f"what is left must wait longer than patience_s, {settings.patience_s:g} seconds"
            return Ended(False, reason, _worst(held_up))
        held_up[_held_up(resting, pace, backlog)] += 1
        await asyncio.sleep(tick)
        tick = min(tick * 1.01, MOST_TICK_S)


def _moved(counters: Counters) -> tuple[int, ...]:
    """What visits count that come to an end; those that are put off once more count what they cost alone."""
    cost = ("requests", "bytes", "conversions")
    return tuple(value for name, value in asdict(counters).items() if not name.startswith(cost))


def _held_up(resting: bool, pace: float, backlog: int) -> str:
    """What a run waits for at a moment."""
    if resting:
        return "sites that rest after failures"
    if pace > 0:
        return f"the pace of the sites: {pace:g} s between requests"
    return "the receivers" if backlog > BACKLOG else "the retrievers"


def _worst(held_up: Counter[str]) -> str:
    """What a run waited for most of the time."""
    return held_up.most_common(1)[0][0] if held_up else "nothing"


async def until_delivered(store: Store, row: RunRow) -> None:
    """Wait until every receiver that takes deliveries of the source has come to the end of the stream as it is now.

    So what other runs had left behind, while deliveries were paused, is found too. One that failed is given the time
    to be tried again. Also ends when somebody stops the run.
    """
    with store.read() as tx:
        end, until = stream.head(tx), tx.now() + TRIED_AGAIN_S
    while True:
        with store.read() as tx:
            told, stopped = receivers.told_of(tx, row.source_id), runs.again(tx, row).state is not row.state
            hopeful = tx.now() < until
        behind = [each for each in told if each.place < end and not each.paused and (hopeful or not each.error)]
        if stopped or not behind:
            return
        await asyncio.sleep(TICK_S)


def is_of_store(error: CormorantError) -> bool:
    """Did the database say so? The run then stays as it is, and goes on when the database does."""
    return type(error.__cause__).__module__.partition(".")[0] in ("sqlalchemy", "psycopg")
