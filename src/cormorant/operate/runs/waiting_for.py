"""Waiting runs: each waits for its turn, or for its node."""

from __future__ import annotations

from collections.abc import Sequence

from cormorant.model.run import OPEN_STATES
from cormorant.operate.installation import Installation
from cormorant.store.db import heartbeats
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs
from cormorant.store.journal.runs import RunRow

BEGIN, GO_ON = "begin", "go_on"


def waits(house: Installation, tx: Tx, row: RunRow, resting: str | None = None) -> str | None:
    """Return the step that a run waits for, `begin` or `go_on`; None if it does not wait.

    `resting` is a node without running processes, even if killed ones left heartbeats.
    """
    if row.is_queued or (row.state in OPEN_STATES and _lacks_node(house, tx, row, resting)):
        return GO_ON if row.started_at else BEGIN
    return None


def reason(house: Installation, tx: Tx, row: RunRow, resting: str | None = None) -> str | None:
    """Return why a run waits, as a sentence; otherwise why it is held, was stopped or failed."""
    to = "to go on " if row.started_at else ""
    if row.state in OPEN_STATES and _lacks_node(house, tx, row, resting):
        return f"It waits {to}for node {row.node!r}, the only one that crawls its source, which is not running."
    if row.is_queued and row.behind:
        others = f"one of {row.behind} runs" if row.behind > 1 else "the run"
        return f"It waits {to}until {others} under way has ended."
    return row.reason


def _lacks_node(house: Installation, tx: Tx, row: RunRow, resting: str | None) -> bool:
    """Return whether a run is for another node than this one, and that node is not running."""
    if row.is_for(house.node):
        return False
    alive = heartbeats.alive(tx, "conductor")
    return not any(each.node == row.node and each.name.rpartition("@")[2] != resting for each in alive)


def node_at(house: Installation, place: str | None) -> str:
    """The node that carries out orders: that of another process running at a place, else this one."""
    if place is None:
        return house.node
    with house.store.read() as tx:
        at_work = [each.node for each in heartbeats.alive(tx, "conductor") if each.name.rpartition("@")[2] == place]
    return at_work[0] if at_work else house.node


def elsewhere(house: Installation, numbers: Sequence[int], node: str) -> dict[int, str]:
    """Those of these runs that have not ended and are for another node, each with that node."""
    with house.store.read() as tx:
        rows = [runs.get(tx, number) for number in numbers]
    return {row.id: row.node for row in rows if row.state in OPEN_STATES and not row.is_for(node)}
