"""Explain as a page: the verdict and why, for those who look after the installation and nobody else."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.routing import APIRoute
from fastapi.templating import Jinja2Templates
from jinja2 import Environment

from cormorant.app import settings
from cormorant.app.build import BuildPlan, open_house
from cormorant.web.api import router
from cormorant.web.pages import explain
from cormorant.web.query_recorder import QueryRecorder
from cormorant.web.security.authorization import PASSED_ON
from cormorant.web.security.request_guard import OF_PROGRAMS
from cormorant.web.shared_reader import SharedReader
from tests import threaded
from tests.cli.world import InstalledCli
from tests.threaded import Said, served
from tests.web.asking import ask
from tests.web.crawled import EVIL, Crawled

SHOWN = re.compile(r"<[^>]+>")


def said(page: str) -> str:
    """The words of a page."""
    return unescape(re.sub(r"\s+", " ", SHOWN.sub(" ", page)))


def test_the_verdict_comes_first_and_everything_behind_it(crawled: Crawled) -> None:
    page = crawled.explain("/n0").main
    words = said(page)
    assert re.search(r"Number 0 200 indexed .*/n0 Verdict: indexed\. It was fetched and may be found\.", words), words[
        :400
    ]
    for part in ("How it was found", "Rules that decide", "Visits", "Conversion", "In the index", "Who may see it"):
        assert part in words
    assert f'href="/explain?address={quote(crawled.origin + "/", safe="")}"' in page
    assert "link “ to /n0 ”" in words
    assert '<span class="verdict yes">admits</span>' in page
    assert "hosts of the start addresses" in words
    assert '<li class="change"><time datetime="2' in page
    assert re.search(r'href="/documents/(\d+)/links#in">2</a> links to it', page)
    assert re.search(r'href="/cached/\d+"', page)
    assert "utf-8 (by the server&#39;s header)" in page
    assert "everyone" in words


def test_what_is_unchanged_is_indexed_with_200(tmp_path: Path) -> None:
    """The page, the list and the status pages agree; the visit says that nothing was new."""

    def say(asked: threaded.Asked) -> Said:
        known = asked.fields.get("if-none-match")
        text = "" if known else "<title>Tide tables</title><p>High water at noon."
        return Said(304 if known else 200, text, {"Content-Type": "text/html", "ETag": '"1"'})

    home = InstalledCli(tmp_path / "data")
    with served(say) as server:
        address = f"{server.origin}/tides"
        home.fine("source", "add", "web", "docs", "--set", f"start={address}", "--set", "robots=ignore")
        for _ in range(2):
            home.run("crawl", "docs")
    house = open_house(BuildPlan(home.folder, settings.load(None)), first=True)
    page = said(ask(house, f"/explain?address={quote(address, safe='')}").main)
    numbers = said(ask(house, "/status/304").main)
    house.store.close()
    assert "Tide tables 200 indexed" in page
    assert "Status 200 Fetched and fit for the index , source docs ; its last visit ended 304 unchanged" in page
    assert re.search(r"unchanged 304 run 2 .* ok, new 200", page)
    record = home.fine("explain", address, "--json").object
    assert (record["status"], record["visits"][-1]["status"]) == (200, 304)
    assert f" 200  indexed   {address}\n" in home.fine("document", "list", "--status", "200").out
    assert "its document stays among those with 200" in numbers
    assert "Indexed yes, as it was kept" in numbers


def test_what_was_probably_meant_is_a_link(crawled: Crawled) -> None:
    got = crawled.get("/explain?address=draft.html")
    meant = f"{crawled.origin}/draft.html"
    assert got.status == 422
    assert f'Did you mean <a class="addr" dir="ltr" href="/explain?address={quote(meant, safe="")}">' in got.body
    assert crawled.get("/api/v1/explain?address=draft.html").json["meant"] == meant


def test_an_address_outside_has_the_text_of_the_link(crawled: Crawled) -> None:
    (link,) = (
        each
        for each in crawled.api(f"/explain?address={quote(crawled.origin + '/evil', safe='')}")["explanations"][:1]
        for each in crawled.api(f"/documents/{each['id']}/links")["links"]
        if each["address"].startswith("https://elsewhere.example/")
    )
    found = crawled.api(f"/explain?address={quote(link['address'], safe='')}")["explanations"]
    assert {path["text"] for each in found for path in each["paths"]} == {"away"}
    assert "964 Outside the boundary: hosts of the start addresses" in {each["because"] for each in found}


def test_its_parts_are_named_on_top_and_each_is_there(crawled: Crawled) -> None:
    page = crawled.explain("/n1").main
    named = re.search(r'<nav class="tabs"[^>]*>(.*?)</nav>', page)
    assert named
    assert re.findall(r'href="#(\w+)"', named[1]) == ["found", "rules", "visits", "conversion", "index", "who"]
    assert all(f'id="{each}"' in page for each in re.findall(r'href="#(\w+)"', named[1]))
    assert re.search(r'Visits <span class="n">\d+</span>', named[1])
    bare = crawled.get("/explain?address=https://elsewhere.example/").main
    assert all(f'id="{each}"' in bare for each in re.findall(r'<a href="#([\w-]+)"', bare))


def test_every_source_that_knows_the_address_is_shown(crawled: Crawled) -> None:
    page = crawled.explain("/n0").main
    assert "2 sources know it" in said(page)
    assert 'id="source"' in page
    assert 'id="source-2"' in page
    assert len(re.findall(r'id="([\w-]+)"', page)) == len(set(re.findall(r'id="([\w-]+)"', page)))


@pytest.mark.parametrize(
    ("path", "verdict", "says", "status"),
    [
        ("/missing", "gone", "What to do: Nothing to do if it was removed on purpose", 404),
        ("/private/x", "excluded", "Disallow: /private/", 970),
        ("/old", "not indexed", "954 Moved to another address", 954),
        ("/teapot", "failed", "418", 418),
        ("/n7", "indexed", "exclude contains:/n7", 964),
    ],
)
def test_why_it_is_not_in_the_index(path: str, verdict: str, says: str, status: int, crawled: Crawled) -> None:
    page = crawled.explain(path).main
    words = said(page)
    assert f"Verdict: {verdict}." in words
    assert says in words
    assert f'href="/status/{status}"' in page
    assert crawled.get(f"/status/{status}").status == 200


def test_an_address_that_nobody_has_met_gets_an_answer(crawled: Crawled) -> None:
    near = said(crawled.explain("/never").main)
    assert "Verdict: unknown." in near
    assert "though 'twin' and 'web' know others of 127.0.0.1" in near
    assert "hosts of the start addresses" in near
    far = said(crawled.get("/explain?address=https://far.example/x").main)
    assert "the rules of every source exclude it" in far
    assert "Its host" not in far
    barred = crawled.get("/explain?address=" + quote(crawled.origin + "/private/never")).main
    assert '<span class="verdict no">excludes</span>' in barred
    assert "Disallow: /private/" in barred


def test_what_a_source_would_rule_of_what_is_linked_from_a_start(crawled: Crawled) -> None:
    """A source that visits its starts alone does not let in what they link to."""
    home = crawled.home
    home.fine("source", "add", "web", "shallow", "--set", "start=http://shallow.example/", "--set", "depth=0")
    try:
        record = home.fine("explain", "http://shallow.example/a", "--json").object
        (mine,) = [each for each in record["gates"] if each["source"] == "shallow"]
        assert (mine["ruling"], "depth" in mine["rule"]) == ("excludes", True)
    finally:
        home.fine("source", "delete", "shallow", "--yes")


def test_whatever_a_page_says_is_shown_as_text(crawled: Crawled) -> None:
    shown = [crawled.explain("/evil"), crawled.explain("/n0"), links_of(crawled, "/evil"), links_of(crawled, "/n0")]
    for page in shown:
        assert page.status == 200
        assert EVIL not in page.body
        assert "&lt;script&gt;alert(1)" in page.body
    assert "<i>" not in links_of(crawled, "/evil").body
    assert "&lt;i&gt; external" in links_of(crawled, "/evil").body


@pytest.mark.parametrize("text", [EVIL, '"><b onfocus=x>', "https://a.example/'><script>", "x" * 5000, "\x00", "`<i>`"])
def test_whatever_is_asked_is_shown_as_text(text: str, crawled: Crawled) -> None:
    got = crawled.get(f"/explain?address={quote(text)}")
    assert got.status in (200, 422)
    assert not re.search(r"<script(?! src=\"/static/)|<b onfocus|<i>", got.body)


def links_of(crawled: Crawled, path: str) -> Any:
    """The page of the links of a document."""
    found = crawled.api(f"/explain?address={quote(crawled.origin + path, safe='')}")["explanations"]
    (number,) = [each["id"] for each in found if each["source"] == "web"]
    return crawled.get(f"/documents/{number}/links")


def test_links_in_and_out(crawled: Crawled) -> None:
    words = said(links_of(crawled, "/").main)
    assert "Links of “ Start of all ”" in words
    assert "No known page links to it." in words
    assert "to /n7" in words
    words = said(links_of(crawled, "/evil").main)
    assert "Texts of links to it to /evil 9" in words
    assert "https://elsewhere.example/" in words


def test_many_links_come_page_by_page(crawled: Crawled, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = links_of(crawled, "/").body
    monkeypatch.setattr(explain, "PER_PAGE", 5)
    seen, page = [], links_of(crawled, "/")
    while True:
        seen += re.findall(r'<tr><th scope="row"><a class="addr" dir="ltr" href="([^"]+)"', page.main)
        following = re.search(r'href="([^"]+)#out" rel="next"', page.main)
        if following is None:
            break
        page = crawled.get(following[1].replace("&amp;", "&"))
    assert seen == re.findall(r'<tr><th scope="row"><a class="addr" dir="ltr" href="([^"]+)"', whole)
    assert "11 to 13 of 13" in said(page.main)
    assert 'rel="prev"' in page.main


def test_a_document_there_is_not(crawled: Crawled) -> None:
    got = crawled.get("/documents/999999/links")
    assert (got.status, "There is no document 999999." in got.body) == (404, True)
    assert crawled.get("/documents/" + "9" * 30 + "/links").status == 404


OURS = (
    "/explain", "/documents/1/links", "/status", "/status/404", "/api/v1/documents", "/api/v1/documents/1",
    "/api/v1/documents/1/links", "/api/v1/explain?address=https://a.example/", "/api/v1/sources",
    "/api/v1/sources/kinds", "/api/v1/sources/services", "/api/v1/sources/web",
    "/api/v1/sources/web/script",
    "/api/v1/attributes", "/api/v1/attributes/impact", "/api/v1/attributes/Author", "/api/v1/lovs",
    "/api/v1/runs", "/api/v1/runs/1", "/api/v1/tuning", "/queries",
    "/api/v1/queries", "/api/v1/queries/zero", "/api/v1/schedules", "/api/v1/schedules/nightly",
    "/api/v1/runs/1/log", "/metrics", "/api/v1/receivers", "/api/v1/receivers/kinds", "/api/v1/receivers/index",
    "/api/v1/receivers/index/faulty", "/api/v1/parameters", "/api/v1/parameters/brisk",
    "/api/v1/system", "/api/v1/tokens", "/takedowns", "/api/v1/takedowns", "/api/v1/takedowns/1",
)  # fmt: skip
NO_TABLE = "/api/v1/sources/web/script"
"""The route of statements for a database: the source of this name has none, so 400 answers who may ask."""


def test_every_route_of_the_group_is_tried_below() -> None:
    nowhere: Any = None
    look = Jinja2Templates(env=Environment(autoescape=True))
    group = router.group(SharedReader(nowhere), look, QueryRecorder(nowhere))
    asked = [each.partition("?")[0] for each in OURS]
    assert len(group.routes) >= 15
    for route in group.routes:
        assert isinstance(route, APIRoute)
        if "GET" not in (route.methods or ()):
            continue  # what changes something is tried in test_orders
        assert any(route.path_regex.fullmatch(each) for each in asked), route.path


@pytest.mark.parametrize("path", OURS)
@pytest.mark.parametrize("field", sorted(PASSED_ON))
def test_who_comes_through_a_proxy_is_turned_away(path: str, field: str, crawled: Crawled) -> None:
    assert crawled.get(path).status == (400 if path == NO_TABLE else 200)
    got = crawled.get(path, **{field: "203.0.113.7"})
    assert got.status == 403
    if path.startswith(OF_PROGRAMS):
        assert (got.json["code"], got.headers["content-type"]) == ("not_permitted", "application/problem+json")
    else:
        assert "This page is for administrators" in got.body
        assert "Look up a document" not in got.body


def test_readers_are_not_led_there(crawled: Crawled) -> None:
    hit = quote(f"{crawled.origin}/n0", safe="")
    assert f'href="/explain?address={hit}"' in crawled.get("/search?q=forest&source=web").body
    for path in ("/", "/search?q=forest", "/search?q=nothingatall", "/help", "/help/errors", "/nowhere"):
        body = crawled.get(path, via="1.1 proxy").body
        assert "/explain" not in body, path
        assert "/status/" not in body, path


def test_a_document_of_a_group_is_explained_to_administrators_alone(crawled: Crawled) -> None:
    address = (crawled.home.folder.parent / "staff" / "pay.txt").as_uri()
    page = crawled.get(f"/explain?address={quote(address)}").main
    assert "only by people whom its rights name" in page
    assert "group:hr" in page
    assert "/cached/" not in page
    assert crawled.get(f"/explain?address={quote(address)}", forwarded="for=a").status == 403
    assert "pay.txt" not in crawled.get("/search?q=pickers").body


def test_nobody_learns_over_the_network_which_files_lie_here(
    crawled: Crawled, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.txt").write_text("Here.")
    here, gone = (crawled.get(f"/explain?address={name}") for name in ("one.txt", "two.txt"))
    assert (here.status, here.body.replace("one", "two")) == (422, gone.body)
    assert crawled.get("/explain?address=~/").status == 422


def test_without_an_address_there_is_a_place_to_put_one(crawled: Crawled) -> None:
    got = crawled.get("/explain")
    assert (got.status, '<input class="mono" id="address" name="address"' in got.body) == (200, True)
    assert crawled.get("/explain?address=%20").body == got.body
