"""How many redirects led to an address? Each hop is a resource, so a chain is read from who referred to whom."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa

from cormorant.model.resource import How
from cormorant.store.database import Tx
from cormorant.store.schema import resource

MOST = 10
"""Redirects in a row that are followed, those of servers and of pages together (faults W11, W12)."""


def at_the_end(tx: Tx, numbers: Iterable[int | None]) -> frozenset[int]:
    """Which of these resources are at the end of so many redirects that none is to be followed from there?

    A query a hop, and one for all that was never redirected to.
    """
    columns = resource.c
    at = {number: number for number in numbers if number is not None}  # the chain's end -> how far it was read back
    for _ in range(MOST):
        before = {}
        reached = sorted(set(at.values()))
        for start in range(0, len(reached), 500):
            statement = sa.select(columns.id, columns.referrer).where(
                columns.id.in_(reached[start : start + 500]), columns.how == int(How.REDIRECT)
            )
            before.update({row[0]: row[1] for row in tx.rows(statement) if row[1] is not None})
        at = {end: before[each] for end, each in at.items() if each in before}
        if not at:
            return frozenset()
    return frozenset(at)
