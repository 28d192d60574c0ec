"""Late in-links: resources excluded before they came in, and pages linking to them that were not reread.

    excluded: a link to it is nobody's in-link --comes in--> its exclusion stays, which tells it from what is new
            --> pages whose links were inverted without it are found, to be inverted anew --> the exclusion goes

Without that what came in by the links of a page that is as it was would seem to have none.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from typing import Any

import sqlalchemy as sa

from cormorant.frontier.links import codec, orphans
from cormorant.store.db.database import Tx
from cormorant.store.schema import content, exclusion, inlinks, outlinks, resource

MOST = 100_000
"""Resources that are looked for together: all kept links are looked through once for so many."""
CHUNK = 500
"""Pages whose links are looked through in one transaction."""
_KEPT_OUT = sa.exists().where(
    exclusion.c.source_id == resource.c.source_id,
    exclusion.c.hash == resource.c.hash,
    exclusion.c.referrer.is_not(None),
)
"""Something led to it. What discovery names says what becomes of known documents: it is not to go."""


def some(tx: Tx, source: int) -> dict[int, str]:
    """Some of those that are linked to as never before, and of documents that nothing seems to link to, or one page.

    Key -> address; none when no more are left. Asked when links have been inverted, and before they are weighed.
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
    """Those of the next inverted pages whose links lead there; and what the next lie behind, None at the end."""
    both = outlinks.join(resource, resource.c.id == outlinks.c.id)
    chosen = sa.select(outlinks.c.id, outlinks.c.links).select_from(both)
    chosen = chosen.where(outlinks.c.inverted, resource.c.source_id == source, outlinks.c.id > behind)
    rows = tx.rows(chosen.order_by(outlinks.c.id).limit(CHUNK))
    found = [row.id for row in rows if codec.leads_to(row.links, addresses)]
    return found, rows[-1].id if len(rows) == CHUNK else None


def settle(tx: Tx, source: int, keys: Collection[int]) -> None:
    """All pages that link to these, a thousand at most, have been found: from now on they are like any other."""
    tx.execute(sa.delete(exclusion).where(exclusion.c.source_id == source, exclusion.c.hash.in_(list(keys))))
