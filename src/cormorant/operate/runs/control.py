"""Steer a run that has been ordered: suspend, go on, stop, forget.

open --suspend--> suspended --resume--> open; open, held, pending, suspended --stop--> stopped --delete--> (no row)

Whoever asks for what another has just done is told that it is so: two terminals may say the same at once.
"""

from __future__ import annotations

import shlex

import sqlalchemy as sa

from cormorant.base.errors import ConflictError, NotFoundError
from cormorant.crawl.run import transitions
from cormorant.crawl.run.transitions import UNFINISHED
from cormorant.model.run import ASKING_STATES, OPEN_STATES, RunState
from cormorant.operate.installation import Installation
from cormorant.operate.runs import log, start
from cormorant.operate.runs.start import Ordered
from cormorant.operate.sources import delete as source_deletion
from cormorant.store.catalog import sources
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs
from cormorant.store.journal.runs import RunRow
from cormorant.store.schema import run, run_count


def suspend(house: Installation, number: int | None) -> RunRow:
    """Leave a run (none: the newest) where it is until somebody goes on with it. Its report then says so.

    Raises NotFoundError, and ConflictError where there is nothing left of it to be left.
    """
    with house.store.begin() as tx:
        row = runs.claimed(tx, number)
        if row.state is RunState.SUSPENDED:
            return row
        name = shlex.quote(_name(tx, row))
        goes_on = f"`cormorant run resume {row.id}` and `cormorant crawl {name}` continue it."
        if not runs.suspend(tx, row.id, f"It was suspended. {goes_on}"):
            raise ConflictError(f"Run {row.id} cannot be suspended; it is {row.state}.")
        return runs.get(tx, row.id)


def resume(house: Installation, number: int | None) -> Ordered:
    """Go on with a run that was suspended or interrupted, or follow it; one whose source was edited in another run.

    Raises NotFoundError, ConflictError.
    """
    with house.store.begin() as tx:
        row = runs.get(tx, number)
        sources.claim(tx, row.source_id)
        row = runs.claimed(tx, row.id)
        suspended = row.state is RunState.SUSPENDED
        follows = start.in_place_of(tx, row)
        if not suspended and not follows and row.state not in OPEN_STATES:
            raise ConflictError(f"Run {row.id} cannot continue; it is {row.state}.{_answer(row)}")
        number = start.go_on(tx, row) if suspended else follows or row.id
        return Ordered(number, _name(tx, row), resumed=True, mine=suspended, survives=row.survives)


def stop(house: Installation, number: int | None, resting: str | None = None) -> RunRow:
    """End a run for good. Documents that it found are kept and delivered; deletions wait for the next crawl.

    So does what was examined and is not indexed yet, which is dropped and fetched anew.

    `resting` is a node at which nothing is at work: nobody there would say in the log what came of the run.

    Raises NotFoundError, and ConflictError when it has come to another end already.
    """
    with house.store.begin() as tx:
        row = runs.claimed(tx, number)
        if row.state is RunState.STOPPED:
            return row
        if not transitions.stop(tx, row, "It was stopped."):
            raise ConflictError(f"Run {row.id} cannot be stopped; it is {row.state}.")
        row, idle = runs.get(tx, row.id), start.is_idle(tx, resting)
    if idle:
        start.summarize(house, row.id, resting)
    return row


def delete(house: Installation, number: int) -> bool:
    """Forget a run and its figures; False when it was done before. Its documents stay, unless it was a test.

    Raises NotFoundError, and ConflictError for one that has not ended or that the next crawl compares itself with.
    """
    with house.store.begin() as tx:
        try:
            row = runs.claimed(tx, number)
        except NotFoundError:
            if runs.was_there(tx, number):
                return False
            raise
        if row.state in UNFINISHED:
            raise ConflictError(f"Run {row.id} has not ended; it is {row.state}. Stop it first, or wait.")
        owner = sources.numbered(tx, row.source_id)
        if owner is not None and owner.test_of is not None:
            source_deletion.remove(tx, owner)
            return True
        if runs.is_newest(tx, row) or row.id in runs.compared(tx, row.source_id):
            raise ConflictError(
                f"Run {row.id} is the newest of its source, or the newest that visited the whole source. The next "
                "crawl compares itself with it; delete it after that."
            )
        tx.execute(sa.delete(run_count).where(run_count.c.run_id == row.id))
        tx.execute(sa.delete(run).where(run.c.id == row.id))
    log.forget(house, row.id)
    return True


def _name(tx: Tx, row: RunRow) -> str:
    owner = sources.numbered(tx, row.source_id)
    return owner.name if owner else ""


def _answer(row: RunRow) -> str:
    return f" {runs.answers(row)}" if row.state in ASKING_STATES else ""
