"""Decide whether a page is a copy of a searchable one: at its visit, and again when its run is complete.

    page -> original ------------------> found by search: a copy
                     `-> its original -> ... to the end of such a chain, the same
                     `-> the page itself: pages that name each other in a ring are no copies
                     `-> missing, gone, moved, or excluded by another rule: no original; the page that named it is none

So the decision does not depend on the order of visits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from cormorant.model.outcome import Excluded, Held, Ok, Outcome, OutcomeKind, Unchanged
from cormorant.model.resource import Resource
from cormorant.model.status import Status
from cormorant.model.url import fingerprint, origin_of
from cormorant.store.db import bulk
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import content, original, resource, site

CHUNK = 1_000
"""Pages that are decided in one transaction."""
LONGEST = 10
"""The longest chain of originals that is followed."""
_READ = (int(OutcomeKind.OK), int(OutcomeKind.UNCHANGED))
_LEFT = (int(OutcomeKind.GONE), int(OutcomeKind.MOVED), int(OutcomeKind.EXCLUDED))
_LATEST = bulk.OnConflict(key=("id",), columns=("address", "open"))


class CanonicalCopy(NamedTuple):
    """A page that names another page of its source as its original. `open`: it is in the index all the same."""

    id: int
    source: int
    original: str
    open: bool


class Undecided(NamedTuple):
    """A page that its visit left undecided: its original, its display address, and its newest event."""

    id: int
    original: str
    address: str
    url: str
    run: int
    outcome: int
    indexed: bool
    seq: int


class _Named(NamedTuple):
    """State of an address that some page names as its canonical original."""

    found: bool
    original: str

    @property
    def there(self) -> bool:
        return self.found or bool(self.original)


def claimed(page: Resource, outcome: Outcome) -> CanonicalCopy | int | None:
    """Return the canonical copy that a visit found, a page's number if it no longer is one, or None if unclear.

    The version of a copy is never confirmed, so a page with a hash was no copy at its last reading.
    """
    if isinstance(outcome, Excluded | Held):
        named, found = outcome.original, isinstance(outcome, Held)
    elif isinstance(outcome, Ok | Unchanged) and outcome.document is not None:
        named, found = outcome.document.original, True
    else:
        return None
    if named:
        return CanonicalCopy(page.id, page.source, named, found)
    was_one = page.outcome != OutcomeKind.NONE and (not page.content_hash or page.status == Status.DUPLICATE_IGNORED)
    return page.id if was_one and not isinstance(outcome, Held) else None


def claim(tx: Tx, copies: Sequence[CanonicalCopy], others: Sequence[int]) -> None:
    """Store the pages that name an original, and delete those in `others`, which no longer do."""
    bulk.insert(tx, original, ("id", "source_id", "address", "open"), copies, _LATEST)
    for start in range(0, len(others), 1000):
        tx.execute(sa.delete(original).where(original.c.id.in_(others[start : start + 1000])))


def stands(store: Store, page: Resource, named: str) -> bool | None:
    """Return whether the page at `named` keeps this one out of the index, None if that is unknown now.

    A page that does not answer counts as found, or its copies would come and go with every outage.
    """
    with store.read() as tx:
        return decided(tx, page.source, {page.address: named})[page.address]


def decided(tx: Tx, source: int, named: Mapping[str, str], *, withheld: bool = False) -> dict[str, bool | None]:
    """Return the same for several pages, each with its original. One query per hop, for all of them.

    `withheld`: pages that were read count as found, since the run does not publish yet.
    """
    known = dict[str, _Named]()
    wanted = set(named.values())
    for _ in range(LONGEST):
        if not wanted:
            break
        met = _looked_up(tx, source, wanted, withheld=withheld)
        known.update(met)
        wanted = {each.original for each in met.values() if each.original} - known.keys()
    return {page: _decided(page, first, known) for page, first in named.items()}


def _decided(page: str, first: str, known: Mapping[str, _Named]) -> bool | None:
    """Follow the chain that begins at `first`."""
    at, before, seen = first, list[_Named](), set[str]()
    while at != page:
        each = known.get(at)
        if each is None or not each.there or at in seen:  # a missing original, or a ring
            last = each if at in seen else before[-1] if before else None
            return False if last is None else True if last.found else None
        if not each.original:
            return True
        before.append(each)
        seen.add(at)
        at = each.original
    return False


def _looked_up(tx: Tx, source: int, addresses: Iterable[str], *, withheld: bool) -> dict[str, _Named]:
    """Return the state of these addresses, without the unknown ones. A query for each site, 500 at a time."""
    sites = defaultdict[str, list[str]](list)
    for each in addresses:
        sites[origin_of(each).site].append(each)
    found = dict[str, _Named]()
    for key, some in sites.items():
        for start in range(0, len(some), 500):
            wanted = {fingerprint(each, source): each for each in some[start : start + 500]}
            rows = tx.rows(_KNOWN, {"key": key, "source": source, "hashes": list(wanted)})
            found.update((row.address, _named(row, withheld=withheld)) for row in rows)
    return found


def _named(row: Any, *, withheld: bool) -> _Named:
    read = withheld and row.outcome in _READ and row.indexed is not None
    found = row.outcome not in _LEFT and bool(row.indexed or read)
    if found:  # a page whose version may be confirmed names no original
        return _Named(found, row.original or "" if not row.content_hash else "")
    excluded = row.outcome == int(OutcomeKind.EXCLUDED) and row.status == Status.DUPLICATE_IGNORED
    return _Named(found, row.original or "" if excluded else "")


_KNOWN = (
    sa.select(
        resource.c.address, resource.c.outcome, resource.c.status, content.c.indexed, content.c.content_hash,
        original.c.address.label("original"),
    )
    .select_from(
        site.join(resource, resource.c.site_id == site.c.id)
        .outerjoin(content, content.c.id == resource.c.id)
        .outerjoin(original, original.c.id == resource.c.id)
    )
    .where(site.c.key == sa.bindparam("key"), resource.c.source_id == sa.bindparam("source"))
    .where(resource.c.hash.in_(sa.bindparam("hashes", expanding=True)))
)  # fmt: skip


def undecided(tx: Tx, source: int, behind: int, *, withheld: bool) -> list[Undecided]:
    """Return some pages that were read and may be copies, by number; fewer than CHUNK when no more are left."""
    columns = original.c
    both = original.join(resource, resource.c.id == columns.id).join(content, content.c.id == columns.id)
    chosen = sa.select(
        columns.id, columns.address.label("named"), resource.c.address, content.c.url, resource.c.run,
        resource.c.outcome, content.c.indexed, content.c.seq,
    ).select_from(both)  # fmt: skip
    mine = sa.and_(columns.source_id == source, columns.open, columns.id > behind, resource.c.outcome.in_(_READ))
    unread = sa.func.length(content.c.content_hash) == 0
    chosen = chosen.where(mine, unread, sa.true() if withheld else content.c.indexed.is_(sa.true()))
    return [Undecided(*row) for row in tx.rows(chosen.order_by(columns.id).limit(CHUNK))]


def exclude(tx: Tx, run: int, reasons: Mapping[int, str]) -> None:
    """Write to the rows of these pages that a run excluded them as copies, with the reasons."""
    row = (int(OutcomeKind.EXCLUDED), int(Status.DUPLICATE_IGNORED), 0, run)
    rows = [(*row, bulk.storable(reason), number) for number, reason in reasons.items()]
    bulk.update(tx, resource, ("outcome", "status", "attempts", "run", "reason"), ("id",), rows)
    bulk.update(tx, original, ("open",), ("id",), [(False, number) for number in reasons])
