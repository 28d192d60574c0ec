"""Attributes that a source declares become known at its discovery; decisions of administrators stay."""

from __future__ import annotations

from collections.abc import Mapping

from cormorant.crawl.discover import declared_attributes
from cormorant.model.attribute import AttributeType
from cormorant.store.catalog import attribute_values, attributes
from cormorant.store.catalog.attribute_values import ListedValue
from cormorant.store.catalog.attributes import SearchAttribute
from cormorant.store.db.database import Store
from tests.crawl.samples import web_source


class Declaring:
    """A source, as far as it is asked here."""

    attribute_types: Mapping[str, AttributeType] = {
        "Status": AttributeType.STRING, "Due_at": AttributeType.DATE, "a b": AttributeType.STRING,
        "Dropped": AttributeType.STRING,
    }  # fmt: skip
    value_lists: Mapping[str, Mapping[str, Mapping[str, str]]] = {
        "Status": {"open": {"": "Open", "DE": "Offen"}, " closed\x00 ": {}, "": {"": "x"}, "w" * 300: {}},
        "Unknown": {"x": {}}, "Dropped": {"x": {}},
    }  # fmt: skip


def test_what_is_declared_is_known(store: Store) -> None:
    with store.begin() as tx:
        attributes.put(tx, SearchAttribute("Dropped", AttributeType.STRING, "document", "", False, True, 0.0, 0.0))
        attribute_values.put(tx, [ListedValue("Status", "open", "desk", {"": "To do"}, 4)])
    for _ in range(2):
        declared_attributes.keep(store, Declaring(), "desk")  # type: ignore[arg-type]
    with store.read() as tx:
        found = {each.name: (each.type, each.origin) for each in attributes.every(tx)}
        assert found == {"Status": ("string", "source"), "Due_at": ("date", "source")}
        values = [(each.value, each.source, dict(each.names), each.place) for each in attribute_values.every(tx)]
    assert values == [
        ("open", "desk", {"": "To do"}, 4), ("closed", "desk", {}, 5), ("w" * 200, "desk", {}, 6),
    ]  # fmt: skip


def test_a_source_that_declares_nothing(store: Store) -> None:
    declared_attributes.keep(store, web_source(), "web")
    with store.read() as tx:
        assert attributes.every(tx) == []
