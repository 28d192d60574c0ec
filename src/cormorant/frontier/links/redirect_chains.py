"""Redirect chains: redirects that led to a URL, and their number in a row.

Each hop is a resource, so the referrers form the chain. A redirect leads to an address if its last visit ended there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import sqlalchemy as sa

from cormorant.model.outcome import MOVED_TO
from cormorant.model.resource import DiscoveredBy
from cormorant.store.db.database import Tx
from cormorant.store.schema import resource
from cormorant.store.schema.frontier import MOVED, MOVED_FAR

INDEXED = 600
"""Characters of a redirect's reason up to which an index holds it."""
MOST = 10
"""Redirects in a row that are followed, those of servers and of pages together."""


def at_the_end(tx: Tx, numbers: Iterable[int | None]) -> frozenset[int]:
    """Return the resources at the end of so many redirects that no further one is followed.

    One query per hop, and a single one for resources that are no redirect target.
    """
    columns = resource.c
    at = {number: number for number in numbers if number is not None}  # the chain's end -> the earliest hop read so far
    for _ in range(MOST):
        before = {}
        reached = sorted(set(at.values()))
        for start in range(0, len(reached), 500):
            statement = sa.select(columns.id, columns.referrer).where(
                columns.id.in_(reached[start : start + 500]), columns.how == int(DiscoveredBy.REDIRECT)
            )
            before.update({row[0]: row[1] for row in tx.rows(statement) if row[1] is not None})
        at = {end: before[each] for end, each in at.items() if each in before}
        if not at:
            return frozenset()
    return frozenset(at)


class Redirect(NamedTuple):
    """A known address that has moved to another one."""

    id: int
    address: str
    target: str


_TO = (
    sa.select(resource.c.id, resource.c.address, resource.c.reason)
    .where(resource.c.source_id == sa.bindparam("source"))
    .where(resource.c.reason.in_(sa.bindparam("reasons", expanding=True)))
    .order_by(resource.c.id)
)


def ways(tx: Tx, source: int, addresses: Collection[str]) -> list[Redirect]:
    """Return every known address of a source that redirects to one of these. Every run visits it, so it leads there."""
    wanted = sorted(f"{MOVED_TO}{each}" for each in addresses)
    near, far = [each for each in wanted if len(each) <= INDEXED], [each for each in wanted if len(each) > INDEXED]
    rows: list[Any] = []
    for statement, some in ((_TO.where(MOVED), near), (_TO.where(MOVED_FAR), far)):
        for start in range(0, len(some), 500):
            rows += tx.rows(statement, {"source": source, "reasons": some[start : start + 500]})
    return [Redirect(row.id, row.address, row.reason.removeprefix(MOVED_TO)) for row in rows]


def led_to(tx: Tx, source: int, addresses: Collection[str]) -> set[str]:
    """Return those of some addresses to which known ones redirect."""
    return {each.target for each in ways(tx, source, addresses)}
