"""Fields of the advanced form for attributes: a choice of listed values, or of those that documents have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from cormorant.model.acl import ANYONE, Reader
from cormorant.model.attribute import AttributeType
from cormorant.operate.installation import Installation
from cormorant.operate.search import attributes, value_lists
from cormorant.search.reader import Library
from cormorant.store.catalog import attribute_values, attributes as catalog

MOST_FIELDS: Final = 30
MOST_FOUND: Final = 50
"""Values of documents that are offered if there is no list; with more, the field is for typing."""
MOST_LISTED: Final = 10_000
"""Values of documents that are compared with a list."""
WHOLE: Final = "="
"""Sign before a value that has to match as a whole, as in a query."""
_EXAMPLES: Final = {
    AttributeType.STRING: "", AttributeType.NUMBER: "10..20", AttributeType.DATE: "2026-01..2026-03",
}  # fmt: skip


class AttributeField(NamedTuple):
    """A field for an attribute. `choices` are texts for a query after its colon, with labels; none: a text field."""

    name: str
    choices: tuple[tuple[str, str], ...] = ()
    example: str = ""

    @property
    def typed(self) -> frozenset[str]:
        """The choices as they are typed."""
        return frozenset(typed for typed, _ in self.choices)


def fields(
    house: Installation, shelf: Library, languages: Sequence[str], reader: Reader = ANYONE
) -> tuple[AttributeField, ...]:
    """Return the fields for attributes that have a list of values or are offered beside results, by name.

    From the list of a source, and if there is no list, only values of documents that this reader may see are offered;
    an attribute without any has no field.
    """
    with house.store.read() as tx:
        offered = {each.name for each in catalog.every(tx) if each.facet}
        listed = attribute_values.counts(tx).keys()
    known = attributes.known(house)
    names = sorted((offered | listed) & {name for name, _ in known.values()}, key=str.lower)[:MOST_FIELDS]
    labels = value_lists.labels(house, names, languages)
    common = value_lists.labels(house, names, sources=(attribute_values.EVERYWHERE,))
    found = []
    seen_names = shelf.seen_attributes(names, reader)
    for name in (each for each in names if each.lower() in seen_names):
        own, anyones = labels.get(name.lower(), {}), common.get(name.lower(), {})
        if own.keys() - anyones.keys():
            seen = {*anyones, *shelf.values(name, reader, MOST_LISTED)}
            own = {value: label for value, label in own.items() if value in seen}
        found.append(_field(shelf, name, known[name.lower()][1], own, reader))
    return tuple(found)


def _field(shelf: Library, name: str, kind: AttributeType, labels: dict[str, str], reader: Reader) -> AttributeField:
    if labels:
        return AttributeField(name, tuple((f"{WHOLE}{value}", label) for value, label in labels.items()))
    found = shelf.values(name, reader, MOST_FOUND + 1) if kind is not AttributeType.DATE else ()
    if not found or len(found) > MOST_FOUND:
        return AttributeField(name, (), _EXAMPLES[kind])
    return AttributeField(name, tuple((f"{WHOLE}{value}", value) for value in sorted(found, key=str.lower)))
