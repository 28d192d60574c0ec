"""What somebody who types may be looking for: how it is taken apart, and what a reader is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from cormorant.model.acl import ANYONE, Reader
from cormorant.search.reader import Library
from cormorant.search.results.suggest import opening
from tests.clocks import Hands
from tests.search.index.shelves import KINDS, Shelf, entry, shelf

ADA = Reader("ada", frozenset(("everyone", "user:ada")))


@pytest.fixture(params=KINDS)
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shelf]:
    with shelf(request.param, tmp_path / "index") as made:
        made.put(
            entry(1, "How to claim travel expenses.", title="Travel expense policy"),
            entry(2, "Travel and expense limits.", title="Travel expense limits", source="wiki"),
            entry(3, "An expanse of water, without travel."),
            entry(4, "Expelled for travel.", title="Secret expenses", grants=("user:ada",)),
            entry(5, "Crème brûlée"),
        )
        yield made


def said(index: Shelf, typed: str, reader: Reader = ANYONE, sources: tuple[str, ...] = ()) -> list[str]:
    found = Library(index.reader, Hands()).suggest(typed, reader, sources)
    return [each.text for each in found.wordings]


def titles(index: Shelf, typed: str, reader: Reader = ANYONE, sources: tuple[str, ...] = ()) -> list[str]:
    found = Library(index.reader, Hands()).suggest(typed, reader, sources)
    return sorted(hit.title for hit in found.hits)


@pytest.mark.parametrize(
    ("typed", "wordings"),
    [
        ("exp", ["expense", "expanse", "expenses"]),
        ("travel exp", ["travel expense", "travel expanse", "travel expenses"]),
        ("limits exp", ["limits expense"]),
        ("Travel EXPENS", ["Travel expense", "Travel expenses"]),
        ("+limits +exp", ["+limits +expense"]),
        ("(limits exp", ["(limits expense"]),
        ("source:wiki exp", ["source:wiki expense"]),
        ("title:exp", ["title:expense", "title:expanse", "title:expenses"]),
        ("cr\u00e8", ["Crème"]),
        ("  travel \t exp", ["travel \t expense", "travel \t expanse", "travel \t expenses"]),
        ("water -exp", []), ("source:exp", []), ('"travel exp', []), ("exp*", []), ("exp~", []), ("e", []), ("", []),
        ("travel ", []), ("zebra exp", []), ("AND", []), ("expense", ["expenses"]), ("*", []), ("foo-exp", []),
    ],
)  # fmt: skip
def test_how_it_may_go_on(index: Shelf, typed: str, wordings: list[str]) -> None:
    assert said(index, typed) == wordings


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("exp", ["Travel expense limits", "Travel expense policy"]), ("policy tra", ["Travel expense policy"]),
        ("travel ", ["Travel expense limits", "Travel expense policy"]), ("source:wiki tra", ["Travel expense limits"]),
        ("travel -limits exp", ["Travel expense policy"]), ("water", []), ("t", []),
    ],
)  # fmt: skip
def test_documents_that_are_called_so(index: Shelf, typed: str, expected: list[str]) -> None:
    assert titles(index, typed) == expected


def test_only_in_some_sources(index: Shelf) -> None:
    assert said(index, "exp", sources=("wiki",)) == ["expense"]
    assert titles(index, "exp", sources=("wiki",)) == ["Travel expense limits"]


def test_nobody_learns_of_what_is_not_his(index: Shelf) -> None:
    assert "expelled" not in said(index, "exp")
    assert "expelled" in said(index, "exp", ADA)
    assert said(index, "secret exp") == titles(index, "secret") == []
    assert titles(index, "secret", ADA) == ["Secret expenses"]


def test_what_is_hidden_since_is_not_told(index: Shelf) -> None:
    library = Library(index.reader, Hands(), lambda place: frozenset((2, 3)))
    found = library.suggest("exp", ANYONE)
    assert [each.text for each in found.wordings] == ["expense", "expenses"]
    assert [each.documents for each in found.wordings] == [1, 1]
    assert [hit.id for hit in found.hits] == [1]


@settings(max_examples=200)
@given(
    st.text(max_size=40)
    | st.lists(st.sampled_from(("a", '"', "(", ")", "-", "title:", "AND", " ", "*", "be"))).map("".join)
)
def test_any_text_is_taken_apart(typed: str) -> None:
    found = opening(typed)
    if found is not None:
        assert typed.lstrip().startswith(found.before)


@pytest.mark.parametrize("typed", ["\x00", "\ud800", "a" * 100_000, "((", ")", "site:", "\u6771", "\u202e ab"])
def test_any_text_gets_an_answer(index: Shelf, typed: str) -> None:
    Library(index.reader, Hands()).suggest(typed, ANYONE)
