"""Shortest paths: the distance of every resource from a start URL.

Paths follow the links of pages as of their last reading.

    start 0 --link--> 1 --link--> 2 ...        named by a sitemap: 1        redirect target: as deep as the redirect

The search goes level by level, so the first path to a resource is the shortest. A resource without a path keeps its
depth. An address takes 32 bytes of memory, one that was too deep 12.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from cormorant.frontier.links import codec
from cormorant.model.outcome import MOVED_TO, OutcomeKind
from cormorant.model.resource import DiscoveredBy, Role
from cormorant.model.ruling import Gate, gate_and_rule
from cormorant.model.status import Status
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import claim, content, exclusion, outlinks, resource, site, site_source
from cormorant.store.schema.frontier import ASTRAY

FAR = 0x7FFFFFFF
"""Deeper than any path: no path is known."""
NAMED = 1
"""The depth of a resource that a sitemap names: that of a start address's link."""
PAGE = 10_000
"""Rows read at once."""
_OWN = (DiscoveredBy.LISTING, DiscoveredBy.CANONICAL, DiscoveredBy.PUSH, DiscoveredBy.MEMBER)
"""Ways of discovery that need no path: the depth is that of the discovery."""
_SILENT = (OutcomeKind.NONE, OutcomeKind.GONE)
_READ = (Gate.TYPE, Gate.ROBOTS_META, Gate.INDEX, Gate.CANONICAL)
"""Gates that exclude a page after it was read: its links count. Other gates exclude unread pages."""


class Reached(NamedTuple):
    """An address with another depth than recorded, and the page whose link leads there, 0 for none."""

    number: int
    was: int
    now: int
    by: int


class Leads(NamedTuple):
    """Outgoing links of a page that may be followed, and its redirect target, "" if it has none."""

    number: int
    links: Sequence[str]
    moved: str = ""


class Chart:
    """Every known address of a source, site by site, with its recorded and its computed depth."""

    def __init__(self) -> None:
        self._keys, self._ids, self._by = array("q"), array("q"), array("q")
        self._was, self._now = array("i"), array("i")
        self._spans: dict[str, tuple[int, int]] = {}

    def add(self, key: str, rows: Iterable[tuple[int, int, int]]) -> None:
        """Add addresses of a site by rising fingerprint, each with number and depth: all of a site before the next."""
        start, _ = self._spans.get(key, (len(self._keys), 0))
        for fingerprint, number, depth in rows:
            self._keys.append(fingerprint)
            self._ids.append(number)
            self._was.append(depth)
            self._now.append(FAR)
            self._by.append(0)
        self._spans[key] = start, len(self._keys)

    def place(self, key: str, fingerprint: int) -> int | None:
        """Return the position of an address of a site, None if it is not known."""
        start, end = self._spans.get(key, (0, 0))
        place = bisect_left(self._keys, fingerprint, start, end)
        return place if place < end and self._keys[place] == fingerprint else None

    def number(self, place: int) -> int:
        """Return the number of the address at a position."""
        return self._ids[place]

    def depth(self, place: int) -> int:
        """Return the least depth found so far."""
        return self._now[place]

    def nearer(self, place: int, depth: int, by: int) -> bool:
        """Record a path of this length; returns False if a path as short was known."""
        if self._now[place] <= depth:
            return False
        self._now[place], self._by[place] = depth, by
        return True

    def changed(self) -> Iterator[Reached]:
        """Yield the resources that are nearer or farther than recorded."""
        for place, (was, now) in enumerate(zip(self._was, self._now, strict=True)):
            if now not in (was, FAR):
                yield Reached(self._ids[place], was, now, self._by[place])


class Fringe:
    """Addresses that are too deep, by rising fingerprint, with the depth at which each was discovered."""

    def __init__(self) -> None:
        self._keys, self._was, self._now = array("q"), array("i"), array("i")

    def add(self, rows: Iterable[tuple[int, int]]) -> None:
        """Add addresses with greater fingerprints than those before."""
        for key, depth in rows:
            self._keys.append(key)
            self._was.append(depth)
            self._now.append(FAR)

    def nearer(self, key: int, depth: int) -> int | None:
        """Record a path of this length; returns the depth so far, None if a path as short was known."""
        place = bisect_left(self._keys, key)
        if place == len(self._keys) or self._keys[place] != key or self._now[place] <= depth:
            return None
        self._now[place] = depth
        return self._was[place]


class PathSearch:
    """Breadth-first search of a chart: `reach` the near resources, then follow the links of each `chunk`."""

    def __init__(self, chart: Chart) -> None:
        self.chart, self.depth = chart, 0
        self._waiting: dict[int, list[int]] = {}

    def reach(self, place: int, depth: int, by: int = 0) -> None:
        """Record a path of this length to a position, by a link of page `by`."""
        if self.chart.nearer(place, depth, by):
            self._waiting.setdefault(depth, []).append(place)

    def chunk(self, most: int) -> list[int]:
        """Return numbers of addresses at `depth` whose links have not been followed; none at the end."""
        while self._waiting:
            self.depth = min(self._waiting)
            places = self._waiting[self.depth]
            taken = places[-most:]
            del places[-most:]
            if not places:
                del self._waiting[self.depth]
            found = [self.chart.number(place) for place in taken if self.chart.depth(place) == self.depth]
            if found:
                return found
        return []


def sites(tx: Tx, source: int) -> list[tuple[int, str]]:
    """Return the sites of a source: number and key."""
    both = site.join(site_source, site_source.c.site_id == site.c.id)
    chosen = sa.select(site.c.id, site.c.key).select_from(both).where(site_source.c.source_id == source)
    return [(row.id, row.key) for row in tx.rows(chosen.order_by(site.c.id))]


def known(tx: Tx, source: int, place: int, behind: int | None) -> list[tuple[int, int, int, int]]:
    """Return a page of a source's documents at a site, after a fingerprint: fingerprint, number, depth, discovery."""
    columns = resource.c
    chosen = sa.select(columns.hash, columns.id, columns.depth, columns.how).where(
        columns.site_id == place, columns.source_id == source, columns.role == int(Role.DOCUMENT)
    )
    if behind is not None:
        chosen = chosen.where(columns.hash > behind)
    return [tuple(row) for row in tx.rows(chosen.order_by(columns.hash).limit(PAGE))]


def stands_alone(how: int) -> bool:
    """Return whether the depth of an address discovered this way does not depend on links."""
    return how in _OWN


def named(tx: Tx, source: int, behind: int | None) -> list[tuple[int, int]]:
    """Return a page of the addresses that sitemaps named, after a fingerprint: fingerprint, number of the site."""
    columns = claim.c
    chosen = sa.select(columns.hash, columns.site_id).where(columns.source_id == source)
    if behind is not None:
        chosen = chosen.where(columns.hash > behind)
    return [(row.hash, row.site_id) for row in tx.rows(chosen.order_by(columns.hash).limit(PAGE))]


def too_deep(tx: Tx, source: int, behind: int | None) -> list[tuple[int, int]]:
    """Return a page of the URLs excluded only for their depth, after a fingerprint: fingerprint, depth."""
    columns = exclusion.c
    chosen = sa.select(columns.hash, columns.depth).where(
        columns.source_id == source, columns.status == int(Status.TOO_DEEP)
    )
    if behind is not None:
        chosen = chosen.where(columns.hash > behind)
    return [(row.hash, row.depth) for row in tx.rows(chosen.order_by(columns.hash).limit(PAGE))]


def leads(tx: Tx, numbers: Sequence[int]) -> list[Leads]:
    """Return the outgoing links of pages, as of their last reading.

    A page that is gone or may not be read leads nowhere.
    """
    rows = bulk.select_in(tx, resource, ("id", "outcome", "reason"), "id", numbers)
    moved = [Leads(row[0], (), row[2].removeprefix(MOVED_TO)) for row in rows if row[1] == OutcomeKind.MOVED and row[2]]
    speaking = [row[0] for row in rows if _speaks(row[1], row[2] or "")]
    blobs = bulk.select_in(tx, outlinks, ("id", "links"), "id", speaking)
    return moved + [Leads(number, _followed(blob)) for number, blob in blobs]


def silent(tx: Tx, numbers: Sequence[int]) -> list[int]:
    """Return those of these pages that lead nowhere any more, or only to their redirect targets."""
    rows = bulk.select_numbered(tx, resource, ("id", "outcome", "reason"), "id", numbers)
    return [number for number, outcome, reason in rows if not _speaks(outcome, reason or "")]


def gone_that_link(tx: Tx, source: int, most: int) -> list[int]:
    """Return some pages that are gone and unsearchable, and that still have links."""
    found = sa.exists().where(content.c.id == outlinks.c.id, content.c.indexed)
    chosen = sa.select(outlinks.c.id).select_from(outlinks.join(resource, resource.c.id == outlinks.c.id)).where(
        ASTRAY, resource.c.source_id == source, resource.c.outcome == int(OutcomeKind.GONE),
        outlinks.c.links != codec.NOTHING, sa.not_(found),
    )  # fmt: skip
    return [row[0] for row in tx.rows(chosen.limit(most))]


def _speaks(outcome: int, reason: str) -> bool:
    if outcome in _SILENT or outcome == OutcomeKind.MOVED:
        return False
    return outcome != OutcomeKind.EXCLUDED or gate_and_rule(reason)[0] in _READ


def _followed(blob: bytes) -> list[str]:
    return [link.address for link in codec.unpack(blob) if codec.is_followed(link)]
