"""Pages that lie about being pages: one text on a whole site, login pages, missing pages with status 200."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from cormorant.base.clock import SystemClock, pause
from cormorant.base.errors import NotFoundError
from cormorant.model.acl import ANYONE
from cormorant.operate.documents import cached_copy
from cormorant.operate.explain import explain
from cormorant.operate.runs import report as run_report, start
from cormorant.operate.sources import secrets
from cormorant.search.reader import Question
from tests.journeys import crawling
from tests.journeys.conftest import Serve
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home, received
from tests.journeys.pacing import too_soon
from tests.journeys.pages import SiteSettings
from tests.journeys.processes import ended, kill_group
from tests.journeys.site import WebSite

PAGES = 20
DELAY_S = 0.3
PATIENCE_S = 300.0
"""How long a run waits by itself when nothing is left but what has to wait."""
DOWN = (
    "<title>Maintenance</title><h1>Back soon</h1><p>We are improving hibiscus for you. "
    "Asked for {path}, at 12:0{path}.</p>"
)


def shut(site: WebSite, numbers: range) -> None:
    """Have these pages answer with the maintenance page."""
    for number in numbers:
        site.edit(number, whole=DOWN)


def reopen(site: WebSite, numbers: range) -> None:
    for number in numbers:
        site.edit(number)


def words(site: WebSite, numbers: range) -> tuple[list[str], list[list[str]]]:
    """The words of pages, and where they are to be found."""
    return [site.word(number) for number in numbers], [[site.url(number)] for number in numbers]


def answered(home: Home, crawls: Crawler, run: int, *, accept: bool) -> dict[str, Any]:
    """Answer a held run, and see it to its end."""
    with home.house() as house:
        start.answer(house, run, accept=accept)
    crawls.begin(home, runs=(run,))
    report: dict[str, Any] = crawls.end()["reports"][0]
    return report


def test_a_site_under_maintenance_keeps_what_it_said(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    home.add_source("web", "site", site.source)
    lines = home.add_receiver("lines", "site")
    crawls.crawl(home, "site")
    links = home.value("SELECT sum(count) FROM inlinks")
    shut(site, range(1, PAGES))
    asked, found = words(site, range(PAGES))
    for _ in range(2):
        held = crawls.crawl(home, "site")
        assert (held["state"], held["exit"], held["held"], held["changed"]) == ("held", 3, PAGES - 1, 0)
        assert f"{PAGES - 1} of {PAGES} documents would all say the same now: 'Maintenance'" in held["reason"]
        assert home.found(*asked, "hibiscus") == [*found, []]
        assert answered(home, crawls, held["run"], accept=False)["state"] == "finished"
        assert home.found(*asked, "hibiscus") == [*found, []]
        assert home.value("SELECT sum(count) FROM inlinks") == links
    assert home.value("SELECT count(*) FROM version") == 0

    reopen(site, range(PAGES))
    again = crawls.crawl(home, "site")
    assert (again["state"], again["exit"], again["held"], again["changed"]) == ("finished", 0, 0, 0)
    assert home.found(*asked, "hibiscus") == [*found, []]
    assert all("hibiscus" not in each["text"] for each in received(lines) if each["run"] > 1)


def test_who_accepts_gets_the_one_text(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    home.add_source("web", "site", site.source)
    crawls.crawl(home, "site")
    shut(site, range(1, PAGES))
    held = crawls.crawl(home, "site")
    assert answered(home, crawls, held["run"], accept=True)["state"] == "finished"
    asked, _ = words(site, range(1, PAGES))
    assert home.found(*asked) == [[]] * (PAGES - 1)
    assert len(home.found("hibiscus")[0]) == PAGES - 1
    again = crawls.crawl(home, "site")
    assert (again["state"], again["exit"], again["requests"]) == ("finished", 0, PAGES)
    assert again["not_modified"] == PAGES


LOGIN = '<title>Welcome</title><h1>Sign in to hibiscus</h1><form><input name=u><input type="Password" name=p></form>'


def of_kind(home: Home, run: int, kind: str) -> Sequence[Any]:
    with home.house() as house:
        return [each for each in run_report.of_run(house, run) if each["kind"] == kind]


def explained(home: Home, address: str) -> Mapping[str, Any]:
    with home.house() as house:
        return explain.explain(house, address)[0]


@pytest.mark.parametrize(
    ("kind", "by"),
    [
        ("sqlite", "form"),
        ("postgresql", "form"),
        ("sqlite", "redirect"),
        ("postgresql", "moved"),
        ("sqlite", "forbidden"),
    ],
)
def test_login_pages_take_no_document_s_place(by: str, home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    home.add_source("web", "site", site.source | {"per_host": 1})
    crawls.crawl(home, "site")
    asked, found = words(site, range(PAGES))
    away = {"redirect": f"/p/{PAGES + 1}/login", "moved": "/login?next=here", "forbidden": "/private/login"}
    if by == "redirect":
        site.tell(missing="<title>Welcome</title><p>hibiscus: our identity provider needs a script")
    for number in range(PAGES):
        if by == "form":
            site.edit(number, whole=LOGIN + f"<p>You wanted page {number}")
        else:
            site.edit(number, status=301 if by == "moved" else 302, location=away[by])
    held = crawls.crawl(home, "site")
    assert (held["state"], held["exit"], held["complete"]) == ("finished", 3, False)
    assert (held["held"], held["held"] + held["deferred"]) == (3, PAGES + 1)  # robots.txt forbids one that is known
    assert held["requests"] <= 8
    assert "answers with login pages" in held["reason"]
    assert held["seconds"] < PATIENCE_S, "it waits for nothing"
    assert home.found(*asked, "hibiscus") == [*found, []]
    (said,) = of_kind(home, held["run"], "login")
    assert said["sentence"].startswith(f"3 pages answer with a login page now, like {site.url(0)}, ")
    assert "check the credential" in said["sentence"]
    explanation = explained(home, site.url(0))
    assert (explanation["verdict"], explanation["status"], explanation["index"]["indexed"]) == ("held", 980, True)
    assert "answers with a login page now; what it said before stays" in explanation["because"]

    reopen(site, range(PAGES))
    again = crawls.crawl(home, "site")
    assert (again["exit"], again["held"], again["unchanged"], again["deferred"]) == (0, 0, PAGES, 0)
    assert explained(home, site.url(0))["verdict"] == "indexed"


def test_a_login_page_that_was_never_a_document_is_one_unless_we_log_in(
    file_home: Home, crawls: Crawler, serve: Serve
) -> None:
    site = serve(SiteSettings(pages=4))
    site.edit(3, whole=LOGIN)
    file_home.add_source("web", "site", site.source)
    first = crawls.crawl(file_home, "site")
    assert (first["exit"], first["indexed"]) == (0, 4)
    assert file_home.found("hibiscus") == [[site.url(3)]]
    assert crawls.crawl(file_home, "site")["unchanged"] == 4

    with file_home.house() as house:
        secrets.add(house, "pass", "open sesame")
    file_home.add_source("web", "mine", site.source | {"credentials": ["basic me secret:pass"]})
    mine = crawls.crawl(file_home, "mine")
    assert (mine["exit"], mine["indexed"], mine["held"]) == (3, 3, 1)
    assert "although a credential was offered" in of_kind(file_home, mine["run"], "login")[0]["reason"]


def test_a_form_to_log_in_that_comes_to_every_page_is_no_login_page(
    file_home: Home, crawls: Crawler, serve: Serve
) -> None:
    site = serve(SiteSettings(pages=6))
    file_home.add_source("web", "site", site.source)
    crawls.crawl(file_home, "site")
    for number in range(6):
        site.edit(number, head="<form>hibiscus <input type=password></form>")
    again = crawls.crawl(file_home, "site")
    assert (again["exit"], again["held"], again["changed"]) == (0, 0, 6)
    assert len(file_home.found("hibiscus")[0]) == 6


def test_who_means_login_pages_gets_them(file_home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=4))
    file_home.add_source("web", "site", site.source | {"login_pages": "index"})
    crawls.crawl(file_home, "site")
    site.edit(3, whole=LOGIN)
    assert crawls.crawl(file_home, "site")["changed"] == 1
    assert file_home.found("hibiscus") == [[site.url(3)]]


SHELL = "".join(f"<p>Heading number {each} of our catalogue of garden plants</p>" for each in "abcdefgh")
NOT_FOUND = f"<title>Garden</title>{SHELL}<h1>Page not found</h1><p>There is no {{path}} here, see hibiscus.</p>"


def probes(site: WebSite) -> list[str]:
    """Paths that the site was asked for though no page has them."""
    known = {"/robots.txt", "/private/secret.html", *(f"/p/{number}.html" for number in range(PAGES + 10))}
    return [each.path for each in site.log() if each.path not in known]


def test_pages_that_are_missing_with_status_200(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES, missing=NOT_FOUND))
    dead = [PAGES, PAGES + 1, PAGES + 2]
    site.edit(0, links=dead)
    for number in dead:
        site.edit(number, whole=NOT_FOUND)
    site.edit(5, whole=f"<title>Garden</title>{SHELL}<h1>Lavender</h1>")
    home.add_source("web", "site", site.source)
    first = crawls.crawl(home, "site")
    assert (first["exit"], first["indexed"], first["requests"]) == (0, PAGES, PAGES + 1 + len(dead) + 1)
    assert len(probes(site)) == 1
    assert home.found("hibiscus", "lavender") == [[], [site.url(5)]]
    for number in dead:
        explanation = explained(home, f"http://127.0.0.1:{site.port}/p/{number}.html")
        assert (explanation["verdict"], explanation["status"]) == ("excluded", 978)
    again = crawls.crawl(home, "site")
    assert (again["exit"], again["requests"], again["unchanged"]) == (0, PAGES + len(dead), PAGES)
    assert len(probes(site)) == 1

    site.edit(3, whole=NOT_FOUND)
    once = crawls.crawl(home, "site")
    assert (once["exit"], once["failed"], once["index_deletes"]) == (3, 1, 0)
    assert home.found(site.word(3)) == [[site.url(3)]]
    assert explained(home, site.url(3))["status"] == 978
    twice = crawls.crawl(home, "site")
    assert (twice["exit"], twice["gone"], twice["index_deletes"]) == (0, 1, 1)
    assert home.found(site.word(3), site.word(4)) == [[], [site.url(4)]]
    assert len(probes(site)) == 1
    site.edit(3)
    assert crawls.crawl(home, "site")["new"] == 1
    assert home.found(site.word(3)) == [[site.url(3)]]


def test_many_missing_pages_are_held(home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES, missing=NOT_FOUND))
    home.add_source("web", "site", site.source)
    crawls.crawl(home, "site")
    asked, found = words(site, range(PAGES))
    for number in range(1, PAGES):
        site.edit(number, whole=NOT_FOUND)
    assert crawls.crawl(home, "site")["failed"] == PAGES - 1
    held = crawls.crawl(home, "site")
    assert (held["state"], held["exit"]) == ("held", 3)
    assert home.found(*asked) == found


HOME_PAGE = f"<title>Garden</title>{SHELL}<p>Welcome, not found elsewhere.</p>"


@pytest.mark.parametrize(
    "missing", ["", HOME_PAGE, "<title>x</title>", "<title>404</title><p>Nothing found for {path}"]
)
def test_honest_pages_stay_whatever_a_site_answers_to_what_is_not_there(
    missing: str, file_home: Home, crawls: Crawler, serve: Serve
) -> None:
    site = serve(SiteSettings(pages=PAGES, missing=missing))
    site.edit(0, whole=HOME_PAGE + "".join(f'<a href="/p/{number}.html">{number}</a>' for number in range(PAGES)))
    for number in range(1, 5):
        site.edit(number, whole=f"<title>Garden</title>{SHELL}<p>Product not found in shops: {site.word(number)}")
    site.edit(5, whole="<title>404</title><p>Room 404 has a lavender door")
    file_home.add_source("web", "site", site.source)
    report = crawls.crawl(file_home, "site")
    assert (report["exit"], report["indexed"]) == (0, PAGES)
    assert len(probes(site)) == 1
    crawls.crawl(file_home, "site")
    asked, found = words(site, range(1, 5))
    assert file_home.found(*asked, "lavender") == [*found, [site.url(5)]]


def test_who_may_not_ask_or_does_not_want_to_asks_for_nothing(file_home: Home, crawls: Crawler, serve: Serve) -> None:
    robots = "User-agent: *\nAllow: /p/0.html\nAllow: /p/1.html$\nAllow: /p/2.html$\nDisallow: /\n"
    site = serve(SiteSettings(pages=PAGES, missing=NOT_FOUND, robots=robots))
    site.edit(2, whole=NOT_FOUND)
    file_home.add_source("web", "site", site.source)
    assert crawls.crawl(file_home, "site")["indexed"] == 3
    file_home.add_source("web", "believing", site.source | {"missing_pages": "believe", "robots": "ignore"})
    assert crawls.crawl(file_home, "believing")["indexed"] == PAGES + 1  # and what robots.txt forbids
    assert probes(site) == []


def test_what_is_asked_beside_a_page_keeps_the_pace(file_home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES, missing=NOT_FOUND))
    site.edit(3, whole=NOT_FOUND)
    file_home.add_source("web", "site", site.source | {"delay_s": str(DELAY_S), "per_host": "1"})
    crawls.crawl(file_home, "site")
    log = site.log()
    assert len(probes(site)) == 1
    assert too_soon([each.at for each in log], DELAY_S, max(each.late_s for each in log)) == []


def test_two_sources_ask_a_host_once(file_home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES, missing=NOT_FOUND))
    site.edit(0, links=[PAGES, PAGES + 1, PAGES + 2])
    for number in range(PAGES, PAGES + 3):
        site.edit(number, whole=NOT_FOUND)
    for name in ("one", "two"):
        file_home.add_source("web", name, site.source)
    crawls.begin(file_home, "one", "two")
    assert [each["indexed"] for each in crawls.end()["reports"]] == [PAGES, PAGES]
    assert len(probes(site)) == 1


def test_few_pages_that_become_one_text_are_changed(file_home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    file_home.add_source("web", "site", site.source)
    crawls.crawl(file_home, "site")
    shut(site, range(8, PAGES))
    moved = crawls.crawl(file_home, "site")
    assert (moved["state"], moved["exit"], moved["changed"], moved["held"]) == ("finished", 0, PAGES - 8, 0)
    assert len(file_home.found("hibiscus")[0]) == PAGES - 8
    assert file_home.value("SELECT count(*) FROM version") == 0
    again = crawls.crawl(file_home, "site")
    assert (again["not_modified"], again["index_writes"]) == (PAGES, 0)


def test_pages_that_said_the_same_before_may_change_alike(file_home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES))
    for number in range(1, PAGES):
        site.edit(number, whole=f"<title>Sensor</title><p>lavender {number}.{number} degrees")
    site.edit(0, links=list(range(PAGES)))
    file_home.add_source("web", "site", site.source)
    crawls.crawl(file_home, "site")
    for number in range(1, PAGES):
        site.edit(number, whole=f"<title>Sensor</title><p>hibiscus {number}.{number} degrees")
    again = crawls.crawl(file_home, "site")
    assert (again["state"], again["exit"], again["changed"]) == ("finished", 0, PAGES - 1)


def test_what_a_page_asks_not_to_be_shown_is_not(file_home: Home, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=4))
    site.edit(1, head='<meta name="robots" content="noarchive">')
    site.edit(2, head='<meta name="cormorant" content="max-snippet: 0">')
    file_home.add_source("web", "site", site.source)
    crawls.crawl(file_home, "site")
    with file_home.library() as library:
        hits = {hit.url: hit for hit in library.find(Question("page", limit=10), ANYONE).hits}
        assert [hits[site.url(n)].cached for n in range(4)] == [True, False, True, True]
        assert [bool(hits[site.url(n)].snippet) for n in range(4)] == [True, True, False, True]
        with file_home.house() as house, pytest.raises(NotFoundError, match="forbids cached copies"):
            cached_copy.copy(house, library, hits[site.url(1)].id)
    site.edit(1)
    assert crawls.crawl(file_home, "site")["changed"] == 1
    with file_home.library() as library:
        assert all(hit.cached for hit in library.find(Question("page", limit=10), ANYONE).hits)


@pytest.mark.slow
def test_what_was_let_in_before_it_was_noticed_is_put_back_after_a_kill(
    home: Home, crawls: Crawler, serve: Serve
) -> None:
    site = serve(SiteSettings(pages=7))
    home.add_source("web", "site", site.source | {"per_host": 1})
    crawls.crawl(home, "site")
    links = home.value("SELECT sum(count) FROM inlinks")
    asked, found = words(site, range(7))
    shut(site, range(7))
    site.tell(delay_s=1.2)
    until = SystemClock().monotonic() + 30
    with ended(crawling.begin(home, "site")) as process:
        while home.found("hibiscus") == [[]] and SystemClock().monotonic() < until:
            pause(0.1)
        kill_group(process.pid)
    assert 1 <= len(home.found("hibiscus")[0]) <= 2
    site.tell(delay_s=0)
    held = crawls.crawl(home, "site")
    assert (held["state"], held["held"], held["changed"]) == ("held", 7, 0)
    assert home.found(*asked, "hibiscus") == [*found, []]
    answered(home, crawls, held["run"], accept=False)
    assert home.found(*asked, "hibiscus") == [*found, []]
    assert home.value("SELECT sum(count) FROM inlinks") == links
    reopen(site, range(7))
    again = crawls.crawl(home, "site")
    assert (again["exit"], again["not_modified"], again["index_writes"]) == (0, 7, 0)
