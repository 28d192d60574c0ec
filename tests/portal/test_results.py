"""What results look like when there is one source, nothing at all, or more than can be paged to."""

from __future__ import annotations

import json

import pytest

from cormorant.base.clock import SystemClock
from cormorant.operate import copies
from cormorant.operate.copies import Copy
from cormorant.portal.shelf import Shelf
from cormorant.search.parse import parse
from cormorant.search.reader import Answer, Hit, Question
from tests.portal.asking import ask

HIT = Hit(1, "https://a.example/b", "B", "kelp", (), 1.0, "web", "text/html", "", 9, None, cached=True, duplicates=0)


class Quiet:
    """A house that is not asked anything."""

    clock = SystemClock()
    query_days = 0


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Documents by source, to be changed by a test; each is a hit."""
    counts = {"web": 600}

    def answer(_: Shelf, question: Question) -> Answer:
        total = sum(counts.values())
        return Answer(total, total, 1.0, parse(question.text).understood, (HIT,) * min(total, question.limit))

    monkeypatch.setattr(Shelf, "counts", lambda _: counts)
    monkeypatch.setattr(Shelf, "ask", answer)
    return counts


def test_one_source_is_no_choice(found: dict[str, int]) -> None:
    assert "<aside" not in ask(Quiet(), "/search?q=kelp").body
    found["papers"] = 1
    assert "<aside" in ask(Quiet(), "/search?q=kelp").body


@pytest.mark.parametrize(("total", "page", "said"), [(600, 50, True), (600, 49, False), (500, 50, False)])
def test_the_last_page_says_that_there_is_more(total: int, page: int, said: bool, found: dict[str, int]) -> None:
    found["web"] = total
    body = ask(Quiet(), f"/search?q=kelp&page={page}").body
    assert f"<strong>{total}</strong> results" in body
    assert ("Only the first 500 results can be paged to" in body) is said


@pytest.mark.parametrize(("reachable", "last"), [(23, 3), (7, 1)])
def test_no_page_is_offered_on_which_nothing_can_be(
    reachable: int, last: int, monkeypatch: pytest.MonkeyPatch, found: dict[str, int]
) -> None:
    def answer(_: Shelf, question: Question) -> Answer:
        hits = (HIT,) * min(reachable - question.offset, question.limit)
        return Answer(found["web"], reachable, 1.0, parse(question.text).understood, hits)

    monkeypatch.setattr(Shelf, "ask", answer)
    body = ask(Quiet(), f"/search?q=kelp&page={last}").body
    assert "<strong>600</strong> results" in body
    assert f"Only the first {reachable} results can be paged to" in body
    assert f"page={last + 1}" not in body
    assert ("page=2" in body) is (last > 1)
    assert json.loads(ask(Quiet(), "/api/v1/search?q=kelp").body)["reachable"] == reachable


@pytest.mark.parametrize("address", ["/", "/search?q=kelp"])
def test_where_there_is_nothing_the_next_step_is_told(address: str, found: dict[str, int]) -> None:
    assert "cormorant source add" not in ask(Quiet(), address).body
    found["web"] = 0
    assert "cormorant source add" in ask(Quiet(), address).body


def test_a_copy_without_words_says_so(monkeypatch: pytest.MonkeyPatch, found: dict[str, int]) -> None:
    monkeypatch.setattr(Shelf, "library", lambda _: None)
    kept = Copy(HIT)
    monkeypatch.setattr(copies, "copy", lambda *_: kept)
    assert "no words in this document" in ask(Quiet(), "/cached/1/content").body
    assert f"from {len(found)} source" in ask(Quiet(), "/cached/1").body
    kept = Copy(HIT, markup="<p>name, count\nkelp, 12</p>")
    body = ask(Quiet(), "/cached/1/content").body
    assert "no words" not in body
    assert "name, count\nkelp, 12" in body
