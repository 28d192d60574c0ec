"""Out-links become in-links: the difference between a page's links now and as of the last inversion.

It works on the pages that a run wrote, a chunk at a time, so its memory and its cost follow the changes instead of the
size of the source.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from cormorant.frontier.links import codec
from cormorant.model.url import fingerprint, fronts_of, origin_of
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import inlinks, outlinks, resource, site, site_source

CHUNK = 1_000
"""Pages inverted in one transaction, at most."""
CHUNK_BYTES = 1_000_000
"""Packed links of the pages of one transaction, except for one larger page: a thousand with 86 links have 400,000."""
MAX_INLINKS = 1000
"""In-links kept of one resource; the count goes on."""
_WRITTEN = ("id", "count", "links", "stale")
_LINKS = ("links", "inverted", "previous")
_SIZE = "length(outlinks.links) + coalesce(length(outlinks.previous), 0)"


@dataclass(slots=True)
class Change:
    """Change in the in-links of a resource: new or reworded ones, the number of new ones, and removed referrers."""

    came: Sequence[tuple[int, str]]
    fresh: int
    went: Collection[int]


Difference = dict[str, dict[int, Change]]
"""Front of the address (up to its path) -> key of the linked resource -> its change."""


def chunk(tx: Tx, source: int) -> list[tuple[int, bytes, bytes | None]]:
    """Return the next pages of a source whose links are not inverted.

    (resource, links, links as of the last inversion).
    """
    pages = _next(tx, source, sa.not_(outlinks.c.inverted))
    return sorted(bulk.select_numbered(tx, outlinks, ("id", "links", "previous"), "id", pages))


def inverted(tx: Tx, source: int, behind: int) -> list[int]:
    """Return the next pages of a source whose present or former links are inverted; none at the end."""
    return _next(tx, source, sa.or_(outlinks.c.inverted, outlinks.c.previous.is_not(None)), outlinks.c.id > behind)


def _next(tx: Tx, source: int, *which: sa.ColumnElement[bool]) -> list[int]:
    """Return the first of these pages of a source: as many as fit into one transaction.

    The source of each page is looked up: a query that begins with the source might read all its resources.
    """
    theirs = sa.select(resource.c.source_id).where(resource.c.id == outlinks.c.id).scalar_subquery()
    statement = sa.select(outlinks.c.id, sa.literal_column(_SIZE)).where(*which, theirs == source)
    return _fitting(tx.rows(statement.order_by(outlinks.c.id).limit(CHUNK)))


def again(tx: Tx, source: int, pages: Sequence[int]) -> None:
    """Have the links of inverted pages inverted again: their targets may have become resources since."""
    withdraw(tx, source, pages)
    bulk.update(tx, outlinks, ("inverted", "previous"), ("id",), [(False, None, number) for number in pages])


def fronts(tx: Tx, source: int) -> frozenset[str]:
    """Return the URL prefixes of a source's resources, up to the path; links to other prefixes are no in-links."""
    statement = (
        sa.select(site.c.key)
        .join(site_source, site_source.c.site_id == site.c.id)
        .where(site_source.c.source_id == source)
    )
    return frozenset(front for row in tx.rows(statement) for front in fronts_of(row[0]))


def difference(source: int, known: Container[str], pages: Iterable[tuple[int, bytes, bytes | None]]) -> Difference:
    """Return the links that came and went, by linked resource, of URLs with a known prefix. Pure."""
    came: dict[str, list[tuple[int, str]]] = defaultdict(list)
    reworded: Counter[str] = Counter()
    went: dict[str, set[int]] = defaultdict(set)
    for number, now, before in pages:
        current = codec.texts(now)
        if before is None:  # as everywhere in a first crawl
            for address, text in current.items():
                came[address].append((number, text))
            continue
        former = codec.texts(before)
        for address, text in current.items():
            if former.get(address) != text:
                came[address].append((number, text))
                reworded[address] += address in former
        for address in former.keys() - current.keys():
            went[address].add(number)
    found: Difference = {}
    for address in [*came, *(went.keys() - came.keys())]:
        front = address[: address.find("/", 8)]
        if front in known:
            here = came.get(address, ())
            change = Change(here, len(here) - reworded[address], went.get(address, ()))
            found.setdefault(front, {})[fingerprint(address, source)] = change
    return found


def apply(tx: Tx, pages: Iterable[int], changes: Difference) -> int:
    """Write in-links of known resources and mark the pages as inverted; returns the number of changed resources."""
    targets = _targets(tx, changes)
    there = bulk.select_numbered(tx, inlinks, ("id", "count", "links"), "id", list(targets))
    known = {row[0]: row[1:] for row in there}
    rows = []
    for number, change in targets.items():
        count, blob = known.get(number, (0, None))
        if not change.went and change.fresh == len(change.came):  # as everywhere in a first crawl
            rows.append((number, count + change.fresh, codec.append_in(blob, change.came, MAX_INLINKS), True))
            continue
        links = dict(codec.kept_in(blob))
        for referrer in change.went:
            links.pop(referrer, None)
        links.update(change.came)
        total = max(count + change.fresh - len(change.went), len(links))
        rows.append((number, total, codec.pack_in(list(links.items())[:MAX_INLINKS]), True))
    bulk.insert(tx, inlinks, _WRITTEN, rows, bulk.OnConflict(("id",), _WRITTEN[1:]))
    bulk.update(tx, outlinks, ("inverted", "previous"), ("id",), [(True, None, number) for number in pages])
    return len(rows)


def withdraw(tx: Tx, source: int, pages: Sequence[int]) -> int:
    """Remove the in-links from these pages before they are purged; returns the number of changed resources."""
    known, changed = fronts(tx, source), 0
    for some in _portions(tx, pages):
        rows = bulk.select_numbered(tx, outlinks, ("id", "inverted", "links", "previous"), "id", some)
        former = [
            (number, codec.NOTHING, links if inverted else previous) for number, inverted, links, previous in rows
        ]
        changed += apply(tx, (), difference(source, known, former))
    return changed


def silence(tx: Tx, source: int, pages: Sequence[int]) -> None:
    """Delete the links of these pages: they are gone, have moved, or may not be read."""
    withdraw(tx, source, pages)
    bulk.update(tx, outlinks, _LINKS, ("id",), [(codec.NOTHING, True, None, number) for number in pages])


def _portions(tx: Tx, pages: Sequence[int]) -> Iterator[list[int]]:
    """Yield those of these pages that have links, as many as fit into memory at once."""
    rows = bulk.select_numbered(tx, outlinks, ("id", _SIZE), "id", pages)
    while rows:
        some = _fitting(rows)
        yield some
        rows = rows[len(some) :]


def _fitting(rows: Sequence[tuple[int, int]]) -> list[int]:
    """Return the first of some pages, each with the bytes of its links: as many as fit, at least one."""
    found: list[int] = []
    room = CHUNK_BYTES
    for number, takes in rows:
        room -= takes
        if room < 0 and found:
            break
        found.append(number)
    return found


def reached(tx: Tx, source: int, pages: Collection[int]) -> set[int]:
    """Return resources to which these pages link, or linked at the last inversion."""
    rows = bulk.select_in(tx, outlinks, ("id", "links", "previous"), "id", pages)
    former = [(number, codec.NOTHING, blob) for number, *blobs in rows for blob in blobs if blob]
    return set(_targets(tx, difference(source, fronts(tx, source), former)))


def _targets(tx: Tx, changes: Difference) -> dict[int, Change]:
    """Return the changes of those addresses that are resources: number -> change. Others belong to no known site."""
    keyed = {front: origin_of(front).site for front in changes}
    sites = dict(bulk.select_in(tx, site, ("key", "id"), "key", set(keyed.values())))
    found: dict[int, Change] = {}
    for front, keys in changes.items():
        number = sites.get(keyed[front])
        if number is None:
            continue
        for key, found_at in bulk.select_numbered(
            tx, resource, ("hash", "id"), "hash", list(keys), besides=f"site_id = {number}"
        ):
            found[found_at] = keys[key]
    return found
