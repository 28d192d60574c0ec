"""Review of fetched documents before indexing: leave some out, then have the rest indexed.

crawl --examine -> pending --prune (rules)--> pending --index--> swept, delivered, finished
                      `--stop--> stopped: the next crawl fetches again what it has not delivered
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from cormorant.base.errors import ConflictError, UsageError
from cormorant.frontier.staging import unreviewed
from cormorant.frontier.staging.unreviewed import PrunedDocuments
from cormorant.model.member import outermost
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Role
from cormorant.model.run import Mode, RunState
from cormorant.model.status import Status
from cormorant.operate.installation import Installation
from cormorant.operate.records.runs import Pruned
from cormorant.plugins import Source
from cormorant.store.catalog import sources
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx
from cormorant.store.journal import counters as counter_rows, runs, visits
from cormorant.store.journal.runs import RunRow
from cormorant.store.schema import resource

CHUNK = 10_000
"""Of what a run has visited so much is held against rules at a time."""
PRUNED = "pruned"
"""Under which name a run counts, beside those of its processes, what a person has left out."""


def index(house: Installation, number: int | None) -> RunRow:
    """Index what a run (none: the newest) has fetched, without a request. Again while it does so changes nothing.

    Raises NotFoundError, ConflictError for a run that has nothing to be indexed.
    """
    with house.store.begin() as tx:
        row = runs.claimed(tx, number)
        state = row.goes_on if row.is_queued else row.state
        begun = row.mode is Mode.EXAMINE and state in (RunState.SWEEPING, RunState.DELIVERING, RunState.FINISHED)
        if not begun and not runs.begin_indexing(tx, row):
            raise _not_pending(row)
        return runs.get(tx, row.id)


def _not_pending(row: RunRow) -> ConflictError:
    how = "" if row.mode is Mode.EXAMINE else " `cormorant crawl --examine` makes a run that waits for a review."
    return ConflictError(f"Indexing of run {row.id} is not pending; it is {row.state}.{how}")


def waiting_count(house: Installation, row: RunRow) -> int:
    """Return how many examined documents of a run wait, or waited until it was stopped; 0 after a newer run."""
    with house.store.read() as tx:
        newest = row.mode is Mode.EXAMINE and runs.is_newest(tx, row)
        return unreviewed.waiting_count(tx, row.source_id) if newest else 0


def prune(house: Installation, number: int | None, rules: Sequence[str]) -> Pruned:
    """Leave out of what a run is to index the addresses that these rules match, written as those of `exclude` are.

    Search finds those among them that it found before as they were. Returns how many by rule, and of rules without any
    whether they match what the run visited and has nothing waiting (`settled`), or nothing at all (`unused_rules`).

    Raises NotFoundError, UsageError without a rule, BadRule for one that cannot be read, ConflictError for a run that
    has nothing to be indexed.
    """
    if not rules:
        raise UsageError("Name a rule: cormorant run prune ID RULE, for example path:/drafts/.")
    with house.store.begin() as tx:
        row = runs.claimed(tx, number)
        if row.state is not RunState.PENDING:
            raise _not_pending(row)
        owner = sources.numbered(tx, row.source_id)
        waiting = unreviewed.waiting(tx, row.source_id)
        out = _left_out(house, owner, row.settings, rules, waiting) if owner is not None else {}
        _count(tx, row, unreviewed.leave_out(tx, out))
    by_rule = {rule: Counter(out.values())[rule] for rule in rules}
    rest = [rule for rule, count in by_rule.items() if not count]
    settled = _settled(house, row, owner, rest) if rest and owner is not None else set()
    return {
        "run": row.id, "source": owner.name if owner else None, "pruned": len(out), "left": len(waiting) - len(out),
        "rules": [{"rule": rule, "documents": count} for rule, count in by_rule.items() if count],
        "settled": [rule for rule in rest if rule in settled], "idle": [r for r in rest if r not in settled],
    }  # fmt: skip


def _settled(house: Installation, row: RunRow, owner: SourceRow, rules: Sequence[str]) -> set[str]:
    """Return those of these rules that match no document waiting to be indexed, but match what the run visited."""
    found, behind = set[str](), 0
    while len(found) < len(rules):
        with house.store.read() as tx:
            met = _met(tx, row, behind)
        if not met:
            break
        behind = max(met)
        found.update(_left_out(house, owner, row.settings, rules, met).values())
    return found


def _met(tx: Tx, row: RunRow, behind: int) -> dict[int, str]:
    """Some of what a run has visited, by number: resource -> address."""
    columns = resource.c
    visited = columns.source_id == row.source_id, columns.run == row.id, columns.role == int(Role.DOCUMENT)
    chosen = sa.select(columns.id, columns.address).where(*visited, columns.id > behind)
    return {each.id: each.address for each in tx.rows(chosen.order_by(columns.id).limit(CHUNK))}


def _count(tx: Tx, row: RunRow, left_out: PrunedDocuments) -> None:
    """Have the figures and the journal of a run say what is not to be indexed: what is found of it is as it was."""
    counters = runs.counted_by(tx, row.id, PRUNED)
    counters.held -= len(left_out.changed)
    now, rows = tx.now(), list[visits.VisitRow]()
    for kind, status, found in (
        (OutcomeKind.EXCLUDED, Status.INDEX_RULES, left_out.new),
        (OutcomeKind.UNCHANGED, Status.OK, left_out.changed),
    ):
        for number, reason in found.items():
            counter_rows.count_outcome(counters, kind, status, answered=False)
            rows.append(visits.VisitRow(number, row.id, now, int(kind), int(status), 0, None, "outcome", reason))
    visits.write(tx, rows)
    runs.count(tx, row.id, PRUNED, counters)


def _left_out(
    house: Installation, owner: SourceRow, settings: Mapping[str, Any], rules: Sequence[str], waiting: Mapping[int, str]
) -> dict[int, str]:
    """Return which of these addresses (by their resources) the rules exclude, each with the rule."""
    narrowed: Source = house.source(owner, {**settings, "exclude": list(rules)})
    found = {}
    for number, address in waiting.items():
        ruling = narrowed.gates.follow(outermost(address), 0)
        if not ruling.admitted and ruling.rule.removeprefix("exclude ") in rules:
            found[number] = ruling.rule.removeprefix("exclude ")
    return found
