"""The page of results for one source, for no hits, and for more hits than pages reach."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape

import pytest

from cormorant.base.clock import SystemClock
from cormorant.operate.documents import cached_copy
from cormorant.operate.documents.cached_copy import CachedCopy
from cormorant.search.query.parser import parse
from cormorant.search.reader import Answer, Facet, FacetValue, Hit, Question, ResultGroup
from cormorant.web.shared_reader import SharedReader
from tests.web.asking import ask

HIT = Hit(1, "https://a.example/b", "B", "kelp", (), 1.0, "web", "text/html", "", 9, None, cached=True, duplicates=0)


class Quiet:
    """A house that is not asked anything."""

    clock = SystemClock()
    query_days = 0


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Documents by source, to be changed by a test; each is a hit."""
    counts = {"web": 600}

    def answer(_: SharedReader, question: Question, _offered: object = ()) -> Answer:
        total = sum(counts.values())
        return Answer(total, total, 1.0, parse(question.text).understood, (HIT,) * min(total, question.limit))

    monkeypatch.setattr(SharedReader, "counts", lambda _: counts)
    monkeypatch.setattr(SharedReader, "ask", answer)
    monkeypatch.setattr(SharedReader, "running", lambda _, every: [])
    monkeypatch.setattr(SharedReader, "closed", lambda _: [])
    monkeypatch.setattr(SharedReader, "offered_attributes", lambda _: ())
    monkeypatch.setattr(SharedReader, "known_attributes", lambda *_: {})
    monkeypatch.setattr(SharedReader, "labels", lambda *_: {})
    return counts


LISTS = (
    Facet("source", (FacetValue("web", 600, chosen=False),)),
    Facet(
        "language",
        tuple(FacetValue(code, 9, chosen=False) for code in ("de", "en", "fi", "fr", "it", "pl", "sv", "xx")),
        3,
    ),
    Facet("changed", (FacetValue("week", 2, False, "2026-05-21"), FacetValue("year", 5, False, "2026-01-01"))),
)


def test_one_value_is_no_choice(found: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    answer = Answer(9, 9, 1.0, parse("kelp").understood, (HIT,), facets=LISTS)
    monkeypatch.setattr(SharedReader, "ask", lambda *_: answer)
    body = ask(Quiet(), "/search?q=kelp").main
    assert ">Source<" not in body
    assert ">Finnish<" in body
    assert body.count("Swedish") == 0, "only a few before it is asked for"
    assert "/search?q=kelp&amp;more=language" in body
    assert "2 more" in body
    opened = ask(Quiet(), "/search?q=kelp&more=language").main
    assert opened.count("Swedish") == 2, "in the column and for narrow windows"
    assert "xx" in opened
    assert found


def test_choices_lead_to_what_they_choose(found: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    answer = Answer(9, 9, 1.0, parse("kelp").understood, (HIT,), facets=LISTS)
    monkeypatch.setattr(SharedReader, "ask", lambda *_: answer)
    body = unescape(ask(Quiet(), "/search?q=kelp&language=fi&from=2026-05-21&to=2026-06&page=2").main)
    for said in (
        "/search?q=kelp&language=fi&language=de&from=2026-05-21&to=2026-06",
        "/search?q=kelp&language=fi&from=2026-01-01",
        "/search?q=kelp&from=2026-05-21&to=2026-06", "/search?q=kelp&language=fi&to=2026-06",
        "/search?q=kelp&language=fi&from=2026-05-21", "/search?q=kelp",
        "/search?q=kelp&language=fi&from=2026-05-21&to=2026-06&sort=title",
        "/search?q=kelp&language=fi&from=2026-05-21&to=2026-06&group=site",
    ):  # fmt: skip
        assert f'href="{said}"' in body, said
    assert "since 21 May 2026" in body
    assert "until 2026-06" in body
    assert "Clear all" in body
    assert found


def test_a_chip_lets_go_of_one_value(found: dict[str, int]) -> None:
    body = unescape(ask(Quiet(), "/search?q=kelp&language=fi&language=de&site=a.example").main)
    for said in ("language=de", "language=fi"):
        assert f'<a class="chip on" href="/search?q=kelp&site=a.example&{said}">' in body
    assert '<a class="chip on" href="/search?q=kelp&language=fi&language=de">' in body
    assert 'href="/search?q=kelp">Clear all<' in body
    assert found


@pytest.mark.parametrize(
    "asked", ["sort=best", "group=day", "type=doc", "more=x", "sort=", "to=2026&sort=newest&sort=x"]
)
def test_what_is_no_value_is_passed_over(asked: str, found: dict[str, int]) -> None:
    body = ask(Quiet(), f"/search?q=kelp&{asked}").main
    assert body.count('aria-current="true">Relevance') == 2, "beside the list, and in the menu of narrow screens"
    assert body.count('aria-current="true">One list') == 2
    assert "passed over" not in body
    assert found


def test_a_day_that_is_none_is_said(found: dict[str, int]) -> None:
    body = ask(Quiet(), "/search?q=kelp&from=yesterday").main
    assert "From was ignored: it needs a day, for example 2026-03-14." in body
    assert "chip on" not in body
    assert found


def test_the_language_of_a_hit_is_said_beside_others_of_another(
    found: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def body(*tags: str) -> str:
        answer = Answer(9, 9, 1.0, parse("kelp").understood, tuple(replace(HIT, language=each) for each in tags))
        monkeypatch.setattr(SharedReader, "ask", lambda *_: answer)
        return ask(Quiet(), "/search?q=kelp").main

    said = re.compile(r'<span dir="ltr">in ([^<]+)</span>')
    assert said.findall(body("de", "en", "und", "", "pt-br")) == ["German", "English", "Portuguese (BR)"]
    assert said.findall(body("de", "de", "und")) == []


def test_hits_in_groups(found: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    hits = (replace(HIT, group="a.example"), replace(HIT, id=2, group="a.example"), replace(HIT, id=3, group=None))
    answer = Answer(30, 12, 1.0, parse("kelp").understood, hits, groups=(ResultGroup("a.example", 29),))
    monkeypatch.setattr(SharedReader, "ask", lambda *_: answer)
    body = unescape(ask(Quiet(), "/search?q=kelp&group=site").main)
    assert body.count("<ol>") == 2
    assert 'href="/search?q=kelp&site=a.example">More from a.example (29)<' in body
    assert "page=2" in body
    assert "can be paged to" not in body
    assert found


@pytest.mark.parametrize(("total", "page", "said"), [(600, 50, True), (600, 49, False), (500, 50, False)])
def test_the_last_page_says_that_there_is_more(total: int, page: int, said: bool, found: dict[str, int]) -> None:
    found["web"] = total
    body = ask(Quiet(), f"/search?q=kelp&page={page}").body
    assert f"<strong>{total}</strong> results" in body
    assert ("Only the first 500 results can be shown" in body) is said


@pytest.mark.parametrize(("reachable", "last"), [(23, 3), (7, 1)])
def test_no_page_is_offered_on_which_nothing_can_be(
    reachable: int, last: int, monkeypatch: pytest.MonkeyPatch, found: dict[str, int]
) -> None:
    def answer(_: SharedReader, question: Question, _offered: object = ()) -> Answer:
        hits = (HIT,) * min(reachable - question.offset, question.limit)
        return Answer(found["web"], reachable, 1.0, parse(question.text).understood, hits)

    monkeypatch.setattr(SharedReader, "ask", answer)
    body = ask(Quiet(), f"/search?q=kelp&page={last}").body
    assert "<strong>600</strong> results" in body
    assert f"Only the first {reachable} results can be shown" in body
    assert f"page={last + 1}" not in body
    assert ("page=2" in body) is (last > 1)
    assert json.loads(ask(Quiet(), "/api/v1/search?q=kelp").body)["reachable"] == reachable


@pytest.mark.parametrize("address", ["/", "/search?q=kelp"])
def test_an_empty_installation_names_the_next_step(address: str, found: dict[str, int]) -> None:
    assert "cormorant source add" not in ask(Quiet(), address).body
    found["web"] = 0
    assert "cormorant source add" in ask(Quiet(), address).body


def test_a_copy_without_words_says_so(monkeypatch: pytest.MonkeyPatch, found: dict[str, int]) -> None:
    monkeypatch.setattr(SharedReader, "library", lambda _: None)
    kept = CachedCopy(HIT)
    monkeypatch.setattr(cached_copy, "copy", lambda *_: kept)
    assert "This document has no text." in ask(Quiet(), "/cached/1/content").body
    assert f"from {len(found)} source" in ask(Quiet(), "/cached/1").body
    kept = CachedCopy(HIT, markup="<p>name, count\nkelp, 12</p>")
    body = ask(Quiet(), "/cached/1/content").body
    assert "no words" not in body
    assert "name, count\nkelp, 12" in body
