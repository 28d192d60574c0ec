"""Purge of the rows of resources that are gone.

A row is purged after its resource was gone in two runs, if no other page links to it any more.

Two runs within one hour count as one accident of its server, unless the source sets `purge_after_s`. A 410 is purged at
once (RFC 9110 section 15.5.11: the condition is likely permanent). Listed resources are purged even if pages link to
them. A resource stays while a sitemap names it or a known address redirects to it: each run would discover it again.
Start addresses stay, so that their state can be explained, and so do sitemaps that a robots.txt names. A tombstone
keeps when and why a document was deleted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from cormorant.frontier.links import inlinks as inlink_lists, orphans, redirect_chains
from cormorant.frontier.sitemaps import registry
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import BY_FACT, DiscoveredBy, Role
from cormorant.store.db.database import Tx
from cormorant.store.journal import tombstones
from cormorant.store.journal.tombstones import Tombstone
from cormorant.store.schema import claim, content, inlinks, original, outlinks, resource, visit
from cormorant.store.schema.frontier import ASTRAY

RUNS = 2
"""Runs in a row that must find a 404, or whose complete listings must omit it, before a row is purged."""
HOUR_S = 3_600.0
_LISTED = (int(DiscoveredBy.LISTING), int(DiscoveredBy.MEMBER))
"""How addresses are discovered that a source or a container lists; links to them do not matter."""
SETTING = "purge_after_s"
"""The least seconds between the first 404 of a page and its purge."""


def _named_still() -> sa.ColumnElement[bool]:
    """Return the condition that the sitemap which named a resource exists and, as far as known, still names it.

    If the run that visited the page last also read the sitemap, a claim of that run proves it; an unchanged sitemap
    still names the same pages.
    """
    columns, map_ = resource.c, resource.alias("map")
    read = sa.and_(map_.c.outcome == int(OutcomeKind.OK), map_.c.run == columns.run)
    claimed = sa.exists().where(
        claim.c.source_id == columns.source_id, claim.c.hash == columns.hash, claim.c.run == columns.run
    )
    stands = sa.and_(
        map_.c.id == columns.referrer, map_.c.role == int(Role.SITEMAP), map_.c.outcome != int(OutcomeKind.GONE)
    )
    return sa.and_(columns.how == int(DiscoveredBy.SITEMAP), sa.exists().where(stands, sa.or_(sa.not_(read), claimed)))


def wait_s(settings: Mapping[str, Any]) -> float:
    """Return how long a source waits before it purges the row of a 404, in seconds."""
    return float(settings.get(SETTING, HOUR_S))


def purge(tx: Tx, source: int, after_s: float = HOUR_S) -> int:
    """Delete rows, links and journal of resources that are gone for good. Their kept copies stay, without a row.

    `after_s` is the least age of the first 404 of a page.
    """
    columns = resource.c
    listed = columns.how.in_(_LISTED)
    named = sa.and_(columns.role == int(Role.SITEMAP), columns.referrer == BY_FACT)
    news = sa.exists().where(
        visit.c.resource_id == columns.id, visit.c.outcome == int(OutcomeKind.GONE), visit.c.at > tx.now() - after_s
    )
    twice = sa.and_(columns.attempts >= RUNS, sa.or_(listed, sa.not_(news)))
    statement = (
        sa.select(columns.id, columns.how, columns.address, *orphans.IN_LINKS)
        .outerjoin(inlinks, inlinks.c.id == columns.id)
        .where(
            ASTRAY,
            columns.source_id == source,
            columns.outcome == int(OutcomeKind.GONE),
            columns.how != int(DiscoveredBy.SEED),
        )
        .where(sa.or_(sa.and_(columns.status == 410, columns.how != int(DiscoveredBy.SITEMAP)), twice))
        .where(sa.not_(_named_still()))
        .where(sa.or_(listed, orphans.FEW), sa.or_(columns.referrer.is_(None), sa.not_(named)))
    )
    found = sa.select(content.c.id).where(content.c.source_id == source, content.c.indexed)  # not deleted yet
    rows = tx.rows(statement.where(columns.id.not_in(found)))
    lost = [row for row in rows if row.how in _LISTED or orphans.is_lost(row)]
    led = redirect_chains.led_to(tx, source, {row.address for row in lost if row.how not in _LISTED})
    numbers = [row.id for row in lost if row.address not in led]
    for start in range(0, len(numbers), 1000):
        some = numbers[start : start + 1000]
        tombstones.write(tx, _tombstones(tx, source, some))
        inlink_lists.withdraw(tx, source, some)
        keys = sa.select(columns.hash).where(columns.id.in_(some))
        tx.execute(sa.delete(claim).where(claim.c.source_id == source, claim.c.hash.in_(keys)))
        registry.forget(tx, source, some)
        for table in (content, original, outlinks, inlinks, resource):
            tx.execute(sa.delete(table).where(table.c.id.in_(some)))
        tx.execute(sa.delete(visit).where(visit.c.resource_id.in_(some)))
    tombstones.trim(tx, source)
    return len(numbers)


def _tombstones(tx: Tx, source: int, numbers: Sequence[int]) -> list[Tombstone]:
    """Return the tombstones of those that were documents: when and why each was gone, as its newest change says."""
    columns, gone = resource.c, visit.alias("gone")
    newest = sa.select(sa.func.max(gone.c.id)).where(
        gone.c.resource_id == columns.id, gone.c.outcome == int(OutcomeKind.GONE)
    )
    rows = tx.rows(
        sa.select(
            columns.id, columns.hash, columns.address, columns.run, columns.visited_at, columns.status, columns.reason,
            visit.c.run.label("gone_in"), visit.c.at,
        )
        .select_from(resource.join(content, content.c.id == columns.id).outerjoin(
            visit, visit.c.id == newest.scalar_subquery()
        ))
        .where(columns.id.in_(numbers))
    )  # fmt: skip
    return [
        Tombstone(
            source, row.hash, row.address, row.id, row.gone_in or row.run, row.at or row.visited_at or tx.now(),
            row.status, row.reason,
        )
        for row in rows
    ]  # fmt: skip
