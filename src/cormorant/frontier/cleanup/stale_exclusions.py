"""Stale exclusions: URLs that a gate excluded and to which no page leads any more.

An address may be stored twice, since settings change and discovery meets it in several ways: as an exclusion and as a
resource. The resource has more data, so only the resource counts, here and in every list.

An exclusion is kept while a page leads to its address, however long ago that page was read: an edit of the rules may
admit it. Other exclusions are deleted long after they were last met; otherwise a site that generates addresses without
end would fill the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from cormorant.frontier.links import codec
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Role
from cormorant.model.url import fingerprint, origin_of
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import exclusion, outlinks, resource, site, site_source
from cormorant.store.schema.frontier import EXCLUDED

PAGE = 20_000
CHUNK = 500
"""Exclusions that are judged together; pages whose links are read in one transaction."""


MET = 1_000
"""Exclusions of a run that are looked up together."""


class Old(NamedTuple):
    """An exclusion that was last met long ago: key, the run that met it, and the number of its referrer."""

    key: int
    run: int
    referrer: int | None


def old(tx: Tx, source: int, upto: int, behind: int | None) -> list[Old]:
    """Return a page of the exclusions that no run after `upto` has met, by key, after the key `behind`."""
    columns = exclusion.c
    chosen = sa.select(columns.hash, columns.run, columns.referrer).where(
        columns.source_id == source, columns.run <= upto
    )
    if behind is not None:
        chosen = chosen.where(columns.hash > behind)
    return [Old(*row) for row in tx.rows(chosen.order_by(columns.hash).limit(PAGE))]


def links(tx: Tx, source: int, behind: int) -> list[tuple[int, bytes]]:
    """Return some pages of a source, by number, with their links as of their last reading."""
    both = outlinks.join(resource, resource.c.id == outlinks.c.id)
    chosen = sa.select(outlinks.c.id, outlinks.c.links).select_from(both)
    chosen = chosen.where(resource.c.source_id == source, outlinks.c.id > behind).order_by(outlinks.c.id).limit(CHUNK)
    return [tuple(row) for row in tx.rows(chosen)]


def linked(source: int, pages: Sequence[tuple[int, bytes]]) -> Iterator[int]:
    """Yield the keys of all link targets of these pages."""
    for _, blob in pages:
        for address in codec.texts(blob):
            yield fingerprint(address, source)


def forget(tx: Tx, source: int, some: Sequence[Old]) -> int:
    """Delete exclusions to which no page leads; returns their number.

    Kept are those whose referrer has no page links and still leads to them.
    """
    numbers = {each.referrer for each in some if each.referrer is not None}
    kept = {row[0]: row[1:] for row in bulk.select_in(tx, resource, ("id", "role", "outcome", "run"), "id", numbers)}
    reading = {row[0] for row in bulk.select_in(tx, outlinks, ("id",), "id", numbers)}
    gone = [each.key for each in some if each.referrer in reading or not _says_so(kept.get(each.referrer or 0), each)]
    for start in range(0, len(gone), 1000):
        keys = gone[start : start + 1000]
        tx.execute(sa.delete(exclusion).where(exclusion.c.source_id == source, exclusion.c.hash.in_(keys)))
    return len(gone)


def _says_so(row: Sequence[int] | None, each: Old) -> bool:
    """Return whether a resource without page links, like a sitemap or a redirect, still leads to the URL.

    It does if it was not read since.
    """
    if row is None:
        return False
    role, outcome, run = row
    read = (OutcomeKind.OK,) if role == Role.SITEMAP else (OutcomeKind.OK, OutcomeKind.MOVED)
    return not (outcome in read and run > each.run)


def known_among(tx: Tx, source: int, excluded: Sequence[Any]) -> set[int]:
    """Return the keys of those exclusions, each with `hash` and `address`, that are also resources of the source.

    The query goes site by site, as their index does.
    """
    keys: dict[str, list[int]] = {}
    for each in excluded:
        keys.setdefault("" if each.address.startswith("file:") else origin_of(each.address).site, []).append(each.hash)
    numbers = {row[0]: [row[1]] for row in bulk.select_in(tx, site, ("key", "id"), "key", keys)}
    if "" in keys:
        folders = sa.select(site.c.id).join(site_source, site_source.c.site_id == site.c.id)
        own = folders.where(site_source.c.source_id == source, site.c.key.like("file:%"))
        numbers[""] = [row.id for row in tx.rows(own)]
    known: set[int] = set()
    for key, ids in numbers.items():
        same = sa.and_(resource.c.source_id == source, resource.c.role == int(Role.DOCUMENT))
        rows = sa.select(resource.c.hash).where(same, resource.c.site_id.in_(ids), resource.c.hash.in_(keys[key]))
        known.update(row.hash for row in tx.rows(rows))
    return known


def count(tx: Tx, source: int, run: int) -> int:
    """Count the URLs that a run excluded, each once: at their visit and before they became resources."""
    columns, total, behind = exclusion.c, 0, -(1 << 63)
    visited = sa.select(sa.func.count()).where(
        EXCLUDED, resource.c.source_id == source, resource.c.run == run, resource.c.role == int(Role.DOCUMENT)
    )
    chosen = sa.select(columns.hash, columns.address).where(columns.source_id == source, columns.run == run)
    rows: Sequence[Any] = ()
    while not rows or len(rows) == MET:
        rows = tx.rows(chosen.where(columns.hash > behind).order_by(columns.hash).limit(MET))
        if not rows:
            break
        total, behind = total + len(rows) - len(known_among(tx, source, rows)), rows[-1].hash
    return total + int(tx.execute(visited).scalar_one())
