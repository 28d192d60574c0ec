from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cormorant.search.index import query as ask
from cormorant.search.index.query import Key, Range
from cormorant.search.query.filters import Filters, parts, within
from cormorant.search.query.parser import parse
from cormorant.search.query.type_names import NAMES


def test_a_choice_is_what_the_query_would_say() -> None:
    chosen = Filters(("Docs.example.org", "docs.example.org "), ("PDF",), ("DE",), "2026-03", "2026-05-14")
    found = parts(("web",), chosen)
    assert [*found] == ["source", "site", "type", "language", "changed"]
    said = "source:web site:docs.example.org type:pdf lang:de date:2026-03..2026-05-14"
    assert set(found.values()) == set(parse(said).query.must)  # type: ignore[union-attr]


def test_values_of_one_list_widen_each_other() -> None:
    assert parts((), Filters(type=("pdf", "html"))) == {
        "type": ask.Exact(Key.MIME, ("application/pdf", "application/xhtml+xml", "text/html"))
    }
    assert Filters(type=("html", "page")).type == ("page",)


@pytest.mark.parametrize(
    ("since", "until", "same"),
    [("2026", "", "after:2026"), ("", "2026-02", "date:..2026-02"), ("2026-05", "2026-03", "date:2026-03..2026-05")],
)
def test_days(since: str, until: str, same: str) -> None:
    assert parts((), Filters(since=since, until=until)) == {"changed": parse(same).query}


@pytest.mark.parametrize(
    "day", ["x", "2026-13", "2026-02-30", "..", "2026..2027", ">2026", "2026..", "0000", "-1", "²"]
)
def test_what_is_no_day_is_said_and_asks_for_nothing(day: str) -> None:
    for name in ("since", "until"):
        chosen = Filters(since=day) if name == "since" else Filters(until=day)
        assert chosen.faults == {name: f"{name} takes a day, month or year, like 2026-03-14 or 2026."}
        assert parts((), chosen) == {}
        assert chosen.usable == Filters()


def test_an_unknown_type_is_said_with_those_there_are() -> None:
    chosen = Filters(type=("pdf", "doc"))
    assert chosen.faults["type"].startswith("There is no type 'doc'. There is page, pdf, word,")
    assert chosen.usable.type == ("pdf",)
    assert not Filters(type=(*NAMES, "image/png"), since="2026", until="2026-01-02").faults


def test_nothing_is_asked_for_where_nothing_was_chosen() -> None:
    assert parts((), Filters()) == {}
    assert within(ask.QueryWord("a"), ()) == ask.QueryWord("a")


@given(st.text(max_size=20), st.text(max_size=20))
def test_any_text_is_a_choice(one: str, other: str) -> None:
    chosen = Filters((one,), (other,), (one,), one, other)
    assert not chosen.usable.faults
    for place in parts((one,), chosen).values():
        assert isinstance(place, ask.Exact | Range)
