"""Search attributes of a document: its attributes under the names of its source's map, in the types of the catalog.

    META department, property, attribute --attribute_map--> Department --its type--> kept, or dropped

An undeclared attribute gets its type from its name and its first value.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from cormorant.extract.sanitize import one_line
from cormorant.model.attribute import (
    BUILT_IN,
    MOST_VALUES,
    AttributeType,
    each_value,
    is_attribute_name,
    packed,
    type_by_value,
    typed,
)
from cormorant.model.content import Extraction, Value
from cormorant.model.no_text import OF_READING, READ_BY
from cormorant.model.text import display_directives
from cormorant.store.catalog import attributes as catalog

if TYPE_CHECKING:
    from cormorant.base.clock import Clock
    from cormorant.store.db.database import Store

TITLE: Final = "Title"
"""The one document field to which an attribute may be mapped."""
HOLD_S: Final = 5.0
"""Seconds for which the catalog is cached."""


def with_search_attributes(
    said: Extraction, by_name: Mapping[str, str], types: Mapping[str, AttributeType | None]
) -> Extraction:
    """Return an extraction whose attributes are search attributes; without attributes it is returned unchanged.

    `by_name` is the map of the source by names in lower case, `types` those of the catalog, None for a deleted one.
    """
    if not said.attributes:
        return said
    named = _mapped(said.attributes, by_name) if by_name else said.attributes
    title = named.get(TITLE) if by_name else None
    kept = {name: value for name, value in _typed(named, types) if name != TITLE or title is None}
    if title is not None:
        said = replace(said, title=one_line(str(each_value(title)[0])) or said.title)
    return said if kept == said.attributes else replace(said, attributes=kept)


def _mapped(attributes: Mapping[str, Value], by_name: Mapping[str, str]) -> dict[str, Value]:
    """Return attributes under their new names; values mapped to the same name are joined."""
    found: dict[str, Value] = {}
    for name, value in attributes.items():
        wanted = by_name.get(name.lower(), name)
        if not wanted:
            continue
        known = found.get(wanted)
        joined = value if known is None else packed([*each_value(known), *each_value(value)][:MOST_VALUES])
        found[wanted] = value if joined is None else joined
    return found


def _typed(
    attributes: Mapping[str, Value], types: Mapping[str, AttributeType | None]
) -> list[tuple[str, Value]]:  # fmt: skip
    found = []
    for name, value in attributes.items():
        wanted = types.get(name) if name in types else type_by_value(name, value)
        made = typed(value, wanted) if wanted is not None else None
        if made is not None:
            found.append((name, made))
    return found


_MARKS: Final = frozenset(
    (display_directives.ATTRIBUTE, display_directives.CANONICAL, display_directives.FILE_NAME, *OF_READING, READ_BY)
)
"""Internal attributes, which other modules read."""


def unannounced(found: Mapping[str, AttributeType], known: Container[str]) -> dict[str, AttributeType]:
    """Return the attributes of documents to announce: those that a search can filter by name."""
    return {
        name: kind for name, kind in found.items()
        if name not in known and name not in BUILT_IN and name not in _MARKS and is_attribute_name(name)
    }  # fmt: skip


def catalog_types(store: Store, clock: Clock) -> Callable[[], Mapping[str, AttributeType | None]]:
    """Return a function that gives the types of the catalog, None for deleted attributes, at most HOLD_S old."""
    known: dict[str, AttributeType | None] = {}
    looked_at = -HOLD_S

    def types() -> Mapping[str, AttributeType | None]:
        nonlocal known, looked_at
        now = clock.monotonic()
        if now - looked_at >= HOLD_S:
            with store.read() as tx:
                known = catalog.types(tx)
            looked_at = now
        return known

    return types
