"""Transitions of a run, and their events for receivers: started, finished, stopped, failed.

Events are appended only if a receiver has asked for them (its setting `runs`), after the documents found so far.
A run has finished for receivers when it has found everything: it then waits until they have the event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cormorant.crawl.run import deletion_watch
from cormorant.model.run import ASKING_STATES, OPEN_STATES, Mode, RunState
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.catalog import receivers
from cormorant.store.db.bulk import storable
from cormorant.store.journal import runs

if TYPE_CHECKING:
    from cormorant.store.db.database import Tx
    from cormorant.store.journal.runs import RunRow

UNFINISHED = (*OPEN_STATES, *ASKING_STATES, RunState.SUSPENDED)
_EVENTS = {
    RunState.DISCOVERING: Event.STARTED,
    RunState.DELIVERING: Event.FINISHED,
    RunState.STOPPED: Event.STOPPED,
    RunState.FAILED: Event.FAILED,
}


def go_on(tx: Tx, row: RunRow, **values: object) -> RunRow:
    """Take a run to its next state unless it was changed meanwhile, and return it as it is now."""
    changed = bool(values) and runs.advance(tx, row.id, row.state, **values)
    now = runs.again(tx, row)
    if changed and now.state is not row.state:
        if now.state in (RunState.STOPPED, RunState.FAILED):
            deletion_watch.put_right(tx, now)
        announce(tx, now)
    return now


def announce(tx: Tx, row: RunRow) -> None:
    """Append the event of a run's new state, if a receiver wants such events; never for a test."""
    event = _EVENTS.get(row.state) if row.mode is not Mode.TEST else None
    if event is not None and any(each.settings.get("runs") for each in receivers.of_source(tx, row.source_id)):
        stream.append(tx, [NewEvent(row.source_id, 0, row.id, event)])


def stop(tx: Tx, row: RunRow, reason: str) -> bool:
    """End a run for good; False if it has ended already. Its documents are kept and delivered.

    The time that it waited for an administrator does not count towards its duration.
    """
    if row.state not in UNFINISHED:
        return False
    ended = {"state": RunState.STOPPED, "finished_at": tx.now(), "asked": None, "gives_up_at": None}
    return go_on(tx, row, reason=storable(reason), **ended, **runs.waited(tx, row)).state is RunState.STOPPED


def finding(tx: Tx) -> frozenset[int]:
    """The runs that may still find documents."""
    return frozenset(row.id for row in runs.unfinished_runs(tx) if row.state is not RunState.DELIVERING)
