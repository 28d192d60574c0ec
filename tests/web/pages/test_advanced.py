"""The form with a field for everything, over an installation that was crawled."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import quote, urlsplit

import pytest

from tests.web.crawled import Crawled


def value(body: str, name: str) -> str:
    """The content of a text field."""
    (found,) = re.findall(rf'<input[^>]* name="{name}" [^>]*value="([^"]*)"', body)
    return unescape(found)


def test_it_leads_to_the_results_of_the_query_it_makes(crawled: Crawled) -> None:
    got = crawled.get("/advanced?all=kelp+forest&none=sargasso&source=web&type=page&go=1")
    assert got.status == 303
    there = got.headers["location"]
    assert there == "/search?q=%2Bkelp+%2Bforest+source%3Aweb+type%3Apage+-sargasso"
    assert crawled.get(there).body.count('<li class="hit"') == 8


def test_it_shows_the_query_and_how_much_it_finds(crawled: Crawled) -> None:
    body = crawled.get("/advanced?any=sargasso+nowhere&source=papers").body
    assert "source:papers sargasso nowhere</pre>" in body
    assert "1 document matches now" in body
    assert value(body, "any") == "sargasso nowhere"
    assert re.search(r'value="papers" checked', body)
    assert not re.search(r'value="web" checked', body)


@pytest.mark.parametrize(
    "query",
    ["+kelp -sargasso source:web type:page", '"about sargasso weed"', "kelp sargasso", "depth:<3 +kelp", "title:start"],
)
def test_opened_from_a_query_and_sent_it_finds_the_same(query: str, crawled: Crawled) -> None:
    body = crawled.get(f"/advanced?q={quote(query)}").body
    given = [
        (name, unescape(said))
        for name, said in re.findall(r'<input[^>]* name="(\w+)" type="text" value="([^"]*)"', body)
    ]
    given += [("also", unescape(said)) for said in re.findall(r'name="also" type="text" value="([^"]*)"', body)]
    given += [("source", unescape(said)) for said in re.findall(r'name="source\[\]" value="([^"]*)" checked', body)]
    given += [("in", said) for said in re.findall(r'name="in" value="(\w*)" checked', body)]
    for name, options in re.findall(r'<select id="(\w+)".*?>(.*?)</select>', body):
        given += [(name, said) for said in re.findall(r'value="([^"]*)" selected', options)]
    sent = "&".join(f"{name}={quote(said)}" for name, said in dict.fromkeys(given))
    location = crawled.get(f"/advanced?{sent}&go=1").headers["location"]
    again = urlsplit(location).query
    assert crawled.api(f"/search?{again}")["total"] == crawled.api(f"/search?q={quote(query)}")["total"] > 0


def test_lists_hold_only_what_the_reader_may_know_of(crawled: Crawled) -> None:
    body = crawled.get("/advanced").body
    assert '<option value="page">Web page</option>' in body
    assert '<option value="text">Text</option>' in body
    assert "pdf" not in body
    assert "personnel" not in body
    assert re.findall(r'name="source\[\]" value="(\w+)"', body) == ["papers", "twin", "web"]
    assert f'<option value="{urlsplit(crawled.origin).hostname}"></option>' in body


def test_what_no_list_has_stays_part_of_the_query(crawled: Crawled) -> None:
    body = crawled.get("/advanced?q=source:personnel+lang:fr+type:pdf+kelp").body
    assert value(body, "also") == "source:personnel"
    assert '<option value="fr" selected>French</option>' in body
    assert '<option value="pdf" selected>PDF</option>' in body


def test_an_empty_form_says_what_is_missing(crawled: Crawled) -> None:
    got = crawled.get("/advanced?all=%21%21&go=1")
    assert (got.status, "Fill in a word or a place." in got.body) == (200, True)
    assert "Fill in a word or a place." not in crawled.get("/advanced").body


@pytest.mark.parametrize(
    "name", ["all", "phrase", "any", "none", "in", "source", "site", "type", "lang", "from", "to", "also", "q"]
)
@pytest.mark.parametrize("said", ['"><script>alert(1)</script>', "\u202e", "%00", "x" * 5_000, "((", "source:"])
def test_whatever_is_sent_is_shown_as_text(name: str, said: str, crawled: Crawled) -> None:
    got = crawled.get(f"/advanced?{name}={quote(said)}")
    assert got.status == 200
    assert "<script>alert" not in got.body


def test_results_and_copies_lead_to_the_form_with_their_query(crawled: Crawled) -> None:
    assert 'href="/advanced?q=kelp"' in crawled.get("/search?q=kelp").body
    assert 'href="/advanced">' in crawled.get("/").body


@pytest.mark.parametrize("chosen", [
    "source=web&type=page&language=en", "type=page&type=pdf", "from=2020&to=2030-05", "language=en&language=und",
])  # fmt: skip
@pytest.mark.parametrize("q", ["kelp", "kelp forest", "kelp -start", "type:page kelp"])
def test_results_lead_to_the_form_with_what_was_chosen(q: str, chosen: str, crawled: Crawled) -> None:
    found = crawled.get(f"/search?q={quote(q)}&{chosen}&sort=title&per=50")
    link = re.search(r'class="wide" href="(/advanced\?[^"]+)"', found.body)
    assert link
    form = unescape(crawled.get(unescape(link[1])).main)
    results = re.search(r'href="(/search\?[^"]+)">([\d,]+) document', form)
    assert results
    assert "sort=title" in results[1]
    assert "per=50" in results[1]
    total = re.search(r"<strong>([\d,]+)</strong> result", found.main)
    assert results[2] == (total[1] if total else "0")


def test_an_order_is_kept_on_the_way_to_the_results(crawled: Crawled) -> None:
    body = crawled.get("/advanced?any=kelp&sort=title").body
    assert '<option value="title" selected>Title</option>' in body
    assert 'href="/search?q=kelp&amp;sort=title"' in body
    there = crawled.get("/advanced?any=kelp&sort=title&go=1").headers["location"]
    assert there == "/search?q=kelp&sort=title"
    titles = [hit["title"] for hit in crawled.api("/search?q=kelp&sort=title")["hits"]]
    shown = re.findall(r"<h2><a [^>]*>(.*?)</a>", crawled.get(there).body)
    assert [unescape(each) for each in shown] == titles
    assert crawled.get("/advanced?any=kelp&sort=colour&go=1").headers["location"] == "/search?q=kelp"


def test_results_on_a_page(crawled: Crawled) -> None:
    there = crawled.get("/advanced?any=kelp&per=20&go=1").headers["location"]
    assert there == "/search?q=kelp&per=20"
    assert crawled.get("/search?q=kelp&all=1&per=20").body.count('<li class="hit"') == 17
    first = crawled.get("/search?q=kelp&all=1").body
    assert first.count('<li class="hit"') == 10
    assert crawled.get("/search?q=kelp&all=1&per=999").body.count('<li class="hit"') == 10
    assert 'href="/search?q=kelp&amp;all=1&amp;page=2"' in first
    assert "<option selected>20</option>" in crawled.get("/advanced?any=kelp&per=20").body


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01", "1.2.2026"])
def test_what_is_no_day_is_shown_beside_its_field(day: str, crawled: Crawled) -> None:
    got = crawled.get(f"/advanced?all=kelp&from={day}&to=2999-01-02&go=1")
    assert got.status == 200, "the results would not say that it was left out"
    assert got.body.count("This is no day, so it was left out. Write one like 2026-03-14.") == 1
    assert re.search(rf'name="from" type="text" value="{day}" autocomplete="off" aria-invalid="true"', got.body)
    assert "kelp date:..2999-01-02</pre>" in got.body, "the other day counts"
