"""Takedowns: which documents are hidden from every reader, by whom, why and until when.

added --in force: hidden, not visited--> lifted by a person, or expired --> found again
          `--erase: text and copies go from the disk--> erased (a scan found nothing of them)
"""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from cormorant.base.errors import NotFoundError
from cormorant.store.database import Tx
from cormorant.store.schema import takedown

EXPIRED = "expired"
"""Who ended a takedown whose time was over."""


class TakedownRow(NamedTuple):
    """A takedown as it lies in the store: times in epoch seconds; `source` None means every source."""

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

    @property
    def in_force(self) -> bool:
        """Whether it hides documents: nobody has lifted it, and it has not expired."""
        return self.ended_at is None


class Wish(NamedTuple):
    """A takedown that a person asks for. `rule` is one of `sources.rules`, in canonical spelling."""

    rule: str
    source: str | None
    reason: str
    author: str
    expires_at: float | None
    erase: bool


def add(tx: Tx, wish: Wish) -> TakedownRow:
    """Put a takedown in force. One of the same rule and source that is in force takes the new reason and expiry."""
    same = [row for row in in_force(tx) if (row.rule, row.source) == (wish.rule, wish.source)]
    if not same:
        tx.execute(sa.insert(takedown).values(**wish._asdict(), created_at=tx.now()))
        return in_force(tx)[-1]
    values = wish._asdict() | {"erase": wish.erase or same[0].erase, "erased_at": None}
    tx.execute(sa.update(takedown).where(takedown.c.id == same[0].id).values(**values))
    return by_id(tx, same[0].id)


def all_(tx: Tx) -> list[TakedownRow]:
    """Every takedown there ever was, oldest first."""
    return [TakedownRow(*row) for row in tx.rows(sa.select(takedown).order_by(takedown.c.id))]


def in_force(tx: Tx) -> list[TakedownRow]:
    """The takedowns that hide documents now, oldest first; one whose time is over counts until it was ended."""
    statement = sa.select(takedown).where(takedown.c.ended_at.is_(None)).order_by(takedown.c.id)
    return [TakedownRow(*row) for row in tx.rows(statement)]


def by_id(tx: Tx, number: int) -> TakedownRow:
    """The takedown of that number. Raises NotFoundError."""
    rows = tx.rows(sa.select(takedown).where(takedown.c.id == number))
    if not rows:
        raise NotFoundError(f"There is no takedown {number}. `cormorant takedown list --all` shows those there are.")
    return TakedownRow(*rows[0])


def overdue(tx: Tx) -> list[TakedownRow]:
    """The takedowns in force whose time is over."""
    now = tx.now()
    return [row for row in in_force(tx) if row.expires_at is not None and row.expires_at <= now]


def end(tx: Tx, number: int, author: str) -> None:
    """Have a takedown no longer in force."""
    tx.execute(sa.update(takedown).where(takedown.c.id == number).values(ended_at=tx.now(), ended_by=author))


def mark_erased(tx: Tx, number: int, *, erased: bool = True) -> None:
    """Note that a scan found nothing of its documents on the disk, or that they have to be erased once more."""
    tx.execute(sa.update(takedown).where(takedown.c.id == number).values(erased_at=tx.now() if erased else None))


def restore(tx: Tx, rows: list[TakedownRow]) -> None:
    """Put takedowns back that an older backup does not know or knows as lifted; each keeps its number."""
    for row in rows:
        tx.execute(sa.delete(takedown).where(takedown.c.id == row.id))
        tx.execute(sa.insert(takedown).values(**row._asdict()))
