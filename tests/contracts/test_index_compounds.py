"""What every index finds by parts of compounds, in the languages that write them as one word."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cormorant.model.acl import ANYONE, Reader
from cormorant.search.index.protocol import COUNT
from cormorant.search.index.query import Search
from cormorant.search.query.parser import parse
from cormorant.search.weights import DEFAULT
from tests.search.index.shelves import KINDS, Shelf, entry, shelf

STAFF = Reader("ada", frozenset(("everyone", "group:staff")))


@pytest.fixture(params=KINDS)
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shelf]:
    with shelf(request.param, tmp_path / "index") as made:
        yield made


OFFICE = (
    entry(1, "Der Urlaub beginnt im Juli.", language="de"),
    entry(2, "Den Urlaubsantrag bitte vorher abgeben.", language="de-AT"),
    entry(3, "Alle Bauanträge liegen im Rathaus.", language="de"),
    entry(4, "Ein Ei im Eigentum von Preisrichtern; Reis und Weißwein.", language="de"),
    entry(5, "Fotbollsklubben spelar i sjukhuset.", language="sv"),
    entry(6, "De zeilboten en de zorgverzekering.", language="nl"),
    entry(7, "Bestyrelsesformanden og smørrebrødsbordet.", language="da"),
    entry(8, "A houseboat and a Urlaubsantrag.", language="en"),
    entry(9, "Straßenverkehrsordnung und Übersichtskarte", language="de"),
)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("Urlaub", [1, 2]),
        ("Antrag", [2, 3]),
        ("Anträge", [2, 3]),
        ("Antrag Urlaub", [2, 1, 3]),
        ("Urlaubs", [1, 2]),
        ('"Urlaub"', [1]),
        ('"Antrag"', []),
        ("urlaub AND antrag", [2]),
        ("ei", [4]),
        ("Rat", []),
        ("über", []),
        ("straße", [9]),
        ("Strassen", [9]),
        ("ordnung", [9]),
        ("karten", [9]),
        ("klubb", [5]),
        ("fotboll", [5]),
        ("boot", [6]),
        ("boten", [6]),
        ("verzekeringen", [6]),
        ("formand", [7]),
        ("bord", [7]),
        ("smørrebrød", [7]),
        ("house", []),
        ("boat", []),
        ("Urlaubsantragsformular", []),
    ],
)
def test_parts_of_compounds(index: Shelf, query: str, found: list[int]) -> None:
    index.put(*OFFICE)
    assert index.ids(query) == found


def test_a_weight_of_nothing_leaves_compounds_alone(index: Shelf) -> None:
    index.put(*OFFICE)
    assert index.ids("Urlaub", weights=replace(DEFAULT, compound=0.0)) == [1]
    assert index.ids("Bauanträgen", weights=replace(DEFAULT, form=0.0)) == []


def test_whole_words_come_first_however_often_a_compound_stands_there(index: Shelf) -> None:
    index.put(
        entry(1, "Viele Worte und irgendwo darin auch Urlaub, der noch nicht beantragt ist. " * 3, language="de"),
        entry(2, "Urlaubsantrag Urlaubsantrag", language="de"),
        entry(3, "Urlaubsgeld", language="de"),
    )
    assert index.ids("Urlaub")[0] == 1
    assert len(index.ids("Urlaub")) == 3


def test_what_a_reader_may_not_see_is_no_part(index: Shelf) -> None:
    index.put(
        entry(1, "Urlaubsantrag", language="de", grants=("group:staff",)),
        entry(2, "Urlaubsgeld", language="de"),
        *(entry(n, "Urlaubssperre", language="de", grants=("group:staff",)) for n in range(3, 9)),
    )
    before = [(match.id, match.score) for match in index.ask("Urlaub").hits]
    assert [number for number, _ in before] == [2]
    assert len(index.ids("Urlaub", reader=STAFF)) == 8
    index.put(*(entry(n, "gesperrt", language="de", grants=("group:staff",)) for n in range(3, 9)))
    after = [(match.id, match.score) for match in index.ask("Urlaub").hits]
    assert [number for number, _ in after] == [2]


def test_many_compounds_are_all_found(index: Shelf) -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    index.put(
        *(entry(n, f"Urlaub{one}e{two}ung", language="de") for n, (one, two) in enumerate(
            (one, two) for one in "bdfgklmnprst" for two in letters
        ))
    )  # fmt: skip
    assert len(index.ids("urlaub", limit=1_000)) == 12 * 26


def test_the_reasons_add_up(index: Shelf) -> None:
    index.put(*OFFICE)
    search = Search(parse("Antrag Urlaub").query, ANYONE, weights=DEFAULT)
    for number in (1, 2, 3):
        found = index.reader.why(search, number)
        assert found is not None
        match, parts = found
        assert sum(part.points for part in parts) == pytest.approx(match.score, rel=1e-4)
        assert {part.what for part in parts} >= {"text", COUNT}
        assert match.spoken == "de"
