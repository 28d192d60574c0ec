"""Remaining work of a generation, and the time at which it can go on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from cormorant.frontier.policy import backoff, priority
from cormorant.frontier.policy.host_backoff import CIRCUIT
from cormorant.frontier.policy.host_errors import HostTrouble
from cormorant.frontier.policy.transition import is_unreachable
from cormorant.frontier.queue import host_leases
from cormorant.frontier.staging import unreviewed
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Role, UrlState
from cormorant.model.status import Status
from cormorant.store.db.database import Tx
from cormorant.store.schema import content, hidden, resource, site, site_source, source as sources
from cormorant.store.schema.frontier import ASTRAY, SEEDS, TROUBLED


class SiteLeft(NamedTuple):
    """A site with work left for a source. It may go on at `goes_on_at` (epoch seconds, 0: now).

    `failures` are visits in a row that failed for the whole site, `trouble` is the status of the newest of them.
    """

    id: int
    key: str
    goes_on_at: float
    failures: int
    trouble: int

    def is_troubled(self, now: float) -> bool:
        """Return whether the site has to wait, or has not answered since it failed."""
        return self.goes_on_at > now or self.failures > 0


class Remaining(NamedTuple):
    """Number of sites with work left, the epoch seconds when the first may go on (0: now), and some of the sites.

    `troubled` of them have to wait, or have not answered since they failed.
    """

    sites: int
    goes_on_at: float
    some: tuple[SiteLeft, ...] = ()
    troubled: int = 0


def awake(tx: Tx, source: int, generation: int, new_of: int | None = None) -> None:
    """Prepare a new run: end waits without a response, and mark sites without work as done.

    Pages and sites without a response are tried again, and so are sites that failed throughout; waits that a server
    asked for stay. With `new_of`, the run's number, only resources that are new to it count.
    """
    _forgive(tx, source)
    done = site_source.c.done_generation
    here = resource.c.site_id == site_source.c.site_id
    todo = sa.select(sa.literal_column("1")).where(_left(source, generation, new_of), here).exists()
    again = sa.case((sa.not_(todo), generation), (done >= generation, generation - 1), else_=done)
    values = {"not_before": 0.0, "done_generation": again}
    tx.execute(sa.update(site_source).where(site_source.c.source_id == source).values(values))


def _forgive(tx: Tx, source: int) -> None:
    """End the waits that a missing response or repeated failures caused, for pages of a source and for its sites.

    Documents that wait for a Tika server are included. A site keeps waiting if a page of any source was last deferred
    there because the server is busy.
    """
    columns = resource.c
    put_off = sa.and_(ASTRAY, columns.outcome == int(OutcomeKind.DEFERRED))
    silent = sa.and_(
        put_off,
        columns.source_id == source,
        columns.status.in_((*backoff.NO_ANSWER, Status.TIKA)),
        columns.not_before > 0,
    )
    tx.execute(sa.update(resource).where(silent).values(not_before=0.0))
    own = sa.select(site_source.c.site_id).where(site_source.c.source_id == source)
    tired = [row.id for row in tx.rows(sa.select(site.c.id).where(site.c.id.in_(own), site.c.failures > 0))]
    busy = sa.select(columns.site_id).where(
        put_off, columns.source_id.in_(sa.select(sources.c.id)), columns.status.in_(backoff.BUSY)
    )
    away = sa.select(columns.site_id).where(columns.status.in_((*backoff.NO_ANSWER, *backoff.UNREACHABLE)))
    for start in range(0, len(tired), 500):
        these = tired[start : start + 500]
        forgiven = sa.and_(site.c.id.in_(these), site.c.id.not_in(busy))
        failing = sa.and_(site.c.failures >= CIRCUIT, site.c.trouble.in_(backoff.SERVER_FAULTS))
        forgiven = sa.and_(forgiven, sa.or_(failing, site.c.id.in_(away.where(columns.site_id.in_(these)))))
        tx.execute(sa.update(site).where(forgiven).values(not_before=0.0, failures=0, trouble=0))


SOME = 6
"""Sites of the remaining ones that are named."""
_WAITS = sa.case((site.c.not_before > site_source.c.not_before, site.c.not_before), else_=site_source.c.not_before)
"""The time until which a source has to wait at a site."""
_SITE = (site.c.id, site.c.key, site.c.not_before, site.c.failures, site.c.trouble)


def _sites_left(*columns: sa.ColumnElement[Any]) -> sa.Select[Any]:
    """Return a query for sites that a source is not done with; the caller binds `source` and `generation`."""
    return (
        sa.select(*columns)
        .select_from(site.join(site_source, site.c.id == site_source.c.site_id))
        .where(
            site_source.c.source_id == sa.bindparam("source"),
            site_source.c.done_generation < sa.bindparam("generation"),
        )
    )


_TROUBLED = sa.case((sa.or_(sa.bindparam("now", type_=sa.Double) < _WAITS, site.c.failures > 0), 1), else_=0)
_SUMMED = _sites_left(sa.func.count(), sa.func.min(_WAITS), sa.func.sum(_TROUBLED))
_SOME = _sites_left(site.c.id, site.c.key, _WAITS, site.c.failures, site.c.trouble).limit(SOME)
_SOONEST = _SOME.order_by(_WAITS, site.c.id)


def left(tx: Tx, source: int, generation: int) -> Remaining:
    """Return the remaining work of a source in a generation.

    A long run calls this often, so nothing is sorted while it goes on. If all its sites are in trouble, those that may
    go on first are named.
    """
    bound = {"source": source, "generation": generation}
    count, soonest, waiting = tx.rows(_SUMMED, {**bound, "now": tx.now()})[0]
    some = tx.rows(_SOONEST if waiting == count else _SOME, bound)
    return Remaining(int(count), float(soonest or 0.0), tuple(SiteLeft(*row) for row in some), int(waiting or 0))


def troubles(tx: Tx, source: int, sites: Sequence[SiteLeft]) -> tuple[HostTrouble, ...]:
    """Return the reasons of those of these sites that have to wait."""
    now = tx.now()
    waiting = [each for each in sites if each.is_troubled(now)]
    return tuple(trouble_at(tx, source, each.id, each.key, each.trouble) for each in waiting)


def trouble_at(tx: Tx, source: int, number: int, key: str, status: int) -> HostTrouble:
    """Return the reason of a source's wait at a site.

    Its status is that of the whole site's failure, else that of a deferred page.
    """
    return HostTrouble(key, status or _put_off(tx, source, number))


def in_trouble(tx: Tx, source: int, most: int) -> list[SiteLeft]:
    """Return sites of a source that are still in trouble, those with the most failures first."""
    there = site.c.id.in_(sa.select(site_source.c.site_id).where(site_source.c.source_id == source))
    statement = sa.select(*_SITE).where(there, _still(tx.now())).order_by(site.c.failures.desc(), site.c.id)
    return [SiteLeft(*row) for row in tx.rows(statement.limit(most))]


def sites_in_trouble(tx: Tx, numbers: Sequence[int]) -> dict[int, SiteLeft]:
    """Return those of these sites that are still in trouble, by their numbers."""
    found = [SiteLeft(*row) for row in tx.rows(sa.select(*_SITE).where(site.c.id.in_(numbers), _still(tx.now())))]
    return {each.id: each for each in found}


def _still(now: float) -> sa.ColumnElement[bool]:
    """Return the condition for sites without a response to their last request, and for sites that rest."""
    return sa.and_(site.c.trouble > 0, sa.or_(site.c.trouble.in_(backoff.NO_ANSWER), site.c.not_before > now))


def _put_off(tx: Tx, source: int, site_number: int) -> int:
    """Return the status of a deferred page of a site, 0 if there is none."""
    columns = resource.c
    statement = sa.select(columns.status).where(
        ASTRAY,
        columns.source_id == source,
        columns.outcome == int(OutcomeKind.DEFERRED),
        columns.site_id == site_number,
    )
    rows = tx.rows(statement.limit(1))
    return int(rows[0].status) if rows else 0


def to_fetch(tx: Tx, source: int, generation: int, new_of: int | None = None) -> int:
    """Count the resources left to visit, by site from the covering index.

    With `new_of`, a run, only resources that are new to it count.
    """
    return _count(tx, source, _left(source, generation, new_of))


def documents_to_fetch(tx: Tx, source: int, generation: int, new_of: int | None = None) -> int:
    """Count the documents left to visit; a robots.txt is not a document.

    It reads every remaining row. With `new_of`, a run, only documents that are new to it count.
    """
    document = resource.c.role == int(Role.DOCUMENT)
    return _count(tx, source, sa.and_(_left(source, generation, new_of), document))


def _count(tx: Tx, source: int, which: sa.ColumnElement[bool]) -> int:
    """Count the resources that match a condition at the sites of a source."""
    sites = sa.select(site_source.c.site_id).where(site_source.c.source_id == source)
    statement = sa.select(sa.func.count()).where(which, resource.c.site_id.in_(sites))
    return int(tx.execute(statement).scalar_one())


def _left(source: int, generation: int, new_of: int | None) -> sa.ColumnElement[bool]:
    """Return the condition for resources that a source has left in a generation."""
    columns = resource.c
    ready = columns.state == sa.literal_column(str(int(UrlState.READY)))
    due = sa.and_(ready, columns.source_id == source, columns.due < priority.limit(generation))
    return due if new_of is None else sa.and_(due, host_leases.new_of(new_of))


def deferred(tx: Tx, source: int, run: int, generation: int, new_of: int | None = None) -> int:
    """Count the documents that a run deferred to another time.

    If all remaining work must wait, that includes pages it never reached, since their site rests; with `new_of`, only
    new ones.
    """
    if left(tx, source, generation).goes_on_at > tx.now():
        return documents_to_fetch(tx, source, generation, new_of)
    columns = resource.c
    statement = sa.select(sa.func.count()).where(
        ASTRAY,
        columns.source_id == source,
        columns.outcome == int(OutcomeKind.DEFERRED),
        columns.run == run,
        columns.role == int(Role.DOCUMENT),
    )
    return int(tx.execute(statement).scalar_one())


def quarantined(tx: Tx, source: int) -> int:
    """Count the quarantined documents of a source: they killed their converter, and are skipped until they change."""
    columns = resource.c
    these = (TROUBLED, columns.source_id == source, columns.outcome == int(OutcomeKind.QUARANTINED))
    return int(tx.execute(sa.select(sa.func.count()).where(*these)).scalar_one())


GOING = (OutcomeKind.GONE, OutcomeKind.EXCLUDED, OutcomeKind.MOVED)
"""Outcomes by which a document leaves."""
READ = (OutcomeKind.OK, OutcomeKind.UNCHANGED)
"""Outcomes by which a document leaves when it turned out to be a sitemap."""


def hide_leaving(tx: Tx, source: int, run: int) -> int:
    """Hide again, after approval, the searchable documents that leave by their last visit."""
    waiting = sa.and_(hidden.c.seq.is_not(None), hidden.c.id.in_(_leaving(source, content.c.id)))
    again = tx.execute(sa.update(hidden).where(waiting).values(seq=None, run=run)).rowcount
    chosen = _leaving(source, content.c.id, content.c.source_id, sa.literal(run))
    chosen = chosen.where(content.c.id.not_in(sa.select(hidden.c.id)))
    statement = sa.insert(hidden).from_select(["id", "source_id", "run"], chosen)
    return again + tx.execute(statement.execution_options(preserve_rowcount=True)).rowcount


def leaving(tx: Tx, source: int, most: int) -> list[tuple[str, int]]:
    """Return the documents that leave if a held run is accepted: (display address, status of the last visit)."""
    statement = _leaving(source, content.c.url, resource.c.status).order_by(content.c.url).limit(most)
    return [(row[0], row[1]) for row in tx.rows(statement)]


def leaving_count(tx: Tx, source: int) -> int:
    """Count the documents that would be deleted if a held run were accepted."""
    return int(tx.execute(_leaving(source, sa.func.count())).scalar_one())


def _leaving(source: int, *columns: sa.ColumnElement[Any]) -> sa.Select[Any]:
    """Return a query for searchable documents that leave by their last visit."""
    going = resource.c.outcome.in_([int(each) for each in GOING])
    read = sa.and_(resource.c.role == int(Role.SITEMAP), resource.c.outcome.in_([int(each) for each in READ]))
    both = content.join(resource, resource.c.id == content.c.id)
    leaves = sa.and_(content.c.source_id == source, content.c.indexed, sa.or_(going, read))
    return sa.select(*columns).select_from(both).where(leaves)


class Start(NamedTuple):
    """State of a start URL; `waits`: its new content was examined and waits to be indexed."""

    address: str
    outcome: OutcomeKind
    status: int
    waits: bool = False

    @property
    def unanswered(self) -> bool:
        """Return whether no HTTP response came, in as many runs as the status counts."""
        ended = self.outcome in (OutcomeKind.FAILED, OutcomeKind.DEFERRED, OutcomeKind.GONE)
        return ended and (is_unreachable(self.status) or self.status >= backoff.FIRST_UNREACHABLE)

    @property
    def forbidden(self) -> bool:
        """Return whether a gate excluded it at its visit: robots.txt, noindex, a rule."""
        return self.outcome is OutcomeKind.EXCLUDED

    @property
    def bad(self) -> bool:
        """Return whether it is neither a document nor a redirect to one, as a start address should be."""
        well = (OutcomeKind.NONE, OutcomeKind.OK, OutcomeKind.UNCHANGED, OutcomeKind.MOVED)
        return self.outcome not in well and not self.waits


def starts(tx: Tx, source: int) -> list[Start]:
    """Return the start addresses of a source and their states."""
    columns = resource.c
    known = sa.select(columns.address, columns.outcome, columns.status, columns.reason)
    found = tx.rows(known.where(SEEDS, columns.source_id == source))
    return [start(row) for row in found]


def start(row: Any) -> Start:
    """Return the state of a start URL, by its row."""
    return Start(row.address, OutcomeKind(row.outcome), row.status, row.reason == unreviewed.WAITS)
