"""Search attributes of the installation: their types and origins.

A deleted attribute keeps its row, so that documents with it do not add it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa

from cormorant.base.errors import NotFoundError
from cormorant.model.attribute import BUILT_IN, AttributeType
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import attribute

ADMINISTRATOR: Final = "administrator"
SOURCE: Final = "source"
DOCUMENT: Final = "document"
"""Origins of an attribute: an administrator added it, a source declared it, or a document had it first."""
MOST_ANNOUNCED: Final = 2_000
"""Attributes that documents may add; further ones are kept with them, but cannot be searched by name."""
_ALL: Final = sa.select(attribute).order_by(attribute.c.name)
_TYPES: Final = sa.select(attribute.c.name, attribute.c.type, attribute.c.deleted)


@dataclass(frozen=True, slots=True)
class SearchAttribute:
    """A search attribute. `facet`: its values are offered beside results. Times are epoch seconds."""

    name: str
    type: AttributeType
    origin: str
    about: str
    facet: bool
    deleted: bool
    created_at: float
    judged_from: float


def every(tx: Tx, *, deleted: bool = False) -> list[SearchAttribute]:
    """Return the attributes with a row, in the order of their names; deleted ones only with `deleted`."""
    found = (_row(row) for row in tx.rows(_ALL))
    return [each for each in found if deleted or not each.deleted]


def find(tx: Tx, name: str) -> SearchAttribute | None:
    """Return an attribute with a row, deleted or not, by its name in any case."""
    rows = tx.rows(_ALL.where(sa.func.lower(attribute.c.name) == name.lower()))
    return _row(rows[0]) if rows else None


def named(tx: Tx, name: str) -> SearchAttribute:
    """Return an attribute that is not deleted. Raises NotFoundError, with the existing names."""
    found = find(tx, name)
    if found is None or found.deleted:
        names = ", ".join(each.name for each in every(tx)) or "none yet; `cormorant attribute add` makes one"
        raise NotFoundError(f"There is no attribute {name!r} that was added or found. There is: {names}.")
    return found


def types(tx: Tx) -> dict[str, AttributeType | None]:
    """Return the type of each known attribute, None for a deleted one."""
    rows = {row.name: None if row.deleted else AttributeType(row.type) for row in tx.rows(_TYPES)}
    return {**BUILT_IN, **rows}


def announce(tx: Tx, found: Mapping[str, AttributeType], origin: str = DOCUMENT) -> None:
    """Add attributes that documents have or a source declares, except known and deleted ones, up to the limit."""
    there = {row.name.lower() for row in tx.rows(_TYPES)}
    new = [name for name in found if name.lower() not in there][: max(0, MOST_ANNOUNCED - len(there))]
    now = tx.now()
    rows = [(name, found[name].value, origin, "", False, False, now, 0.0) for name in new]
    if rows:
        bulk.insert(tx, attribute, _COLUMNS, rows, bulk.OnConflict(key=("name",), columns=("deleted",), where="1 = 0"))


_COLUMNS: Final = ("name", "type", "origin", "about", "facet", "deleted", "created_at", "judged_from")


def put(tx: Tx, row: SearchAttribute) -> None:
    """Write an attribute, replacing one of that name."""
    values = (row.name, row.type.value, row.origin, row.about, row.facet, row.deleted, row.created_at, row.judged_from)
    bulk.insert(tx, attribute, _COLUMNS, [values], bulk.OnConflict(key=("name",), columns=_COLUMNS[1:]))


def judged_from(tx: Tx) -> float:
    """Return the time of the newest change for which documents have to be judged again, 0 for none."""
    return float(tx.execute(sa.select(sa.func.max(attribute.c.judged_from))).scalar() or 0.0)


def _row(row: object) -> SearchAttribute:
    values = {name: getattr(row, name) for name in _COLUMNS}
    return SearchAttribute(**{**values, "type": AttributeType(values["type"]), "facet": bool(values["facet"]),
                              "deleted": bool(values["deleted"])})  # fmt: skip
