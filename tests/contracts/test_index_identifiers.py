"""In every index the document with an identifier as it was typed comes before those with its words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cormorant.model.acl import ANYONE
from cormorant.search.index.protocol import SPELLED
from cormorant.search.index.query import Search, Sort
from cormorant.search.query.parser import parse
from cormorant.search.weights import DEFAULT
from tests.search.index.shelves import KINDS, Shelf, entry, shelf

PAIRS = [
    ("C++", "Programming in C++ is told here.", "C, C and C: programming in C, a C compiler."),
    ("C#", "Programming in C# here.", "C, C and C, programming in C."),
    (".NET", "The .NET runtime.", "Net, net and net: a net for fish."),
    ("AB-123/4", "Part AB-123/4 fits the pump.", "AB 123 4, AB 123 4 and AB 123 4; AB-123/45."),
    ("v6.2.8", "Released v6.2.8 today.", "v6 2 8, v6 2 8, and v6 2 8"),
    ("6.2.8", "Released v6.2.8 today.", "6 2 8, 6 2 8, and 6 2 8"),
    ("1,234,567", "Sold 1,234,567 pieces.", "1 234 567 and 1 234 567"),
    ("1234567", "Sold 1,234,567 pieces.", "1 234 567 and 1 234 567"),
    ("anna.berg@example.org", "Write to anna.berg@example.org soon.", "Anna Berg, example org; anna berg example org"),
    ("/srv/data/a.txt", "Look at /srv/data/a.txt then.", "srv data a txt, srv data a txt"),
    ("#42", "It mends #42.", "42, 42 and 42"),
    ("SKIP_BRIDGE", "The macro SKIP_BRIDGE.", "Skip bridge, skip bridge"),
    ("zero-copy", "This is zero-copy at last.", "Zero copy, zero copy, zero copy."),
    ("node.js", "Runs on Node.JS here.", "A node js, node js"),
]
QUESTIONS = [
    "{}",
    '"{}"',
    "+{}",
    "how do I install {} pump",
    "where is the long manual for the good old {} of the pump",
]


@pytest.fixture(params=KINDS)
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shelf]:
    with shelf(request.param, tmp_path / "index") as made:
        yield made


def ask(index: Shelf, typed: str) -> list[int]:
    found = index.reader.search(Search(parse(typed).query, ANYONE, weights=DEFAULT))
    return [hit.id for hit in found.hits]


def _is_apart(identifier: str, question: str) -> bool:
    """A compound decides among equals alone, and quotes take a number as it was typed."""
    return " " in question if identifier == "zero-copy" else '"' in question and identifier in ("6.2.8", "1234567")


@pytest.mark.parametrize(("identifier", "exact", "apart"), PAIRS)
def test_the_exact_one_comes_first(index: Shelf, identifier: str, exact: str, apart: str) -> None:
    others = [entry(number, f"How do I install pump {number}? {apart}") for number in range(3, 12)]
    index.put(entry(1, apart, title=apart), entry(2, exact), *others)
    for question in QUESTIONS:
        if not _is_apart(identifier, question):
            for typed in (identifier, identifier.lower(), identifier.upper()):
                assert ask(index, question.format(typed))[:1] == [2], question.format(typed)


def test_the_words_apart_are_found_behind_it(index: Shelf) -> None:
    index.put(entry(1, "A C compiler."), entry(2, "Programming in C++."), entry(3, "A net."))
    assert ask(index, "C++") == [2, 1]
    assert ask(index, "C") == [1, 2] or ask(index, "C") == [2, 1]


def test_it_may_stand_in_the_title(index: Shelf) -> None:
    index.put(entry(1, "AB 123 4", title="AB 123 4"), entry(2, "A pump", title="Part AB-123/4"))
    assert ask(index, "AB-123/4") == [2, 1]
    index.put(entry(3, "C", title="C"), entry(4, "Of it", title="Learn C++"))
    assert ask(index, "title:C++") == [4, 3]


def test_a_compound_does_not_outweigh_another_word(index: Shelf) -> None:
    index.put(entry(1, "zero-copy"), entry(2, "zero copy network"), entry(3, "a zero-copy network"))
    assert ask(index, "zero-copy network") == [3, 2, 1]


def test_who_may_not_read_it_does_not_find_it(index: Shelf) -> None:
    index.put(entry(1, "AB 123 4"), entry(2, "AB-123/4", grants=("user:ada",)))
    assert ask(index, "AB-123/4") == [1]


def test_other_orders_are_kept(index: Shelf) -> None:
    index.put(entry(1, "C++", modified_at=1.0), entry(2, "C", modified_at=2.0))
    search = Search(parse("C++").query, ANYONE, sort=Sort.NEWEST)
    assert [hit.id for hit in index.reader.search(search).hits] == [2, 1]


def test_the_score_is_accounted_for(index: Shelf) -> None:
    index.put(entry(1, "AB 123 4"), entry(2, "Part AB-123/4 for C++ users"))
    search = Search(parse("AB-123/4 C++").query, ANYONE, weights=DEFAULT)
    found = index.reader.why(search, 2)
    assert found is not None
    match, reasons = found
    assert {each.about for each in reasons if each.what == SPELLED} == {("ab-123/4", "c++")}
    assert sum(each.points for each in reasons) == pytest.approx(match.score, rel=1e-4)
    assert match.score == pytest.approx(index.reader.search(replace(search, limit=1)).hits[0].score)
