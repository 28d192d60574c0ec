"""What every index finds by forms of words, wildcards, tildes, words near each other, ranges and fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from cormorant.model.acl import ANYONE, Reader
from cormorant.search.index.document import Delete
from cormorant.search.weights import DEFAULT
from tests.search.index.shelves import KINDS, Shelf, entry, shelf


@pytest.fixture(params=KINDS)
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shelf]:
    with shelf(request.param, tmp_path / "index") as made:
        yield made


DAY = 86_400.0
LIBRARY = (
    entry(1, "The runner was running from the houses of two cities.", language="en", modified_at=10 * DAY),
    entry(2, "Er verlässt die Häuser der Stadt, die er baute.", language="de-CH", modified_at=20 * DAY, size_bytes=500),
    entry(3, "Les chevaux courent vers la maison nationale.", language="fr", size_bytes=2_000_000, depth=3),
    entry(4, "A run in the city, past one house.", url="https://docs.example.org/Annual%20Report/2025?page=two"),
    entry(5, "hotel hotels hotle motel", attributes={"Headline1": ("Where to sleep",), "Headline2": ("Cheaply",)}),
    entry(6, "alpha one two beta; gamma three alpha beta delta", anchors=("the Greek letters",), depth=1),
    entry(7, "accommodation", language="en"),
)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("run", {1, 4}),
        ("runs", {1, 4}),
        ('"run"', {4}),
        ("house", {1, 4}),
        ("city", {1, 4}),
        ("cities", {1, 4}),
        ("haus", {2}),
        ("HÄUSERN", {2}),
        ('"haus"', set()),
        ("nationaux", {3}),
        ("cheval", {3}),
        ("title:runs", set()),
        ("text:runs", {1, 4}),
        ("-runs", {2, 3, 5, 6, 7}),
        ("runs AND cities", {1, 4}),
        ("h?tel", {5}),
        ("*tel", {5}),
        ("m*l", {5}),
        ("ho*l?", {5}),
        ("ho*?x", set()),
        ("h?t?l*", {5}),
        ("V*SST", {2}),
        ("hotel~1", {5}),
        ("hotle~1", {5}),
        ("hxtel~1", {5}),
        ("hxtxl~1", set()),
        ("hxtxl~2", {5}),
        ("acomodation~", {7}),
        ("akomodation~", set()),
        ('"alpha beta"', {6}),
        ('"alpha gamma"~3', {6}),
        ('"gamma alpha"~1', {6}),
        ('"gamma alpha"~2', {6}),
        ('"alpha two"~1', {6}),
        ('"two alpha"~1', {6}),
        ('"two alpha"~0', set()),
        ('"one beta"~1', {6}),
        ('"one gamma"~1', set()),
        ('"delta one"~3', set()),
        ('"delta one"~9', {6}),
        ('"beta alpha one"~1', {6}),
        ('"one beta alpha"~0', set()),
        ("heading:sleep", {5}),
        ("heading:cheaply", {5}),
        ("heading:hotel", set()),
        ("url:report", {4}),
        ('url:"annual report"', {4}),
        ("inurl:two", {4}),
        ("link:greek", {6}),
        ("greek", {6}),
        ("date:1970-01-11", {1}),
        ("date:1970-01-11..1970-01-21", {1, 2}),
        ("date:>1970-01-11", {2}),
        ("before:1970-01-12", {1}),
        ("after:1970-02", set()),
        ("size:>1MB", {3}),
        ("size:500", {2}),
        ("size:1kB..2MB", {3}),
        ("depth:1..3", {3, 6}),
        ("depth:0 hotel", {5}),
        ("-depth:0", {3, 6}),
        ("lang:und run", {4}),
    ],
)
def test_what_a_query_finds(index: Shelf, query: str, found: set[int]) -> None:
    index.put(*LIBRARY)
    assert set(index.ids(query)) == found


def test_the_word_itself_comes_before_its_forms(index: Shelf) -> None:
    index.put(
        *(entry(number, "the cat runs home", language="en") for number in range(1, 4)),
        entry(4, "the cat run home", language="en"),
        entry(5, "the cat running home", language="en"),
    )
    assert index.ids("run")[0] == 4
    assert index.ids("running")[0] == 5


def test_forms_are_of_the_language_that_a_document_is_in(index: Shelf) -> None:
    index.put(
        entry(1, "hauser", language="de"),
        entry(2, "hauser", language="en"),
        entry(3, "haus", language="fr"),
    )
    assert index.ids("haus") in ([3, 1], [1, 3])


def test_a_second_language_is_told_from_the_first_as_soon_as_there_is_one(index: Shelf) -> None:
    index.put(entry(1, "hauser", language="de"), entry(2, "hauser", language="de"), entry(3, "hauser"))
    assert sorted(index.ids("haus")) == [1, 2, 3], "what is in no known language is taken to be in that of most"
    index.put(entry(4, "hauser", language="en"), entry(5, "hauser", language="zh"))
    assert sorted(index.ids("haus")) == [1, 2, 3]
    assert sorted(index.ids("hauser")) == [1, 2, 3, 4, 5]


def test_without_weight_forms_are_not_found(index: Shelf) -> None:
    index.put(*LIBRARY)
    assert index.ids("runs", weights=replace(DEFAULT, form=0.0)) == []


def test_rare_forms_lift_nothing(index: Shelf) -> None:
    """A form that one document holds is no rarer than its word: else whoever misspells would come first."""
    common = [entry(number, "connection pool of the server", language="en") for number in range(1, 60)]
    index.put(*common, entry(99, "connects", language="en"), entry(100, "connection of the server", language="en"))
    assert index.ids("connection server")[-1] == 99


WORDS = [
    "run",
    "runs",
    "running",
    "runner",
    "house",
    "houses",
    "housing",
    "city",
    "cities",
    "citys",
    "connect",
    "connected",
    "hotel",
    "hotels",
]


def test_both_find_the_same(tmp_path: Path) -> None:
    chance = Random(7)
    library = [
        entry(
            number, " ".join(chance.choices(WORDS, k=chance.randint(1, 12))), title=chance.choice(WORDS),
            language=chance.choice(("en", "de", "fr", "")), depth=chance.randint(0, 4), size_bytes=chance.randint(0, 9),
        )
        for number in range(120)
    ]  # fmt: skip
    with shelf("embedded", tmp_path / "index") as real, shelf("memory", tmp_path) as plain:
        real.put(*library)
        plain.put(*library)
        for _ in range(300):
            one, two = chance.choices(WORDS, k=2)
            query = chance.choice(
                (one, f"{one} -{two}", f"+{one} +{two}", f'"{one} {two}"~{chance.randint(0, 6)}', f"{one[:3]}*",
                 f"{one[:2]}?{one[3:]}", f"{one}~1", f"{one}~2", f"depth:<{chance.randint(1, 4)} {one}",
                 f"size:{chance.randint(0, 4)}..{chance.randint(3, 9)} +{two}", f"lang:en {one}")
            )  # fmt: skip
            assert set(real.ids(query)) == set(plain.ids(query)), query


def test_words_that_are_nearly_alike(index: Shelf) -> None:
    index.put(
        entry(1, "accommodation at the observatory"),
        entry(2, "observatory observation"),
        entry(3, "obserwatory", grants=("user:ada",)),
    )
    assert index.reader.alike("accomodation", ANYONE) == ("accommodation",)
    assert index.reader.alike("OBSERVATRY", ANYONE) == ("observatory",)
    assert index.reader.alike("obserwatori", Reader("ada", frozenset(("everyone", "user:ada")))) == (
        "obserwatory",
        "observatory",
    )
    assert index.reader.alike("obserwatory", ANYONE) == ("observatory",), "what may not be seen is not told"
    assert index.reader.alike("observatory", ANYONE) == ()
    assert index.reader.alike("zebra", ANYONE) == ()
    assert index.reader.alike("two words", ANYONE) == ()


def test_of_two_words_as_near_the_one_with_an_ending_more_is_nearer(index: Shelf) -> None:
    index.put(entry(1, "travel expenses"), entry(2, "expect"), entry(3, "expect more"))
    assert index.reader.alike("expence", ANYONE) == ("expenses", "expect")


def test_a_misspelt_word_that_was_asked_for_tells_the_next_reader_nothing(index: Shelf) -> None:
    index.put(entry(1, "observatory"), entry(2, "obserwatorium", grants=("user:ada",)))
    ada = Reader("ada", frozenset(("everyone", "user:ada")))
    for _ in range(2):
        assert index.reader.alike("obserwatorius", ada) == ("obserwatorium",)
        assert index.reader.alike("obserwatorius", ANYONE) == ()
    index.put(entry(3, "obserwatorius"))
    assert index.reader.alike("obserwatorius", ada) == (), "there is such a word now"


def test_what_may_not_be_seen_takes_the_place_of_no_word_that_may(index: Shelf) -> None:
    hidden = [f"observator{letter}" for letter in "abcdefghijk"]
    index.put(
        entry(1, "observatorium"),
        entry(2, " ".join(hidden), grants=("user:ada",)),
        *(entry(number, "observatorix", grants=("user:ada",)) for number in range(3, 9)),
        entry(9, "observatorix"),
        *(entry(number, "observatoriz") for number in range(10, 12)),
    )
    assert index.reader.alike("observatori", ANYONE) == ("observatoriz", "observatorix", "observatorium")


def test_the_language_of_what_is_in_none_is_that_of_what_the_reader_sees(index: Shelf) -> None:
    index.put(
        entry(1, "ferries"),
        entry(2, "a page in English", language="en"),
        *(entry(number, "eine Seite", language="de", grants=("group:board",)) for number in range(3, 9)),
    )
    board = Reader("ada", frozenset(("everyone", "group:board")))
    assert index.ids("ferry") == [1]
    assert index.ids("ferry", reader=board) == []
    assert index.ids("ferry", reader=Reader("nobody", frozenset(("user:nobody",)))) == []


def test_a_text_of_no_known_language_is_taken_to_be_in_that_of_its_source(index: Shelf) -> None:
    index.put(
        *(entry(n, "a city", language="en", source="wiki") for n in range(5)),
        entry(10, "Die Stadt.", language="de", source="stadt"),
        entry(11, "Häuser", source="stadt"),
        entry(12, "cities", source="stadt"),
        entry(13, "ferries", source="wiki"),
        entry(14, "ferries", source="list", title="14"),
    )
    assert index.ids("haus") == [11]
    assert set(index.ids("ferry")) == {13, 14}, "a source without any other language is in that of most of all"
    assert 12 not in index.ids("city"), "in the language of its source this is another word"
    assert [match.spoken for match in index.ask("haus").hits] == ["de"]
    index.apply([Delete(10)])
    assert index.ids("haus") == []
    assert 12 in index.ids("city")


def test_the_language_of_a_source_is_that_of_what_its_reader_may_see(index: Shelf) -> None:
    index.put(
        entry(1, "island", language="en", grants=("everyone",)),
        entry(2, "Stadt", language="de", grants=("group:staff",)),
        entry(3, "Stadt", language="de", grants=("group:staff",)),
        entry(4, "ferries Häuser", grants=("everyone",)),
    )
    staff = Reader("ada", frozenset(("everyone", "group:staff")))
    assert (index.ids("ferry"), index.ids("haus")) == ([4], [])
    assert (index.ids("ferry", reader=staff), index.ids("haus", reader=staff)) == ([], [4])


def test_where_no_language_is_known_words_are_found_as_they_are(index: Shelf) -> None:
    index.put(entry(1, "ferries"), entry(2, "フェリー", language="ja"))
    assert (index.ids("ferry"), index.ids("ferries")) == ([], [1])
