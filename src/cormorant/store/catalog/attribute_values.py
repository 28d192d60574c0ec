"""Lists of values of attributes (LOVs), with display names by language.

The list of a source takes precedence over that of all sources: if both have a value, its display names are those of the
source's list.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import attribute_value

EVERYWHERE: Final = ""
"""In place of a source's name: the list of all sources."""
_ALL: Final = sa.select(attribute_value).order_by(
    attribute_value.c.attribute, attribute_value.c.source, attribute_value.c.place, attribute_value.c.value
)
_COLUMNS: Final = ("attribute", "source", "value", "names", "place", "created_at")


@dataclass(frozen=True, slots=True)
class ListedValue:
    """A value of a list. `names` are display names by language tag in small letters, "" for every other language."""

    attribute: str
    value: str
    source: str
    names: Mapping[str, str]
    place: int


def every(tx: Tx, attribute: str = "", source: str | None = None) -> list[ListedValue]:
    """Return the values of an attribute ("": of all), of one list or of all, in the order of the lists."""
    statement = _ALL.where(attribute_value.c.attribute == attribute) if attribute else _ALL
    statement = statement if source is None else statement.where(attribute_value.c.source == source)
    return _listed(tx, statement)


def of_attributes(tx: Tx, attributes: Collection[str], sources: Collection[str] = ()) -> list[ListedValue]:
    """Return the values of these attributes, named in any case, in the order of the lists; of `sources` if named."""
    names = sorted({each.lower() for each in attributes})
    statement = _ALL.where(sa.func.lower(attribute_value.c.attribute).in_(names))
    return _listed(tx, statement.where(attribute_value.c.source.in_(sorted(sources))) if sources else statement)


def _listed(tx: Tx, statement: sa.Select[Any]) -> list[ListedValue]:
    return [
        ListedValue(row.attribute, row.value, row.source, json.loads(row.names), row.place)
        for row in tx.rows(statement)
    ]


def in_common_lists(tx: Tx, attributes: Collection[str]) -> frozenset[str]:
    """Return those of these attributes, named in lower case, that the list of all sources has values of."""
    name = sa.func.lower(attribute_value.c.attribute)
    found = sa.select(name.label("name")).distinct().where(
        attribute_value.c.source == EVERYWHERE, name.in_(sorted(attributes))
    )  # fmt: skip
    return frozenset(row.name for row in tx.rows(found))


def counts(tx: Tx) -> dict[str, int]:
    """Return the number of values in the lists of each attribute."""
    column = attribute_value.c.attribute
    rows = tx.rows(sa.select(column, sa.func.count().label("values_")).group_by(column))
    return {row.attribute: row.values_ for row in rows}


def put(tx: Tx, rows: Iterable[ListedValue]) -> None:
    """Write values, replacing existing ones."""
    now = tx.now()
    values = [
        (row.attribute, row.source, row.value, json.dumps(dict(row.names), ensure_ascii=False), row.place, now)
        for row in rows
    ]
    conflict = bulk.OnConflict(key=("attribute", "source", "value"), columns=("names", "place"))
    bulk.insert(tx, attribute_value, _COLUMNS, values, conflict)


def forget(tx: Tx, attribute: str, source: str | None = None, values: Sequence[str] | None = None) -> int:
    """Delete values from lists, all of them if none is named; returns their number."""
    statement = sa.delete(attribute_value).where(attribute_value.c.attribute == attribute)
    if source is not None:
        statement = statement.where(attribute_value.c.source == source)
    if values is not None:
        statement = statement.where(attribute_value.c.value.in_(list(values)))
    return int(tx.execute(statement).rowcount)


def forget_source(tx: Tx, source: str) -> None:
    """Delete the lists of a source that is deleted."""
    tx.execute(sa.delete(attribute_value).where(attribute_value.c.source == source))
