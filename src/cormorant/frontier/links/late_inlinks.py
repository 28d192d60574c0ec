"""Late in-links: resources that were excluded before, and pages that link to them and were not reread.

    excluded: a link to it is no in-link --admitted--> its exclusion stays, which distinguishes it from new URLs
            --> pages whose links were inverted without it are found and inverted again --> the exclusion is deleted

Otherwise an admitted resource would seem to have no in-links if the pages that link to it are unchanged.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from typing import Any

import sqlalchemy as sa

from cormorant.frontier.links import codec, orphans
from cormorant.store.db.database import Tx
from cormorant.store.schema import content, exclusion, inlinks, outlinks, resource

MOST = 100_000
"""Resources that are processed together: one pass over all kept links serves so many."""
CHUNK = 500
"""Pages whose links are read in one transaction."""
_KEPT_OUT = sa.exists().where(
    exclusion.c.source_id == resource.c.source_id,
    exclusion.c.hash == resource.c.hash,
    exclusion.c.referrer.is_not(None),
)
"""Exclusions with a referrer. Others come from the source itself, whose known documents stay."""


def some(tx: Tx, source: int) -> dict[int, str]:
    """Return some resources with new in-links, and documents without in-links, or with one, that were excluded.

    Key -> address; none when no more are left. Called after links are inverted, and before they are weighed.
    """
    columns = resource.c.id, resource.c.hash, resource.c.address
    both = inlinks.join(resource, resource.c.id == inlinks.c.id)
    linked = sa.select(*columns).select_from(both).where(inlinks.c.stale, resource.c.visits <= 1)
    found = {row.hash: row.address for row in _rows(tx, source, linked)}
    both = content.join(resource, resource.c.id == content.c.id).outerjoin(inlinks, inlinks.c.id == content.c.id)
    bare = sa.select(*columns).select_from(both).where(content.c.indexed, orphans.FEW)
    rows = _rows(tx, source, bare.where(content.c.source_id == source))
    return found | {row.hash: row.address for row in rows}


def _rows(tx: Tx, source: int, chosen: sa.Select[Any]) -> Sequence[Any]:
    return tx.rows(chosen.where(resource.c.source_id == source, _KEPT_OUT).limit(MOST))


def linking(tx: Tx, source: int, addresses: Set[str], behind: int) -> tuple[list[int], int | None]:
    """Return those of the next inverted pages that link there, and the number to continue after, None at the end."""
    both = outlinks.join(resource, resource.c.id == outlinks.c.id)
    chosen = sa.select(outlinks.c.id, outlinks.c.links).select_from(both)
    chosen = chosen.where(outlinks.c.inverted, resource.c.source_id == source, outlinks.c.id > behind)
    rows = tx.rows(chosen.order_by(outlinks.c.id).limit(CHUNK))
    found = [row.id for row in rows if codec.leads_to(row.links, addresses)]
    return found, rows[-1].id if len(rows) == CHUNK else None


def settle(tx: Tx, source: int, keys: Collection[int]) -> None:
    """Delete the exclusions of these resources, whose linking pages have all been found (a thousand keys at most)."""
    tx.execute(sa.delete(exclusion).where(exclusion.c.source_id == source, exclusion.c.hash.in_(list(keys))))
