"""Attributes and lists of values that a source declares: they are announced after discovery.

Settings of an administrator are kept: another type, the name of a value, its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from cormorant.extract.sanitize import one_line
from cormorant.model.attribute import is_attribute_name
from cormorant.sources.protocol import AttributeSource
from cormorant.store.catalog import attribute_values, attributes
from cormorant.store.catalog.attribute_values import ListedValue

if TYPE_CHECKING:
    from cormorant.sources.protocol import Source
    from cormorant.store.db.database import Store, Tx

MOST_VALUES: Final = 10_000
"""Values of one list that are stored at most."""
LONGEST: Final = 200
"""Characters of a value, and of its name."""


def keep(store: Store, source: Source, name: str) -> None:
    """Announce the attributes that a source declares; `name` is that of the source."""
    if not isinstance(source, AttributeSource) or not (source.attribute_types or source.value_lists):
        return
    declared = {each: kind for each, kind in source.attribute_types.items() if is_attribute_name(each)}
    with store.begin() as tx:
        attributes.announce(tx, declared, attributes.SOURCE)
        known = attributes.types(tx)
        for attribute, values in source.value_lists.items():
            if known.get(attribute) is not None:
                _add(tx, attribute, name, values)


def _add(tx: Tx, attribute: str, source: str, values: Mapping[str, Mapping[str, str]]) -> None:
    """Append values to the list of a source, after the existing ones."""
    there = {each.value: each for each in attribute_values.every(tx, attribute, source)}
    place = max((each.place + 1 for each in there.values()), default=0)
    new: list[ListedValue] = []
    for given, names in values.items():
        value = one_line(given, LONGEST)
        if value and value not in there and len(there) + len(new) < MOST_VALUES:
            shown = {tag.lower(): one_line(text, LONGEST) for tag, text in names.items() if text}
            new.append(ListedValue(attribute, value, source, shown, place + len(new)))
    attribute_values.put(tx, new)
