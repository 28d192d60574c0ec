"""Which values of attributes the advanced form offers to whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from cormorant.app import settings
from cormorant.app.build import BuildPlan, open_house
from cormorant.base.errors import NotFoundError
from cormorant.model.acl import ANYONE, Reader
from cormorant.operate.installation import Installation
from cormorant.operate.search import attribute_form, search, value_lists
from cormorant.search.query.filters import Filters
from cormorant.search.reader import Library, Question
from tests.cli.world import InstalledCli

PEOPLE = Reader("ada", frozenset(("everyone", "group:hr")))


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    """An installation with one document, of a source for group:hr, whose attributes are Department and Codename."""
    home = InstalledCli(tmp_path / "data")
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.html").write_text(
        "<title>Plan</title><meta name=department content=merger><meta name=codename content=acme><p>plan"
    )
    mapped = ("--set", "attribute_map=department=Department", "--set", "attribute_map=codename=Codename")
    home.fine(
        "source", "add", "files", "closed", "--set", f"path={tmp_path / 'papers'}", *mapped, "--set", "grants=group:hr"
    )
    home.fine("attribute", "add", "Department")
    home.fine("attribute", "add", "Codename", "--facet")
    home.fine("crawl", "closed")
    made = open_house(BuildPlan(home.folder, settings.load(None)), first=True)
    yield made
    made.store.close()


def test_values_of_a_closed_source_are_offered_to_its_readers_alone(house: Installation) -> None:
    value_lists.add(house, "Department", "sales", {"": "Sales"})
    value_lists.add(house, "Department", "merger", {"": "Merger with Acme"}, "closed")
    shelf = search.library(house)

    def offered(reader: Reader) -> set[str]:
        found = attribute_form.fields(house, shelf, (), reader)
        return {label for each in found for _, label in each.choices}

    assert offered(ANYONE) == {"Sales"}
    assert offered(PEOPLE) == {"Sales", "Merger with Acme", "acme"}
    assert [each.name for each in attribute_form.fields(house, shelf, (), ANYONE)] == ["Department"]


@pytest.mark.parametrize(
    ("asked", "counted"),
    [
        (Question("plan", facets=True, facet_attributes=("codename",)), ["acme"]),
        (Question("nothing", facets=True, facet_attributes=("Codename",)), []),
        (Question("plan", chosen=Filters(attributes=(("CodeName", "acme"),))), []),
    ],
)
def test_an_attribute_of_a_closed_source_is_unknown_to_others(
    house: Installation, asked: Question, counted: list[str]
) -> None:
    """The answer is that for a name that nobody knows, whether or not a document is found."""

    def refusal(question: Question) -> str:
        with pytest.raises(NotFoundError) as raised:
            search.search(house, question)
        return raised.value.sentence

    other = replace(
        asked,
        facet_attributes=tuple("Nowhere" for _ in asked.facet_attributes),
        chosen=Filters(attributes=tuple(("Nowhere", value) for _, value in asked.chosen.attributes)),
    )
    assert refusal(asked).lower() == refusal(other).lower().replace("nowhere", "codename")
    found = search.search(house, asked, PEOPLE)
    assert [each.value for facet in found.attribute_facets for each in facet.choices] == counted


def test_a_hit_proves_the_chosen_attribute(house: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    tallied = list[str]()

    def seen(_: Library, names: Sequence[str], reader: Reader) -> frozenset[str]:
        tallied.extend(names)
        return frozenset(name.lower() for name in names)

    monkeypatch.setattr("cormorant.search.reader.Library.seen_attributes", seen)
    for value in ("acme", "none"):
        search.search(house, Question("plan", chosen=Filters(attributes=(("CodeName", value),))), PEOPLE)
    assert tallied == ["CodeName"], "the whole index is asked for an answer without hits alone"


def test_an_attribute_with_a_common_list_is_known_to_everybody(house: Installation) -> None:
    value_lists.add(house, "Department", "sales", {"": "Sales"})
    for name in ("Department", "Author", "Codename"):
        asked = Question("plan", facets=True, facet_attributes=(name,))
        assert search.search(house, asked, offered=("Codename",)).attribute_facets[0].choices == ()
