"""Reassign the priorities of known pages after an edit of the priority rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import sqlalchemy as sa

from cormorant.frontier.policy import priority
from cormorant.model.resource import Role, UrlState
from cormorant.model.settings.priority import Level
from cormorant.store.db import bulk
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import resource, site_source

PAGE = 2_000


def reassign_levels(store: Store, source: int, level: Callable[[str], Level]) -> Iterator[int]:
    """Move every known page of a source to its level, one transaction for each page of rows. Yields their counts.

    It may be repeated. No run of the source may be under way.
    """
    with store.read() as tx:
        mine = sa.select(site_source.c.site_id).where(site_source.c.source_id == source)
        sites = sorted(tx.execute(mine).scalars())
    for site in sites:
        looked_at, behind = PAGE, None
        while looked_at == PAGE:
            with store.begin() as tx:
                looked_at, behind = _page(tx, (site, source), level, behind)
            yield looked_at


def _page(tx: Tx, place: tuple[int, int], level: Callable[[str], Level], behind: int | None) -> tuple[int, int | None]:
    """Move a page of rows of a site and source after a key; returns the number of rows, and the key of the last."""
    columns = resource.c
    there = sa.select(columns.id, columns.hash, columns.address, columns.due, columns.role, columns.state)
    there = there.where(columns.site_id == place[0], columns.source_id == place[1])
    if behind is not None:
        there = there.where(columns.hash > behind)
    rows = tx.rows(there.order_by(columns.hash).limit(PAGE))
    waiting = [row for row in rows if row.role == Role.DOCUMENT and row.state == UrlState.READY]
    bulk.update(
        tx, resource, ("due",), ("id",), [(priority.moved(row.due, level(row.address)), row.id) for row in waiting]
    )
    return len(rows), rows[-1].hash if rows else None
