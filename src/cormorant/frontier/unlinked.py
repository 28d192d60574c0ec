"""Which documents does nothing lead to any more? Such were found by a link, and no other page has one to them now.

What a known address has moved to is led to, and so is what a sitemap named (`sitemaps.name`), even if it does so no
longer. What a copy calls its original is a link of its page. A link of a document to itself leads nowhere, but those of
two to each other count: all that is taken for lost a crawl from scratch would miss, and it may miss more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from cormorant.frontier import linkpack
from cormorant.model.outcome import MOVED_TO, OutcomeKind
from cormorant.model.resource import How
from cormorant.store import bulk
from cormorant.store.database import Tx
from cormorant.store.schema import content, inlinks, resource, site_source

CHUNK = 1_000
"""Documents read at once."""
IN_LINKS = inlinks.c.count.label("in_links"), inlinks.c.links
"""What `is_lost` has to know beside the number of a resource."""
FEW = sa.or_(inlinks.c.count.is_(None), inlinks.c.count <= 1)
"""So few pages link to it that it may be none but itself."""


def is_lost(row: Any) -> bool:
    """Does no other page link to a resource, by its `id` and its IN_LINKS?"""
    return not row.in_links or (row.in_links == 1 and [each for each, _ in linkpack.kept_in(row.links)] == [row.id])


def count(tx: Tx, source: int) -> int:
    """How many they are in a source."""
    found, behind = 0, 0
    while some := page(tx, source, CHUNK, behind):
        found, behind = found + len(some), some[-1][0]
    return found


def page(tx: Tx, source: int, most: int, behind: int) -> list[tuple[int, bool]]:
    """Some of them by number, and whether receivers know that of them already; fewer when no more are left.

    They are few, mostly, and where addresses have moved to may be a million: it is asked whether they are among that.
    """
    found: list[tuple[int, bool]] = []
    while len(found) < most:
        chosen = _chosen(source).where(content.c.id > behind).order_by(content.c.id).limit(most)
        rows = tx.rows(chosen)
        lost = [row for row in rows if is_lost(row)]
        led = _led_to(tx, source, [row.address for row in lost])
        found += [(row.id, bool(row.unvisited)) for row in lost if row.address not in led]
        if len(rows) < most:
            break
        behind = rows[-1].id
    return found[:most]


def _chosen(source: int) -> sa.Select[Any]:
    """The documents that were found by a link and to which no page links, or one, which may be the document."""
    both = content.join(resource, resource.c.id == content.c.id).outerjoin(inlinks, inlinks.c.id == content.c.id)
    return (
        sa.select(content.c.id, content.c.unvisited, resource.c.address, *IN_LINKS)
        .select_from(both)
        .where(content.c.source_id == source, content.c.indexed, resource.c.how == int(How.LINK))
        .where(FEW)
    )


_LEADING = resource.alias("leading")


def _led_to(tx: Tx, source: int, addresses: Sequence[str]) -> set[str]:
    """Those of some addresses to which known ones have moved."""
    columns = _LEADING.c
    sites = sa.select(site_source.c.site_id).where(site_source.c.source_id == source)
    moved = columns.outcome == int(OutcomeKind.MOVED)
    statement = sa.select(columns.reason).where(columns.site_id.in_(sites), columns.source_id == source, moved)
    found: set[str] = set()
    for start in range(0, len(addresses), 500):
        said = {f"{MOVED_TO}{each}": each for each in addresses[start : start + 500]}
        found.update(said[row[0]] for row in tx.rows(statement.where(columns.reason.in_(list(said)))))
    return found


def linked_again(tx: Tx, source: int, most: int) -> list[int]:
    """Some of the documents that something links to, of which receivers were told that nothing does."""
    found, behind = list[int](), 0
    both = content.join(inlinks, inlinks.c.id == content.c.id)
    chosen = sa.select(content.c.id, *IN_LINKS).select_from(both).where(
        content.c.source_id == source, content.c.indexed, content.c.unvisited, inlinks.c.count > 0
    )  # fmt: skip
    while len(found) < most:
        rows = tx.rows(chosen.where(content.c.id > behind).order_by(content.c.id).limit(most))
        found += [row.id for row in rows if not is_lost(row)]
        if len(rows) < most:
            break
        behind = rows[-1].id
    return found[:most]


def gone_among(tx: Tx, numbers: Sequence[int]) -> set[int]:
    """Those of these resources that were found by a link, that nothing links to any more, and that are gone."""
    both = resource.outerjoin(inlinks, inlinks.c.id == resource.c.id)
    chosen = sa.select(resource.c.id, *IN_LINKS).select_from(both).where(
        resource.c.id.in_(numbers), resource.c.how == int(How.LINK), resource.c.outcome == int(OutcomeKind.GONE), FEW
    )  # fmt: skip
    return {row.id for row in tx.rows(chosen) if is_lost(row)}


def know(tx: Tx, numbers: Sequence[int], *, unvisited: bool) -> None:
    """Remember that receivers were told that nothing links to these documents, or that something does again."""
    bulk.update(tx, content, ("unvisited",), ("id",), [(unvisited, number) for number in numbers])


def note(tx: Tx, source: int, run: int) -> None:
    """Keep of all of them that this run found them so, unless an earlier one has; once for a run, or again.

    What something leads to again is counted anew when it loses that.
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
    """Note none of a source any more."""
    columns = content.c
    noted = sa.and_(columns.source_id == source, columns.orphan_since.is_not(None))
    tx.execute(sa.update(content).where(noted).values(orphan_since=None))


def noted_since(tx: Tx, source: int, run: int, behind: int) -> list[int]:
    """Some of those of which that is known since this run or longer; fewer than CHUNK when no more are left."""
    columns = content.c
    noted = sa.and_(columns.source_id == source, columns.indexed, columns.orphan_since <= run, columns.id > behind)
    return [row[0] for row in tx.rows(sa.select(columns.id).where(noted).order_by(columns.id).limit(CHUNK))]
