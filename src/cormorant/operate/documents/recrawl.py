"""Documents that a person chooses: visit them again, take them out of search.

recrawl(house, chosen)      due now: the next run visits them, or the one that is under way
delete(house, addresses)    gone from search at once; the next run fetches them anew, unless a rule keeps them out
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import sqlalchemy as sa

from cormorant.base.errors import ConflictError, NotFoundError, UsageError
from cormorant.frontier.staging import pending_deletes
from cormorant.frontier.state import refetch
from cormorant.model.resource import Role
from cormorant.operate.documents import listing, lookup
from cormorant.operate.documents.listing import DocumentFilter
from cormorant.operate.installation import Installation
from cormorant.operate.records.documents import DeletedDocuments, Recrawled
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.catalog import sources
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs
from cormorant.store.schema import content

CHUNK = 1000


@dataclass(frozen=True, slots=True)
class RecrawlSelection:
    """Documents to recrawl: those `wanted` among these addresses; without an address all that are wanted."""

    addresses: Sequence[str]
    wanted: DocumentFilter

    def __bool__(self) -> bool:
        """Return whether the selection has an address or a filter."""
        return bool(self.addresses) or self.wanted != DocumentFilter()


def recrawl(house: Installation, chosen: RecrawlSelection, *, here: bool = True) -> Recrawled:
    """Have documents fetched whole by the next run of their source, whatever that visits else, or by the one under way.

    `here`: paths may begin in this process's folder. Returns how many, and how many of each source. Raises UsageError
    when nothing is chosen or for an unknown state, NotFoundError for an address that no source knows and for an unknown
    source, BadAddress for what is none.
    """
    if not chosen:
        raise UsageError("Choose documents: an address, a source, a status or a state.")
    counts: dict[int, int] = {}
    numbers = _numbers(house, chosen, here=here)
    while some := list(islice(numbers, CHUNK)):
        with house.store.begin() as tx:
            for source, count in refetch.recall(tx, some).items():
                counts[source] = counts.get(source, 0) + count
    with house.store.read() as tx:
        names = {owner.name: counts[owner.id] for owner in sources.every(tx) if owner.id in counts}
    return {"documents": sum(counts.values()), "sources": names}


def delete(house: Installation, addresses: Sequence[str]) -> DeletedDocuments:
    """Take documents out of search at once, and let go of what is kept of them.

    Returns how many addresses were known, how many of them search had found, and of which sources they are. Raises
    NotFoundError for an address that no source knows, BadAddress for what is none, ConflictError while a run of its
    source is under way; nothing is changed then.
    """
    with house.store.begin() as tx:
        rows = [row for address in addresses for row in _at(tx, address)]
        names = sorted({row.source for row in rows})
        for name in names:
            if under_way := runs.open_runs(tx, sources.named(tx, name).id):
                steer = f"suspend it by `cormorant run suspend {under_way[0].id}`"
                raise ConflictError(f"A run of {name!r} is under way. Wait until it ends, or {steer}.")
        numbers = sorted({row.id for row in rows})
        left = 0
        for start in range(0, len(numbers), CHUNK):
            left += _remove(tx, numbers[start : start + CHUNK])
    return {"deleted": len(numbers), "documents": left, "sources": names}


def _remove(tx: Tx, numbers: Sequence[int]) -> int:
    """Hide documents with this transaction, tell receivers, let go of what is kept; returns how many search found."""
    columns = content.c
    chosen = sa.select(columns.id, columns.source_id, columns.url).where(columns.id.in_(numbers), columns.indexed)
    found = tx.rows(chosen.order_by(columns.id))
    if found:
        first = stream.append(tx, [NewEvent(row.source_id, row.id, 0, Event.DELETED, row.url) for row in found])
        pending_deletes.hide_until(tx, [(row.id, row.source_id, 0, first + n) for n, row in enumerate(found)])
    refetch.forget(tx, numbers)
    return len(found)


def _numbers(house: Installation, chosen: RecrawlSelection, *, here: bool) -> Iterator[int]:
    """The resources that are meant, each once; of addresses all are looked up before the first is used."""
    if not chosen.addresses:
        return (record["id"] for record in listing.listed(house, chosen.wanted) if record["id"] is not None)
    listing.check(chosen.wanted)
    with house.store.read() as tx:
        if chosen.wanted.source is not None:
            sources.named(tx, chosen.wanted.source)
        rows = [row for address in chosen.addresses for row in _at(tx, address, here=here)]
        records = lookup.View(tx).records(rows)
        met = {row.id for row, each in zip(rows, records, strict=True) if listing.is_wanted(each, chosen.wanted)}
    return iter(sorted(met))


def _at(tx: Tx, address: str, *, here: bool = True) -> list[Any]:
    """The documents at an address. Raises NotFoundError, BadAddress."""
    known = lookup.at(tx, lookup.address_of(tx, address, here=here))
    found = [row for row in known if row.role == Role.DOCUMENT]
    if not found:
        raise NotFoundError(f"No source knows {address}. `cormorant explain` says whether a gate excluded it.")
    return found
