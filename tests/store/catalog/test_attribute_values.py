"""Lists of values: those of some attributes are read, and no others."""

from __future__ import annotations

from cormorant.store.catalog import attribute_values
from cormorant.store.catalog.attribute_values import EVERYWHERE, ListedValue
from cormorant.store.db.database import Store

ROWS = (
    ListedValue("Department", "sales", EVERYWHERE, {"": "Sales"}, 0),
    ListedValue("Department", "it", "papers", {}, 0),
    ListedValue("Colour", "red", "papers", {"de": "Rot"}, 1),
    ListedValue("Colour", "blue", "papers", {}, 0),
    ListedValue("Shape", "round", EVERYWHERE, {}, 0),
)


def test_values_are_those_of_the_attributes_and_sources(store: Store) -> None:
    with store.begin() as tx:
        attribute_values.put(tx, ROWS)
    with store.read() as tx:
        both = attribute_values.of_attributes(tx, ["department", "COLOUR", "None"])
        assert [each.value for each in both] == ["blue", "red", "sales", "it"]
        assert both[1] == ROWS[2]
        common = attribute_values.of_attributes(tx, ["Department", "Colour"], [EVERYWHERE])
        assert [each.value for each in common] == ["sales"]
        assert [each.value for each in attribute_values.of_attributes(tx, ["Colour"], ["other", EVERYWHERE])] == []
        assert attribute_values.of_attributes(tx, []) == []


def test_common_lists_are_those_of_all_sources(store: Store) -> None:
    with store.begin() as tx:
        attribute_values.put(tx, ROWS)
    with store.read() as tx:
        found = attribute_values.in_common_lists(tx, {"department", "colour", "shape", "none"})
        assert found == {"department", "shape"}
        assert attribute_values.in_common_lists(tx, {"Shape"}) == frozenset(), "names are given in lower case"
