"""Take documents down: hide them from every reader at once, until somebody lifts it or its time is over.

    take_down(house, order)  -> the record, with how many documents it hides
    lift(house, number)      -> found again: from the kept copy where there is one, else by the next crawl
    expire(house)            -> lifts what is overdue; `serve` calls it, and so does every list
    go_on(house)             -> the same, and ends what a kill has left half done; a crawl and `serve` begin with it

The documents leave search with the transaction that hides them, and receivers are sent `deleted` events. Each later
crawl leaves their addresses out (986); a rebuild leaves them out too, since their rows say that nobody may find them.
Erasure from the disk is in `erasure`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, Final

import sqlalchemy as sa

from cormorant.base.clock import rfc3339, timestamp
from cormorant.base.errors import CacheDamaged, ConflictError, UsageError
from cormorant.crawl.commit.takedowns import ADDRESS, TakedownRules
from cormorant.frontier.staging import pending_deletes, staged_versions
from cormorant.frontier.state import refetch
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Role
from cormorant.model.ruling import Gate, exclusion_reason
from cormorant.model.status import Status
from cormorant.model.url import canonical
from cormorant.operate.documents import lookup
from cormorant.operate.installation import Installation
from cormorant.operate.records.takedowns import EnforcedTakedown, LiftedTakedown, Takedown
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.sources.rules import DOCUMENT_TYPES, RULE_TYPES, parse_rule, split_rule
from cormorant.store.blobs.protocol import BlobPlace, Cache
from cormorant.store.catalog import sources, takedowns
from cormorant.store.catalog.takedowns import EXPIRED, NewTakedownRow, TakedownRow
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.journal import visits
from cormorant.store.journal.visits import VisitRow
from cormorant.store.schema import content, resource

CHUNK: Final = 1_000
"""Documents hidden, or found again, in one transaction."""
MOST_REASON: Final = 1_000
"""Characters of a reason."""
SHOWN: Final = 5
"""Addresses of duplicates that a record names."""


@dataclass(frozen=True, slots=True)
class TakedownOrder:
    """An order to take down an address in full, a path, or a rule like `prefix:https://x.org/old/`.

    `until` is a day (its end, on this machine's clock) or an RFC 3339 time; None: until somebody lifts it.
    """

    what: str
    reason: str
    author: str
    source: str | None = None
    until: str | None = None
    erase: bool = False
    here: bool = True


@dataclass(frozen=True, slots=True)
class Meant:
    """The effect of an order: the wish as it would be kept, the documents, and three of their addresses."""

    wish: NewTakedownRow
    documents: int
    known: int
    examples: tuple[str, ...]


def meant(house: Installation, order: TakedownOrder) -> Meant:
    """Say what an order would hide, and change nothing. Raises as `take_down` does."""
    with house.store.read() as tx:
        wish = _wish(tx, house, order)
        found = [row for chunk in matching(tx, [wish.rule], wish.source) for row in chunk]
    shown = [row for row in found if row.indexed]
    examples = tuple(row.url or row.display or row.address for row in (shown or found)[:3])
    return Meant(wish, len(shown), len(found), examples)


def take_down(house: Installation, order: TakedownOrder) -> EnforcedTakedown:
    """Hide documents from every reader, from the moment this returns. Nothing is erased yet, see `erasure.erase`.

    The takedown is kept before the first document is hidden, so a kill leaves no crawl that brings one back. Raises
    UsageError for an empty reason or a time that is no time, or is past, BadRule and BadAddress for what names no
    document, NotFoundError for an unknown source.
    """
    with house.store.begin() as tx:
        row = takedowns.add(tx, _wish(tx, house, order))
    left, addresses = _apply(house, row)
    with house.store.read() as tx:
        record = _record(tx, takedowns.by_id(tx, row.id))
        return {**record, "documents": left, "addresses": addresses, "duplicates": _duplicates(tx, row)}


def list_(house: Installation, *, ended: bool = False) -> list[Takedown]:
    """Every takedown in force, oldest first; `ended`: those that were lifted or expired as well."""
    expire(house)
    with house.store.read() as tx:
        rows = takedowns.all_(tx) if ended else takedowns.in_force(tx)
        return [_record(tx, row) for row in rows]


def show(house: Installation, number: int) -> Takedown:
    """One takedown. Raises NotFoundError."""
    with house.store.read() as tx:
        return _record(tx, takedowns.by_id(tx, number))


def lift(house: Installation, number: int, author: str) -> LiftedTakedown:
    """End a takedown: its documents are found again at once where a copy is kept, the others after the next crawl.

    Raises NotFoundError, ConflictError where it has ended.
    """
    with house.store.begin() as tx:
        row = takedowns.by_id(tx, number)
        if not row.in_force:
            raise ConflictError(f"Takedown {number} has ended already: {_state(row)}, by {row.ended_by}.")
        takedowns.end(tx, number, author)
    at_once, later = _release(house, row)
    return {**show(house, number), "documents": at_once, "next_crawl": later}


def expire(house: Installation) -> int:
    """End the takedowns whose time is over; returns how many."""
    with house.store.read() as tx:
        over = takedowns.overdue(tx)
    for row in over:
        with house.store.begin() as tx:
            ended = takedowns.end(tx, row.id, EXPIRED)
        if ended:
            _release(house, row)
    return len(over)


def go_on(house: Installation) -> None:
    """End the takedowns whose time is over, and finish what killed commands have left half done."""
    expire(house)
    with house.store.read() as tx:
        rows = takedowns.unfinished(tx)
    for row in rows:
        if row.in_force:
            _apply(house, row)
        else:
            _release(house, row)


def reapply(house: Installation, rows: Sequence[TakedownRow]) -> None:
    """Have takedowns in force over rows that a backup brought back, which knew nothing of them."""
    with house.store.begin() as tx:
        takedowns.restore(tx, list(rows))
        now = takedowns.in_force(tx)
    for row in now:
        _apply(house, row)


def of_address(tx: Tx, source: str | None, *addresses: str | None) -> Takedown | None:
    """The takedown that hides what is known by these addresses, None where there is none."""
    for row in takedowns.in_force(tx):
        if row.source in (None, source) and TakedownRules([row], source).ruling(*addresses):
            return _record(tx, row)
    return None


def _wish(tx: Tx, house: Installation, order: TakedownOrder) -> NewTakedownRow:
    reason = " ".join(order.reason.split())
    if not reason or len(reason) > MOST_REASON:
        raise UsageError(f"A takedown needs a reason of 1 to {MOST_REASON} characters, for people who ask later.")
    if order.source is not None:
        sources.named(tx, order.source)
    until = None if order.until is None else _moment(order.until)
    if until is not None and until <= house.clock.now():
        raise UsageError(f"{order.until!r} is past. Give a later day or time, or leave it out.")
    return NewTakedownRow(_rule(tx, order), order.source, reason, order.author, until, order.erase)


def _rule(tx: Tx, order: TakedownOrder) -> str:
    """The rule of an order; an address becomes the rule of that address, as the source that knows it spells it."""
    lookup.see_given(order.what)
    text = order.what.strip()
    kind, colon, _ = text.partition(":")
    if kind.lower() in {*RULE_TYPES, *DOCUMENT_TYPES} and (colon or kind.lower() == "any"):
        name, value = split_rule(text, RULE_TYPES)
        parse_rule(text)
        return ADDRESS + canonical(value) if name == "address" else text
    address = lookup.address_of(tx, text, here=order.here)
    known = [row for row in lookup.at(tx, address) if row.role == Role.DOCUMENT]
    spelled = {each for row in known for each in (row.address, row.display, row.url)}
    return ADDRESS + (address if address in spelled or not known else known[0].address)


def _moment(text: str) -> float:
    """Epoch seconds of a time, or of the end of a day on this machine's clock. Raises UsageError."""
    try:
        if len(text.strip()) == len("2026-12-31"):
            return datetime.combine(date.fromisoformat(text.strip()) + timedelta(days=1), time()).timestamp()
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError):
        raise UsageError(f"{text!r} is no day and no time. Write 2026-12-31, or 2026-12-31T18:00:00Z.") from None


_COLUMNS: Final = sa.select(
    resource.c.id, resource.c.source_id, resource.c.address, resource.c.display, resource.c.run,
    resource.c.status, resource.c.reason, content.c.url, content.c.indexed, content.c.id.label("kept"),
).select_from(resource.outerjoin(content, content.c.id == resource.c.id)).where(
    resource.c.role == int(Role.DOCUMENT)
)  # fmt: skip


def matching(tx: Tx, rules: Sequence[str], source: str | None) -> Iterator[list[Any]]:
    """The known documents that any of these rules means, some at a time; one address is looked up, rules read all."""
    owners = {row.id: row.name for row in sources.every(tx) if source in (None, row.name)}
    if all(rule.startswith(ADDRESS) for rule in rules):
        for some in _chunks(sorted({number for rule in rules for number in _at(tx, rule.removeprefix(ADDRESS))})):
            rows = tx.rows(_COLUMNS.where(resource.c.id.in_(some)).order_by(resource.c.id))
            yield [row for row in rows if row.source_id in owners]
        return
    compiled, behind = TakedownRules(_as_rows(rules), None), 0
    while rows := tx.rows(_COLUMNS.where(resource.c.id > behind).order_by(resource.c.id).limit(CHUNK)):
        found = [row for row in rows if row.source_id in owners]
        yield [row for row in found if compiled.ruling(row.address, row.display, row.url)]
        behind = rows[-1].id


def _at(tx: Tx, address: str) -> list[int]:
    """The documents known by an address, or else shown by it."""
    known = [row.id for row in lookup.at(tx, address)]
    return known or [row.id for row in tx.rows(sa.select(content.c.id).where(content.c.url == address))]


def _as_rows(rules: Iterable[str]) -> list[TakedownRow]:
    return [TakedownRow(0, rule, None, "", "", 0.0, None, False, None, None, None, True) for rule in rules]


def _chunks(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(numbers), CHUNK):
        yield numbers[start : start + CHUNK]


def _apply(house: Installation, row: TakedownRow) -> tuple[int, int]:
    """Hide what a takedown means, in bounded transactions; returns how many documents left search, and of how many."""
    left = 0
    with house.store.read() as tx:
        numbers = [each.id for chunk in matching(tx, [row.rule], row.source) for each in chunk]
    if not numbers and row.rule.startswith(ADDRESS):
        numbers = _answered_by(house, row)
    for some in _chunks(numbers):
        with house.store.begin() as tx:
            left += _hide(tx, row, some)
    with house.store.begin() as tx:
        takedowns.carry_out(tx, row.id)
    return left, len(numbers)


def _answered_by(house: Installation, row: TakedownRow) -> list[int]:
    """Documents that search finds and that a redirect fetched from the address: their copies alone say so.

    Every kept copy is read, some ten thousand in a second, so this is asked only where nothing else is known.
    """
    compiled, found = TakedownRules([row], row.source), list[int]()
    columns = content.c
    places = sa.select(columns.id, columns.pack, columns.pack_offset, columns.pack_length).where(columns.indexed)
    with closing(house.cache()) as cache, house.store.read() as tx:
        names = {each.id: each.name for each in sources.every(tx)}
        mine = [number for number, name in names.items() if row.source in (None, name)]
        rows = tx.rows(places.where(columns.source_id.in_(mine)).order_by(columns.pack, columns.pack_offset))
        found += [each.id for each in rows if compiled.ruling(_fetched_at(cache, BlobPlace(*each[1:])))]
    return found


def _fetched_at(cache: Cache, place: BlobPlace) -> str | None:
    """The address that answered for a copy, None where it cannot be read."""
    with suppress(CacheDamaged):
        return cache.read(place, body=False).access_url
    return None


def _hide(tx: Tx, row: TakedownRow, numbers: Sequence[int]) -> int:
    """Hide these documents with this transaction, and send receivers the news; returns how many search had found.

    A document that search did not find stays as its last visit left it: the next one ends with 986.
    """
    chosen = _COLUMNS.where(resource.c.id.in_(numbers)).order_by(resource.c.id)
    known = tx.rows(chosen)
    found = [each for each in known if each.indexed]
    if found:
        entries = [NewEvent(each.source_id, each.id, 0, Event.DELETED, each.url) for each in found]
        first = stream.append(tx, entries)
        pending_deletes.hide_until(tx, [(each.id, each.source_id, 0, first + n) for n, each in enumerate(found)])
        pending_deletes.leave(tx, [(each.id, first + n) for n, each in enumerate(found)])
        takedowns.withdraw(tx, [(each.id, each.source_id, each.reason) for each in found])
    staged_versions.drop(tx, numbers)
    mine = [each for each in known if each.indexed or each.kept is None]
    staged_versions.mark(
        tx, [each.id for each in mine], OutcomeKind.EXCLUDED, int(Status.TAKEN_DOWN), _reason(row.rule)
    )
    _note(tx, mine, (OutcomeKind.EXCLUDED, int(Status.TAKEN_DOWN), _reason(row.rule)))
    return len(found)


def _release(house: Installation, row: TakedownRow) -> tuple[int, int]:
    """Have documents found again that no other takedown hides; returns how many at once, and how many after a crawl.

    At once are those that search found before and of which a copy is kept; the next crawl judges all others.
    """
    with house.store.read() as tx:
        others, known = takedowns.in_force(tx), {each.id: each.name for each in sources.every(tx)}
        compiled = {name: TakedownRules(others, name) for name in known.values()}
        again = [
            each
            for chunk in (*matching(tx, [row.rule], row.source), *_marked(tx, row.rule))
            for each in chunk
            if not compiled[known[each.source_id]].ruling(each.address, each.display, each.url)
        ]
        found = takedowns.were_found(tx, [each.id for each in again])
    kept = sorted({each.id for each in again if each.id in found and each.kept is not None})
    rest = sorted({each.id for each in again if each.status == Status.TAKEN_DOWN}.difference(kept))
    for some in _chunks(kept):
        with house.store.begin() as tx:
            _show(tx, some, found)
            takedowns.give_back(tx, some)
    for some in _chunks(rest):
        with house.store.begin() as tx:
            refetch.forget(tx, list(some))
            takedowns.give_back(tx, some)
    with house.store.begin() as tx:
        takedowns.carry_out(tx, row.id)
    return len(kept), len(rest)


def _marked(tx: Tx, rule: str) -> Iterator[list[Any]]:
    """The documents that a takedown of this rule excludes, whatever they are known by."""
    mine = (resource.c.status == int(Status.TAKEN_DOWN), resource.c.reason == _reason(rule))
    yield list(tx.rows(_COLUMNS.where(*mine).order_by(resource.c.id)))


def hidden_by(tx: Tx, row: TakedownRow) -> list[int]:
    """The known documents that a takedown means or excludes, by number."""
    found = (*matching(tx, [row.rule], row.source), *_marked(tx, row.rule))
    return sorted({each.id for chunk in found for each in chunk})


def _show(tx: Tx, numbers: Sequence[int], remarks: Mapping[int, str | None]) -> None:
    """Have documents found again as they were kept, and visited whole by the next run."""
    found = tx.rows(_COLUMNS.where(resource.c.id.in_(numbers)).order_by(resource.c.id))
    refetch.recall(tx, [each.id for each in found])
    first = stream.append(tx, [NewEvent(each.source_id, each.id, 0, Event.NEW) for each in found])
    rows = [(True, first + n, each.id) for n, each in enumerate(found)]
    bulk.update(tx, content, ("indexed", "seq"), ("id",), rows)
    alike = defaultdict[str | None, list[int]](list)
    for each in found:
        alike[remarks[each.id]].append(each.id)
    for remark, ids in alike.items():
        staged_versions.mark(tx, ids, OutcomeKind.OK, int(Status.OK), remark)
    _note(tx, found, (OutcomeKind.OK, int(Status.OK), "its takedown has ended"))


def _note(tx: Tx, rows: Sequence[Any], end: tuple[OutcomeKind, int, str]) -> None:
    """Write into the journal what a person did about documents after their last visit."""
    outcome, status, reason = end
    now = tx.now()
    visits.write(
        tx, [VisitRow(each.id, each.run, now, int(outcome), status, 0, None, "outcome", reason) for each in rows]
    )


def _reason(rule: str) -> str:
    """The reason on the row of a resource that a takedown excludes."""
    return exclusion_reason(Gate.TAKEDOWN, rule)


def _duplicates(tx: Tx, row: TakedownRow) -> list[str]:
    """Addresses at which the same bytes are still found, for a takedown of one address; of many the first few."""
    if not row.rule.startswith(ADDRESS):
        return []
    mine = [each.id for chunk in matching(tx, [row.rule], row.source) for each in chunk if each.kept]
    hashes = sa.select(content.c.content_hash).where(content.c.id.in_(mine), content.c.size_bytes > 0)
    same = sa.select(content.c.url).where(content.c.content_hash.in_(hashes), content.c.indexed)
    return [each.url for each in tx.rows(same.order_by(content.c.id).limit(SHOWN))]


def _record(tx: Tx, row: TakedownRow) -> Takedown:
    """The Takedown record: `hidden` counts the known documents that it hides now."""
    hidden = sa.select(sa.func.count()).select_from(resource).where(
        resource.c.status == int(Status.TAKEN_DOWN), resource.c.reason == _reason(row.rule)
    )  # fmt: skip
    return {
        "id": row.id, "rule": row.rule, "source": row.source, "reason": row.reason, "author": row.author,
        "state": _state(row), "created_at": timestamp(row.created_at), "expires_at": rfc3339(row.expires_at),
        "erase": row.erase, "erased_at": rfc3339(row.erased_at), "ended_at": rfc3339(row.ended_at),
        "ended_by": row.ended_by, "hidden": int(tx.execute(hidden).scalar_one()) if row.in_force else 0,
    }  # fmt: skip


def _state(row: TakedownRow) -> str:
    """The state of a takedown: in_force, to_erase (not erased yet), erased, expired or lifted."""
    if row.ended_at is not None:
        return EXPIRED if row.ended_by == EXPIRED else "lifted"
    if not row.erase:
        return "in_force"
    return "to_erase" if row.erased_at is None else "erased"
