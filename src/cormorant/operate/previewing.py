"""What would an edit of a source do? Nothing is changed and nothing is asked of anybody."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from cormorant.catalog import sources
from cormorant.catalog.sources import SourceRow
from cormorant.frontier import hiding
from cormorant.journal import visits
from cormorant.model.settings import parse_settings
from cormorant.operate.house import House
from cormorant.operate.sources import Given, settings_of
from cormorant.plugins import Source, Tools, source_kind
from cormorant.store.database import Tx
from cormorant.store.schema import content, resource

PAGE = 5000
SHOWN = 20


def preview(house: House, name: str, given: Given) -> dict[str, Any]:
    """Which settings change, which documents would leave, how many excluded addresses would enter.

    Judged by the gates that need nothing fetched: boundary, depth, patterns. Raises what `sources.edit` raises.
    """
    with house.store.read() as tx:
        row = sources.named(tx, name)
        merged = {key: value for key, value in {**row.settings, **given}.items() if value not in ("", [], ())}
        settings = settings_of(row.kind, merged)
        kind = source_kind(row.kind)
        before = parse_settings(kind.settings, row.settings).model_dump(mode="json")
        after = settings.model_dump(mode="json")
        source = kind.make(row.id, settings, Tools(None, house.clock))
        leaving, leave = [], 0
        for address, url, depth in _documents(tx, row):
            if not source.gates.follow(address, depth).admitted:
                leave += 1
                leaving += [url] if leave <= SHOWN else []
        return {
            "source": name,
            "changes": [
                {"setting": key, "before": before.get(key), "after": value}
                for key, value in after.items()
                if value != before.get(key)
            ],
            "documents": hiding.indexed_count(tx, row.id), "leave": leave, "leaving": leaving,
            "enter": sum(_enters(source, each) for each in visits.exclusions(tx, row.id)),
        }  # fmt: skip


def _documents(tx: Tx, row: SourceRow) -> Iterator[tuple[str, str, int]]:
    """Address, display address and depth of every document that search may find."""
    behind = 0
    while True:
        statement = (
            sa.select(resource.c.id, resource.c.address, content.c.url, resource.c.depth)
            .join(content, content.c.id == resource.c.id)
            .where(content.c.source_id == row.id, content.c.indexed, resource.c.id > behind)
            .order_by(resource.c.id)
            .limit(PAGE)
        )
        rows = tx.rows(statement)
        for each in rows:
            yield each.address, each.url, each.depth
        if len(rows) < PAGE:
            return
        behind = rows[-1].id


def _enters(source: Source, excluded: visits.Exclusion) -> bool:
    """Would an address be visited that a gate excluded before?"""
    return source.gates.follow(excluded.address, excluded.depth).admitted
