"""Records with numbers that are counted, like issues: all of a place, and those that changed, none missing.

Interfaces of suites name what changed and not what was deleted. A count before each listing tells whether anything was:
a complete listing that names fewer records is made again, and changes that do not explain the count prove nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, Final, NamedTuple

from cormorant.base.clock import rfc3339
from cormorant.model.status import Status
from cormorant.sources.json_api.client import ApiAnswer
from cormorant.sources.json_api.exchange import ApiFault, DiscoverySession, Exchange
from cormorant.sources.json_api.record import JsonRecord, moment_of, records_of

ATTEMPTS: Final = 3
"""Complete listings in which records disappear meanwhile, before it is given up."""


class NumberedEntry(NamedTuple):
    """A record as a listing tells it. `updated` is a moment as the server writes it, which texts compare."""

    number: int
    id: int
    updated: str
    comments: int
    url: str
    is_closed: bool = False
    is_pull: bool = False
    is_confidential: bool = False


class Tally(NamedTuple):
    """The number of records of a place, -1 where the server does not tell it, and the greatest of their numbers."""

    records: int
    top: int


Pages = Generator[Sequence[NumberedEntry], None, str]
"""Pages of a listing; at their end its ETag, "" for none."""
Entries = Generator[Sequence[NumberedEntry], None, dict[str, Any]]
"""Batches of entries; at their end how far they were read."""
EntriesOrNone = Generator[Sequence[NumberedEntry], None, dict[str, Any] | None]
"""The same; None when some records may be gone."""


def entries_of(
    answer: ApiAnswer, place: str, number: str, entry: Callable[[JsonRecord], NumberedEntry]
) -> list[NumberedEntry]:
    """Return the entries of a page by `entry`, of the records whose field `number` is one. Raises ApiFault for no list.

    `place` is the name of the server in that sentence.
    """
    see_list(answer, place)
    return [entry(each) for each in records_of(answer.value) if each.number(number) > 0]


def see_list(answer: ApiAnswer, place: str) -> None:
    """Raise ApiFault for an answer that is no list."""
    if not isinstance(answer.value, list):
        raise ApiFault(Status.PROTOCOL_ERROR, f"{place} answers something else than a list.", passing=True)


def listed(
    session: DiscoverySession, count: Callable[[], Exchange[Tally]], pages: Callable[[], Pages], place: str
) -> Entries:
    """Yield all records. Raises ApiFault when some disappear again and again while they are listed."""
    for _ in range(ATTEMPTS):
        tally = yield from session.follow(count())
        newest, numbers = "", set[int]()
        for entries in pages():
            fresh = [each for each in entries if each.number not in numbers]
            newest = max([newest, *(each.updated for each in fresh)])
            numbers.update(each.number for each in fresh)
            yield fresh
        if tally.records <= sum(number <= tally.top for number in numbers):
            return _mark(newest, tally, numbers)
    raise ApiFault(Status.CONFLICT, f"Records of {place} disappear while they are listed.", passing=True)


def changed(
    session: DiscoverySession,
    count: Callable[[], Exchange[Tally]],
    pages: Callable[[str, str], Pages],
    mark: dict[str, Any],
) -> EntriesOrNone:
    """Yield the records that changed since a mark, as `pages` names them since a moment unless an ETag still holds.

    Returns the next mark, None when some records may be gone. Raises ApiFault.
    """
    since, known, top = str(mark["since"]), int(mark["count"]), int(mark["top"])
    tally = yield from session.follow(count())
    newest, etag, added = since, "", set[int]()
    named = pages(since, str(mark.get("etag", "")))
    try:
        while True:
            entries = next(named)
            newest = max([newest, *(each.updated for each in entries)])
            added.update(each.number for each in entries if each.number > top)
            yield entries
    except StopIteration as stop:
        etag = str(stop.value or "")
    expected = known + sum(number <= tally.top for number in added)
    if tally.top < top or (min(known, tally.records) >= 0 and tally.records != expected):
        return None
    return _mark(newest, tally, added) | {"etag": etag if newest == since else ""}


def _mark(newest: str, tally: Tally, numbers: set[int]) -> dict[str, Any]:
    """Return how far records were read; those that were made after they were counted are counted here."""
    count = tally.records + sum(number > tally.top for number in numbers) if tally.records >= 0 else -1
    return {"since": newest, "count": count, "top": max([tally.top, *numbers])}


def moment_text(record: JsonRecord, name: str) -> str:
    """Return a moment in UTC, which can be compared as a text, as the server writes it; "" for anything else."""
    text = record.line(name)
    moment = moment_of(text)
    if moment is None or text.endswith("Z"):
        return text if moment is not None else ""
    return rfc3339(moment) or ""
