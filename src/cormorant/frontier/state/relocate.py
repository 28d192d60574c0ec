"""Relocation of a document to another address without losing its history.

    no longer listed, and another address is listed with its version -> the row gets that address

Its number stays, and so do its content, its kept copy, its links and its visits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa

from cormorant.frontier.policy import priority
from cormorant.frontier.state import enqueue
from cormorant.frontier.state.enqueue import Admission, NewUrl, SiteNumbers
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import DiscoveredUrl, UrlState
from cormorant.model.url import fingerprint
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import content, resource
from cormorant.store.schema.frontier import NO_MEMBER

_READ = (int(OutcomeKind.OK), int(OutcomeKind.UNCHANGED))


class Absent(NamedTuple):
    """A document that a listing has omitted: its resource, its addresses, and its version as listed before."""

    id: int
    address: str
    url: str
    validator: str


class Move(NamedTuple):
    """A document that is found at another address, displayed as `url`. `again`: it has to be read there."""

    was: Absent
    found: DiscoveredUrl
    url: str
    again: bool


def absent(tx: Tx, source: int, run: int, most: int, behind: int) -> list[Absent]:
    """Return documents with a good last visit that this run's listing has omitted, by number."""
    columns = resource.c
    statement = (
        sa.select(columns.id, columns.address, content.c.url, columns.validator)
        .join(content, content.c.id == columns.id)
        .where(content.c.source_id == source, content.c.indexed, columns.run < run, columns.id > behind)
        .where(columns.state == int(UrlState.SETTLED), columns.outcome.in_(_READ), columns.validator.is_not(None))
        .where(NO_MEMBER)
        .order_by(columns.id)
        .limit(most)
    )
    return [Absent(*row) for row in tx.rows(statement)]


def carry(tx: Tx, sites: SiteNumbers, of: Admission, moves: Sequence[Move], at: float) -> list[Move]:
    """Give rows their new addresses at this time, except addresses that have become known meanwhile.

    Returns the executed moves.
    """
    keyed = {fingerprint(each.found.address, of.source): each for each in moves}
    numbers = sites.of(tx, {each.found.site for each in moves})
    enqueue.wake(
        tx, of.source, set(numbers.values()), of.generation
    )  # a process that admits the same addresses waits from here on
    free = enqueue.unknown(tx, sites, [NewUrl(each.found, key) for key, each in keyed.items()])
    rows, reread, taken = list[tuple[object, ...]](), list[tuple[object, ...]](), list[Move]()
    for found, key in free:
        move = keyed[key]
        state = UrlState.READY if move.again or of.forced or of.revisit else UrlState.SETTLED
        due = priority.due(of.generation, found.priority, found.depth)
        place = found.address, found.display or None, key, numbers[found.site], found.depth
        rows.append((*place, of.run, int(state), due, 0.0, at, move.was.id))
        reread += [(b"", move.was.id)] if move.again else []
        taken.append(move)
    sets = ("address", "display", "hash", "site_id", "depth", "run", "state", "due", "not_before", "visited_at")
    bulk.update(tx, resource, sets, ("id",), rows)
    bulk.update(tx, content, ("content_hash",), ("id",), reread)  # without a hash equal bytes are judged again too
    return taken


def show(tx: Tx, moves: Sequence[Move], first: int) -> None:
    """Display moved documents under their new addresses; every second number from `first` on is the event of one."""
    rows = [(each.url, first + 2 * n + 1, each.was.id) for n, each in enumerate(moves)]
    bulk.update(tx, content, ("url", "seq"), ("id",), rows)
