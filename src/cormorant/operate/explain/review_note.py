"""What is to be said of a page that was examined and is not indexed as it was seen?

waits -> run index          pruned, or its run was stopped -> the next crawl finds it again
"""

from __future__ import annotations

from typing import Any

from cormorant.frontier.staging import unreviewed
from cormorant.model.outcome import OutcomeKind
from cormorant.model.run import RunState
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs

AGAIN = "The next crawl finds it again; to keep it out for good, add the rule to `exclude` of its source."
_DROPPED = "It is found as it was before. It says something else now, which was examined and dropped."


def said(tx: Tx, row: Any, because: str, advice: str) -> tuple[str, str]:
    """The sentence about a resource and the advice, put right where its newest version was examined."""
    if unreviewed.was_left_out(row.reason):
        changed = row.outcome != OutcomeKind.EXCLUDED
        return (f"{because} {row.reason}; the next crawl finds it again." if changed else because), AGAIN
    if row.reason != unreviewed.WAITS:
        return because, advice
    run = runs.unfinished(tx, row.source_id)
    if run is None:
        return _DROPPED, "The next crawl fetches it anew."
    return because, runs.answers(run) if run.state is RunState.PENDING else advice
