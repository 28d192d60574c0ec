"""Live view of a run: its figures, its sites, and the reasons why it waits."""

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
"""Failures in a row after which a site is shown as failing, though requests to it go on."""


class SiteLook(NamedTuple):
    """A site with addresses left. `resting_s` is the time for which it is left alone, 0 if requests may go on now.

    `trouble` is the reason why it is left alone, or its failure; None if it works.
    """

    site: str
    left: int
    leased: bool
    resting_s: float
    trouble: HostTrouble | None = None


class Waits(NamedTuple):
    """The sites of a run that are in trouble: reasons of some, their number, and seconds until the next request.

    `gives_up_s` is the longest time for which the run still waits for them, None if it visits others meanwhile.
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
    """A run at a moment: its report, the sites requested last, the number of sites, and the crawl delay.

    `confirmed` is the number of the last event that its slowest receiver has confirmed, `backlog` the number of events
    after it, and `slowest` that receiver, None if the source has no receiver. `waits` has the sites in trouble, None
    without any. `suspended_s` is the time for which the hours of its source forbid all visits, 0 if they do not.
    """

    report: Run
    sites: tuple[SiteLook, ...]
    site_count: int
    waits: Waits | None
    pace_s: float
    confirmed: int
    backlog: int
    slowest: ReceiverRow | None = None
    suspended_s: float = 0.0

    @property
    def all_wait(self) -> bool:
        """Return whether no site can be requested now."""
        return (
            bool(self.report["waits"])
            or self.suspended_s > 0
            or (self.waits is not None and self.waits.sites == self.site_count)
        )


def look(house: Installation, number: int) -> LiveView:
    """Return the present view of a run. Raises NotFoundError."""
    report = start.report(house, number)
    with house.store.read() as tx:
        row = runs.get(tx, number)
        now = tx.now()
        waiting = tx.rows(_open_sites(row))
        shown = tuple(_site(tx, row, each, now) for each in waiting[:SITES])
        slowest = receivers.slowest(tx, row.source_id, unmade=row.state is RunState.DELIVERING)
        confirmed, backlog = run_progress.delivered(tx, slowest)
        pace, suspended_until = _pace(house, tx, row, [(each.id, each.key) for each in waiting[:SITES]])
        waits = _waits(tx, row, [each for each in waiting if _is_troubled(each, now)], len(waiting), now)
    suspended_s = max(suspended_until - now, 0.0) if row.state is RunState.RETRIEVING else 0.0
    return LiveView(report, shown, len(waiting), waits, pace, confirmed, backlog, slowest, suspended_s)


def _open_sites(row: RunRow) -> sa.Select[Any]:
    """Sites with addresses left for this run, those requested last first."""
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
    """Return why a retrieving run cannot visit these of its sites; None if it can."""
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
    """The longest delay between requests at these sites; the end of a suspension of all visits, 0 for none."""
    owner = sources.numbered(tx, row.source_id)
    if owner is None:
        return 0.0, 0.0
    try:
        source = house.source(owner, row.settings)
    except CormorantError:  # a file of start addresses is away; the crawl has read it before
        return 0.0, 0.0
    known: dict[int, dict[str, bytes]] = {number: {} for number, _ in sites}
    for fact in host_facts.read(tx, [number for number, _ in sites], [host_facts.INSTALLATION]):
        known[fact.site][fact.name] = fact.value
    delay_s = max((source.pace(key, known[number]).delay_s for number, key in sites), default=0.0)
    return delay_s, source.settings.suspended_until(tx.now())


def processors_s(house: Installation) -> dict[int, float]:
    """Seconds for which this machine's retrievers have had a processor or waited for one, by process id."""
    with house.store.read() as tx:
        return run_progress.processors_s(tx)


def sample(seen: LiveView, at: float) -> ProgressSample:
    """Return the progress sample for counts seen at a moment (seconds)."""
    return ProgressSample(at, seen.report["fetched"], seen.report["to_fetch"], seen.confirmed, seen.backlog)


def ahead(seen: LiveView, samples: Sequence[ProgressSample]) -> Ahead | None:
    """Return the estimated remaining time of a run (ETA), None while it is unknown."""
    is_index = seen.slowest is not None and seen.slowest.kind == receivers.INDEX
    if seen.report["state"] == RunState.DELIVERING:  # a limit may have left addresses unvisited
        samples = [each._replace(left=0) for each in samples]
    return eta.ahead(samples, inf if is_index else MOST_WAITED_S)


def bottleneck(seen: LiveView, busy: float, samples: Sequence[ProgressSample]) -> str:
    """Return the bottleneck of a run, "" when it cannot be named.

    `busy` is the part of the time for which the busiest retriever had or wanted a processor.
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
