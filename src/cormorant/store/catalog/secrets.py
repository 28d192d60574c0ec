"""The secrets of an installation: by name, sealed, and never displayed."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import sqlalchemy as sa

from cormorant.base.errors import ConflictError, NotFoundError
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import secret


class SecretRow(NamedTuple):
    """A secret as stored."""

    name: str
    sealed: bytes
    created_at: float
    changed_at: float


def add(tx: Tx, name: str, sealed: bytes) -> None:
    """Insert a new secret. Raises ConflictError if the name is taken."""
    if _found(tx, name):
        raise ConflictError(f"There is a secret {name!r} already. `cormorant secret edit {name}` changes it.")
    now = tx.now()
    tx.execute(sa.insert(secret).values(name=name, sealed=sealed, created_at=now, changed_at=now))


def edit(tx: Tx, name: str, sealed: bytes, *, touch: bool = True) -> None:
    """Replace the sealed value; `touch`: the plain value has changed. Raises NotFoundError."""
    named(tx, name)
    values = {"sealed": sealed, **({"changed_at": tx.now()} if touch else {})}
    tx.execute(sa.update(secret).where(secret.c.name == name).values(**values))


def delete(tx: Tx, name: str) -> None:
    """Delete a secret. Raises NotFoundError."""
    named(tx, name)
    tx.execute(sa.delete(secret).where(secret.c.name == name))


def every(tx: Tx) -> list[SecretRow]:
    """Return all secrets by name."""
    return [SecretRow(*row) for row in tx.rows(sa.select(secret).order_by(secret.c.name))]


def named(tx: Tx, name: str) -> SecretRow:
    """Return the secret of that name. Raises NotFoundError, with the command that adds it."""
    rows = _found(tx, name)
    if not rows:
        raise NotFoundError(f"There is no secret {name!r}. `cormorant secret add {name}` adds one.")
    return rows[0]


def changed_at(tx: Tx, names: Collection[str]) -> float:
    """Return when any of these secrets changed last, in epoch seconds; 0 if none exists."""
    newest = sa.select(sa.func.max(secret.c.changed_at)).where(secret.c.name.in_(names))
    return float(tx.execute(newest).scalar_one() or 0.0) if names else 0.0


def _found(tx: Tx, name: str) -> list[SecretRow]:
    if bulk.storable(name) != name:
        return []
    return [SecretRow(*row) for row in tx.rows(sa.select(secret).where(secret.c.name == name))]
