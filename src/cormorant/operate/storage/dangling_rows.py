"""Dangling rows: rows whose needed row is missing, and the remedy for each kind.

A row without what it needs is never shown and never visited, so removing it loses nothing that anybody had; what search
could find is told to receivers first. Rights that are lost grant nothing, so those documents are fetched again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import sqlalchemy as sa

from cormorant.base.errors import BadAddress
from cormorant.frontier.staging import pending_deletes
from cormorant.frontier.state import refetch
from cormorant.model.url import origin_of
from cormorant.operate.sources import delete
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import (
    acl,
    content,
    hidden,
    inlinks,
    original,
    outlinks,
    receiver,
    resource,
    run,
    run_count,
    site,
    site_source,
    source,
    version,
    visit,
)

REMOVED, RENEWED, REMADE, TOLD = "removed", "fetched again by the next crawl", "rebuilt", "cannot be repaired here"
_SOME = 1000


@dataclass(frozen=True, slots=True)
class DanglingKind:
    """One sort of rows that may be left alone: those whose `column` is not among `needed`.

    `key` names a row. `mend` is what repairing does, said in a word of this module; `hint` is for what it cannot do.
    """

    name: str
    column: sa.Column[int]
    needed: sa.Column[int]
    mend: str = REMOVED
    hint: str = ""
    only: sa.ColumnElement[bool] | None = None

    @property
    def table(self) -> sa.Table:
        """Table of the dangling rows."""
        return self.column.table

    @property
    def lost(self) -> sa.ColumnElement[bool]:
        """SQL condition for the dangling rows."""
        alone = self.column.is_not(None) & self.column.not_in(sa.select(self.needed))
        return alone if self.only is None else alone & self.only


SORTS = (
    DanglingKind("documents without an address", content.c.id, resource.c.id),
    DanglingKind("documents without a source", content.c.source_id, source.c.id),
    DanglingKind("documents without rights", content.c.acl_id, acl.c.id, RENEWED, only=~refetch.AWAITED),
    DanglingKind("addresses without a source", resource.c.source_id, source.c.id),
    DanglingKind(
        "addresses without a host", resource.c.site_id, site.c.id, REMADE,
        "Hosts of folders cannot be restored. Restore a backup, or delete that source and add it again.",
    ),
    DanglingKind("hidden documents that do not exist", hidden.c.id, content.c.id, only=pending_deletes.WAITS),
    DanglingKind("versions of no document", version.c.id, content.c.id),
    DanglingKind("originals of no page", original.c.id, resource.c.id),
    DanglingKind("links of no document", outlinks.c.id, resource.c.id),
    DanglingKind("links to no document", inlinks.c.id, resource.c.id),
    DanglingKind("visits of no address", visit.c.resource_id, resource.c.id),
    DanglingKind("hosts of no source", site_source.c.source_id, source.c.id),
    DanglingKind("runs of no source", run.c.source_id, source.c.id),
    DanglingKind("counts of no run", run_count.c.run_id, run.c.id, only=run_count.c.run_id > 0),
    DanglingKind(
        "receivers of no source", receiver.c.source_id, source.c.id, TOLD,
        "`cormorant receiver list` names them; delete each with `cormorant receiver delete`.",
    ),
)  # fmt: skip


def count(tx: Tx, sort: DanglingKind) -> int:
    """Return the number of dangling rows of a kind."""
    return int(tx.execute(sa.select(sa.func.count()).select_from(sort.table).where(sort.lost)).scalar_one())


def mend(tx: Tx, sort: DanglingKind) -> int:
    """Do what can be done about a sort of rows; returns how many rows it was done for."""
    return _VERBS[sort.mend](tx, sort)


def _remove(tx: Tx, sort: DanglingKind) -> int:
    if sort.table is content:
        delete.say_deleted(tx, sort.lost)
    return tx.execute(sa.delete(sort.table).where(sort.lost)).rowcount


def _renew(tx: Tx, sort: DanglingKind) -> int:
    return _each(tx, sort, content.c.id, lambda some: refetch.renew(tx, some))


def _each(tx: Tx, sort: DanglingKind, column: sa.Column[int], do: Callable[[Sequence[int]], object]) -> int:
    numbers = [row[0] for row in tx.rows(sa.select(column).where(sort.lost))]
    for start in range(0, len(numbers), _SOME):
        do(numbers[start : start + _SOME])
    return len(numbers)


def _remake(tx: Tx, sort: DanglingKind) -> int:
    """Restore rows of hosts from an address of each; that of a folder has no host."""
    lost = tx.rows(
        sa.select(resource.c.site_id, sa.func.min(resource.c.address), sa.func.count())
        .where(sort.lost)
        .group_by(resource.c.site_id)
    )
    made = 0
    for number, address, rows in lost:
        key = _key(address)
        if key and not tx.rows(sa.select(site.c.id).where(site.c.key == key)):
            bulk.insert(tx, site, ("id", "key"), [(number, key)])
            made += int(rows)
    return made


def _key(address: str) -> str | None:
    with suppress(BadAddress, ValueError):
        return origin_of(address).site if address.startswith(("http://", "https://")) else None
    return None


def _nothing(_: Tx, __: DanglingKind) -> int:
    return 0


_VERBS: dict[str, Callable[[Tx, DanglingKind], int]] = {
    REMOVED: _remove, RENEWED: _renew, REMADE: _remake, TOLD: _nothing,
}  # fmt: skip
