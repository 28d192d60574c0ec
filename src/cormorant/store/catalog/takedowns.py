"""Takedowns: documents hidden from every reader, with author, reason and expiry.

added --in force: hidden, not visited--> lifted by a person, or expired --> searchable again
          `--erase: text and copies deleted from the disk--> erased (a scan found no trace of them)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa

from cormorant.base.errors import ConflictError, NotFoundError
from cormorant.model.settings.bounded import NUMBERS
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import takedown, withdrawn

EXPIRED = "expired"
"""The author of the end of an expired takedown."""
_LOCK = 7_286_541
"""The advisory lock of PostgreSQL under which batches are settled, and that a new takedown takes exclusively."""


class TakedownRow(NamedTuple):
    """A takedown as stored: times in epoch seconds; `source` None means every source."""

    id: int
    rule: str
    source: str | None
    reason: str
    author: str
    created_at: float
    expires_at: float | None
    erase: bool
    erased_at: float | None
    ended_at: float | None
    ended_by: str | None
    carried_out: bool

    @property
    def in_force(self) -> bool:
        """Return whether the takedown hides documents: it is neither lifted nor expired."""
        return self.ended_at is None


class NewTakedownRow(NamedTuple):
    """A requested takedown. `rule` is one of `sources.rules`, in canonical spelling."""

    rule: str
    source: str | None
    reason: str
    author: str
    expires_at: float | None
    erase: bool


def hold(tx: Tx, *, alone: bool) -> None:
    """Prevent changes of takedowns until this transaction ends; `alone`: after all batches that know them are settled.

    SQLite has one writer, so there is nothing to do.
    """
    if not tx.sqlite:
        tx.driver(f"SELECT pg_advisory_xact_lock{'' if alone else '_shared'}({_LOCK})")


def add(tx: Tx, wish: NewTakedownRow) -> TakedownRow:
    """Put a takedown in force; an equal one in force may get `erase` added.

    Raises ConflictError if nothing else would change.
    """
    hold(tx, alone=True)
    same = [row for row in in_force(tx) if (row.rule, row.source) == (wish.rule, wish.source)]
    if not same:
        tx.execute(sa.insert(takedown).values(**wish._asdict(), created_at=tx.now()))
        return in_force(tx)[-1]
    if not wish.erase:
        raise ConflictError(
            f"Takedown {same[0].id} of {same[0].author} hides this already: {same[0].reason!r}. Lift it first to give "
            "other terms, or add --erase."
        )
    values = {"erase": True, "erased_at": None, "carried_out": False}
    tx.execute(sa.update(takedown).where(takedown.c.id == same[0].id).values(**values))
    return by_id(tx, same[0].id)


def all_(tx: Tx) -> list[TakedownRow]:
    """Return every takedown, also ended ones, oldest first."""
    return [TakedownRow(*row) for row in tx.rows(sa.select(takedown).order_by(takedown.c.id))]


def in_force(tx: Tx) -> list[TakedownRow]:
    """Return the takedowns that hide documents now, oldest first; an expired one counts until it is ended."""
    statement = sa.select(takedown).where(takedown.c.ended_at.is_(None)).order_by(takedown.c.id)
    return [TakedownRow(*row) for row in tx.rows(statement)]


def by_id(tx: Tx, number: int) -> TakedownRow:
    """Return the takedown of that number. Raises NotFoundError."""
    rows = tx.rows(sa.select(takedown).where(takedown.c.id == number)) if number in NUMBERS else []
    if not rows:
        raise NotFoundError(f"There is no takedown {number}. `cormorant takedown list --all` lists them.")
    return TakedownRow(*rows[0])


def overdue(tx: Tx) -> list[TakedownRow]:
    """The takedowns in force whose time is over."""
    now = tx.now()
    return [row for row in in_force(tx) if row.expires_at is not None and row.expires_at <= now]


def unfinished(tx: Tx) -> list[TakedownRow]:
    """The takedowns that were begun, or ended, by a command that did not come to its end."""
    statement = sa.select(takedown).where(takedown.c.carried_out.is_(False)).order_by(takedown.c.id)
    return [TakedownRow(*row) for row in tx.rows(statement)]


def end(tx: Tx, number: int, author: str) -> bool:
    """Have a takedown no longer in force; says whether it was until now."""
    mine = sa.and_(takedown.c.id == number, takedown.c.ended_at.is_(None))
    values = {"ended_at": tx.now(), "ended_by": author, "carried_out": False}
    return tx.execute(sa.update(takedown).where(mine).values(**values)).rowcount == 1


def carry_out(tx: Tx, number: int) -> None:
    """Mark a takedown as carried out: its documents are hidden, or searchable again after its end."""
    tx.execute(sa.update(takedown).where(takedown.c.id == number).values(carried_out=True))


def withdraw(tx: Tx, documents: Sequence[tuple[int, int, str | None]]) -> None:
    """Store documents that were searchable until now: (resource, source, remark of the last visit)."""
    again = bulk.OnConflict(key=("id",), columns=("source_id", "reason"))
    bulk.insert(tx, withdrawn, ("id", "source_id", "reason"), documents, again)


def were_found(tx: Tx, numbers: Sequence[int]) -> dict[int, str | None]:
    """Return those of these documents that were searchable before a takedown, with the remark of their last visit."""
    return dict(bulk.select_in(tx, withdrawn, ("id", "reason"), "id", numbers))


def give_back(tx: Tx, numbers: Sequence[int]) -> None:
    """Delete the record that these documents were searchable."""
    for start in range(0, len(numbers), 1000):
        tx.execute(sa.delete(withdrawn).where(withdrawn.c.id.in_(numbers[start : start + 1000])))


def mark_erased(tx: Tx, number: int, *, erased: bool = True) -> None:
    """Store that a scan found no trace of its documents on disk, or that they must be erased again."""
    tx.execute(sa.update(takedown).where(takedown.c.id == number).values(erased_at=tx.now() if erased else None))


def restore(tx: Tx, rows: list[TakedownRow]) -> None:
    """Restore takedowns that an older backup lacks or has as lifted; each keeps its number."""
    for row in rows:
        tx.execute(sa.delete(takedown).where(takedown.c.id == row.id))
        tx.execute(sa.insert(takedown).values(**row._asdict()))
