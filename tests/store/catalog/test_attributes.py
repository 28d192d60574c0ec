"""Attributes and lists of their values, as both databases keep them."""

from __future__ import annotations

from cormorant.model.attribute import AttributeType
from cormorant.store.catalog import attribute_values, attributes
from cormorant.store.catalog.attribute_values import ListedValue
from cormorant.store.catalog.attributes import SearchAttribute
from cormorant.store.db.database import Store


def test_attributes(store: Store) -> None:
    with store.begin() as tx:
        attributes.announce(tx, {"Price": AttributeType.NUMBER})
        made = SearchAttribute("Due_at", AttributeType.DATE, "administrator", "a day", True, False, 5.0, 0.0)
        attributes.put(tx, made)
        attributes.announce(tx, {"due_at": AttributeType.STRING, "Price": AttributeType.STRING})
        assert attributes.find(tx, "DUE_AT") == made
        assert [each.name for each in attributes.every(tx)] == ["Due_at", "Price"]
        assert attributes.judged_from(tx) == 0.0
        attributes.put(tx, SearchAttribute("Due_at", AttributeType.DATE, "administrator", "", False, True, 5.0, 7.5))
        found = attributes.types(tx)
        assert (found["Due_at"], found["Price"], found["Author"]) == (None, "number", "string")
        assert ([each.name for each in attributes.every(tx)], attributes.judged_from(tx)) == (["Price"], 7.5)
        assert len(attributes.every(tx, deleted=True)) == 2


def test_values(store: Store) -> None:
    sales = ListedValue("Department", "sales", "", {"": "Sales", "de": "Vertrieb ü"}, 1)
    own = ListedValue("Department", "sales", "handbook", {"": "Shop"}, 0)
    it = ListedValue("Department", "it", "", {}, 0)
    with store.begin() as tx:
        attribute_values.put(tx, [sales, own, it])
        assert attribute_values.every(tx) == [it, sales, own]
        assert attribute_values.every(tx, "Department", "handbook") == [own]
        assert attribute_values.counts(tx) == {"Department": 3}
        assert attribute_values.forget(tx, "Department", "", ["it", "none"]) == 1
        attribute_values.forget_source(tx, "handbook")
        assert attribute_values.every(tx) == [sales]
