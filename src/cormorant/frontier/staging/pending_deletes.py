"""Pending deletes: documents that search must hide although the index still has them.

    visit: gone -> hidden (no number) -> run settled: event appended, numbered -> index processed it: row deleted
                          |  ^          `-> held by the deletion guard: row deleted, searchable until a person answers
                          v  |
                 too many meanwhile: searchable

The table is small: the deletion guard bounds it, and search subtracts it from every result.
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
from cormorant.store.schema.frontier import ASTRAY, EXCLUDED, NO_MEMBER, TROUBLED

AT_ONCE: Final = 1_000
"""Documents that are shown or hidden in one transaction."""
_IN_SIGHT: Final = -1
"""The number of documents that wait for their run and stay searchable meanwhile, since too many wait."""
_HIDDEN: Final = sa.or_(hidden.c.seq.is_(None), hidden.c.seq != _IN_SIGHT, hidden.c.rights_seq.is_not(None))
_EVERYTHING: Final = sa.select(hidden.c.id).where(_HIDDEN)
"""Executed with every search, so it is built once."""
WAITS: Final = sa.or_(hidden.c.seq.is_(None), hidden.c.seq == _IN_SIGHT)
"""Documents that are deleted when their run settles."""
OUT_OF_SIGHT: Final = sa.case((_HIDDEN, hidden.c.id))
"""The number of a hidden document that search must not find, else NULL."""


def hide(tx: Tx, rows: Sequence[tuple[int, int, int]]) -> None:
    """Hide documents: (resource, source, run). They leave search with this transaction.

    A document that is already hidden until the index has processed its new rights waits for its run as well.
    """
    still = f"coalesce({{table}}.seq, 0) <> {_IN_SIGHT}"  # documents kept searchable do not vanish for a moment
    conflict = bulk.OnConflict(key=("id",), columns=("run", "seq"), where=still)
    bulk.insert(tx, hidden, ("id", "source_id", "run", "seq"), [(*row, None) for row in sorted(rows)], conflict)


def hide_until(tx: Tx, rows: Sequence[tuple[int, int, int, int]]) -> None:
    """Hide documents until the index has processed their event: (resource, source, run, seq); for new rights."""
    conflict = bulk.OnConflict(key=("id",), columns=("seq", "rights_seq", "run"))
    columns = ("id", "source_id", "run", "seq", "rights_seq")
    bulk.insert(tx, hidden, columns, [(*row, row[-1]) for row in rows], conflict)


def unhide(tx: Tx, ids: Sequence[int]) -> None:
    """Show documents again that a newer visit found, though not before the index has processed their rights."""
    for start in range(0, len(ids), 1000):
        _let_be_found(tx, hidden.c.id.in_(ids[start : start + 1000]))


def _let_be_found(tx: Tx, these: sa.ColumnElement[bool]) -> int:
    """Show documents that their run hid; those that wait for their rights keep waiting. Returns the number shown."""
    of_run = sa.and_(these, WAITS)
    tx.execute(sa.update(hidden).where(of_run, hidden.c.rights_seq.is_not(None)).values(seq=hidden.c.rights_seq))
    return tx.execute(sa.delete(hidden).where(of_run)).rowcount


def passed(tx: Tx, place: int) -> None:
    """Delete the rows of events up to `place`, which the index has processed.

    In this order, which waits for a run that is just showing a document and leaves it to its rights.
    """
    tx.execute(sa.update(hidden).where(hidden.c.rights_seq <= place).values(rights_seq=None))
    tx.execute(sa.delete(hidden).where(hidden.c.seq <= place, hidden.c.seq != _IN_SIGHT))


def everything(tx: Tx) -> frozenset[int]:
    """Return the documents that search must not find now."""
    return frozenset(row[0] for row in tx.rows(_EVERYTHING))


def is_hidden(tx: Tx, number: int) -> bool:
    """Return whether search must hide a document now."""
    return bool(tx.rows(_EVERYTHING.where(hidden.c.id == number)))


def waiting(tx: Tx, source: int, most: int, behind: int = 0) -> list[tuple[int, str]]:
    """Return documents of a source that are deleted when its run settles: (resource, display address), by number."""
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
    """Count a source's documents, by gate and rule, that are deleted when its run settles because of a rule."""
    statement = (
        sa.select(resource.c.reason, sa.func.count())
        .select_from(hidden.join(resource, resource.c.id == hidden.c.id))
        .where(hidden.c.source_id == source, WAITS, resource.c.reason.is_not(None))
        .where(resource.c.outcome == int(OutcomeKind.EXCLUDED))
        .group_by(resource.c.reason)
    )
    return {row[0]: int(row[1]) for row in tx.rows(statement)}


def unreached_count(tx: Tx, source: int) -> int:
    """Count the documents that are becoming unreachable, if any is about to be deleted for that.

    A server that is down loses a part of its documents in each run: each time too few to be noticed.
    """
    # SQLite would begin a join at every resource of the source: it does not know that few wait.
    status = sa.select(resource.c.status).where(resource.c.id == hidden.c.id).scalar_subquery()
    waiting = sa.select(hidden.c.id).where(hidden.c.source_id == source, WAITS)
    if not tx.rows(waiting.where(status == backoff.LAST_UNREACHABLE).limit(1)):
        return 0
    counted = sa.select(sa.func.count()).select_from(content.join(resource, resource.c.id == content.c.id))
    on_their_way = resource.c.status.in_(backoff.UNREACHABLE[:-1])
    return int(tx.execute(counted.where(content.c.source_id == source, content.c.indexed, on_their_way)).scalar_one())


def of_other_rights(tx: Tx, source: int, acl: int, most: int) -> list[int]:
    """Return at most `most` searchable documents of a source with other rights than those of this number."""
    others = sa.and_(content.c.source_id == source, content.c.indexed, content.c.acl_id != acl)
    return [row[0] for row in tx.rows(sa.select(content.c.id).where(others).order_by(content.c.id).limit(most))]


def show_again(tx: Tx, source: int) -> int:
    """Show all documents that the run hid, because the deletion guard tripped. Returns their number."""
    return _let_be_found(tx, hidden.c.source_id == source)


def is_news(tx: Tx, source: int, *, shown: bool) -> bool:
    """Return whether making documents that wait for their run visible, or hiding them, would change anything."""
    return bool(tx.rows(sa.select(hidden.c.id).where(hidden.c.source_id == source, _other_than(shown=shown)).limit(1)))


def wait_in_sight(tx: Tx, source: int, *, shown: bool) -> bool:
    """Show some documents that wait for their run, or hide them. Returns whether there are more.

    Rows that a visit has locked are left to the next call, which prevents a deadlock.
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
    """Count the searchable documents of a source, up to `most`."""
    some = sa.select(content.c.id).where(content.c.source_id == source, content.c.indexed).limit(max(most, 0))
    return int(tx.execute(sa.select(sa.func.count()).select_from(some.subquery())).scalar_one())


def indexed_count(tx: Tx, source: int) -> int:
    """Count the searchable documents of a source."""
    statement = sa.select(sa.func.count()).where(content.c.source_id == source, content.c.indexed)
    return int(tx.execute(statement).scalar_one())


def leave(tx: Tx, gone: Sequence[tuple[int, int]]) -> None:
    """Delete documents from the index: (resource, number of the event)."""
    bulk.update(tx, content, ("indexed", "seq"), ("id",), [(False, seq, number) for number, seq in gone])
    bulk.update(tx, hidden, ("seq",), ("id",), [(seq, number) for number, seq in gone])


def absent(tx: Tx, source: int, run: int, most: int, behind: int) -> list[tuple[int, str]]:
    """Return documents that a complete listing of this run omits: (resource, address), by number.

    Members of containers are never listed; they stay as long as their container does.
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


def stray(tx: Tx, source: int, run: int, most: int, behind: int) -> list[tuple[int, str]]:
    """Return troubled and excluded resources that a complete listing of this run omits: (resource, address), by number.

    They failed, were deferred, excluded or read in part. Call it when those with a document were marked (`absent`).
    """
    columns = resource.c
    omitted = sa.and_(columns.source_id == source, columns.run < run, columns.id > behind)
    kept = sa.and_(NO_MEMBER, columns.role == int(Role.DOCUMENT))
    found = list[tuple[int, str]]()
    for each in (TROUBLED, EXCLUDED):
        statement = sa.select(columns.id, columns.address).where(each, omitted, kept).order_by(columns.id).limit(most)
        found += [(row[0], row[1]) for row in tx.rows(statement)]
    return sorted(found)[:most]


def named(tx: Tx, source: int, addresses: Sequence[str]) -> list[tuple[int, bool]]:
    """Return the resources of a source at these addresses, each as (resource, whether it has a document).

    Without those that are known to be removed and are hidden.
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
    """Mark rows as removed, with the reason; they are not visited until they are named again."""
    row = (int(UrlState.SETTLED), 1, int(OutcomeKind.GONE), 410, run, tx.now(), 0.0, reason)
    sets = ("state", "attempts", "outcome", "status", "run", "visited_at", "not_before", "reason")
    bulk.update(tx, resource, sets, ("id",), [(*row, number) for number in ids])


UNLINKED = "nothing leads to it any more"


def mark_unlinked(tx: Tx, ids: Sequence[int]) -> None:
    """Mark rows as unlinked, which counts like a 410: they are deleted when their run settles."""
    row = (int(OutcomeKind.GONE), 410, 1, UNLINKED)
    bulk.update(tx, resource, ("outcome", "status", "attempts", "reason"), ("id",), [(*row, each) for each in ids])


ABSENT = "it is no longer listed"


class Marked(NamedTuple):
    """New state of a resource that a complete listing omits."""

    resource: int
    outcome: int
    status: int
    reason: str
    at: float


def mark_absent(tx: Tx, ids: Sequence[int], run: int) -> list[Marked]:
    """Mark rows that a complete listing omits, or that a rule now excludes.

    Returns those with a new state. The count of runs restarts here, whatever a refused run had marked.
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
    """Return resources that were gone before this run, whose listing omits them too: (resource, address)."""
    columns = resource.c
    statement = sa.select(columns.id, columns.address).where(
        ASTRAY, columns.source_id == source, columns.outcome == int(OutcomeKind.GONE), columns.run < run
    )
    return [(row[0], row[1]) for row in tx.rows(statement)]


def mark_gone_again(tx: Tx, ids: Sequence[int], run: int) -> None:
    """Count one more run that found these rows gone."""
    rows = [(1, run, tx.now(), number) for number in ids]
    bulk.update(tx, resource, ("attempts+", "run", "visited_at"), ("id",), rows)


def absent_count(tx: Tx, source: int, run: int) -> int:
    """Count the addresses, with a document or without, that are gone since this run's complete listing omits them."""
    columns = resource.c
    statement = sa.select(sa.func.count()).where(
        ASTRAY, columns.source_id == source, columns.outcome == int(OutcomeKind.GONE), columns.run == run,
        columns.attempts == 1, columns.reason == ABSENT,
    )  # fmt: skip
    return int(tx.execute(statement).scalar_one())
