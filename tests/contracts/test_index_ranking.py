"""What every index ranks by besides words, and that it says why: the parts of a score are the score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from cormorant.model.acl import ACL, ANYONE, Reader
from cormorant.search.index import query as ask
from cormorant.search.index.document import IndexedDocument, UpdateLinks
from cormorant.search.index.protocol import COUNT
from cormorant.search.index.query import Search, Sort, Weights
from cormorant.search.index.static_score import DAY_S
from cormorant.search.query.parser import parse
from cormorant.search.weights import DEFAULT, FACTORS, tuned
from tests.contracts.test_index_properties import READERS, SLOW, TEXTS, entries, scratch
from tests.search.index.shelves import KINDS, Shelf, entry, shelf

TODAY = 20_000 * DAY_S
BACK = "https://docs.example.org/a/b/c/d/"


@pytest.fixture(params=KINDS)
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shelf]:
    with shelf(request.param, tmp_path / "index") as made:
        yield made


def plain(number: int, text: str = "ferry", **more: Any) -> IndexedDocument:
    """A document of which nothing counts but its words."""
    return entry(number, text, **{"url": f"{BACK}{number}", **more})


def test_what_others_call_a_document_is_looked_at(index: Shelf) -> None:
    index.put(plain(1, "sailings"), plain(2, "sailings", anchors=("Ferry timetable",)), plain(3, "a ferry"))
    assert set(index.ids("ferry")) == {2, 3}
    assert index.ids("timetable") == index.ids("link:timetable") == [2]
    index.apply([UpdateLinks(2, ("Boats",), 0.0), UpdateLinks(1, ("Ferry",), 0.0)])
    assert set(index.ids("ferry")) == {1, 3}
    assert index.ids("link:ferry") == [1]


def test_of_equal_documents_the_one_with_more_links_comes_first(index: Shelf) -> None:
    index.put(*(plain(number, link_score=score) for number, score in ((1, 0.1), (2, 0.9), (3, 0.4), (4, 0.0))))
    assert index.ids("ferry") == [2, 3, 1, 4]
    index.apply([UpdateLinks(4, (), 1.0)])
    assert index.ids("ferry") == [4, 2, 3, 1]
    assert index.ids("ferry", weights=replace(DEFAULT, links=0.0)) == [1, 2, 3, 4]


def test_of_equal_documents_the_one_nearer_to_the_front_comes_first(index: Shelf) -> None:
    addresses = ("a/b/c/d", "a/b", "a/", "", "index.html", "a?page=2")
    index.put(*(plain(number, url=f"https://h.test/{each}") for number, each in enumerate(addresses)))
    words_alone = replace(DEFAULT, address=0.0)
    assert index.ids("ferry", weights=words_alone) == [3, 4, 2, 1, 5, 0]
    assert index.ids("ferry", weights=replace(words_alone, depth=0.0)) == [0, 1, 2, 3, 4, 5]


def test_of_equal_documents_the_newer_comes_first(index: Shelf) -> None:
    ages = (None, 3000, 400, 100, 20, 1, -1, -400)
    dates = [None if days is None else TODAY - days * DAY_S for days in ages]
    index.put(*(plain(number, modified_at=date) for number, date in enumerate(dates)))
    assert index.ids("ferry", today=TODAY) == [4, 5, 6, 3, 2, 0, 1, 7], "what claims to be of next year is not new"
    assert index.ids("ferry") == list(range(8)), "without a day nothing has an age"
    assert index.ids("ferry", today=TODAY, weights=replace(DEFAULT, recency=0.0)) == list(range(8))
    assert index.ids("ferry", today=TODAY, sort=Sort.OLDEST)[0] == 1


def test_of_equal_documents_the_one_in_a_language_of_the_reader_comes_first(index: Shelf) -> None:
    index.put(plain(1, language="en"), plain(2, language="de-CH"), plain(3), plain(4, language="fr"))
    assert index.ids('"ferry"', languages=("de",)) == [2, 1, 3, 4]
    assert index.ids('"ferry"', languages=("fr", "en")) == [1, 4, 2, 3]
    assert index.ids('"ferry"', languages=("sv",)) == index.ids('"ferry"') == [1, 2, 3, 4]


def test_nothing_outweighs_one_more_word(index: Shelf) -> None:
    many = "alpha beta gamma delta " * 30
    best = {
        "title": many, "anchors": (many,), "link_score": 1.0, "url": "https://alpha-beta-gamma-delta.test/",
        "modified_at": TODAY, "language": "en", "attributes": {"Headline1": [many]},
    }  # fmt: skip
    index.put(
        entry(1, many, **best),
        plain(2, "alpha beta gamma delta epsilon" + " other" * 900),
        *(plain(n, "other words") for n in range(10, 40)),
    )
    greatest = tuned({name: factor.most for name, factor in FACTORS.items()})
    for weights in (DEFAULT, greatest):
        asked = {"weights": weights, "today": TODAY, "languages": ("en",)}
        assert index.ids("alpha beta gamma delta epsilon", **asked) == [2, 1]


def test_pages_neither_repeat_nor_miss_whatever_counts(index: Shelf) -> None:
    index.put(*(plain(n, modified_at=TODAY - n * DAY_S, link_score=n % 7 / 10) for n in range(100)))
    whole = index.ids("ferry", today=TODAY)
    assert [n for at in range(0, 100, 7) for n in index.ids("ferry", today=TODAY, limit=7, offset=at)] == whole
    assert sorted(whole) == list(range(100))


def why(index: Shelf, query: ask.Query | str, number: int, **more: Any) -> Any:
    asked = parse(query).query if isinstance(query, str) else query
    given: dict[str, Any] = {"reader": ANYONE, "weights": DEFAULT, "limit": 1, "today": TODAY, **more}
    return index.reader.why(Search(query=asked, **given), number)


def test_why_names_what_was_found_where(index: Shelf) -> None:
    found = plain(
        1, "The ferry leaves. A ferry comes.", title="Ferry times", anchors=("When the ferry goes",), link_score=0.8,
        attributes={"Headline1": ["Leaves of the day"]}, modified_at=TODAY,
    )  # fmt: skip
    index.put(found, plain(2, "trees and leaves"))
    match, reasons = why(index, "ferry leaves island", 1, weights=replace(DEFAULT, headings=1.0))
    by = {reason.what: reason for reason in reasons}
    assert by[COUNT].about == ("ferry", "leaves")
    assert (by["title"].about, by["title"].places) == (("ferry",), 1)
    assert (by["text"].about, by["text"].places) == (("ferry", "leaves"), 3)
    assert by["headings"].about == ("leaves",)
    assert by["anchors"].about == ("ferry",)
    assert by["links"].points > 0
    assert by["recency"].points == DEFAULT.recency
    assert (match.id, match.entry) == (1, found)


def test_why_tells_nothing_of_what_the_question_does_not_find(index: Shelf) -> None:
    index.put(plain(1), plain(2, "ferry", grants=("user:ada",)), plain(3, "ship"))
    ada = Reader("ada", frozenset(("everyone", "user:ada")))
    assert why(index, "ferry", 2) is None
    assert why(index, "ferry", 2, reader=ada) is not None
    assert why(index, "ferry", 1, hidden=frozenset((1,))) is None
    assert [why(index, "ferry", number) for number in (3, 4, -1, 1 << 63, 1 << 70)] == [None] * 5


QUERIES = ("{}", '"{}"', "pump {} x1*", "({}) OR (valve AND pump)", "foo-bar~ *")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@SLOW
@given(held=entries(), asked=st.lists(st.tuples(TEXTS, READERS), min_size=4, max_size=6))
def test_the_parts_of_a_score_are_the_score(
    kind: str, held: list[IndexedDocument], asked: list[tuple[str, Reader]]
) -> None:
    linked = [replace(each, anchors=(each.title,), link_score=each.id % 11 / 10, modified_at=TODAY) for each in held]
    with scratch(kind, linked) as index:
        for (text, reader), query in product(asked, QUERIES):
            _told_in_full(index, query.format(text.replace('"', "")), reader)


def _told_in_full(index: Shelf, query: str, reader: Reader) -> None:
    more = {"reader": reader, "today": TODAY, "languages": ("und",)}
    hits = index.ask(query, fold=False, **more).hits
    for hit in hits:
        match, reasons = why(index, query, hit.id, **more)
        assert match.score == pytest.approx(hit.score, rel=1e-6)
        assert sum(reason.points for reason in reasons) == pytest.approx(hit.score, rel=1e-6, abs=1e-6)
    for number in {each.id for each in index.ask("*", fold=False).hits} - {hit.id for hit in hits}:
        assert why(index, query, number, **more) is None


@pytest.mark.slow
@SLOW
@given(entries(), TEXTS, READERS)
def test_reasons_are_those_of_an_index_that_never_held_what_is_forbidden(
    held: list[IndexedDocument], text: str, reader: Reader
) -> None:
    seen = [each for each in held if reader.may_read(ACL(each.grants, each.denies))]
    with scratch("memory", held) as everything, scratch("memory", seen) as allowed:
        for each in held:
            told = [why(index, f"{text} pump", each.id, reader=reader) for index in (everything, allowed)]
            assert told[0] == told[1]


@settings(max_examples=30)
@given(st.builds(Weights, *(st.floats(0, 10) for _ in range(5)), st.floats(0, 1)))
def test_any_weights_put_more_words_first(weights: Weights) -> None:
    with scratch("embedded", [plain(1, "pump " * 50, title="pump pump"), plain(2, "pump valve")]) as index:
        found = index.ids("pump valve", weights=replace(weights, text=max(weights.text, 0.1)))
        assert found == [2, 1]
