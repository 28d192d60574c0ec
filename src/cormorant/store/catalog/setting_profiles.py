"""Named sets of settings that many sources share, and the system's own.

    built in < SYSTEM < the set that a source names < the source's own settings

A set holds, for each kind of source, the settings that the kind has.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from cormorant.base.errors import ConflictError, NotFoundError
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import parameters

SYSTEM = "system"
"""The set that holds for every source."""
NAMED_BY = "parameters"
"""The setting by which a source names a set."""
_ALL: Final = sa.select(parameters).order_by(parameters.c.name)


@dataclass(frozen=True, slots=True)
class Parameters:
    """A set: its settings by kind of source, and the number of its edits."""

    name: str
    settings: Mapping[str, Mapping[str, Any]]
    version: int
    created_at: float

    @property
    def given(self) -> dict[str, Any]:
        """Its settings, of any kind."""
        return {name: value for of_kind in self.settings.values() for name, value in of_kind.items()}


def every(tx: Tx) -> dict[str, Parameters]:
    """Return all sets by name."""
    return {
        row.name: Parameters(row.name, bulk.read_settings(row.settings), row.version, row.created_at)
        for row in tx.rows(_ALL)
    }


def named(tx: Tx, name: str) -> Parameters:
    """Return the set of that name. Raises NotFoundError, with the existing names."""
    known = every(tx)
    if name not in known:
        names = ", ".join(known) or "none yet; `cormorant parameters add` makes one"
        raise NotFoundError(f"There is no set of parameters {name!r}. There is: {names}.")
    return known[name]


def add(tx: Tx, name: str, settings: Mapping[str, Mapping[str, Any]]) -> None:
    """Insert a new set. Raises ConflictError if the name is taken."""
    if name in every(tx):
        raise ConflictError(f"There is a set of parameters {name!r} already. Choose another name, or edit that one.")
    keep(tx, name, settings)


def keep(tx: Tx, name: str, settings: Mapping[str, Mapping[str, Any]]) -> None:
    """Write a set, replacing one of that name."""
    before = every(tx).get(name)
    values = (name, json.dumps(settings, sort_keys=True), before.version + 1 if before else 1)
    at = before.created_at if before else tx.now()
    conflict = bulk.OnConflict(key=("name",), columns=("settings", "version"))
    bulk.insert(tx, parameters, ("name", "settings", "version", "created_at"), [(*values, at)], conflict)


def delete(tx: Tx, name: str) -> None:
    """Delete a set."""
    tx.execute(sa.delete(parameters).where(parameters.c.name == name))


def inherited(known: Mapping[str, Parameters], kind: str, own: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
    """Return the settings that a source with these own settings inherits: name -> value, and its set."""
    found: dict[str, tuple[Any, str]] = {}
    for name in (SYSTEM, str(own.get(NAMED_BY, ""))):
        if name in known:
            found |= {key: (value, name) for key, value in known[name].settings.get(kind, {}).items()}
    return {key: value for key, value in found.items() if key not in own}
