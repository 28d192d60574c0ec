"""Retention: removes old data automatically, so that nothing grows with the number of runs.

every eighth run of a source -> exclusions that no page links to -> old tombstones -> replaced copies, and small packs

Old runs, visits, launches, searches and logs are deleted where they are written. The caller makes sure that no run is
under way except the one that begins.
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
from cormorant.store.journal import runs, tombstones
from cormorant.store.journal.runs import RunRow

_log = logger(__name__)
EVERY: Final = 8
"""Runs of a source between two cleanups, each of which reads all links and places."""
DAY_S: Final = 86_400.0


def tidy(house: Installation, row: RunRow) -> RetentionRecord:
    """Delete old data as this run begins, if a cleanup is due; returns its figures, {} if none was due."""
    with house.store.read() as tx:
        owner = sources.numbered(tx, row.source_id)
        others = [each for each in runs.open_runs(tx) if each.id != row.id and each.started_at is not None]
        upto = runs.newest_before(tx, row.source_id, tx.now() - house.excluded_days * DAY_S)
    if owner is None or row.started_at is not None or owner.generation % EVERY or not owner.generation:
        return {}
    done: RetentionRecord = {"excluded": forget_refusals(house, row.source_id, upto) if upto else 0}
    if upto:
        with house.store.begin() as tx:
            done["tombstones"] = tombstones.forget(tx, row.source_id, upto)
    if not others:
        try:
            done = cast("RetentionRecord", {**done, **compact.thin(house)._asdict()})
        except (CormorantError, OSError) as error:  # a backup is taken, or the disk is full: a later run does it
            _log.warning("not tidied", extra={"run": row.id, "reason": str(error)})
    if any(done.values()):
        _log.info("tidied", extra={"run": row.id, **done})
    return done


def forget_refusals(house: Installation, source: int, upto: int) -> int:
    """Delete exclusions that no run after `upto` has met and no page links to; returns their number."""
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
