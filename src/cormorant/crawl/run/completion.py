"""Completion of a run: detects when it is done retrieving and when it is delivered.

Looked up in the store, since other processes do the work.
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
"""How often it looks: the seldomer, the longer it has waited, which costs a long run nothing that it would notice."""
TRIED_AGAIN_S = 12.0
"""How long the end of a run waits for a receiver that does not get on: it is tried again a few times meanwhile."""
MOST_WAITED_S = 600.0
"""How long it waits for receivers other than the index that do."""
FULL, SUSPENDED = "room on the disk", "variable_delay, which suspends visits"
"""What holds a run up that is nobody else's doing."""
BACKLOG = 5_000
"""Undelivered events above which the delivering side is behind."""


HeldUp = defaultdict[str, float]
"""What held a run up, and for how many seconds each."""


class RetrievalEnd(NamedTuple):
    """Retrieving ended: because nothing is left (`complete`), or for a reason. What held it up most of the time."""

    complete: bool
    reason: str | None
    bottleneck: str


class _Look(NamedTuple):
    """A run at a moment (store time): its row, stopped by somebody or not, what is left and counted, the backlog.

    The clock was set by `stepped` so far. `shortage` names what a retriever is short of.
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
        """The same moment by a clock that nobody sets, which intervals are measured by."""
        return self.now - self.stepped

    @property
    def left_steadily(self) -> Remaining:
        """Remaining work, with the time at which it may go on by the steady clock."""
        return self.left._replace(goes_on_at=self.left.goes_on_at - self.stepped)


async def until_retrieved(
    store: Store, row: RunRow, build: Callable[[RunRow], Source], room: DiskGuard, held_up: HeldUp | None = None
) -> RetrievalEnd:
    """Wait until nothing is left, or only what must wait longer than patience, or the run's limit is reached.

    `held_up` is what held it up so far, and is gone on with. Also ends when somebody stops the run: the retrievers then
    leave what is left. Settings may change meanwhile. While a disk lacks room, or a retriever is short of something,
    the run says so, and nobody is to blame for what is not got.
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
        if lack or suspended:  # by its own settings or our disk: that is no trouble of anybody's
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
    """See now and then what would go by now; returns when that was looked at last."""
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
    """Have the run say what is lacking, or no longer say so."""
    if lack:
        _log.warning("lacking", extra={"run": row.id, "reason": lack})
    with store.begin() as tx:
        runs.advance(tx, row.id, row.state, reason=lack or None)
    return lack


def _since(store: Store, row: RunRow) -> float:
    """Return when a run began, by the steady clock that nobody sets."""
    with store.read() as tx:
        now = tx.now()
        return now - tx.stepped() - max(now - (row.started_at or now), 0.0)


def _limit_met(settings: SourceSettings, seen: _Look, began: float) -> str | None:
    """The limit of a run that is met, and what was left; None while none is."""
    most, minutes = settings.max_bytes, settings.max_minutes
    if settings.max_documents is not None and seen.counters.fetched >= settings.max_documents:
        return f"max_documents is {settings.max_documents}: more was found than one run may fetch"
    if most is not None and seen.counters.bytes >= most:
        return f"max_bytes is {most:,}: {seen.counters.bytes:,} were received, and {seen.left.sites} sites had more"
    if minutes is not None and seen.steady - began >= minutes * 60:
        return f"max_minutes is {minutes:g}: {seen.left.sites} sites had more"
    return None


def _given_up(store: Store, row: RunRow, seen: _Look, patience: IdleTimeout) -> str:
    """Why a run ends although something is left to it: which sites it waited for, and how they failed."""
    with store.read() as tx:
        found = remaining.troubles(tx, row.source_id, seen.left.some)
    if seen.left.goes_on_at > seen.now:
        why = f"what is left must wait longer than patience_s, {patience.patience_s:g} seconds"
    else:
        waited_s = seen.steady - (patience.since or seen.steady)
        why = f"nothing was got for {waited_s:.0f} seconds, and patience_s is {patience.patience_s:g}"
    return f"{host_errors.clause_of(found, seen.left.sites)}; {why}"


def _held_up(seen: _Look, pace: float, busy: float) -> str:
    """Return what a run waits for now; `busy` is the share of time a retriever used or wanted a processor."""
    left = seen.left
    if left.troubled == left.sites:
        return host_errors.worst(tuple(HostTrouble(each.key, each.trouble) for each in left.some))
    if pace > 0:
        return f"the pace of the sites: {pace:g} s between requests"
    if seen.backlog > BACKLOG:
        return "the receivers"
    return PROCESSORS if busy >= BUSY else "the servers"


def _worst(held_up: Mapping[str, float]) -> str:
    """Return what a run waited for most of the time, given the seconds that it waited for each cause.

    What our own processes were short of comes first: it slows down everything else.
    """
    short = [each.what for each in Shortage if each.what in held_up]
    if short:
        return max(short, key=held_up.__getitem__)
    return max(held_up, key=held_up.__getitem__, default="nothing")


async def until_delivered(store: Store, row: RunRow, *, index_alone: bool = False) -> str | None:
    """Wait until every receiver that is told of the source, or the index alone, has come to the end of the stream.

    That is its end as it is now, and those are waited for that take deliveries: so what other runs had left behind,
    while deliveries were paused, is found too. One that failed is given the time to be tried again, the index also as
    long as somebody makes it anew; another is not waited for when it does not get on, nor for too long. One that cannot
    be made is waited for as long: somebody may put back what it is made of. Also ends when somebody stops the run.
    Returns what held the run up: what it did before, or the receiver waited for longer.
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
            told = [each for each in every if each.kind == receivers.INDEX or not index_alone]
            stopped = runs.again(tx, row).state is not row.state
        for each in told:
            if moved.get(each.id, (-1, 0.0))[0] != each.place:
                moved[each.id] = each.place, steady
        behind = [each for each in told if each.place < end and not each.paused]
        hopes = _Hopes(now, steady, began)
        hoped_for = [each for each in behind if hopes.has(each, moved[each.id][1])]
        if stopped or not hoped_for:
            return held_up
        if steady - began > took_s:
            held_up = min(hoped_for, key=lambda each: each.place).label
        measuring.look(row, now, fetched)
        await asyncio.sleep(TICK_S)


class _Hopes(NamedTuple):
    """A moment of a run that waits for receivers, in store time and by a clock that nobody sets; when it began to."""

    now: float
    steady: float
    began: float

    def has(self, each: ReceiverRow, moved: float) -> bool:
        """Return whether a receiver is worth waiting for. `moved` is when its place last did."""
        if each.kind == receivers.INDEX:
            return not each.error or each.is_lent(self.now) or self.steady < self.began + TRIED_AGAIN_S
        if each.unmade:
            return self.steady < self.began + MOST_WAITED_S
        until = min(moved + TRIED_AGAIN_S, self.began + MOST_WAITED_S)
        return self.steady < until and (each.try_at or 0.0) < until + self.now - self.steady


def is_of_store(error: CormorantError) -> bool:
    """Return whether an error came from the database.

    The run then stays as it is, and goes on when the database does.
    """
    return isinstance(error.__cause__, drivers.errors())
