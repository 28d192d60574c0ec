"""First and last line of a run's log: its settings and its result. The newest logs of each source are kept."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from cormorant.app.logs import process_log, run_log
from cormorant.base.errors import CormorantError
from cormorant.base.log import logger
from cormorant.base.run_context import RunLogSettings
from cormorant.frontier.queue import host_leases
from cormorant.model.run import RunState
from cormorant.operate.installation import Installation
from cormorant.operate.runs import report as run_report, start
from cormorant.operate.storage import retention
from cormorant.store.catalog import sources
from cormorant.store.journal import runs
from cormorant.store.journal.runs import RunRow

_log = logger(__name__)
KEPT: Final = 7
"""Logs of runs that are kept of each source."""
SETTLED_S: Final = 10.0
LOOK_S: Final = 0.2
"""Seconds that the log of a stopped run waits for its last visits, and between checks."""


def begin(house: Installation, row: RunRow) -> None:
    """Begin the log of a run with its settings; delete older logs."""
    with house.store.read() as tx:
        owner = sources.numbered(tx, row.source_id)
        kept = {run.id for each in sources.every(tx) for run in runs.every(tx, each.id, KEPT)}
    run_log.tidy(house.folder / "logs", kept | {row.id})
    retention.tidy(house, row)
    if owner is None:
        return
    wish: RunLogSettings | None = RunLogSettings(owner.name)
    with suppress(CormorantError):  # wrong settings are reported as the reason of the failure
        wish = house.source(owner, row.settings).settings.log(owner.name)
    if wish is not None:
        process_log.follow(row.id, wish)
        head = {"kind": owner.kind, "state": row.state.value, "refresh": row.refresh.value, "mode": row.mode.value}
        _log.info("goes on" if row.started_at else "begins", extra={"run": row.id, **head, "settings": row.settings})


async def settled(house: Installation, row: RunRow) -> None:
    """Wait, but not for long, until the visits of a stopped run are written and counted."""
    began = house.clock.monotonic()
    while house.clock.monotonic() - began < SETTLED_S:
        with house.store.read() as tx:
            ended = runs.again(tx, row).state in (RunState.STOPPED, RunState.SUSPENDED)
            if not (ended and host_leases.is_leased(tx, row.source_id)):
                return
        await asyncio.sleep(LOOK_S)


def end(house: Installation, number: int) -> None:
    """Log the counters of a run, as in its report, and keep its problems; its log is complete unless it is resumed."""
    try:
        with suppress(CormorantError):
            report = {name: value for name, value in start.report(house, number).items() if value is not None}
            _log.info("summary", extra=report)
        with suppress(CormorantError):
            run_report.keep(house, number)
    finally:
        process_log.leave(number)
