"""Unreviewed documents: documents of an examining run, which wait for `run index`.

visited in an examining run: new -----> its content is kept, not indexed
                                changed -> the newer version waits beside the one in use
                                (`frontier/staging/staged_versions.py`)
run index -> indexed, with their events       run begun -> deleted: visited as if for the first time
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from cormorant.frontier.staging import staged_versions
from cormorant.frontier.state import refetch
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Role, UrlState
from cormorant.model.ruling import Gate, exclusion_reason
from cormorant.model.status import Status
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import content, resource, version

WAITS = "It says something else now, which waits to be indexed; what it said stays until then."
"""The reason of a held document with a waiting newer version."""
_EXAMINED = ", when it was examined"
"""Suffix of the reason of a document that was left out, after the rule."""
_NOT_INDEXED = (int(OutcomeKind.EXCLUDED), int(Status.INDEX_RULES))
_AS_BEFORE = (int(OutcomeKind.UNCHANGED), int(Status.OK))
_BEHIND = (int(OutcomeKind.HELD), int(OutcomeKind.UNCHANGED))
"""Outcomes of the visit of a document with a waiting version."""
_READ = (int(OutcomeKind.OK), int(OutcomeKind.UNCHANGED))


def _of(source: int) -> sa.ColumnElement[bool]:
    """Return the condition for contents of a source that were read last and are not indexed."""
    read = sa.and_(resource.c.outcome.in_(_READ), resource.c.role == int(Role.DOCUMENT))
    return sa.and_(content.c.source_id == source, sa.not_(content.c.indexed), read)


def new(tx: Tx, source: int, most: int) -> list[int]:
    """Return some of the waiting documents that were never indexed, by number."""
    both = content.join(resource, resource.c.id == content.c.id)
    chosen = sa.select(content.c.id).select_from(both).where(_of(source)).order_by(content.c.id).limit(most)
    return [row[0] for row in tx.rows(chosen)]


def waiting(tx: Tx, source: int) -> dict[int, str]:
    """Return every waiting document of a source, new or changed: resource -> address."""
    never = sa.select(resource.c.id, resource.c.address).join(content, content.c.id == resource.c.id)
    newer = sa.select(resource.c.id, resource.c.address).join(version, version.c.id == resource.c.id)
    newer = newer.where(version.c.source_id == source, version.c.waiting)
    return {row[0]: row[1] for statement in (never.where(_of(source)), newer) for row in tx.rows(statement)}


def among(tx: Tx, rows: Sequence[Any]) -> set[int]:
    """Return those of these resources that wait, by their rows with `indexed` of their content."""
    read = [row for row in rows if row.outcome in _READ and row.role == Role.DOCUMENT]
    never = {row.id for row in read if row.indexed is not None and not row.indexed}
    known = [row.id for row in rows if row.outcome in _BEHIND]
    newer = sa.select(version.c.id).where(version.c.waiting, version.c.id.in_(known))
    return never | {row[0] for row in (tx.rows(newer) if known else ())}


def waiting_count(tx: Tx, source: int) -> int:
    """Count the documents of a source that wait for review, new or changed."""
    both = content.join(resource, resource.c.id == content.c.id)
    never = sa.select(sa.func.count()).select_from(both).where(_of(source))
    return int(tx.execute(never).scalar_one()) + staged_versions.waiting_count(tx, source)


def use(tx: Tx, numbers: Sequence[int], first: int) -> None:
    """Index these documents, announced by events from number `first` on, in the same order."""
    rows = [(True, first + n, number) for n, number in enumerate(numbers)]
    bulk.update(tx, content, ("indexed", "seq"), ("id",), rows)


class PrunedDocuments(NamedTuple):
    """Documents that were left out, with the reasons by resource: never indexed ones, and changed ones."""

    new: dict[int, str]
    changed: dict[int, str]


def leave_out(tx: Tx, rules: Mapping[int, str]) -> PrunedDocuments:
    """Leave out these waiting documents (resource -> the deciding rule); the next run visits them again.

    The searchable version of a changed document stays. A document of which only a fresh copy waits has not changed.
    """
    kept = {row[0] for row in bulk.select_in(tx, version, ("id",), "id", list(rules))}
    outcomes = dict(bulk.select_in(tx, resource, ("id", "outcome"), "id", kept))
    new = {
        number: exclusion_reason(Gate.INDEX, f"{rule}{_EXAMINED}")
        for number, rule in rules.items()
        if number not in kept
    }
    changed = {
        number: f"Its new version was left out by {rules[number]}{_EXAMINED}"
        for number in kept
        if outcomes[number] == OutcomeKind.HELD
    }
    staged_versions.drop(tx, list(kept))
    never = list(new)
    for start in range(0, len(never), 1000):
        tx.execute(sa.delete(content).where(content.c.id.in_(never[start : start + 1000])))
    for ended, found in ((_NOT_INDEXED, new), (_AS_BEFORE, changed)):
        rows = [(*ended, bulk.storable(reason), None, number) for number, reason in found.items()]
        bulk.update(tx, resource, ("outcome", "status", "reason", "validator"), ("id",), rows)
    again = [(None, number) for number in kept.difference(changed)]
    bulk.update(tx, resource, ("validator",), ("id",), again)
    return PrunedDocuments(new, changed)


def was_left_out(reason: str | None) -> bool:
    """Return whether this reason says that a document, or its new version, was left out."""
    return reason is not None and reason.endswith(_EXAMINED)


def forget_new(tx: Tx, source: int, most: int) -> int:
    """Have some of the waiting documents that were never indexed visited as if for the first time.

    Returns their number.
    """
    never = new(tx, source, most)
    if never:
        refetch.forget(tx, never)
        bulk.update(tx, resource, ("validator",), ("id",), [(None, number) for number in never])
    return len(never)


def recall_changed(tx: Tx, source: int) -> None:
    """Have documents with a waiting newer version visited again that no run would visit otherwise."""
    settled = sa.select(version.c.id).join(resource, resource.c.id == version.c.id)
    settled = settled.where(version.c.source_id == source, version.c.waiting, resource.c.state == int(UrlState.SETTLED))
    if numbers := [row[0] for row in tx.rows(settled)]:
        refetch.recall(tx, numbers)
