"""Cut-off runs, which do not continue when the program is started again.

under way when the program ended, and survives_restart is off -> stopped; the next crawl begins a new run
"""

from __future__ import annotations

from typing import Final

from cormorant.crawl.run import transitions
from cormorant.operate.installation import Installation
from cormorant.operate.runs import start
from cormorant.store.db import heartbeats
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs
from cormorant.store.journal.runs import RunRow

REASON: Final = "It was under way when the program ended, and survives_restart is off."


def are_cut_off(house: Installation, resting: str) -> bool:
    """Return whether there is any run to stop."""
    with house.store.read() as tx:
        return bool(_cut_off(house, tx, resting))


def end_cut_off(house: Installation, resting: str) -> list[RunRow]:
    """Stop the runs that were under way here when the program ended, if survives_restart is off; returns them.

    `resting` is the place without running processes. Runs that another place carries out too are not cut off, and
    queued runs stay queued. The reports of stopped runs are appended to their logs.
    """
    with house.store.begin() as tx:
        stopped = [row for row in _cut_off(house, tx, resting) if transitions.stop(tx, row, REASON)]
    for row in stopped:
        start.summarize(house, row.id, resting)
    return stopped


def _cut_off(house: Installation, tx: Tx, resting: str) -> list[RunRow]:
    found = [row for row in runs.open_runs(tx) if row.is_under_way and not row.survives and row.is_for(house.node)]
    if not found:
        return []
    others = {each.node for each in heartbeats.alive(tx, "conductor") if each.name.rpartition("@")[2] != resting}
    return [row for row in found if not any(row.is_for(node) for node in others)]
