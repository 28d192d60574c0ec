"""The pages of statuses: their meaning, and the documents that have them."""

from __future__ import annotations

import html
import re

import pytest

from cormorant.model.status import TABLE
from cormorant.web.pages import statuses
from tests.web.crawled import Crawled


def test_every_number_has_its_page(crawled: Crawled) -> None:
    table = crawled.get("/status").main
    for row in TABLE.values():
        assert f'<a class="n" href="/status/{row.number}">{row.number}</a>' in table
        page = html.unescape(crawled.get(f"/status/{row.number}").main)
        assert f"<h1>{row.number} {row.text}" in page
        assert row.cause in page
        assert row.advice in page.replace("<code>", "`").replace("</code>", "`")


def test_what_a_server_may_say_has_a_page_too(crawled: Crawled) -> None:
    got = crawled.get("/status/418")
    assert (got.status, "Refused by the server (418)" in got.body) == (200, True)


@pytest.mark.parametrize("number", ["99999", "abc", "-1", "12", "600", "1112", "²", "4 04", "9" * 300])
def test_an_unknown_number_says_which_there_are(number: str, crawled: Crawled) -> None:
    got = crawled.get(f"/status/{number}")
    assert got.status == 404
    assert "those of HTTP from 100 to 599, and Cormorant&#39;s own from 902 to 1111" in got.body
    assert "<code>/status</code>" in got.body


def test_addresses_that_have_it(crawled: Crawled) -> None:
    page = crawled.get("/status/404").main
    assert f"{crawled.origin}/missing</span>" in page
    assert f'href="/explain?address={crawled.origin.replace(":", "%3A").replace("/", "%2F")}%2Fmissing"' in page
    assert "No address has it." in crawled.get("/status/503").main
    barred = crawled.get("/status/970").main
    assert f"{crawled.origin}/private/x</span>" in barred
    assert "cormorant document list --status 970 --excluded" in barred


def test_figures_are_those_of_the_list(crawled: Crawled, monkeypatch: pytest.MonkeyPatch) -> None:
    got = crawled.get("/status/200").main
    listed = len(re.findall(r'<span class="sub" dir="ltr">', got))
    figures = dict(re.findall(r'<dt>([^<]+)</dt><dd class="v"><a class="n" href="#\w+">([^<]+)</a>', got))
    assert figures == {"Addresses": str(listed), "In the index": str(listed), "Sites": "2"}
    shares = [int(each) for each in re.findall(r'#list">(\d+)<span class="hide"> of ', got)]
    assert sum(shares) == 2 * listed, "each address is of one source, and of one site"
    monkeypatch.setattr(statuses, "COUNTED", 4)
    got = crawled.get("/status/200").main
    assert ">more than 4</a>" in got
    assert "Counted are the first 4." in got
    assert 'class="stats"' not in crawled.get("/status/503").main


def test_a_list_of_one_source(crawled: Crawled) -> None:
    got = crawled.get("/status/200").main
    name = re.search(r'href="\?source=(\w+)#list"', got)
    assert name
    only = crawled.get(f"/status/200?source={name[1]}").main
    assert f"only of <bdi>{name[1]}</bdi>" in only
    assert f"cormorant document list --source {name[1]} --status 200" in only
    assert crawled.get("/status/200?source=nowhere").status == 404


def test_many_addresses_come_page_by_page(crawled: Crawled, monkeypatch: pytest.MonkeyPatch) -> None:
    row = re.compile(r'<span class="sub" dir="ltr">([^<]+)</span>')
    whole = row.findall(crawled.get("/status/200").main)
    monkeypatch.setattr(statuses, "PER_PAGE", 4)
    seen, page = [], crawled.get("/status/200").main
    while following := re.search(r'href="([^"]+)" rel="next"', page):
        seen += row.findall(page)
        page = crawled.get(html.unescape(following[1]).partition("#")[0]).main
    assert seen + row.findall(page) == whole
    assert len(whole) > 12


def test_a_cursor_that_no_page_gave(crawled: Crawled) -> None:
    got = crawled.get("/status/200?cursor=nonsense")
    assert (got.status, "does not come from a list" in got.body) == (400, True)
