"""Attributes and lists of their values: what administrators may do, and what they are told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.base.errors import ConflictError, CormorantError, NotFoundError, UsageError
from cormorant.model.attribute import AttributeType
from cormorant.operate.installation import Installation
from cormorant.operate.search import attributes, value_lists
from cormorant.operate.search.attributes import AttributeEdit
from cormorant.store.catalog import attributes as catalog
from tests.journeys.home import Home

STRING = AttributeType.STRING


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    with Home(tmp_path / "data").house(first=True) as opened:
        yield opened


def test_an_attribute_is_added_edited_deleted_and_added_once_more(house: Installation) -> None:
    added = attributes.add(house, "Department", AttributeEdit(about="Who wrote  it", facet=True))
    assert (added["type"], added["origin"], added["about"], added["facet"]) == (
        "string", "administrator", "Who wrote it", True,
    )  # fmt: skip
    assert added["recrawl"] is None, "no document has it"
    assert attributes.edit(house, "department", AttributeEdit(facet=False))["recrawl"] is None
    retyped = attributes.edit(house, "Department", AttributeEdit("number"))
    assert (retyped["type"], retyped["about"], retyped["recrawl"]) == (
        "number",
        "Who wrote it",
        {"sources": 0, "documents": 0},
    )
    value_lists.add(house, "Department", "1", {})
    assert attributes.delete(house, "Department")["deleted"] == "Department"
    assert value_lists.listed(house) == []
    with house.store.begin() as tx:
        catalog.announce(tx, {"Department": STRING})
        assert catalog.types(tx)["Department"] is None, "documents do not bring it back"
    again = attributes.add(house, "DEPARTMENT", AttributeEdit())
    assert (again["name"], again["recrawl"] is not None) == ("Department", True)


def test_documents_make_attributes_known(house: Installation) -> None:
    with house.store.begin() as tx:
        catalog.announce(tx, {"Price": AttributeType.NUMBER, "Due_at": AttributeType.DATE})
        catalog.announce(tx, {"price": STRING, "Price": STRING})
    found = {each["name"]: (each["type"], each["origin"]) for each in attributes.listed(house)}
    assert found["Price"] == ("number", "document")
    assert found["Due_at"] == ("date", "document")
    assert "price" not in found
    with house.store.begin() as tx:
        catalog.announce(tx, {f"a{number}": STRING for number in range(catalog.MOST_ANNOUNCED)})
        assert len(catalog.every(tx)) == catalog.MOST_ANNOUNCED


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda house: attributes.add(house, "a b", AttributeEdit()), UsageError, "no name of an attribute"),
        (lambda house: attributes.add(house, "author", AttributeEdit()), ConflictError, "'Author' is an attribute of"),
        (lambda house: attributes.add(house, "X", AttributeEdit("text")), UsageError, "string, number, date"),
        (lambda house: attributes.edit(house, "Autor", AttributeEdit()), NotFoundError, "Did you mean 'Author'?"),
        (lambda house: attributes.edit(house, "Author", AttributeEdit("date")), ConflictError, "its type stays string"),
        (lambda house: attributes.edit(house, "Title", AttributeEdit(facet=True)), ConflictError, "is a field of"),
        (lambda house: attributes.delete(house, "Keywords"), ConflictError, "attribute_map"),
        (lambda house: value_lists.add(house, "Nowhere", "x", {}), NotFoundError, "no attribute 'Nowhere'"),
        (lambda house: value_lists.add(house, "Author", " ", {}), UsageError, "is no value"),
        (lambda house: value_lists.add(house, "Author", "x", {"DE!": "y"}), UsageError, "no language tag"),
        (lambda house: value_lists.add(house, "Author", "x", {}, "nowhere"), NotFoundError, "nowhere"),
        (lambda house: value_lists.delete(house, "Author", "x"), NotFoundError, "no such value"),
        (lambda house: value_lists.edit(house, "Author", "x", {"": "y"}), NotFoundError, "is not in this list"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(
    house: Installation, call: object, error: type[CormorantError], words: str
) -> None:
    with pytest.raises(error) as raised:
        call(house)  # type: ignore[operator]
    assert words in raised.value.sentence


def test_a_built_in_attribute_may_be_offered_beside_results(house: Installation) -> None:
    edited = attributes.edit(house, "Author", AttributeEdit(facet=True))
    assert (edited["facet"], edited["origin"]) == (True, "system")
    assert next(each for each in attributes.listed(house) if each["name"] == "Author")["facet"]


def test_lists_are_written_and_read_again(house: Installation) -> None:
    attributes.add(house, "Year", AttributeEdit("number"))
    value_lists.add(house, "Author", "ada", value_lists.display_names(["Ada, Countess", "de=Ada", "fr=a=b"]))
    value_lists.add(house, "author", "bob", {})
    value_lists.add(house, "Year", "2026.0", {"": "This year"})
    records = value_lists.listed(house)
    assert [(each["attribute"], each["value"]) for each in records] == [
        ("Author", "ada"), ("Author", "bob"), ("Year", "2026"),
    ]  # fmt: skip
    assert records[0]["names"] == {"": "Ada, Countess", "de": "Ada", "fr": "a=b"}
    for form in ("csv", "json"):
        text = value_lists.exported(records, form)
        assert value_lists.load(house, text.encode()) == {"added": 0, "changed": 0}
        for name in ("Author", "Year"):
            value_lists.delete(house, name)
        assert value_lists.load(house, text.encode()) == {"added": 3, "changed": 0}
        assert value_lists.listed(house) == records
    value_lists.edit(house, "Author", "ada", {"fr": "", "": "Ada L."})
    assert value_lists.listed(house, "Author")[0]["names"] == {"": "Ada L.", "de": "Ada"}
    whole = json.dumps(records)
    assert value_lists.load(house, whole.encode()) == {"added": 0, "changed": 1}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"name\nx\n", "needs attribute and value"),
        (b"attribute,value\nAuthor,a\nNobody,b\n", "Line 3: there is no attribute 'Nobody'"),
        (b"attribute,value\nAuthor,\n", "Line 2: "),
        (b"attribute,value\nAuthor,a,b,c\n", "Line 2: it has no attribute, or more cells"),
        (b"attribute,value,name:d!\nAuthor,a,x\n", "Line 2: 'd!' is no language tag"),
        (b'{"attribute": "Author"', "Line 1 is no JSON"),
        (b'{"attribute": "Author", "value": "a", "names": {"de": 1}}', "its names are no texts"),
        (b"[" * 100_000, "is no JSON"),
        (b"\xff\xfe", "no text in UTF-8"),
        (b'attribute,value\n"Author,a\n', "is no CSV"),
    ],
)
def test_a_file_that_is_wrong_changes_nothing(house: Installation, data: bytes, words: str) -> None:
    with pytest.raises(CormorantError) as raised:
        value_lists.load(house, data)
    assert words in raised.value.sentence
    assert value_lists.listed(house) == []
