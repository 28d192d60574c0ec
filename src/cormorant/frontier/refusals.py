"""Which addresses that a gate excluded does nothing lead to any more?

An exclusion is kept for as long as a page leads to its address, however long ago that page was read: an edit of the
rules may let it in. What no page leads to is forgotten when it was last met long ago, or a site that makes up new
addresses all the time would fill the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from cormorant.frontier import linkpack
from cormorant.model.address import fingerprint
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Role
from cormorant.store import bulk
from cormorant.store.database import Tx
from cormorant.store.schema import exclusion, outlinks, resource

PAGE = 20_000
CHUNK = 500
"""Exclusions that are judged together; pages whose links are read in one transaction."""


class Old(NamedTuple):
    """An exclusion that was last met long ago: key, the run that met it, and the number of what led there."""

    key: int
    run: int
    referrer: int | None


def old(tx: Tx, source: int, upto: int, behind: int | None) -> list[Old]:
    """A page of the exclusions that no run after `upto` has met, by key, behind one."""
    columns = exclusion.c
    chosen = sa.select(columns.hash, columns.run, columns.referrer).where(
        columns.source_id == source, columns.run <= upto
    )
    if behind is not None:
        chosen = chosen.where(columns.hash > behind)
    return [Old(*row) for row in tx.rows(chosen.order_by(columns.hash).limit(PAGE))]


def links(tx: Tx, source: int, behind: int) -> list[tuple[int, bytes]]:
    """Some pages of a source, by number, with their links as they were when each was last read."""
    both = outlinks.join(resource, resource.c.id == outlinks.c.id)
    chosen = sa.select(outlinks.c.id, outlinks.c.links).select_from(both)
    chosen = chosen.where(resource.c.source_id == source, outlinks.c.id > behind).order_by(outlinks.c.id).limit(CHUNK)
    return [tuple(row) for row in tx.rows(chosen)]


def linked(source: int, pages: Sequence[tuple[int, bytes]]) -> Iterator[int]:
    """The keys of all that these pages lead to."""
    for _, blob in pages:
        for address in linkpack.texts(blob):
            yield fingerprint(address, source)


def forget(tx: Tx, source: int, some: Sequence[Old]) -> int:
    """Forget these, which no page leads to, unless what led there has no links and says so still; returns how many."""
    numbers = {each.referrer for each in some if each.referrer is not None}
    kept = {row[0]: row[1:] for row in bulk.select_in(tx, resource, ("id", "role", "outcome", "run"), "id", numbers)}
    reading = {row[0] for row in bulk.select_in(tx, outlinks, ("id",), "id", numbers)}
    gone = [each.key for each in some if each.referrer in reading or not _says_so(kept.get(each.referrer or 0), each)]
    for start in range(0, len(gone), 1000):
        keys = gone[start : start + 1000]
        tx.execute(sa.delete(exclusion).where(exclusion.c.source_id == source, exclusion.c.hash.in_(keys)))
    return len(gone)


def _says_so(row: Sequence[int] | None, each: Old) -> bool:
    """Does what has no links of a page, as a sitemap or a redirect, lead there still? It was not read since if so."""
    if row is None:
        return False
    role, outcome, run = row
    read = (OutcomeKind.OK,) if role == Role.SITEMAP else (OutcomeKind.OK, OutcomeKind.MOVED)
    return not (outcome in read and run > each.run)
