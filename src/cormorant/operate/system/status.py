"""Status: the state of the whole installation on one page."""

from __future__ import annotations

from itertools import chain
from typing import Final

from cormorant.base.clock import rfc3339, timestamp
from cormorant.frontier.progress import remaining
from cormorant.frontier.progress.idle_timeout import got
from cormorant.frontier.queue import outdated_texts
from cormorant.frontier.staging import pending_deletes
from cormorant.model.run import ASKING_STATES, OPEN_STATES, RunState
from cormorant.operate.checks import host_errors, seeds
from cormorant.operate.delivery import receivers
from cormorant.operate.installation import Installation
from cormorant.operate.records.system import SourceState, System
from cormorant.operate.runs import schedules, waiting_for
from cormorant.operate.runs.start import is_idle, state_of, to_fetch
from cormorant.operate.search import index_consistency
from cormorant.operate.system.disks import disks
from cormorant.store.catalog import sources
from cormorant.store.catalog.receivers import INDEX
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db import drivers, heartbeats
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs
from cormorant.store.journal.runs import RunRow

LOOKED_AT: Final = 100
"""Runs of a source that are searched for the last good one."""


def status(house: Installation, resting: str | None = None) -> System:
    """Sources with their last good run, held runs, runs under way, schedules, receivers with their backlog, processes.

    `resting` is a node without running processes, even if killed ones left heartbeats. If search does not answer, the
    index has its error, whether or not a delivery has failed.
    """
    targets, planned, room = receivers.listed(house), schedules.listed(house), disks(house)
    if (trouble := index_consistency.trouble(house)) is not None:
        targets = [each | {"error": trouble.sentence} if each["kind"] == INDEX else each for each in targets]
    with house.store.read() as tx:
        alive = [each for each in heartbeats.alive(tx) if each.name.rpartition("@")[2] != resting]
        idle = is_idle(tx, resting)
        outdated = outdated_texts.counts(tx)
        every = [
            _source(house, tx, row, resting, idle=idle, to_reread=outdated.get(row.id, 0)) for row in sources.every(tx)
        ]
    return {
        "data_folder": str(house.folder), "store": drivers.mask(house.store.url),
        "documents": sum(each["documents"] for each in every), "sources": every,
        "to_reread": sum(each["to_reread"] for each in every),
        "held_runs": [each["held_run"] for each in every if each["held_run"] is not None],
        "schedules": planned, "receivers": targets, "backlog": max((each["backlog"] for each in targets), default=0),
        "oldest_undelivered_at": min(
            (each["oldest_undelivered_at"] for each in targets if each["oldest_undelivered_at"]), default=None
        ),
        "paused": any(each["paused"] for each in targets), "disks": [each.as_record() for each in room],
        "processes": [
            {"process": each.name, "role": each.role, "node": each.node, "pid": each.pid,
             "started_at": timestamp(each.started_at), "seen_at": timestamp(each.seen_at)}
            for each in alive
        ],
    }  # fmt: skip


def _source(
    house: Installation, tx: Tx, row: SourceRow, resting: str | None, *, idle: bool, to_reread: int
) -> SourceState:
    """The state of one source: its documents, its last runs, and its run under way unless all is `idle`."""
    recent = runs.every(tx, row.id, LOOKED_AT)
    good, whole = last_good(tx, row.id), runs.last_whole(tx, row.id)
    held = next((each for each in recent if each.state in ASKING_STATES), None)
    under_way = next((each for each in recent if each.state in OPEN_STATES), None)
    counted = runs.counters(tx, recent[0].id) if recent else None
    waits = waiting_for.waits(house, tx, recent[0], resting) if recent else None
    reason = waiting_for.reason(house, tx, recent[0], resting) if recent else None
    return {
        "source": row.name, "kind": row.kind, "documents": pending_deletes.indexed_count(tx, row.id),
        "last_good_run": good.id if good else None, "last_good_at": rfc3339(good.finished_at) if good else None,
        "all_looked_at": rfc3339(whole.started_at) if whole is not None else None,
        "last_state": state_of(recent[0], idle=idle) if recent else None,
        "last_answered": not (recent and _is_unanswered(tx, recent[0], newest=True)),
        "last_run": recent[0].id if recent else None, "last_reason": reason,
        "last_failed": counted.failed + counted.quarantined if counted else 0,
        "quarantined": remaining.quarantined(tx, row.id), "would_leave": pending_deletes.in_sight_count(tx, row.id),
        "held_run": held.id if held and recent[0].id == held.id else None,
        "run": under_way.id if under_way else None, "state": state_of(under_way, idle=idle) if under_way else "idle",
        "to_fetch": to_fetch(tx, recent[0]) if recent else 0,
        "waits": waits, "survives_restart": recent[0].survives if recent else True,
        "troubles": host_errors.of_source(tx, row.id), "to_reread": to_reread,
    }  # fmt: skip


def last_good(tx: Tx, source: int) -> RunRow | None:
    """The last good run among the newest LOOKED_AT of a source; mostly it is one of the newest few."""
    few = runs.every(tx, source, 5)
    more = (each for older in few[4:] for each in runs.every(tx, source, LOOKED_AT - 5, older.id))
    return next((each for each in chain(few, more) if _is_good(tx, each, newest=each is few[0])), None)


def _is_good(tx: Tx, row: RunRow, *, newest: bool) -> bool:
    """Return whether a run finished completely, with answers, and its deletions were not refused."""
    if row.state is not RunState.FINISHED or not row.complete or row.asked == runs.REFUSE:
        return False
    return not _is_unanswered(tx, row, newest=newest)


def _is_unanswered(tx: Tx, row: RunRow, *, newest: bool) -> bool:
    """Return whether a run had no answer: by its start addresses if newest, else by its counters."""
    if row.state in OPEN_STATES or row.lists:
        return False
    found = remaining.starts(tx, row.source_id) if newest else []
    counted = runs.counters(tx, row.id)
    if found:
        return seeds.none_answered(found, counted)
    return not got(counted) and counted.failed + counted.gone + counted.deferred > 0
