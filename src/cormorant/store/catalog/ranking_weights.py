"""The weights of ranking that an administrator has changed, by name. Default weights have no row."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

import sqlalchemy as sa

from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import tuning

_VALUES: Final = sa.select(tuning.c.name, tuning.c.value)
"""Executed with every search, so it is built once."""


def values(tx: Tx) -> dict[str, float]:
    """Return the changed ranking weights and their values."""
    return {row.name: row.value for row in tx.rows(_VALUES)}


def changed(tx: Tx) -> dict[str, float]:
    """Return the changed ranking weights and the time of each change (epoch seconds)."""
    return {row.name: row.changed_at for row in tx.rows(sa.select(tuning.c.name, tuning.c.changed_at))}


def edit(tx: Tx, given: Mapping[str, float]) -> None:
    """Write these values, replacing others."""
    now = tx.now()
    conflict = bulk.OnConflict(key=("name",), columns=("value", "changed_at"))
    rows = [(name, value, now) for name, value in given.items()]
    bulk.insert(tx, tuning, ("name", "value", "changed_at"), rows, conflict)


def forget(tx: Tx, names: Collection[str]) -> None:
    """Restore the default of these weights."""
    tx.execute(sa.delete(tuning).where(tuning.c.name.in_(list(names))))
