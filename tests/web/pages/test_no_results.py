"""Where nothing is found: what would find something, how often each word occurs, and why what is there is hidden."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import quote

import pytest

from cormorant.app import settings
from cormorant.app.build import BuildPlan, open_house
from cormorant.web import app
from tests.cli.world import InstalledCli
from tests.web.asking import ask_of
from tests.web.crawled import EVIL, Crawled

ROW = re.compile(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>')
NUMBER = re.compile(r'href="([^"]*)">([\d,]+)<span class="hide">')


def cards(body: str) -> dict[str, dict[str, str]]:
    """The rows of each table by its heading: what a row is called, and the rest of it."""
    found = {}
    for heading, rest in re.findall(r"<header><h2>(.*?)</h2></header>(.*?)</tbody>", body, re.DOTALL):
        rows = ((re.sub(r"<[^>]+>", "", name), said) for name, said in ROW.findall(rest))
        found[heading] = {unescape(name): said for name, said in rows}
    return found


def test_each_word_is_counted_and_what_is_left_is_offered(crawled: Crawled) -> None:
    body = crawled.get("/search?q=%2Bkelp+%2Bforest+%2Bsargossum").body
    words = cards(body)["How often each word occurs"]
    assert list(words) == ["kelp", "forest", "sargossum"]
    assert "not in any document you may read" in words["sargossum"]
    ((address, count),) = NUMBER.findall(words["kelp"])
    assert f"<strong>{count}</strong>" in crawled.get(unescape(address)).body
    (offered,) = [said for name, said in cards(body)["This search finds documents"].items() if name == "kelp forest"]
    assert "without sargossum" in offered
    ((address, count),) = NUMBER.findall(offered)
    assert f"<strong>{count}</strong>" in crawled.get(unescape(address)).body


def test_words_that_do_not_stand_together_are_offered_apart(crawled: Crawled) -> None:
    body = crawled.get("/search?q=%2Bkelp+%2Bsargasso").body
    assert "any of the words" in cards(body)["This search finds documents"]["kelp sargasso"]


def test_counts_are_within_what_was_chosen(crawled: Crawled) -> None:
    body = crawled.get("/search?q=%2Bkelp+%2Bsargasso&source=papers").body
    words = cards(body)["How often each word occurs"]
    assert "not within your filters" in words["kelp"]
    assert NUMBER.findall(words["sargasso"]) == [("/search?q=sargasso&amp;source=papers", "1")]


def test_documents_of_others_are_not_revealed(crawled: Crawled) -> None:
    """`pickers` stands only in a document of a group; `zyxwv` in none."""
    for known, unknown in (("pickers", "zyxwvut"), ("personnel", "zyxwvutsr")):
        answers = [crawled.get(f"/search?q=%2Bkelp+%2B{word}").main.replace(word, "*") for word in (known, unknown)]
        assert answers[0] == answers[1]


@pytest.mark.parametrize("q", [EVIL, '"', "zz " * 300, "+((", "zz*", "\u202ezz yy", "title:zz yy -xx"])
def test_whatever_is_asked_is_shown_as_text(q: str, crawled: Crawled) -> None:
    got = crawled.get(f"/search?q={quote(q)}&source=papers")
    assert got.status == 200
    assert EVIL not in got.body
    assert len(cards(got.body).get("How often each word occurs", {})) <= 8


def test_it_leads_to_the_form_and_to_help(crawled: Crawled) -> None:
    body = crawled.get("/search?q=zyxwvut").body
    assert '<a href="/advanced?q=zyxwvut">Use the advanced form</a>' in body
    assert '<a href="/help">See how to search</a>' in body
    assert "How often" not in body, "one word was counted above"


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Crawled]:
    """A file that only its owner may read, by its rights."""
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "own.txt").write_text("A quiet kelp note.")
    (tmp_path / "papers" / "own.txt").chmod(0o600)
    home = InstalledCli(tmp_path / "data")
    given = ("--set", f"path={tmp_path / 'papers'}", "--set", "owner_grants=true")
    home.fine("source", "add", "files", "papers", *given)
    home.fine("crawl")
    house = open_house(BuildPlan(home.folder, settings.load(None)))
    yield Crawled(home, "", app.make(house))
    house.store.close()


@pytest.mark.parametrize("address", ["/", "/search?q=kelp"])
def test_only_administrators_see_why_nothing_is_found(address: str, closed: Crawled) -> None:
    body = closed.get(address).body
    assert "0 of 1 documents of papers are for everyone." in body
    assert "<code>cormorant source edit papers --set owner_grants=false</code>" in body
    passed_on = ask_of(closed.application, address, x_forwarded_for="192.0.2.1")
    assert passed_on.status == 200
    assert "papers" not in passed_on.body
