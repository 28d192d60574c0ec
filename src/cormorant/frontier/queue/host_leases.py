"""Host leases: exclusive rights to visit a site, with an epoch that fences late writers.

Lease time is store time. A lease outlives the batch; every settling transaction renews it, and a process that finds its
epoch outdated writes nothing for that site.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import sqlalchemy as sa

from cormorant.frontier.policy import backoff, priority
from cormorant.frontier.policy.priority import Span
from cormorant.frontier.queue import ip_groups
from cormorant.frontier.state import refetch
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Lease, Resource, Role, UrlState
from cormorant.model.url import fingerprint
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import content, resource, site, site_source, source as sources

LEASE_S = 60.0
READ_AHEAD = 256
AHEAD_S = 120.0
"""The longest time in the future for a turn; a later one was written by a clock that has been set back since."""
SLACK_S = 5.0
"""Seconds that a lease may seem to last longer, since clocks are adjusted a little all the time."""
STATEMENTS = 64
"""Statements of a kind that are cached: one for each number of concurrent sources."""


class LeasedSite(NamedTuple):
    """A lease with the data for its next owner: the site's rest, failures, newest request, sources, and IP group."""

    lease: Lease
    not_before: float
    failures: int
    requested_at: float
    arrivals: Mapping[int, int]
    trouble: int = 0
    lane: str = ""


class SiteUse(NamedTuple):
    """State of a site that a settling transaction writes back.

    `known` are the rest and the failures that its row had when its owner read or wrote it last. If the row has others
    now, another process reset them; then only a rest that the server asked for overwrites them.
    """

    lease: Lease
    not_before: float
    failures: int
    requested_at: float
    trouble: int = 0
    known: tuple[float, int] = (0.0, 0)

    @property
    def rest(self) -> tuple[float, int]:
        """The end of the site's rest, and the number of failures before it."""
        return self.not_before, self.failures

    @property
    def is_news(self) -> bool:
        """Return whether the rest differs from the known one."""
        return self.rest != self.known

    @property
    def is_wish(self) -> bool:
        """Return whether the server asked for this rest, which must not be reset."""
        return self.trouble in backoff.BUSY


def workable(tx: Tx, generations: Mapping[int, int]) -> int:
    """Count the sites, leased or not, with something to do now for these sources (source -> generation)."""
    return sum(by_owner(tx, generations).values())


def by_owner(tx: Tx, generations: Mapping[int, int]) -> dict[str | None, int]:
    """Count the sites with something to do now for these sources, by lease owner; None: not leased."""
    now = tx.now()
    bound = {"now": now, "lapsed": tx.run_out(LEASE_S, now), **_bound(generations)}
    return {row[0]: row[1] for row in tx.rows(_by_owner(len(generations)), bound)}


@lru_cache(STATEMENTS)
def _by_owner(count: int) -> sa.Select[Any]:
    now = sa.bindparam("now", type_=sa.Double)
    owner = sa.case((site.c.lease_until > sa.bindparam("lapsed", type_=sa.Double), site.c.owner))
    return (
        sa.select(owner, sa.func.count(sa.distinct(site_source.c.site_id)))
        .join(site, site.c.id == site_source.c.site_id)
        .where(_waiting(count), site_source.c.not_before <= now, site.c.not_before <= now)
        .group_by(owner)
    )


def leased(tx: Tx, number: int, generation: int) -> int:
    """Count the leased sites with work left for a source, of any owner, and keep others from leasing one meanwhile."""
    if not tx.sqlite:  # SQLite has one writer
        tx.execute(sa.select(sources.c.id).where(sources.c.id == number).with_for_update())
    statement = (
        sa.select(sa.func.count())
        .select_from(site.join(site_source, site.c.id == site_source.c.site_id))
        .where(_waiting(1), site.c.owner.is_not(None), site.c.lease_until > tx.run_out(LEASE_S, tx.now()))
    )
    return int(tx.execute(statement, _bound({number: generation})).scalar_one())


def is_leased(tx: Tx, source: int) -> bool:
    """Return whether a site of a source is leased, so that a visit of it may still be written."""
    both = site.join(site_source, site.c.id == site_source.c.site_id)
    held = (site_source.c.source_id == source, site.c.owner.is_not(None), site.c.lease_until > tx.now())
    return bool(tx.rows(sa.select(site.c.id).select_from(both).where(*held).limit(1)))


def _waiting(count: int) -> sa.ColumnElement[bool]:
    """Return the condition for rows of site_source with work left in one of `count` sources that are `_bound`."""
    each = [
        sa.and_(
            site_source.c.source_id == sa.bindparam(f"source_{number}", type_=sa.Integer),
            site_source.c.done_generation < sa.bindparam(f"generation_{number}", type_=sa.Integer),
        )
        for number in range(count)
    ]
    return sa.or_(sa.false(), *each)


def _bound(generations: Mapping[int, int]) -> dict[str, int]:
    """Return the values bound to the names in `_waiting`, so that a run reuses earlier statements."""
    bound = {}
    for number, (source, generation) in enumerate(generations.items()):
        bound[f"source_{number}"], bound[f"generation_{number}"] = source, generation
    return bound


def lease(
    tx: Tx, owner: str, generations: Mapping[int, int], most: int, beside: Mapping[int, int] = MappingProxyType({})
) -> list[LeasedSite]:
    """Lease up to `most` sites that have work now and no living owner, those that rested longest first.

    The leases also name the work of the sources in `beside` at these sites.
    """
    now = tx.now()
    if most <= 0 or not generations:
        return []
    statement = _free(len(generations), locking=not tx.sqlite)
    bound = {"owner": owner, "now": now, "lapsed": tx.run_out(LEASE_S, now), "most": most}
    rows = tx.rows(statement, {**bound, **_bound(generations)})
    until = now + LEASE_S
    for row in rows:
        tx.execute(
            sa.update(site).where(site.c.id == row.id).values(owner=owner, epoch=row.epoch + 1, lease_until=until)
        )
    arrivals = _arrivals(tx, [row.id for row in rows], {**beside, **generations})
    return [
        LeasedSite(
            Lease(row.id, row.key, row.epoch + 1, until), row.not_before, row.failures, row.requested_at,
            arrivals[row.id], row.trouble, row.lane or "",
        )
        for row in rows
    ]  # fmt: skip


@lru_cache(STATEMENTS)
def _free(count: int, *, locking: bool) -> sa.Select[Any]:
    """Return the query for up to `most` sites with work `now`, unleased, and with no other owner in their IP group."""
    columns, now = site.c, sa.bindparam("now", type_=sa.Double)
    owner, lapsed = sa.bindparam("owner", type_=sa.Text), sa.bindparam("lapsed", type_=sa.Double)
    waiting = sa.select(site_source.c.site_id).where(_waiting(count), site_source.c.not_before <= now)
    statement = sa.select(
        columns.id, columns.key, columns.epoch, columns.not_before, columns.failures, columns.requested_at,
        columns.trouble, columns.lane,
    ).where(
        columns.id.in_(waiting), columns.not_before <= now,
        sa.or_(columns.owner.is_(None), columns.lease_until <= lapsed),
        sa.or_(columns.lane.is_(None), sa.not_(ip_groups.is_taken(owner, lapsed))),
    )  # fmt: skip
    statement = statement.order_by(columns.requested_at, columns.id).limit(sa.bindparam("most", type_=sa.Integer))
    return statement.with_for_update(skip_locked=True) if locking else statement


def _arrivals(tx: Tx, sites: Sequence[int], generations: Mapping[int, int]) -> dict[int, dict[int, int]]:
    """Return the arrival counters of these sites by source, where work is left and need not wait."""
    found: dict[int, dict[int, int]] = {number: {} for number in sites}
    if not found:
        return found
    bound = {"sites": list(sites), "now": tx.now(), **_bound(generations)}
    for row in tx.rows(_arrived(len(generations)), bound):
        found[row.site_id][row.source_id] = row.arrivals
    return found


@lru_cache(STATEMENTS)
def _arrived(count: int) -> sa.Select[Any]:
    columns, now = site_source.c, sa.bindparam("now", type_=sa.Double)
    return sa.select(columns.site_id, columns.source_id, columns.arrivals).where(
        columns.site_id.in_(sa.bindparam("sites", expanding=True)), _waiting(count), columns.not_before <= now
    )


def arrivals(tx: Tx, sites: Sequence[int], generations: Mapping[int, int]) -> dict[int, dict[int, int]]:
    """Reread the arrival counters of leased sites, to notice work that other processes added."""
    return _arrivals(tx, sites, generations)


_TAKEN = sa.select(site.c.id, site.c.requested_at).where(
    site.c.id.in_(sa.bindparam("sites", expanding=True)), site.c.requested_at <= sa.bindparam("latest", type_=sa.Double)
)


def taken(tx: Tx, sites: Sequence[int]) -> dict[int, float]:
    """Return the time of the last or planned request to each site, of any process, as far as the store knows."""
    return {row.id: row.requested_at for row in tx.rows(_TAKEN, {"sites": list(sites), "latest": tx.now() + AHEAD_S})}


_HELD = sa.select(
    site.c.id, site.c.epoch, site.c.owner, site.c.not_before, site.c.failures, site.c.lease_until, site.c.lane
).where(site.c.id.in_(sa.bindparam("sites", expanding=True)))


def renew(tx: Tx, owner: str, uses: Sequence[SiteUse]) -> dict[int, tuple[float, int]]:
    """Write back and renew leases; returns the rests, as stored now, of the sites whose lease was not lost.

    Visits of a site whose lease was lost must not be written. A lease that ran out without a new owner is renewed,
    unless another process has leased a site of its IP group.
    """
    if not uses:
        return {}
    now = tx.now()
    until, lapsed = now + LEASE_S, tx.run_out(LEASE_S, now)
    wanted = {use.lease.site: use for use in uses}
    rests = {
        row.id: (row.not_before, row.failures)
        for row in tx.rows(_HELD if tx.sqlite else _HELD.with_for_update(), {"sites": list(wanted)})
        if row.epoch == wanted[row.id].lease.epoch and row.owner == owner
        and not (row.lane and row.lease_until <= now and ip_groups.is_others(tx, owner, row.id, row.lane, lapsed))
    }  # fmt: skip
    kept = [use for use in uses if use.lease.site in rests]
    bulk.update(
        tx, site, ("lease_until", "requested_at"), ("id",), [(until, use.requested_at, use.lease.site) for use in kept]
    )
    rested = [use for use in kept if use.is_news and (use.is_wish or use.known == rests[use.lease.site])]
    rows = [(*use.rest, use.trouble, use.lease.site) for use in rested]
    bulk.update(tx, site, ("not_before", "failures", "trouble"), ("id",), rows)
    return rests | {use.lease.site: use.rest for use in rested}


def shorten(tx: Tx) -> int:
    """Limit leases, rests and waits that a clock wrote before it was set back. Returns the number of changed rows.

    A living owner of such a lease renews it in time.
    """
    now, count = tx.now(), 0
    most = now + backoff.MOST_WAIT_S
    for table, at, longest, value in (
        (site, site.c.lease_until, now + LEASE_S + SLACK_S, now + LEASE_S),
        (site, site.c.not_before, most, 0.0),
        (site_source, site_source.c.not_before, most, 0.0),
    ):
        count += tx.execute(sa.update(table).where(at > longest).values({at: value})).rowcount
    return count


def release(tx: Tx, owner: str, use: SiteUse) -> None:
    """Release a site, with the data for its next owner. Does nothing if another process owns it."""
    mine = sa.and_(site.c.id == use.lease.site, site.c.epoch == use.lease.epoch, site.c.owner == owner)
    if use.is_news:
        as_known = sa.and_(site.c.not_before == use.known[0], site.c.failures == use.known[1])
        rest = {"not_before": use.not_before, "failures": use.failures, "trouble": use.trouble}
        tx.execute(sa.update(site).where(mine, sa.true() if use.is_wish else as_known).values(**rest))
    tx.execute(sa.update(site).where(mine).values(owner=None, lease_until=0.0, requested_at=use.requested_at))


def finish(tx: Tx, number: int, source: int, generation: int, arrivals: int, not_before: float) -> bool:
    """Mark a source as done at a site: for this generation, or (with `not_before`) until then.

    Returns False if a URL arrived since `arrivals` was read: then read again.
    """
    values: dict[str, object] = {"not_before": not_before} if not_before else {"done_generation": generation}
    done = tx.execute(
        sa.update(site_source)
        .where(site_source.c.site_id == number, site_source.c.source_id == source, site_source.c.arrivals == arrivals)
        .values(**values)
    )
    return done.rowcount == 1


_COLUMNS = sa.select(
        resource.c.id, resource.c.source_id, resource.c.site_id, resource.c.address, resource.c.role, resource.c.depth,
        resource.c.attempts, resource.c.outcome, resource.c.status, content.c.etag, content.c.modified,
        resource.c.validator, content.c.content_hash, content.c.text_hash, content.c.acl_id, content.c.indexed,
        resource.c.display,
    ).select_from(resource.outerjoin(content, content.c.id == resource.c.id))  # fmt: skip


def new_of(run: int | sa.BindParameter[int]) -> sa.ColumnElement[bool]:
    """Return the condition for resources that no run has visited, or that this run visited and deferred."""
    columns = resource.c
    put_off = sa.and_(columns.outcome == int(OutcomeKind.DEFERRED), columns.run == run)
    return sa.or_(columns.outcome == int(OutcomeKind.NONE), put_off)


_READ_ONE = _COLUMNS.where(resource.c.site_id == sa.bindparam("site"), resource.c.hash == sa.bindparam("hash"))

_READ = (
    _COLUMNS.where(
        resource.c.state == sa.literal_column(str(int(UrlState.READY))),
        resource.c.site_id == sa.bindparam("site"),
        resource.c.source_id == sa.bindparam("source"),
        resource.c.due >= sa.bindparam("since"),
        resource.c.due < sa.bindparam("until"),
        sa.or_(
            resource.c.not_before <= sa.bindparam("now"),
            resource.c.not_before > sa.bindparam("now") + sa.literal_column(str(backoff.MOST_WAIT_S)),
        ),
        resource.c.id > sa.bindparam("newest"),
    )
    .order_by(resource.c.due, resource.c.id)
    .limit(sa.bindparam("most"))
)  # fmt: skip

_READ_NEW = _READ.where(new_of(sa.bindparam("run", type_=sa.Integer)))


class ReadWindow(NamedTuple):
    """Read window: rows of a site and a source, due up to a generation, with a number above `newest`.

    With `new_of`, a run, only resources that are new to it; with `span`, only those that are due in it.
    """

    site: int
    source: int
    generation: int
    newest: int = 0
    new_of: int | None = None
    span: Span | None = None


def read(tx: Tx, window: ReadWindow, most: int = READ_AHEAD) -> list[Resource]:
    """Return the next rows of a leased site to visit, in order; unsettled rows are returned again."""
    since, until = window.span or (0, priority.limit(window.generation))
    bound = {
        "site": window.site, "source": window.source, "since": since, "until": until, "now": tx.now(),
        "newest": window.newest, "most": most,
    }  # fmt: skip
    if window.new_of is not None:
        return [_resource(row) for row in tx.rows(_READ_NEW, bound | {"run": window.new_of})]
    return [_resource(row) for row in tx.rows(_READ, bound)]


def earliest(tx: Tx, window: ReadWindow) -> float | None:
    """Return the earliest time at which the first remaining resource may be visited.

    In epoch seconds of the store; None when no resource is left.
    """
    columns = resource.c
    at = sa.case((columns.not_before > tx.now() + backoff.MOST_WAIT_S, 0.0), else_=columns.not_before)
    statement = sa.select(sa.func.min(at)).where(
        columns.state == sa.literal_column(str(int(UrlState.READY))),
        columns.site_id == window.site,
        columns.source_id == window.source,
        columns.due < priority.limit(window.generation),
    )
    if window.new_of is not None:
        statement = statement.where(new_of(window.new_of))
    found = tx.execute(statement).scalar_one()
    return None if found is None else float(found)


_ROLES = tuple(Role)
"""Roles by their numbers: an enum lookup costs half as much as the rest of a Resource."""


def _resource(row: Sequence[Any]) -> Resource:
    """Return the Resource of a row of `_READ`."""
    (number, source, place, address, role, depth, attempts, outcome, status, etag, modified, validator, body, text, acl,
     indexed, display) = row  # fmt: skip
    before = refetch.text_before(text) if text else b""
    return Resource._make((
        number, source, place, address, _ROLES[role], depth, attempts, outcome, status, etag or "", modified or "",
        validator or "", b"" if before else body or b"", b"" if before else text or b"", acl or 0, bool(indexed),
        before, display or "", bool(before),
    ))  # fmt: skip


def at_address(tx: Tx, site_number: int, source: int, address: str) -> Resource | None:
    """Return the resource of an address at a site, whenever it is due; None if there is none."""
    key = fingerprint(address, source)
    row = tx.rows(_READ_ONE, {"site": site_number, "hash": key})
    return _resource(row[0]) if row else None


def by_number(tx: Tx, numbers: Sequence[int]) -> list[Resource]:
    """Return the resources of these numbers, whenever they are due, ordered by number; at most 500."""
    return [_resource(row) for row in tx.rows(_COLUMNS.where(resource.c.id.in_(numbers)).order_by(resource.c.id))]


def disown(tx: Tx, owner: str) -> int:
    """Release the leases of an earlier process with this name, keeping the pace. Returns their number."""
    statement = sa.update(site).where(site.c.owner == owner).values(owner=None, lease_until=0.0, requested_at=tx.now())
    return tx.execute(statement).rowcount
