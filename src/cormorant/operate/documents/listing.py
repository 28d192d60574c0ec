"""Listing of known addresses, a page at a time, from the first or from the end of an earlier page.

listed(house, wanted)                  every record, streamed
page(house, wanted, cursor, most)      some, and the cursor of the next page
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from cormorant.base.errors import UsageError
from cormorant.frontier.cleanup import stale_exclusions
from cormorant.frontier.progress import remaining
from cormorant.model import no_text as textless
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import SETS, Role
from cormorant.model.status import Status
from cormorant.operate.documents.address_lookup import ROWS
from cormorant.operate.documents.lookup import EXCLUDED, OK, View
from cormorant.operate.installation import Installation
from cormorant.operate.records.documents import DocumentRecord
from cormorant.store.catalog import sources
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db import bulk
from cormorant.store.journal import runs, visits
from cormorant.store.journal.runs import RunRow
from cormorant.store.schema import resource
from cormorant.store.schema.frontier import TROUBLED

PAGE = 1000
TEXTLESS = sa.and_(
    resource.c.outcome.in_([int(OutcomeKind.OK), int(OutcomeKind.UNCHANGED)]),
    sa.or_(*(resource.c.reason.startswith(each, autoescape=True) for each in textless.REMARKS)),
)
"""Documents with no text or almost none, which search finds only by name and address."""
_CURSOR = re.compile(r"(\d{1,18})\.([rx])\.(-?\d{1,19})")
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """Filter of listed documents. None: any. `run` is their last run, `changed` a run that changed them."""

    source: str | None = None
    state: str | None = None
    status: int | None = None
    excluded: bool = False
    no_text: bool = False
    run: int | None = None
    changed: int | None = None


class ListCursor(NamedTuple):
    """The row after which a list continues: source (0: all), kind of row (resource or exclusion), and number."""

    source: int
    among: str
    number: int

    def __str__(self) -> str:
        return f"{self.source}.{self.among}.{self.number}"


RESOURCES, EXCLUSIONS = "r", "x"
Placed = tuple[ListCursor, DocumentRecord]


def met_by(row: RunRow) -> sa.ColumnElement[bool]:
    """Return the SQL condition for resources of a run that its report may name; it uses their database index."""
    return sa.and_(TROUBLED, resource.c.source_id == row.source_id, resource.c.run == row.id)


def listed(house: Installation, wanted: DocumentFilter, cursor: str = "") -> Iterator[DocumentRecord]:
    """Every known address as a Document record, by id; with `excluded` the addresses that a gate excluded instead.

    With a cursor of `page`, the list begins after that page.

    Records are streamed, and every page is read in a transaction of its own, so a slow caller delays neither a
    checkpoint nor a vacuum. Raises NotFoundError for an unknown source or run, UsageError for an unknown state or
    cursor.
    """
    return (record for _, record in _walk(house, wanted, _placed(cursor)))


def page(
    house: Installation, wanted: DocumentFilter, cursor: str, most: int
) -> tuple[list[DocumentRecord], str | None]:
    """At most `most` of these records after a cursor ("": the first), and the next cursor; None: there are no more.

    Raises UsageError for a cursor that no earlier page returned, and the errors of `listed`.
    """
    found = list(islice(_walk(house, wanted, _placed(cursor)), most + 1))
    more = len(found) > most > 0
    return [record for _, record in found[:most]], str(found[most - 1][0]) if more else None


def _placed(cursor: str) -> ListCursor | None:
    if not cursor:
        return None
    read = _CURSOR.fullmatch(cursor)
    number = int(read[3]) if read else _MOST + 1
    if read is None or not _LEAST <= number <= _MOST:
        raise UsageError("`cursor` does not come from a list. Leave it out to begin with the first page.")
    return ListCursor(int(read[1]), read[2], number)


def _walk(house: Installation, wanted: DocumentFilter, behind: ListCursor | None) -> Iterator[Placed]:
    """Every wanted record after a cursor, with its own cursor."""
    check(wanted)
    with house.store.read() as tx:
        owners = [sources.named(tx, wanted.source)] if wanted.source is not None else sources.every(tx)
        if wanted.changed is not None:
            runs.get(tx, wanted.changed)
        if wanted.run is not None and not runs.was_there(tx, wanted.run):
            raise runs.unknown(wanted.run)
    if wanted.excluded or wanted.state == EXCLUDED:
        walked = _of_excluded(house, owners, behind, wanted.run)
    else:
        walked = _of_resources(house, wanted, owners, behind)
    return ((place, record) for place, record in walked if is_wanted(record, wanted))


_IN_HAND = {"retrieving": "todo", "providing": "found", "postprocessing": "old", "postprocessed": "old"}
"""States without rows of their own (`frontier.progress.url_states`), and the states that list their addresses."""

_BY_STATUS: Final = "Documents that are {} are listed by the status of their last visit: `--status {}`."
_HINTS: Final = {
    "gone": _BY_STATUS.format("gone", "404` or `--status 410"),
    "moved": _BY_STATUS.format("moved", "954` or `--status 953"),
    "quarantined": _BY_STATUS.format("quarantined", Status.QUARANTINED.value),
    "held": _BY_STATUS.format("held", Status.HELD.value),
    "indexed": _BY_STATUS.format("indexed", Status.OK.value),
    "failed": "Failed documents are in state error: `--state error`.",
    "deferred": "Deferred documents are in state error when the run has ended: `--state error`.",
    "refused": "Documents that a receiver rejected are in state error: `--state error`.",
    "to visit": "Documents to be visited are in state todo: `--state todo`.",
    "to index": "Documents to be indexed are in state found: `--state found`.",
    **dict.fromkeys(("new", "changed", "rights"), "`--changed ID` lists the new, changed and gone documents of a run."),
}
"""Words in the list that are no states, and how to list such documents."""


def check(wanted: DocumentFilter) -> None:
    """Raise UsageError for an unknown state."""
    if wanted.state in _IN_HAND:
        raise UsageError(f"A process works on {wanted.state} documents; they are listed as {_IN_HAND[wanted.state]}.")
    if wanted.state is not None and wanted.state not in SETS:
        how = f" {_HINTS[wanted.state]}" if wanted.state in _HINTS else ""
        raise UsageError(f"There is no state {wanted.state!r}. There is: {', '.join(SETS)}.{how}")


def is_wanted(record: Mapping[str, Any], wanted: DocumentFilter) -> bool:
    """Return whether a document belongs to this source, has this state and this status."""
    return all(
        asked in (None, record[name])
        for name, asked in (("source", wanted.source), ("state", wanted.state), ("status", wanted.status))
    )


def _of_resources(
    house: Installation, wanted: DocumentFilter, owners: Sequence[SourceRow], behind: ListCursor | None
) -> Iterator[Placed]:
    statement = ROWS.where(resource.c.role == int(Role.DOCUMENT))
    if wanted.source:
        statement = statement.where(resource.c.source_id == owners[0].id)
    if wanted.status is not None:
        statement = statement.where(_of_status(wanted.status))
    if wanted.no_text:
        statement = statement.where(TEXTLESS)
    if wanted.run is not None:
        statement = statement.where(resource.c.run == wanted.run)
    if wanted.changed is not None:
        statement = statement.where(visits.is_changed_by(wanted.changed, resource.c.id))
    return _records(house, statement, 0, behind.number if behind else 0, wanted.changed)


def _of_status(status: int) -> sa.ColumnElement[bool]:
    """The condition for rows that may have this status; their records are filtered again."""
    columns = resource.c
    if status == Status.HELD:
        return sa.or_(columns.status == status, columns.outcome.in_([int(each) for each in remaining.GOING]))
    if status == OK:
        return sa.or_(columns.status == status, columns.outcome == int(OutcomeKind.UNCHANGED))
    return columns.status == status


def _records(
    house: Installation, statement: sa.Select[Any], owner: int, behind: int, changed: int | None = None
) -> Iterator[Placed]:
    """The records of these rows after an id, by id; with the change by a run `changed`."""
    while True:
        with house.store.read() as tx:
            rows = tx.rows(statement.where(resource.c.id > behind).order_by(resource.c.id).limit(PAGE))
            records = View(tx).records(rows)
            changes = {} if changed is None else visits.changes_of(tx, changed, [row.id for row in rows])
        for row, record in zip(rows, records, strict=True):
            if changed is not None:
                record["change"] = changes.get(row.id)
            yield ListCursor(owner, RESOURCES, row.id), record
        if len(rows) < PAGE:
            return
        behind = rows[-1].id


def _of_excluded(
    house: Installation, owners: Sequence[SourceRow], behind: ListCursor | None, run: int | None
) -> Iterator[Placed]:
    """Yield the addresses that gates excluded, source by source; for one run as many as its report counts."""
    numbers = [owner.id for owner in owners]
    if behind is not None and behind.source not in numbers:
        raise UsageError("`cursor` belongs to another list, or its source was deleted. Leave it out to begin again.")
    first = numbers.index(behind.source) if behind else 0
    for owner in owners[first:]:
        yield from _excluded(house, owner, behind if behind and behind.source == owner.id else None, run)


def _excluded(house: Installation, owner: SourceRow, place: ListCursor | None, run: int | None) -> Iterator[Placed]:
    """Resources that a gate excluded at their visit, then addresses excluded before they became resources.

    An address may be both, since settings change; the resource has more data, so it is the one shown.
    """
    behind: int | None = None
    if place is not None and place.among == EXCLUSIONS:
        behind = place.number
    else:
        refused = ROWS.where(resource.c.outcome == int(OutcomeKind.EXCLUDED), resource.c.role == int(Role.DOCUMENT))
        own = refused.where(resource.c.source_id == owner.id)
        own = own if run is None else own.where(resource.c.run == run)
        yield from _records(house, own, owner.id, place.number if place else 0)
    while True:
        with house.store.read() as tx:
            found = visits.exclusions_behind(tx, owner.id, behind, PAGE)
            known = stale_exclusions.known_among(tx, owner.id, found)
            referrers = {each.referrer for each in found if each.referrer}
            addresses = dict(bulk.select_in(tx, resource, ("id", "address"), "id", referrers))
        for each in found:
            if each.hash not in known and run in (None, each.run):
                record = _of_exclusion(owner, each, addresses.get(each.referrer or 0))
                yield ListCursor(owner.id, EXCLUSIONS, each.hash), record
        if len(found) < PAGE:
            return
        behind = found[-1].hash


def _of_exclusion(owner: SourceRow, each: visits.Exclusion, referrer: str | None) -> DocumentRecord:
    """The Document record of an address that a gate excluded before it became a resource."""
    return {
        "id": None, "source": owner.name, "url": each.address, "access_url": each.address, "state": EXCLUDED,
        "status": each.status, "outcome": "excluded", "reason": f"{each.gate}: {each.rule}", "rule": each.rule,
        "title": None, "mime": None, "language": None, "size_bytes": None, "depth": each.depth, "referrer": referrer,
        "content_hash": None, "fetched_at": None, "changed_at": None, "visited_at": None, "next_visit_at": None,
        "indexed": False, "attempts": 0, "run": each.run,
    }  # fmt: skip
