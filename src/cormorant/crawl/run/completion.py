"""Completion of a run: detects when its retrieval has ended and when its documents are delivered.

It polls the store, since other processes do the work.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from cormorant.base.exhaustion import Shortage
from cormorant.base.log import logger
from cormorant.crawl.run import deletion_watch
from cormorant.crawl.run.progress import BUSY, PROCESSORS, ProgressSampler
from cormorant.frontier.policy import host_errors
from cormorant.frontier.policy.host_errors import HostTrouble
from cormorant.frontier.progress import remaining
from cormorant.frontier.progress.idle_timeout import IdleTimeout, got
from cormorant.receivers import stream
from cormorant.store.catalog import receivers
from cormorant.store.db import drivers, heartbeats
from cormorant.store.journal import runs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cormorant.base.errors import CormorantError
    from cormorant.crawl.resource_guard import DiskGuard
    from cormorant.frontier.progress.remaining import Remaining
    from cormorant.model.run import Counters
    from cormorant.model.settings.source import SourceSettings
    from cormorant.sources.protocol import Source
    from cormorant.store.catalog.receivers import ReceiverRow
    from cormorant.store.db.database import Store
    from cormorant.store.journal.runs import RunRow

_log = logger(__name__)
TICK_S, MOST_TICK_S = 0.1, 0.5
"""Seconds between checks: they grow with the wait, which delays a long run by little."""
TRIED_AGAIN_S = 12.0
"""Seconds that the end of a run waits for a receiver without progress: it is retried a few times meanwhile."""
MOST_WAITED_S = 600.0
"""Seconds that it waits for receivers other than the index that make progress."""
FULL, SUSPENDED = "room on the disk", "variable_delay, which suspends visits"
"""Causes of waiting that lie in this installation or its settings."""
BACKLOG = 5_000
"""Undelivered events above which the delivering side is behind."""


HeldUp = defaultdict[str, float]
"""Causes of a run's waiting, and the seconds for each."""


class RetrievalEnd(NamedTuple):
    """Retrieval ended, as nothing is left (`complete`) or for a reason. `bottleneck` is the main cause of waiting."""

    complete: bool
    reason: str | None
    bottleneck: str


class _Look(NamedTuple):
    """A run at a moment (store time): its row, whether it was stopped, what is left, its counters, the backlog.

    The clock was set by `stepped` so far. `shortage` names the resource that a retriever is short of.
    """

    now: float
    stepped: float
    row: RunRow
    stopped: bool
    left: Remaining
    counters: Counters
    backlog: int
    shortage: str

    @property
    def steady(self) -> float:
        """The same moment by a steady clock, which is used for intervals."""
        return self.now - self.stepped

    @property
    def left_steadily(self) -> Remaining:
        """Remaining work, with its next time by the steady clock."""
        return self.left._replace(goes_on_at=self.left.goes_on_at - self.stepped)


async def until_retrieved(
    store: Store, row: RunRow, build: Callable[[RunRow], Source], room: DiskGuard, held_up: HeldUp | None = None
) -> RetrievalEnd:
    """Wait until nothing is left, or only work later than the patience, or a limit of the run is reached.

    `held_up` has the causes of waiting so far, and is continued. Also ends when the run is stopped: the retrievers
    then leave the rest. Settings may change meanwhile. While a disk is full, or a retriever is short of a resource,
    the run reports it, and patience does not run out.
    """
    source, held_up, measuring = build(row), HeldUp(float) if held_up is None else held_up, ProgressSampler(store)
    settings = source.settings
    patience, tick, gives_up_at = IdleTimeout(settings.patience_s), TICK_S, row.gives_up_at
    said, began, looked = row.reason or "", _since(store, row), -deletion_watch.LOOK_S
    while True:
        seen = _look(store, row)
        if seen.row.settings != row.settings:
            row, source = seen.row, build(seen.row)
            settings = source.settings
            patience.patience_s = settings.patience_s
        left = seen.left
        if left.sites == 0 or seen.stopped:
            deletion_watch.look(store, row)
            return RetrievalEnd(not seen.stopped, None, _worst(held_up))
        if limit := _limit_met(settings, seen, began):
            return RetrievalEnd(False, limit, _worst(held_up))
        measuring.look(seen.row, seen.now, seen.counters.fetched)
        pace = max((source.pace(each.key, {}).delay_s for each in left.some), default=0.0)
        looked = _braked(store, row, looked, seen.steady)
        short = Shortage(seen.shortage) if seen.shortage else None
        lack = room.lack() or (short.said if short is not None else "")
        if lack != said:
            said = _said(store, row, lack)
        suspended = settings.suspended_until(seen.now) > 0
        if lack or suspended:  # our settings or our disk are the cause, so no server is at fault
            patience = IdleTimeout(settings.patience_s)
        elif patience.look(seen.left_steadily, got(seen.counters), seen.steady, settings.visit_s + pace):
            return RetrievalEnd(False, _given_up(store, row, seen, patience), _worst(held_up))
        ends_at = None if patience.ends_at is None else patience.ends_at + seen.stepped
        if ends_at != gives_up_at:
            gives_up_at = ends_at
            with store.begin() as tx:
                runs.change(tx, row.id, gives_up_at=gives_up_at)
        ours = (FULL if short is None else short.what) if lack else SUSPENDED if suspended else ""
        held_up[ours or _held_up(seen, pace, measuring.busy)] += tick
        await asyncio.sleep(tick)
        tick = min(tick * 1.03, MOST_TICK_S)


def _braked(store: Store, row: RunRow, looked: float, now: float) -> float:
    """Check the deletion guard now and then; returns the time of the last check."""
    if abs(now - looked) < deletion_watch.LOOK_S:
        return looked
    deletion_watch.look(store, row)
    return now


def _look(store: Store, row: RunRow) -> _Look:
    with store.read() as tx:
        head = stream.head(tx)
        backlog = head - min((each.place for each in receivers.of_source(tx, row.source_id)), default=head)
        seen = runs.again(tx, row)
        left = remaining.left(tx, row.source_id, row.generation)
        return _Look(
            tx.now(), tx.stepped(), seen, seen.state is not row.state, left, runs.counters(tx, row.id), backlog,
            heartbeats.lack(tx, row.node),
        )  # fmt: skip


def _said(store: Store, row: RunRow, lack: str) -> str:
    """Write into the run what is lacking, or clear it."""
    if lack:
        _log.warning("lacking", extra={"run": row.id, "reason": lack})
    with store.begin() as tx:
        runs.advance(tx, row.id, row.state, reason=lack or None)
    return lack


def _since(store: Store, row: RunRow) -> float:
    """Return when a run began, by the steady clock."""
    with store.read() as tx:
        now = tx.now()
        return now - tx.stepped() - max(now - (row.started_at or now), 0.0)


def _limit_met(settings: SourceSettings, seen: _Look, began: float) -> str | None:
    """The limit of a run that was reached, and what was left; None if none was."""
    most, minutes = settings.max_bytes, settings.max_minutes
    if settings.max_documents is not None and seen.counters.fetched >= settings.max_documents:
        return f"max_documents is {settings.max_documents}: more was found than one run may fetch"
    if most is not None and seen.counters.bytes >= most:
        return f"max_bytes is {most:,}: {seen.counters.bytes:,} were received, and {seen.left.sites} sites had more"
    if minutes is not None and seen.steady - began >= minutes * 60:
        return f"max_minutes is {minutes:g}: {seen.left.sites} sites had more"
    return None


def _given_up(store: Store, row: RunRow, seen: _Look, patience: IdleTimeout) -> str:
    """Why a run ends with work left: the sites it waited for, and how they failed."""
    with store.read() as tx:
        found = remaining.troubles(tx, row.source_id, seen.left.some)
    if seen.left.goes_on_at > seen.now:
        why = f"what is left must wait longer than patience_s, {patience.patience_s:g} seconds"
    else:
        waited_s = seen.steady - (patience.since or seen.steady)
        why = f"nothing was got for {waited_s:.0f} seconds, and patience_s is {patience.patience_s:g}"
    return f"{host_errors.clause_of(found, seen.left.sites)}; {why}"


def _held_up(seen: _Look, pace: float, busy: float) -> str:
    """Return the cause of waiting now; `busy` is the share of time a retriever used or wanted a processor."""
    left = seen.left
    if left.troubled == left.sites:
        return host_errors.worst(tuple(HostTrouble(each.key, each.trouble) for each in left.some))
    if pace > 0:
        return f"the pace of the sites: {pace:g} s between requests"
    if seen.backlog > BACKLOG:
        return "the receivers"
    return PROCESSORS if busy >= BUSY else "the servers"


def _worst(held_up: Mapping[str, float]) -> str:
    """Return the main cause of waiting, given the seconds for each cause.

    Shortages of our own processes come first: they slow down everything else.
    """
    short = [each.what for each in Shortage if each.what in held_up]
    if short:
        return max(short, key=held_up.__getitem__)
    return max(held_up, key=held_up.__getitem__, default="nothing")


async def until_delivered(store: Store, row: RunRow, *, index_alone: bool = False) -> str | None:
    """Wait until every receiver of the source, or the index alone, has come to the current end of the stream.

    Receivers that take deliveries are waited for, also for events that other runs left while deliveries were paused.
    A failed receiver has time for retries, the index also while it is rebuilt; other receivers without progress are
    not waited for, nor slow ones for too long. A receiver that cannot be made is waited for as long as a slow one: its
    plug-in or file may be put back. Also ends when the run is stopped.
    Returns the main cause of waiting: the one before, or the receiver if that took longer.
    """
    with store.read() as tx:
        end, now, fetched = stream.head(tx), tx.now(), runs.counters(tx, row.id).fetched
        began, took_s = now - tx.stepped(), now - (row.started_at or 0.0)
    moved: dict[int, tuple[int, float]] = {}
    measuring, held_up = ProgressSampler(store), row.bottleneck
    while True:
        with store.read() as tx:
            now, every = tx.now(), receivers.of_source(tx, row.source_id)
            steady = now - tx.stepped()
            served = [each for each in every if each.kind == receivers.INDEX or not index_alone]
            stopped = runs.again(tx, row).state is not row.state
        for each in served:
            if moved.get(each.id, (-1, 0.0))[0] != each.place:
                moved[each.id] = each.place, steady
        behind = [each for each in served if each.place < end and not each.paused]
        hopes = _Hopes(now, steady, began)
        hoped_for = [each for each in behind if hopes.has(each, moved[each.id][1])]
        if stopped or not hoped_for:
            return held_up
        if steady - began > took_s:
            held_up = min(hoped_for, key=lambda each: each.place).label
        measuring.look(row, now, fetched)
        await asyncio.sleep(TICK_S)


class _Hopes(NamedTuple):
    """A moment of a run that waits for receivers, in store time and by the steady clock; and when the wait began."""

    now: float
    steady: float
    began: float

    def has(self, each: ReceiverRow, moved: float) -> bool:
        """Return whether a receiver is worth waiting for. `moved` is when its place last moved."""
        if each.kind == receivers.INDEX:
            return not each.error or each.is_lent(self.now) or self.steady < self.began + TRIED_AGAIN_S
        if each.unmade:
            return self.steady < self.began + MOST_WAITED_S
        until = min(moved + TRIED_AGAIN_S, self.began + MOST_WAITED_S)
        return self.steady < until and (each.try_at or 0.0) < until + self.now - self.steady


def is_of_store(error: CormorantError) -> bool:
    """Return whether an error came from the database.

    The run then keeps its state, and continues when the database does.
    """
    return isinstance(error.__cause__, drivers.errors())
