"""Run queue: the order in which runs get their turn.

A limited number of runs is under way at once; the others wait: first come, first served.

ordered, resumed, answered -> WAITING --its turn--> it begins, or goes on where it was left
                                 `-> behind: one of the runs under way has to end first

Held, pending and suspended runs are not under way. A run whose source names a node gets its turn only from the
conductor of that node. Others pass it by while that node is away, and keep its turn while the node is alive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import sqlalchemy as sa

from cormorant.store.db import heartbeats
from cormorant.store.journal import runs

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from cormorant.store.db.database import Store, Tx
    from cormorant.store.journal.runs import RunRow

_LOCK: Final = 0x7275_6E73
"""The number of the lock that conductors of one PostgreSQL database take to give turns."""


class RunTurns(NamedTuple):
    """The runs that get their turn now; and those that wait and whose number of runs ahead has changed."""

    given: list[RunRow]
    waiting: list[RunRow]
    under_way: int


def decide(rows: Sequence[RunRow], node: str, most: int | None, at_work: Collection[str]) -> RunTurns:
    """Decide which of all open runs get their turn at a node, where `most` may be under way (None: any number).

    `at_work` are the nodes that have a conductor.
    """
    busy = sum(row.is_under_way for row in rows)
    free = len(rows) if most is None else most - busy
    given: list[RunRow] = []
    late: list[RunRow] = []
    for row in sorted((row for row in rows if row.is_queued), key=lambda row: (row.queued_at, row.id)):
        if row.is_for(node):
            (given if free > 0 else late).append(row)
        free -= row.is_for(node) or row.node in at_work
    under_way = busy + len(given)
    return RunTurns(given, [row for row in late if row.behind != under_way], under_way)


def give(store: Store, node: str, most: int | None) -> list[RunRow]:
    """Give runs of a node their turn. Returns all open runs, those that wait included.

    Any number of conductors may do so at once: one transaction decides and writes.
    """
    with store.read() as tx:
        rows = runs.open_runs(tx)
        if not any(_decided(tx, rows, node, most)[:2]):
            return rows
    with store.begin() as tx:
        if not tx.sqlite:  # SQLite has only one writer
            tx.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        turns = _decided(tx, runs.open_runs(tx), node, most)
        for row in turns.given:
            runs.give_turn(tx, row)
        for row in turns.waiting:
            runs.set_behind(tx, row, turns.under_way)
        return runs.open_runs(tx)


def _decided(tx: Tx, rows: Sequence[RunRow], node: str, most: int | None) -> RunTurns:
    if not any(row.is_queued for row in rows):
        return RunTurns([], [], 0)
    return decide(rows, node, most, {each.node for each in heartbeats.alive(tx, "conductor")})
