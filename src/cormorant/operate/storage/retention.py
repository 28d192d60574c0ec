"""Retention: removes old data automatically, so that nothing grows with the number of runs.

every eighth run of a source -> exclusions that nothing leads to -> copies that were replaced, and packs that are small

Runs, visits, launches, searches and logs are let go of where they are written. Whoever calls sees that no run is under
way beside the one that begins.
"""

from __future__ import annotations

from typing import Final, cast

from cormorant.base.errors import CormorantError
from cormorant.base.log import logger
from cormorant.frontier.cleanup import stale_exclusions
from cormorant.operate.installation import Installation
from cormorant.operate.records.storage import RetentionRecord
from cormorant.operate.storage import compact
from cormorant.store.catalog import sources
from cormorant.store.journal import runs
from cormorant.store.journal.runs import RunRow

_log = logger(__name__)
EVERY: Final = 8
"""Every how many runs of a source it is looked after: all links and places are read for it."""
DAY_S: Final = 86_400.0


def tidy(house: Installation, row: RunRow) -> RetentionRecord:
    """Let go of what is too old as this run begins, if it is time to; returns what was done, {} when it was not."""
    with house.store.read() as tx:
        owner = sources.numbered(tx, row.source_id)
        others = [each for each in runs.open_runs(tx) if each.id != row.id and each.started_at is not None]
        upto = runs.newest_before(tx, row.source_id, tx.now() - house.excluded_days * DAY_S)
    if owner is None or row.started_at is not None or owner.generation % EVERY or not owner.generation:
        return {}
    done: RetentionRecord = {"excluded": forget_refusals(house, row.source_id, upto) if upto else 0}
    if not others:
        try:
            thinned = compact.thin(house)
            done = {"excluded": done["excluded"], **cast("RetentionRecord", thinned._asdict())}
        except (CormorantError, OSError) as error:  # a backup is taken, the disk is full: another run will do it
            _log.warning("not tidied", extra={"run": row.id, "reason": str(error)})
    if any(done.values()):
        _log.info("tidied", extra={"run": row.id, **done})
    return done


def forget_refusals(house: Installation, source: int, upto: int) -> int:
    """Forget exclusions that no run after `upto` has met and no page leads to; returns how many."""
    forgotten, behind = 0, None
    while True:
        with house.store.read() as tx:
            page = stale_exclusions.old(tx, source, upto, behind)
        left = {each.key: each for each in page}
        number = 0
        while left:
            with house.store.read() as tx:
                pages = stale_exclusions.links(tx, source, number)
            for key in stale_exclusions.linked(source, pages):
                left.pop(key, None)
            if len(pages) < stale_exclusions.CHUNK:
                break
            number = pages[-1][0]
        if left:
            with house.store.begin() as tx:
                forgotten += stale_exclusions.forget(tx, source, list(left.values()))
        if len(page) < stale_exclusions.PAGE:
            return forgotten
        behind = page[-1].key
