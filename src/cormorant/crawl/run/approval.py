"""Approval at the end of a run: decides whether the run must wait for an administrator.

waiting versions are used, or put back -> copies -> links -> absent from a listing, orphans -> deletion guard? held
accepted ------> all of them are used                `---> documents that the guard held are hidden again

Deletions that were approved when the rules were edited need no second approval: as many documents by each rule as
were shown then.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from cormorant.crawl.commit import mass_change_guard
from cormorant.crawl.finish import canonicals, invert_links, orphans, sweep
from cormorant.crawl.run import completion, deletion_watch
from cormorant.frontier.progress import remaining
from cormorant.frontier.staging import pending_deletes
from cormorant.frontier.state import canonical_target, refetch
from cormorant.model.run import GENERATIONS, Refresh, RunState
from cormorant.store.catalog import sources
from cormorant.store.journal import runs

if TYPE_CHECKING:
    from cormorant.store.db.database import Store
    from cormorant.store.journal.runs import RunRow

CHUNK = 1_000
"""Documents written in one transaction."""


async def ask(store: Store, row: RunRow) -> bool:
    """Determine what a run would delete, and hold the run if that is too much, or after a mass change.

    Returns whether it is held. An accepted run never is.
    """
    swallowed = mass_change_guard.settle(store, row)
    if swallowed:  # documents that were put back must be found again before an administrator is asked
        await completion.until_delivered(store, row, index_alone=True)
    await _settle_canonicals(store, row)
    await invert_links.invert(store, row.source_id, first=row.generation == 1 and row.refresh in GENERATIONS)
    if row.asked == runs.ACCEPT:
        with store.begin() as tx:
            remaining.hide_leaving(tx, row.source_id, row.id)
        sweep.hide_left_behind(store, row.source_id, row.id)
        return False
    if row.complete and row.lists:
        sweep.hide_absent(store, row.source_id, row.id, row.unlisted)
    if row.complete and row.refresh is Refresh.SCRATCH and not row.lists:
        orphans.hide(store, row.source_id, row.id)
    elif row.complete and row.refresh is Refresh.ALL and not row.lists:
        orphans.hide_after(store, row)
    sweep.hide_left_behind(store, row.source_id, row.id)
    return hold(store, row, swallowed)


async def _settle_canonicals(store: Store, row: RunRow) -> None:
    """Settle which pages are copies once the index knows the undecided ones, so that its figures can be corrected."""
    with store.read() as tx:
        undecided = canonical_target.undecided(tx, row.source_id, 0, withheld=False)
    if undecided:
        await completion.until_delivered(store, row, index_alone=True)
    canonicals.settle(store, row)


def hold(store: Store, row: RunRow, swallowed: str = "") -> bool:
    """Hold the run if too many documents would leave, or after a mass change (`swallowed`): they stay findable.

    Returns whether it is held.
    """
    with store.begin() as tx:
        going, may_go, silent, documents = found = deletion_watch.going(tx, row, ends=True)
        much = found.too_many
        if not (much or swallowed):
            return False
        pending_deletes.show_again(tx, row.source_id)
        others = f", and {silent} more did not answer for some runs" if silent else ""
        expected = f", {may_go} of them as was agreed to when the source was edited" if may_go else ""
        leaving = f"{going} of {documents} documents would leave the index{expected}{others}." if much else ""
        reason = f"{swallowed} {leaving}".strip() + f" See `cormorant run show {row.id}`."
        runs.hold(tx, row.id, reason)
        return True


async def finish(store: Store, row: RunRow, now: float, held_up: str | None) -> None:
    """Finish the run, forget the approvals it carried out, and delete runs marked `forget` and the oldest ones.

    The next run begins at the run's cursor, unless it was refused. `held_up` is the cause of most of its waiting.
    """
    await _distrust(store, row)
    with store.begin() as tx:
        if runs.advance(tx, row.id, row.state, state=RunState.FINISHED, finished_at=now, bottleneck=held_up):
            if row.cursor is not None and row.asked != runs.REFUSE:
                sources.set_cursor(tx, row.source_id, row.cursor)
            sources.forget_agreed(tx, row.source_id, row.requested_at)
            runs.forget_done(tx, row.source_id)


async def _distrust(store: Store, row: RunRow) -> None:
    """Have documents that were not read under edited settings refetched, if these decide which data is stored."""
    read_all = row.complete and row.refresh in GENERATIONS
    behind: int | None = 0 if row.anew and not read_all else None
    while behind is not None:
        with store.begin() as tx:
            behind = refetch.distrust(tx, row.source_id, row.id, row.generation, behind, CHUNK)
        await asyncio.sleep(0)  # other runs go on meanwhile
