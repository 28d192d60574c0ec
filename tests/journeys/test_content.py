"""Declarations of a page: its charset and language, its links, and whether it may be indexed."""

# ruff: noqa: RUF001

from __future__ import annotations

from collections.abc import Callable
from email.utils import formatdate

import pytest

from cormorant.base.clock import SystemClock
from cormorant.operate.documents import links as of_links
from cormorant.operate.search import search
from cormorant.search.reader import Question
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.hosts import Host
from tests.threaded import Said

GERMAN = (
    "Die Pumpe wird mit dem Kessel geliefert und ist für den Betrieb in der Werkstatt vorgesehen. Wer die Anlage nicht "
    "selbst einrichten kann, wendet sich an den Hersteller und lässt das Ventil dort prüfen. Das ist nicht teuer und "
    "geht mit den meisten Geräten recht schnell, und die Rechnung kommt danach mit der Post. "
) * 3
RUSSIAN = (
    "Насос поставляется вместе с котлом и не требует особого ухода в течение нескольких лет. Если вода в нём всё же "
    "замёрзнет, его следует выключить и вызвать мастера, который знает, что делать. Запасные части можно купить на "
    "складе завода, а гарантию даёт только тот магазин, где была сделана покупка. "
) * 3


def page(text: str, head: str = "") -> str:
    return f"<!doctype html><html><head>{head}<title>A page</title></head><body><p>{text}</p></body></html>"


@pytest.fixture
def town(host: Callable[[], Host]) -> Host:
    return host()


def settings(town: Host, **given: object) -> dict[str, object]:
    return {"start": [town.origin + "/"], "network": ["loopback"], "patience_s": "0", **given}


def links(home: Home, address: str) -> set[tuple[str, str, str]]:
    with home.house() as house:
        return {(each["direction"], each["address"], each["text"]) for each in of_links.links(house, address)}


def test_titles_that_are_none_and_what_stands_in_for_them(file_home: Home, crawls: Crawler, town: Host) -> None:
    prose = "The harbour master keeps the tide tables in the office by the old pier."
    link = "".join(f"<a href='{each}'>to {each}</a>" for each in ("/left", "/every"))
    town.says = {
        "/": Said(body=page(link)),
        "/left": Said(body=f"<title>Untitled Document</title><h1>Tides</h1><p>{prose}"),
        "/every": Said(body=f"<title>Our Town</title><h1>Our town</h1><h2>Piers</h2><p>{prose}"),
    }
    file_home.add_source("web", "town", settings(town, bad_titles=["our town"], describe_by_text="true"))
    crawls.crawl(file_home, "town")
    assert {file_home.shown(town.origin + path)["title"] for path in ("/left", "/every")} == {"Tides", "Piers"}
    with file_home.house() as house:
        hits = search.search(house, Question("tide")).hits
    assert [hit.attributes["Description"] for hit in hits] == [prose, prose]


def test_charset_language_and_links_are_known_and_shown(home: Home, crawls: Crawler, town: Host) -> None:
    link = "".join(f"<a href='{each}'>to {each}</a>" for each in ("/template", "/silent", "/header", "/old"))
    town.says = {
        "/": Said(body=page(link), headers={"Link": "</next>; rel=next, </style.css>; rel=preload"}),
        "/template": Said(body=page(GERMAN, "<meta charset=utf-8>").replace("<html>", "<html lang=en>")),
        "/silent": Said(body=page(GERMAN)),
        "/header": Said(
            body=page("Bref."), headers={"Content-Language": "fr", "Content-Type": "text/html; charset=UTF-8"}
        ),
        "/old": Said(body=page(RUSSIAN).encode("windows-1251")),
        "/next": Said(body=page("Kurz. <form action=/found><input name=q value=a></form>")),
        "/found?q=a": Said(body=page("Found by a form.")),
    }
    given = settings(town, default_charset="windows-1251", default_language="nl", links=["forms"])
    home.add_source("web", "town", given)
    crawls.crawl(home, "town")
    said = {path: home.shown(town.origin + path) for path in town.says}
    read_as = {
        path: (each["charset"], each["charset_from"], each["language"], each["language_from"])
        for path, each in said.items()
    }
    assert read_as == {
        "/": ("windows-1251", "default", "nl", "default"),
        "/template": ("utf-8", "page", "de", "text"),
        "/silent": ("windows-1251", "default", "de", "text"),
        "/header": ("utf-8", "header", "fr", "header"),
        "/old": ("windows-1251", "default", "ru", "text"),
        "/next": ("windows-1251", "default", "nl", "default"),
        "/found?q=a": ("windows-1251", "default", "nl", "default"),
    }
    assert home.found("котлом") == [[town.origin + "/old"]]
    assert home.explained(town.origin + "/old")["conversion"]["charset_from"] == "default"
    assert ("out", town.origin + "/next", "") in links(home, town.origin + "/")
    assert ("in", town.origin + "/", "to /old") in links(home, town.origin + "/old")
    assert not any("style" in path for path in town.paths)


def test_a_copy_leaves_once_what_it_is_a_copy_of_is_there(home: Home, crawls: Crawler, town: Host) -> None:
    def copy(of: str) -> Said:
        return Said(body=page(f"Words of a copy of {of}.", f"<link rel=canonical href='{of}'>"))

    other = "http://elsewhere.example/"
    town.says = {
        "/": town.page("/copy", "/far", "/lost", "/a", "/b"),
        "/copy": copy("/real"), "/real": Said(body=page("The real words.")),
        "/far": copy(other), "/lost": copy("/missing"), "/a": copy("/b"), "/b": copy("/a"),
    }  # fmt: skip
    home.add_source("web", "town", settings(town))
    for _ in range(3):
        crawls.crawl(home, "town")
    statuses = {path: home.shown(town.origin + path)["status"] for path in town.says}
    assert statuses == {"/": 200, "/copy": 910, "/real": 200, "/far": 200, "/lost": 200, "/a": 200, "/b": 200}
    assert home.explained(town.origin + "/copy")["because"].endswith(f"it calls itself a copy of {town.origin}/real")
    town.says["/real"] = Said(403)
    for _ in range(2):
        crawls.crawl(home, "town")
    assert home.shown(town.origin + "/copy")["status"] == 910, "what it is a copy of is found still"
    town.says["/real"] = Said(404)
    for _ in range(2):
        crawls.crawl(home, "town")
    assert home.shown(town.origin + "/copy")["status"] == 200, "what it was a copy of is gone"


@pytest.mark.parametrize("place", ["header", "page"])
def test_a_page_leaves_when_its_time_has_run_out(home: Home, crawls: Crawler, town: Host, place: str) -> None:
    def until(at: float) -> Said:
        word = f"unavailable_after: {formatdate(at, usegmt=True)}"
        if place == "header":
            return Said(body=page("Offers."), headers={"X-Robots-Tag": word})
        return Said(body=page("Offers.", f'<meta name=robots content="{word}">'))

    now = SystemClock().now()
    town.says = {"/": town.page("/past", "/future"), "/past": until(now - 60), "/future": until(now + 3600)}
    home.add_source("web", "town", settings(town))
    crawls.crawl(home, "town")
    crawls.crawl(home, "town")
    assert [home.shown(town.origin + path)["status"] for path in ("/past", "/future")] == [971, 200]
    assert "unavailable_after" in home.explained(town.origin + "/past")["because"]
    assert town.paths.count("/future") == 2


def test_links_beyond_the_cap_are_counted_in_the_journal(home: Home, crawls: Crawler, town: Host) -> None:
    town.says = {"/": Said(body="".join(f"<a href='/p?{n}'>x</a>" for n in range(6_000)))}
    home.add_source("web", "town", settings(town, dynamic_pages="false"))
    crawls.crawl(home, "town")
    said = home.shown(town.origin + "/")
    assert (said["links_dropped"], said["truncated"]) == (1_000, False)
    assert said["reason"] == "It has more links than are kept: 1,000 were left out."
    assert home.explained(town.origin + "/")["visits"][0]["reason"] == said["reason"]
