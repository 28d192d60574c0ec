"""Pending deletes: documents that search must hide although the index still has them.

    visit says gone -> hidden (no number) -> run settled: event appended, numbered -> index passed it: row goes
                          |  ^            `-> held by the deletion guard: row goes, found again until a person answers
                          v  |
                 too many meanwhile: in sight

Small on purpose: the deletion guard bounds it, and search subtracts it from every answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import sqlalchemy as sa

from cormorant.frontier.policy import backoff
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Role, UrlState
from cormorant.model.ruling import exclusion_reason
from cormorant.model.status import Status
from cormorant.model.url import fingerprint
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import content, exclusion, hidden, resource, site_source
from cormorant.store.schema.frontier import ASTRAY, NO_MEMBER

AT_ONCE: Final = 1_000
"""Documents that are put in sight, or out of it, in one transaction."""
_IN_SIGHT: Final = -1
"""The number of what waits for its run and is found meanwhile, as too much waits."""
_HIDDEN: Final = sa.or_(hidden.c.seq.is_(None), hidden.c.seq != _IN_SIGHT, hidden.c.rights_seq.is_not(None))
_EVERYTHING: Final = sa.select(hidden.c.id).where(_HIDDEN)
"""Asked with every search, so it is made once."""
WAITS: Final = sa.or_(hidden.c.seq.is_(None), hidden.c.seq == _IN_SIGHT)
"""What would go when its run settles."""
OUT_OF_SIGHT: Final = sa.case((_HIDDEN, hidden.c.id))
"""The number of a hidden document that search does not find, else NULL."""


def hide(tx: Tx, rows: Sequence[tuple[int, int, int]]) -> None:
    """Hide documents: (resource, source, run). They leave search with this transaction.

    One that is hidden already until the index has passed a change of its rights now waits for its run as well.
    """
    still = f"coalesce({{table}}.seq, 0) <> {_IN_SIGHT}"  # what is found meanwhile does not vanish for a moment
    conflict = bulk.OnConflict(key=("id",), columns=("run", "seq"), where=still)
    bulk.insert(tx, hidden, ("id", "source_id", "run", "seq"), [(*row, None) for row in sorted(rows)], conflict)


def hide_until(tx: Tx, rows: Sequence[tuple[int, int, int, int]]) -> None:
    """Hide documents until the index has passed their event: (resource, source, run, seq); for changed rights."""
    conflict = bulk.OnConflict(key=("id",), columns=("seq", "rights_seq", "run"))
    columns = ("id", "source_id", "run", "seq", "rights_seq")
    bulk.insert(tx, hidden, columns, [(*row, row[-1]) for row in rows], conflict)


def unhide(tx: Tx, ids: Sequence[int]) -> None:
    """Find documents again that a newer visit found; not before the index has passed what it must, though."""
    for start in range(0, len(ids), 1000):
        _let_be_found(tx, hidden.c.id.in_(ids[start : start + 1000]))


def _let_be_found(tx: Tx, these: sa.ColumnElement[bool]) -> int:
    """End what their run hides; what waits for its rights as well goes on waiting. Returns how many can be found."""
    of_run = sa.and_(these, WAITS)
    tx.execute(sa.update(hidden).where(of_run, hidden.c.rights_seq.is_not(None)).values(seq=hidden.c.rights_seq))
    return tx.execute(sa.delete(hidden).where(of_run)).rowcount


def passed(tx: Tx, place: int) -> None:
    """The index has come to `place`: it no longer has what was hidden up to there.

    In this order, which waits for a run that just then lets a document be found and leaves it to its rights.
    """
    tx.execute(sa.update(hidden).where(hidden.c.rights_seq <= place).values(rights_seq=None))
    tx.execute(sa.delete(hidden).where(hidden.c.seq <= place, hidden.c.seq != _IN_SIGHT))


def everything(tx: Tx) -> frozenset[int]:
    """The documents search must not find now."""
    return frozenset(row[0] for row in tx.rows(_EVERYTHING))


def is_hidden(tx: Tx, number: int) -> bool:
    """Return whether search must hide a document now."""
    return bool(tx.rows(_EVERYTHING.where(hidden.c.id == number)))


def waiting(tx: Tx, source: int, most: int, behind: int = 0) -> list[tuple[int, str]]:
    """Documents of a source that would go when its run settles: (resource, display address), by number."""
    statement = (
        sa.select(hidden.c.id, content.c.url)
        .join(content, content.c.id == hidden.c.id)
        .where(hidden.c.source_id == source, WAITS, hidden.c.id > behind)
        .order_by(hidden.c.id)
        .limit(most)
    )
    return [(row[0], row[1]) for row in tx.rows(statement)]


def waiting_count(tx: Tx, source: int) -> int:
    """Count the documents of a source that would be deleted when its run settles."""
    statement = sa.select(sa.func.count()).where(hidden.c.source_id == source, WAITS)
    return int(tx.execute(statement).scalar_one())


def waiting_by_rule(tx: Tx, source: int) -> dict[str, int]:
    """Count a source's documents, by gate and rule, that go when its run settles since a rule excludes them."""
    statement = (
        sa.select(resource.c.reason, sa.func.count())
        .select_from(hidden.join(resource, resource.c.id == hidden.c.id))
        .where(hidden.c.source_id == source, WAITS, resource.c.reason.is_not(None))
        .where(resource.c.outcome == int(OutcomeKind.EXCLUDED))
        .group_by(resource.c.reason)
    )
    return {row[0]: int(row[1]) for row in tx.rows(statement)}


def unreached_count(tx: Tx, source: int) -> int:
    """Count the documents on their way out as unreachable, once any is to be deleted for that now.

    A server that is away loses its documents some a run, as many as were tried: each time too few to be noticed.
    """
    # Not a join, which SQLite begins at every resource of the source's: it does not know that few wait.
    status = sa.select(resource.c.status).where(resource.c.id == hidden.c.id).scalar_subquery()
    waiting = sa.select(hidden.c.id).where(hidden.c.source_id == source, WAITS)
    if not tx.rows(waiting.where(status == backoff.LAST_UNREACHABLE).limit(1)):
        return 0
    counted = sa.select(sa.func.count()).select_from(content.join(resource, resource.c.id == content.c.id))
    on_their_way = resource.c.status.in_(backoff.UNREACHABLE[:-1])
    return int(tx.execute(counted.where(content.c.source_id == source, content.c.indexed, on_their_way)).scalar_one())


def of_other_rights(tx: Tx, source: int, acl: int, most: int) -> list[int]:
    """Documents of a source that search may find by other rights than those of this number, at most `most`."""
    others = sa.and_(content.c.source_id == source, content.c.indexed, content.c.acl_id != acl)
    return [row[0] for row in tx.rows(sa.select(content.c.id).where(others).order_by(content.c.id).limit(most))]


def show_again(tx: Tx, source: int) -> int:
    """Show again all documents that the run hid, because the deletion guard tripped. Returns how many documents."""
    return _let_be_found(tx, hidden.c.source_id == source)


def is_news(tx: Tx, source: int, *, shown: bool) -> bool:
    """Return whether making documents that wait for their run visible, or hiding them, would change anything."""
    return bool(tx.rows(sa.select(hidden.c.id).where(hidden.c.source_id == source, _other_than(shown=shown)).limit(1)))


def wait_in_sight(tx: Tx, source: int, *, shown: bool) -> bool:
    """Have some of what waits for its run found meanwhile, by who may read it, or not. Returns whether there is more.

    What a visit is just writing is left to the next time: each would wait for the other.
    """
    chosen = sa.select(hidden.c.id).where(hidden.c.source_id == source, _other_than(shown=shown))
    chosen = chosen.order_by(hidden.c.id).limit(AT_ONCE).with_for_update(skip_locked=True)
    numbers = [row.id for row in tx.rows(chosen)]
    bulk.update(tx, hidden, ("seq",), ("id",), [(_IN_SIGHT if shown else None, number) for number in numbers])
    return len(numbers) == AT_ONCE


def _other_than(*, shown: bool) -> sa.ColumnElement[bool]:
    return hidden.c.seq.is_(None) if shown else hidden.c.seq == _IN_SIGHT


def in_sight_count(tx: Tx, source: int) -> int:
    """Count the documents of a source that wait for their run and stay visible to search meanwhile."""
    statement = sa.select(sa.func.count()).where(hidden.c.source_id == source, hidden.c.seq == _IN_SIGHT)
    return int(tx.execute(statement).scalar_one())


def indexed_upto(tx: Tx, source: int, most: int) -> int:
    """Count the documents of a source that search may find, up to `most`."""
    some = sa.select(content.c.id).where(content.c.source_id == source, content.c.indexed).limit(max(most, 0))
    return int(tx.execute(sa.select(sa.func.count()).select_from(some.subquery())).scalar_one())


def indexed_count(tx: Tx, source: int) -> int:
    """Count the documents of a source that search may find."""
    statement = sa.select(sa.func.count()).where(content.c.source_id == source, content.c.indexed)
    return int(tx.execute(statement).scalar_one())


def leave(tx: Tx, gone: Sequence[tuple[int, int]]) -> None:
    """Documents leave the index: (resource, number of the event that says so)."""
    bulk.update(tx, content, ("indexed", "seq"), ("id",), [(False, seq, number) for number, seq in gone])
    bulk.update(tx, hidden, ("seq",), ("id",), [(seq, number) for number, seq in gone])


def absent(tx: Tx, source: int, run: int, most: int, behind: int) -> list[tuple[int, str]]:
    """Resources with a document that a complete listing of this run did not name: (resource, address), by number.

    Members of containers are not named by it; they stay as long as their container does.
    """
    statement = (
        sa.select(resource.c.id, resource.c.address)
        .join(content, content.c.id == resource.c.id)
        .where(content.c.source_id == source, content.c.indexed, resource.c.run < run, resource.c.id > behind)
        .where(NO_MEMBER)
        .order_by(resource.c.id)
        .limit(most)
    )
    return [(row[0], row[1]) for row in tx.rows(statement)]


def named(tx: Tx, source: int, addresses: Sequence[str]) -> list[tuple[int, bool]]:
    """Return the resources of a source at these addresses, each as (resource, whether it has a document).

    Less what is known to be removed and is out of sight.
    """
    columns, found = resource.c, list[tuple[int, bool]]()
    found_still = sa.and_(content.c.indexed.is_(True), content.c.id.not_in(sa.select(hidden.c.id)))
    statement = (
        sa.select(columns.id, content.c.indexed)
        .outerjoin(content, content.c.id == columns.id)
        .where(columns.source_id == source, columns.role == int(Role.DOCUMENT))
        .where(columns.site_id.in_(sa.select(site_source.c.site_id).where(site_source.c.source_id == source)))
        .where(sa.or_(columns.outcome != int(OutcomeKind.GONE), columns.status != 410, found_still))
        .where(columns.hash.in_(sa.bindparam("keys", expanding=True)))
    )
    keys = [fingerprint(each, source) for each in addresses]
    for start in range(0, len(keys), 1000):
        found += [(row[0], bool(row[1])) for row in tx.rows(statement, {"keys": keys[start : start + 1000]})]
    return found


REMOVED = "the source says that it was removed"


UNPACKED: Final = "its container no longer has it"


def mark_removed(tx: Tx, ids: Sequence[int], run: int, reason: str = REMOVED) -> None:
    """Say on the rows that they are removed, and why; nobody visits them until they are named again."""
    row = (int(UrlState.SETTLED), 1, int(OutcomeKind.GONE), 410, run, tx.now(), 0.0, reason)
    sets = ("state", "attempts", "outcome", "status", "run", "visited_at", "not_before", "reason")
    bulk.update(tx, resource, sets, ("id",), [(*row, number) for number in ids])


UNLINKED = "nothing leads to it any more"


def mark_unlinked(tx: Tx, ids: Sequence[int]) -> None:
    """Say on the rows that nothing leads to them, which is as good as a 410: their rows go when their run settles."""
    row = (int(OutcomeKind.GONE), 410, 1, UNLINKED)
    bulk.update(tx, resource, ("outcome", "status", "attempts", "reason"), ("id",), [(*row, each) for each in ids])


ABSENT = "it is no longer listed"


class Marked(NamedTuple):
    """State of a resource that a complete listing does not name, as its row now records it."""

    resource: int
    outcome: int
    status: int
    reason: str
    at: float


def mark_absent(tx: Tx, ids: Sequence[int], run: int) -> list[Marked]:
    """Say on the rows that a complete listing no longer names them, or which rule now excludes them.

    Returns those of which that is news. How often it was gone counts from here, whatever a refused run had marked.
    """
    settled, now = int(UrlState.SETTLED), tx.now()
    marks = {number: Marked(number, int(OutcomeKind.GONE), 404, ABSENT, now) for number in ids}
    statement = (
        sa.select(resource.c.id, exclusion.c.status, exclusion.c.gate, exclusion.c.rule)
        .join(exclusion, sa.and_(exclusion.c.source_id == resource.c.source_id, exclusion.c.hash == resource.c.hash))
        .where(exclusion.c.run == run, resource.c.id.in_(sa.bindparam("ids", expanding=True)))
        .where(exclusion.c.status != int(Status.NOFOLLOW_ONLY))
    )
    for start in range(0, len(ids), 1000):
        for number, status, gate, rule in tx.rows(statement, {"ids": list(ids[start : start + 1000])}):
            marks[number] = Marked(number, int(OutcomeKind.EXCLUDED), status, exclusion_reason(gate, rule), now)
    known = {row[0]: row[1:] for row in bulk.select_in(tx, resource, ("id", "outcome", "status"), "id", ids)}
    sets = ("state", "attempts", "outcome", "status", "run", "visited_at", "not_before", "reason")
    rows = [
        (settled, int(each.outcome == OutcomeKind.GONE), each.outcome, each.status, run, now, 0.0, each.reason, number)
        for number, each in marks.items()
    ]
    bulk.update(tx, resource, sets, ("id",), rows)
    return [each for each in marks.values() if tuple(known[each.resource]) != (each.outcome, each.status)]


def gone_before(tx: Tx, source: int, run: int) -> list[tuple[int, str]]:
    """Return resources that were gone before this run, which has not named them either: (resource, address)."""
    columns = resource.c
    statement = sa.select(columns.id, columns.address).where(
        ASTRAY, columns.source_id == source, columns.outcome == int(OutcomeKind.GONE), columns.run < run
    )
    return [(row[0], row[1]) for row in tx.rows(statement)]


def mark_gone_again(tx: Tx, ids: Sequence[int], run: int) -> None:
    """Say on the rows that one more run found them gone."""
    rows = [(1, run, tx.now(), number) for number in ids]
    bulk.update(tx, resource, ("attempts+", "run", "visited_at"), ("id",), rows)


def absent_count(tx: Tx, source: int, run: int) -> int:
    """Count the documents deleted in this run because its complete listing no longer names them."""
    columns = resource.c
    statement = sa.select(sa.func.count()).where(
        ASTRAY, columns.source_id == source, columns.outcome == int(OutcomeKind.GONE), columns.run == run,
        columns.attempts == 1, columns.reason == ABSENT,
    )  # fmt: skip
    return int(tx.execute(statement).scalar_one())
