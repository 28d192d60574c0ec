"""Live view of a run. Its figures, its sites, and what it waits for."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, NamedTuple

import sqlalchemy as sa

from cormorant.base.errors import CormorantError
from cormorant.crawl.run import progress as run_progress
from cormorant.crawl.run.completion import MOST_WAITED_S
from cormorant.frontier.policy import host_errors, priority
from cormorant.frontier.policy.host_errors import HoldReason, HostTrouble
from cormorant.frontier.progress import remaining
from cormorant.frontier.state import host_facts
from cormorant.model.run import RunState
from cormorant.operate.installation import Installation
from cormorant.operate.records.runs import Run
from cormorant.operate.runs import eta, start
from cormorant.operate.runs.eta import Ahead, RunConditions
from cormorant.store.catalog import receivers, sources
from cormorant.store.catalog.receivers import ReceiverRow
from cormorant.store.db import heartbeats
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs
from cormorant.store.journal.progress_samples import ProgressSample
from cormorant.store.journal.runs import RunRow
from cormorant.store.schema import resource, site, site_source

SUSPENDED = "variable_delay suspends all visits"
SITES = 6
"""Sites shown at most."""
FAILING = 3
"""Failures in a row after which a site is said not to answer, though it is asked on."""


class SiteLook(NamedTuple):
    """A site with something left. `resting_s` is how long it is left alone, 0 when it may be asked now.

    `trouble` says why it is left alone, or what it fails with; None when it works.
    """

    site: str
    left: int
    leased: bool
    resting_s: float
    trouble: HostTrouble | None = None


class Waits(NamedTuple):
    """The sites of a run that are in trouble: why some of them are, how many there are, and when one is asked again.

    `gives_up_s` is until when the run waits for them at the most, None when it goes on with others meanwhile.
    """

    troubles: tuple[HostTrouble, ...]
    sites: int
    again_s: float
    gives_up_s: float | None

    @property
    def why(self) -> HoldReason:
        """Reason that keeps the run from these sites."""
        return host_errors.worst(self.troubles)

    @property
    def said(self) -> str:
        """Clause that names these sites and why they wait."""
        return host_errors.clause_of(self.troubles, self.sites)


class LiveView(NamedTuple):
    """A run at a moment: its report, the sites asked last, how many there are, and the pace asked for.

    `told` is the number of the event that its slowest receiver has come to, `backlog` is how many are behind that, and
    `slowest` that receiver, None when nobody is told of anything. `waits` tells of the sites in trouble, None when
    there are none. `suspended_s` is how long the hours of the week that its source is set to keep it from visiting
    anything, 0 when they do not.
    """

    report: Run
    sites: tuple[SiteLook, ...]
    site_count: int
    waits: Waits | None
    pace_s: float
    told: int
    backlog: int
    slowest: ReceiverRow | None = None
    suspended_s: float = 0.0

    @property
    def all_wait(self) -> bool:
        """Return whether no site can be asked now."""
        return (
            bool(self.report["waits"])
            or self.suspended_s > 0
            or (self.waits is not None and self.waits.sites == self.site_count)
        )


def look(house: Installation, number: int) -> LiveView:
    """Look at a run. Raises NotFoundError."""
    report = start.report(house, number)
    with house.store.read() as tx:
        row = runs.get(tx, number)
        now = tx.now()
        waiting = tx.rows(_open_sites(row))
        shown = tuple(_site(tx, row, each, now) for each in waiting[:SITES])
        slowest = receivers.slowest(tx, row.source_id, unmade=row.state is RunState.DELIVERING)
        told, backlog = run_progress.delivered(tx, slowest)
        pace, suspended_until = _pace(house, tx, row, [(each.id, each.key) for each in waiting[:SITES]])
        waits = _waits(tx, row, [each for each in waiting if _is_troubled(each, now)], len(waiting), now)
    suspended_s = max(suspended_until - now, 0.0) if row.state is RunState.RETRIEVING else 0.0
    return LiveView(report, shown, len(waiting), waits, pace, told, backlog, slowest, suspended_s)


def _open_sites(row: RunRow) -> sa.Select[Any]:
    """Sites this run is not done with, those asked last first."""
    return (
        sa.select(
            site.c.id, site.c.key, site.c.owner, site.c.not_before, site.c.failures, site.c.trouble,
            site_source.c.not_before.label("later"),
        )
        .join(site_source, site_source.c.site_id == site.c.id)
        .where(site_source.c.source_id == row.source_id, site_source.c.done_generation < row.generation)
        .order_by(site.c.owner.is_(None), site.c.requested_at.desc(), site.c.id)
        .limit(10_000)
    )  # fmt: skip


def _rest(each: Any, now: float) -> float:
    return max(0.0, float(max(each.not_before, each.later)) - now)


def _is_troubled(each: Any, now: float) -> bool:
    return _rest(each, now) > 0 or each.failures >= FAILING


def _trouble(tx: Tx, row: RunRow, each: Any) -> HostTrouble:
    return remaining.trouble_at(tx, row.source_id, each.id, each.key, each.trouble)


def _waits(tx: Tx, row: RunRow, troubled: Sequence[Any], sites: int, now: float) -> Waits | None:
    """Return why a retrieving run is kept from these of its sites; None when nothing keeps it."""
    if not troubled or row.state is not RunState.RETRIEVING:
        return None
    alone = len(troubled) == sites and row.gives_up_at is not None
    return Waits(
        tuple(_trouble(tx, row, each) for each in troubled[: host_errors.NAMED]), len(troubled),
        min(_rest(each, now) for each in troubled), max((row.gives_up_at or 0.0) - now, 0.0) if alone else None,
    )  # fmt: skip


def _site(tx: Tx, row: RunRow, each: Any, now: float) -> SiteLook:
    columns = resource.c
    statement = sa.select(sa.func.count()).where(
        columns.state == sa.literal_column("0"), columns.site_id == each.id, columns.source_id == row.source_id,
        columns.due < priority.limit(row.generation),
    )  # fmt: skip
    left = int(tx.execute(statement).scalar_one())
    found = _trouble(tx, row, each) if _is_troubled(each, now) else None
    return SiteLook(each.key, left, each.owner is not None, round(_rest(each, now), 1), found)


def _pace(house: Installation, tx: Tx, row: RunRow, sites: Sequence[tuple[int, str]]) -> tuple[float, float]:
    """The longest delay asked for at these sites; until when nothing at all is visited, 0 when something is."""
    owner = sources.numbered(tx, row.source_id)
    if owner is None:
        return 0.0, 0.0
    try:
        source = house.source(owner, row.settings)
    except CormorantError:  # a file of start addresses is away; who crawls has read it
        return 0.0, 0.0
    known: dict[int, dict[str, bytes]] = {number: {} for number, _ in sites}
    for fact in host_facts.read(tx, [number for number, _ in sites], [host_facts.INSTALLATION]):
        known[fact.site][fact.name] = fact.value
    delay_s = max((source.pace(key, known[number]).delay_s for number, key in sites), default=0.0)
    return delay_s, source.settings.suspended_until(tx.now())


def processors_s(house: Installation) -> dict[int, float]:
    """For how long this machine's retrievers have had a processor or waited for one, by process number; in seconds."""
    with house.store.read() as tx:
        return run_progress.processors_s(tx)


def sample(seen: LiveView, at: float) -> ProgressSample:
    """Return the progress sample for counts seen at a moment (seconds)."""
    return ProgressSample(at, seen.report["fetched"], seen.report["to_fetch"], seen.told, seen.backlog)


def ahead(seen: LiveView, samples: Sequence[ProgressSample]) -> Ahead | None:
    """Return the estimate of what is still to be expected of a run (ETA), None while it cannot be known."""
    is_index = seen.slowest is not None and seen.slowest.kind == receivers.INDEX
    if seen.report["state"] == RunState.DELIVERING:  # a limit may have left something
        samples = [each._replace(left=0) for each in samples]
    return eta.ahead(samples, inf if is_index else MOST_WAITED_S)


def bottleneck(seen: LiveView, busy: float, samples: Sequence[ProgressSample]) -> str:
    """Return the bottleneck of a run, "" when it cannot be named.

    `busy` is for what part of the time the busiest retriever had or wanted a processor.
    """
    waits_for: str = seen.waits.why if seen.waits is not None and seen.all_wait else ""
    waits_for = SUSPENDED if seen.suspended_s else waits_for
    sites = seen.site_count if seen.waits is None or seen.all_wait else seen.site_count - seen.waits.sites
    state = str(seen.report["state"])
    slowest = seen.slowest.label if seen.slowest is not None else ""
    return eta.bottleneck(RunConditions(
        state, sites, waits_for, seen.pace_s, busy, seen.backlog, eta.rate(samples), slowest,
        eta.is_outlasted(samples),
    ))  # fmt: skip


FINDING = (RunState.DISCOVERING, RunState.RETRIEVING)
"""States of a run in which it finds pages."""


def underway(house: Installation) -> list[str]:
    """Names of the sources that are being crawled. A run that was killed is not under way."""
    with house.store.read() as tx:
        numbers = {run.source_id for run in runs.open_runs(tx) if run.state in FINDING}
        if not numbers or not heartbeats.alive(tx, "retriever"):
            return []
        return [row.name for row in sources.every(tx) if row.id in numbers]
