"""Orphan detection: documents to which no link leads any more.

A link or redirect discovered them, and none leads to them now.

The target of a known redirect is no orphan while the redirect is known: every run visits it, though a crawl from
scratch does not know it. Neither is a document that a sitemap named (`registry.name`), even if it no longer does. The
canonical link of a copy counts as a link. A link of a document to itself does not count, but links of two documents to
each other do: a crawl from scratch would miss every orphan, and perhaps further documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from cormorant.frontier.links import codec, redirect_chains
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import BY_LINK
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import content, inlinks, resource

CHUNK = 1_000
"""Documents read at once."""
IN_LINKS = inlinks.c.count.label("in_links"), inlinks.c.links
"""Columns that `is_lost` needs beside the number of a resource."""
FEW = sa.or_(inlinks.c.count.is_(None), inlinks.c.count <= 1)
"""Resources with at most one in-link, which may come from the resource itself."""


def is_lost(row: Any) -> bool:
    """Return whether no other page links to a resource, by its `id` and its IN_LINKS."""
    return not row.in_links or (row.in_links == 1 and [each for each, _ in codec.kept_in(row.links)] == [row.id])


def count(tx: Tx, source: int) -> int:
    """Return the number of orphans in a source."""
    found, behind = 0, 0
    while some := page(tx, source, CHUNK, behind):
        found, behind = found + len(some), some[-1][0]
    return found


def page(tx: Tx, source: int, most: int, behind: int) -> list[tuple[int, bool]]:
    """Return some orphans by number, and whether receivers know about each; fewer when no more are left.

    Redirects to them are looked up by address: a redirect may be the only way to each of a million documents.
    """
    found: list[tuple[int, bool]] = []
    while len(found) < most:
        chosen = _chosen(source).where(content.c.id > behind).order_by(content.c.id).limit(most)
        rows = tx.rows(chosen)
        lost = [row for row in rows if is_lost(row)]
        led = redirect_chains.led_to(tx, source, [row.address for row in lost])
        found += [(row.id, bool(row.unvisited)) for row in lost if row.address not in led]
        if len(rows) < most:
            break
        behind = rows[-1].id
    return found[:most]


def _chosen(source: int) -> sa.Select[Any]:
    """Return the query for documents found by a link or redirect with at most one in-link."""
    both = content.join(resource, resource.c.id == content.c.id).outerjoin(inlinks, inlinks.c.id == content.c.id)
    return (
        sa.select(content.c.id, content.c.unvisited, resource.c.address, *IN_LINKS)
        .select_from(both)
        .where(content.c.source_id == source, content.c.indexed, resource.c.how.in_(BY_LINK))
        .where(FEW)
    )


def linked_again(tx: Tx, source: int, most: int) -> list[int]:
    """Return some documents that receivers know as orphans and to which a link leads again."""
    found, behind = list[int](), 0
    both = content.join(resource, resource.c.id == content.c.id).outerjoin(inlinks, inlinks.c.id == content.c.id)
    chosen = sa.select(content.c.id, resource.c.address, *IN_LINKS).select_from(both).where(
        content.c.source_id == source, content.c.indexed, content.c.unvisited
    )  # fmt: skip
    while len(found) < most:
        rows = tx.rows(chosen.where(content.c.id > behind).order_by(content.c.id).limit(most))
        led = redirect_chains.led_to(tx, source, [row.address for row in rows if is_lost(row)])
        found += [row.id for row in rows if not is_lost(row) or row.address in led]
        if len(rows) < most:
            break
        behind = rows[-1].id
    return found[:most]


def gone_among(tx: Tx, numbers: Sequence[int]) -> set[int]:
    """Return those of these resources that are gone orphans: a link or redirect led to them, and none does now."""
    both = resource.outerjoin(inlinks, inlinks.c.id == resource.c.id)
    chosen = sa.select(resource.c.id, resource.c.source_id, resource.c.address, *IN_LINKS).select_from(both).where(
        resource.c.id.in_(numbers), resource.c.how.in_(BY_LINK), resource.c.outcome == int(OutcomeKind.GONE), FEW
    )  # fmt: skip
    lost = [row for row in tx.rows(chosen) if is_lost(row)]
    led = {
        (source, address)
        for source in {row.source_id for row in lost}
        for address in redirect_chains.led_to(tx, source, [row.address for row in lost if row.source_id == source])
    }
    return {row.id for row in lost if (row.source_id, row.address) not in led}


def know(tx: Tx, numbers: Sequence[int], *, unvisited: bool) -> None:
    """Store whether receivers know these documents as orphans (`unvisited`)."""
    bulk.update(tx, content, ("unvisited",), ("id",), [(unvisited, number) for number in numbers])


def note(tx: Tx, source: int, run: int) -> None:
    """Store the run that first found each orphan, unless an earlier one is stored; may be repeated.

    The run of a document that is linked again is cleared, and set again when it loses its links.
    """
    columns, behind, now = content.c, 0, set[int]()
    while some := page(tx, source, CHUNK, behind):
        now.update(number for number, _ in some)
        behind = some[-1][0]
    noted = sa.and_(columns.source_id == source, columns.orphan_since.is_not(None))
    before = {row[0] for row in tx.rows(sa.select(columns.id).where(noted))}
    new, found_again = sorted(now - before), sorted(before - now)
    changes = [(run, number) for number in new] + [(None, number) for number in found_again]
    bulk.update(tx, content, ("orphan_since",), ("id",), changes)


def forget(tx: Tx, source: int) -> None:
    """Clear the orphans of a source."""
    columns = content.c
    noted = sa.and_(columns.source_id == source, columns.orphan_since.is_not(None))
    tx.execute(sa.update(content).where(noted).values(orphan_since=None))


def noted_since(tx: Tx, source: int, run: int, behind: int) -> list[int]:
    """Return some documents that are orphans since this run or longer; fewer than CHUNK when no more are left."""
    columns = content.c
    noted = sa.and_(columns.source_id == source, columns.indexed, columns.orphan_since <= run, columns.id > behind)
    return [row[0] for row in tx.rows(sa.select(columns.id).where(noted).order_by(columns.id).limit(CHUNK))]
