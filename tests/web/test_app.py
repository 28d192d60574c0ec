"""The pages over real HTTP: what they show, what they never do, and what wrong requests get."""

from __future__ import annotations

import gzip
import html
import http.client
import json
import re
import signal
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import urlencode

import pytest

from tests.cli.world import Answer, InstalledCli, Site, ended, serving
from tests.clocks import HANG_S, until

EVIL = "<script>alert(1)</script>"
ARABIC = "دليل ميناء الصيد"


class Got(NamedTuple):
    """An answer: status, headers in lower case, body."""

    status: int
    headers: dict[str, str]
    body: str


class Portal:
    """A running search page."""

    def __init__(self, port: int) -> None:
        self.port = port

    def get(self, path: str, method: str = "GET", **headers: str) -> Got:
        """Ask once."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANG_S)
        try:
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return Got(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read().decode())
        finally:
            connection.close()


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """Pages of which one is hostile."""
    made = Site()
    names = [f"/n{number}" for number in range(25)]
    made.page("/", "Start of all", "kelp", ("/evil", "/arabic", "/twin-a", "/twin-b", *names))
    made.answers["/evil"] = Answer(
        f"<title>Evil &lt;script&gt;alert(1)&lt;/script&gt;</title><p>sargasso {EVIL.replace('<', '&lt;')}"
    )
    made.answers["/arabic"] = Answer(f"<html lang=ar><title>{ARABIC}</title><p>{ARABIC} (PDF 12).</p></html>")
    for name in ("/twin-a", "/twin-b"):
        made.page(name, "Twin", "dulse twins")
    for name in names:
        made.page(name, f"Number {name[2:]}", f"kelp of a forest {name}")
    with serving(made):
        yield made


@pytest.fixture(scope="module")
def portal(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Portal]:
    """An installation that has crawled them, served."""
    folder = tmp_path_factory.mktemp("portal")
    (folder / "papers").mkdir()
    (folder / "papers" / "letter.txt").write_text("A letter about sargasso weed.")
    home = InstalledCli(folder / "data")
    home.fine("source", "add", "web", "web", "--set", f"start={site.address}")
    home.fine("source", "add", "files", "papers", "--set", f"path={folder / 'papers'}")
    (folder / "staff").mkdir()
    (folder / "staff" / "pay.txt").write_text("What sargasso pickers are paid.")
    given = ["--set", f"path={folder / 'staff'}", "--set", "grants=group:hr"]
    home.fine("source", "add", "files", "personnel", *given)
    home.fine("crawl")
    process = home.start("serve", "--port", "0", "--json")
    assert process.stdout is not None
    address = json.loads(process.stdout.readline())["address"]
    yield Portal(int(address.rstrip("/").rpartition(":")[2]))
    process.send_signal(signal.SIGTERM)
    ended(process)


class Links(HTMLParser):
    """The links of a page, and the resources that it would load or run."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name in ("href", "src", "action") and value:
                self.links.append(value)


PAGES = ["/", "/search?q=kelp", "/search?q=nothingatall", "/search?q=kelp&page=2", "/nowhere"]


@pytest.mark.parametrize("path", PAGES)
def test_pages_run_scripts_of_ours_and_load_nothing_from_elsewhere(path: str, portal: Portal) -> None:
    got = portal.get(path)
    policy = got.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.headers["referrer-policy"] == "same-origin"
    found = Links(got.body)
    ours = ["keys", "suggest"]
    scripts = [each.strip() for each in re.findall(r"<script[^>]*>[^<]*", got.body)]
    assert scripts == [f'<script src="/static/{name}.js" defer>' for name in ours]
    assert not {"iframe", "style"} & found.tags
    assert not any(name.startswith("on") or name == "style" for name in found.attributes)


@pytest.mark.parametrize("path", PAGES[:-1])
def test_no_link_is_dead(path: str, portal: Portal) -> None:
    ours = [
        each
        for each in Links(portal.get(path).body).links
        if each.startswith("/") and not each.startswith("/preferences/")
    ]
    assert ours
    for each in set(ours):
        assert portal.get(each.partition("#")[0]).status in (200, 303), each


def test_results(portal: Portal, site: Site) -> None:
    body = portal.get("/search?q=kelp").body
    assert "<strong>26</strong> results" in body
    assert body.count('<li class="hit"') == 10
    assert "<mark>kelp</mark>" in body
    assert f'href="{site.address}n' in body
    assert 'aria-current="page">1</a>' in body
    assert portal.get("/search?q=kelp&page=3").body.count('<li class="hit"') == 6


@pytest.mark.parametrize(
    ("asked", "hits", "page", "said"),
    [
        ("page=4", 6, 3, "There is no page 4; this is the last one, page 3."),
        ("page=999999", 6, 3, "There is no page 999,999; this is the last one, page 3."),
        ("page=1" + "0" * 5000, 6, 3, "this is the last one, page 3."),
        ("page=2&page=4", 6, 3, "There is no page 4"), ("page=4&page=2", 10, 2, ""), ("page=4&per=20", 6, 2, "page 2."),
        ("page=3&per=50", 26, None, "this is the last one, page 1."), ("page=9&group=site", 3, None, "page 1."),
        ("page=0", 10, 1, "pages count from 1. This is the first one."), ("page=-1", 10, 1, "This is the first one."),
        ("page=abc", 10, 1, "This is the first one."), ("page=1.5", 10, 1, "This is the first one."),
        ("page=", 10, 1, ""), ("page=+2", 10, 2, ""), ("page=0002", 10, 2, ""), ("page=%D9%A2", 10, 1, "first one."),
        ("per=0", 10, 1, ""), ("per=-1", 10, 1, ""), ("per=7", 10, 1, ""), ("per=abc", 10, 1, ""),
        ("per=" + "9" * 5000, 10, 1, ""), ("per=20", 20, 1, ""), ("per=50&per=20&page=2", 6, 2, ""),
    ],
)  # fmt: skip
def test_every_page_shows_results_where_there_are_any(
    portal: Portal, asked: str, hits: int, page: int | None, said: str
) -> None:
    got = portal.get(f"/search?q=kelp&{asked}")
    assert (got.status, got.body.count('<li class="hit"')) == (200, hits)
    assert ('aria-current="page"' in got.body) is (page is not None)
    assert page is None or f'aria-current="page">{page}</a>' in got.body
    assert said in got.body
    assert said or "There is no" not in got.body


def test_a_page_of_nothing_says_that_nothing_is_found(portal: Portal) -> None:
    body = portal.get("/search?q=nothingatall&page=7").body
    assert "Nothing found for" in body
    assert "page 7" not in body


@pytest.mark.parametrize("offset", [26, 27, 1_000, 999_999, 10**30])
def test_an_offset_beyond_the_end_gives_programs_an_empty_list(portal: Portal, offset: int) -> None:
    got = portal.get(f"/api/v1/search?q=kelp&offset={offset}")
    answer = json.loads(got.body)
    assert (got.status, answer["total"], answer["reachable"], answer["hits"]) == (200, 26, 26, [])


def test_a_corrected_query_shows_its_results_and_leads_to_what_was_typed(portal: Portal) -> None:
    got = portal.get("/search?q=sargaso")
    body = got.body
    assert got.status == 200
    assert "Showing results for <strong><mark><bdi>sargasso</bdi></mark></strong>" in body
    assert '<a class="nowrap" href="/search?q=sargaso&amp;as_typed=1">search instead for <bdi>sargaso</bdi></a>' in body
    assert 'type="search" value="sargaso"' in body
    assert body.count('<li class="hit"') > 0
    assert "Did you mean" not in body
    typed = portal.get("/search?q=sargaso&as_typed=1").body
    assert "Nothing found for" in typed
    assert 'Did you mean <a href="/search?q=sargasso"><bdi>sargasso</bdi></a>?' in typed


def test_programs_get_the_query_that_was_answered(portal: Portal) -> None:
    corrected = json.loads(portal.get("/api/v1/search?q=sargaso").body)
    assert (corrected["query"], corrected["answered"], corrected["suggestion"]) == ("sargaso", "sargasso", "sargasso")
    assert corrected["total"] == len(corrected["hits"]) > 0
    number = corrected["hits"][0]["id"]
    why = json.loads(portal.get(f"/api/v1/search/{number}/why?q=sargaso").body)
    assert why["score"] == pytest.approx(corrected["hits"][0]["score"], rel=1e-3)
    typed = json.loads(portal.get("/api/v1/search?q=sargaso&as_typed=true").body)
    assert (typed["total"], typed["answered"], typed["suggestion"]) == (0, "sargaso", "sargasso")
    found = json.loads(portal.get("/api/v1/search?q=kelp").body)
    assert (found["query"], found["answered"]) == ("kelp", "kelp")


def test_an_empty_question_leads_home(portal: Portal) -> None:
    got = portal.get("/search?q=%20")
    assert (got.status, got.headers["location"]) == (303, "/")


def test_a_question_asked_at_home_is_answered(portal: Portal) -> None:
    got = portal.get("/?q=a+b")
    assert (got.status, got.headers["location"]) == (303, "/search?q=a+b")


def test_whatever_is_typed_is_shown_as_text(portal: Portal) -> None:
    body = portal.get(f"/search?q={EVIL.replace(' ', '+')}%22%3E&source=").body
    assert EVIL not in body
    assert "&lt;script&gt;" in body


def test_whatever_a_document_says_is_shown_as_text(portal: Portal) -> None:
    body = portal.get("/search?q=sargasso").body
    assert EVIL not in body
    assert "Evil &lt;script&gt;" in body


def test_words_are_shown_in_their_own_direction_and_language(portal: Portal) -> None:
    asked = "/search?" + urlencode({"q": ARABIC})
    body = portal.get(asked).body
    assert '<li class="hit" dir="auto">' in body
    assert f' lang="ar">{ARABIC}</a>' in body
    assert '<p class="snip" dir="auto" lang="ar">' in body
    assert f'value="{ARABIC}" dir="auto"' in body
    number = json.loads(portal.get("/api/v1" + asked).body)["hits"][0]["id"]
    assert f'<h1 lang="ar"><bdi>{ARABIC}</bdi></h1>' in portal.get(f"/cached/{number}").body
    copy = portal.get(f"/cached/{number}/content").body
    assert '<html lang="ar">' in copy
    assert f"<p>{ARABIC} (PDF 12).</p>" in copy
    assert f'<p dir="auto">{ARABIC} (PDF 12).</p>' in portal.get(f"/cached/{number}/content?as=text").body


def test_one_source_only(portal: Portal) -> None:
    body = portal.get("/search?q=sargasso&source=papers").body
    assert body.count('<li class="hit"') == 1
    assert "letter.txt" in body
    assert 'href="file:' not in body
    assert portal.get("/search?q=sargasso&source=nope").status == 404


@pytest.mark.parametrize("path", ["/", "/search?q=sargasso", "/search?q=nothingatall"])
def test_a_source_nobody_may_see_is_neither_named_nor_counted(path: str, portal: Portal) -> None:
    body = portal.get(path).body
    assert "31 documents from 2 sources" in body
    assert "personnel" not in body
    assert "pay.txt" not in body


def test_a_choice_of_source_names_those_that_can_be_seen(portal: Portal) -> None:
    body = portal.get("/search?q=sargasso").body
    assert "source=papers" in body
    assert "source=personnel" not in body


@pytest.mark.parametrize("path", ["/search?q=x&source=", "/api/v1/search?q=x&source="])
def test_a_source_nobody_may_see_is_as_unknown_as_one_there_is_not(path: str, portal: Portal) -> None:
    hidden, nowhere = portal.get(f"{path}personnel"), portal.get(f"{path}nowhere")
    assert (hidden.status, nowhere.status) == (404, 404)
    assert hidden.body == nowhere.body
    assert "papers" not in nowhere.body.partition("<footer")[0].partition("no such source")[2]


def test_a_kept_copy_may_load_the_style_and_nobody_a_page(portal: Portal) -> None:
    policies = {path: portal.get(path).headers["cross-origin-resource-policy"] for path in (*PAGES, "/health/live")}
    assert set(policies.values()) == {"same-origin"}, policies
    assert portal.get("/static/cormorant.css").headers["cross-origin-resource-policy"] == "cross-origin"


def test_the_chosen_source_is_let_go_by_choosing_it_again(portal: Portal) -> None:
    body = portal.get("/search?q=sargasso&source=papers").body
    assert (
        body.count('<a href="/search?q=sargasso" aria-current="true"><bdi>papers</bdi><span class="n">1</span></a>')
        == 2
    )
    assert "Sort, group or narrow (1 chosen)" in body


def test_duplicates_are_folded_and_can_be_shown(portal: Portal) -> None:
    body = portal.get("/search?q=dulse").body
    assert body.count('<li class="hit"') == 1
    assert "1 duplicate" in body
    assert portal.get("/search?q=dulse&all=1").body.count('<li class="hit"') == 2
    (there,) = re.findall(r'href="(/duplicates/\d+)"', body)
    listed = portal.get(there)
    assert "2 documents of equal content" in listed.body
    assert listed.body.count('<li class="hit"') == 2
    assert there not in listed.body.partition("<main")[2], "it does not lead to itself"


def test_a_copy_is_words_in_a_sandbox(portal: Portal) -> None:
    number = json.loads(portal.get("/api/v1/search?q=sargasso&source=web").body)["hits"][0]["id"]
    got = portal.get(f"/cached/{number}/content")
    assert got.status == 200
    assert got.headers["content-security-policy"].startswith("sandbox ")
    assert "sargasso" in got.body
    assert EVIL not in got.body
    assert not {"form", "script"} & Links(got.body).tags


def test_unknown_and_forbidden_look_the_same(portal: Portal) -> None:
    found = {
        portal.get(path).body for path in ("/cached/999999", "/cached/x", "/nowhere", "/search/x", "/duplicates/999999")
    }
    assert len(found) == 1
    assert "Page not found, or you have no access to it" in found.pop()
    assert portal.get("/cached/999999").status == 404


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.evil.example:80"])
def test_another_host_is_refused(host: str, portal: Portal) -> None:
    got = portal.get("/", Host=host)
    assert got.status == 421
    assert "Cormorant" not in got.body


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:80", "[::1]:8765", "LOCALHOST:1"])
def test_our_own_names_are_answered(host: str, portal: Portal) -> None:
    assert portal.get("/", Host=host).status == 200


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/search?q=a&why=x", "<code>why</code> has to be a whole number."),
        ("/search?q=a&all=2", "<code>all</code> has to be 1 or 0."),
        ("/search?q=a&as_typed=2", "<code>as_typed</code> has to be 1 or 0."),
        ("/search?q=a&why=1" + "0" * 5000, "<code>why</code> is not understood."),
    ],
)
def test_wrong_requests_get_advice_and_keep_the_query(path: str, said: str, portal: Portal) -> None:
    got = portal.get(path)
    assert got.status == 422
    assert said in got.body
    assert 'name="q" type="search" value="a"' in got.body
    assert 'href="/search?q=a"' in got.body


def test_search_for_programs(portal: Portal) -> None:
    got = portal.get("/api/v1/search?q=kelp&limit=3&offset=1")
    answer = json.loads(got.body)
    assert got.headers["content-type"] == "application/json"
    assert (answer["total"], len(answer["hits"]), answer["query"]) == (26, 3, "kelp")
    assert {"took_ms", "facets", "suggestion"} <= answer.keys()


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/api/v1/search", 422, "usage"), ("/api/v1/search?q=a&limit=9999", 422, "usage"),
        ("/api/v1/search?q=a&source=nope", 404, "not_found"), ("/api/v1/nothing", 404, "not_found"),
    ],
)  # fmt: skip
def test_errors_for_programs_are_problem_objects(path: str, status: int, code: str, portal: Portal) -> None:
    got = portal.get(path)
    problem = json.loads(got.body)
    assert got.headers["content-type"] == "application/problem+json"
    assert (got.status, problem["status"], problem["code"]) == (status, status, code)
    assert problem["detail"]


def test_health(portal: Portal) -> None:
    assert json.loads(portal.get("/health/live").body) == {"status": "live"}
    until(lambda: json.loads(portal.get("/health/ready").body)["status"] == "ready")


def test_the_theme_is_a_cookie(portal: Portal) -> None:
    got = portal.get("/preferences/theme", "POST")
    cookie = re.match(r"theme=(\w+)", got.headers["set-cookie"])
    assert cookie is not None
    assert got.status == 303
    for path in PAGES:
        assert f'data-theme="{cookie[1]}"' in portal.get(path, Cookie=f"theme={cookie[1]}").body, path
    assert "data-theme" not in portal.get("/", Cookie='theme="><b>').body


def test_the_theme_comes_along_from_other_origins(portal: Portal) -> None:
    cookie = portal.get("/preferences/theme", "POST").headers["set-cookie"].lower()
    assert "samesite=lax" in cookie
    assert "httponly" in cookie


def test_switches_lead_to_what_is_not_shown(portal: Portal) -> None:
    assert re.findall(r'class="to-(\w+)"', portal.get("/").body) == ["dark", "light"]
    assert re.findall(r'class="to-(\w+)"', portal.get("/", Cookie="theme=dark").body) == ["light"]
    assert portal.get("/preferences/theme?to=light", "POST").headers["set-cookie"].startswith("theme=light;")


def test_a_switch_returns_to_where_it_was(portal: Portal) -> None:
    body = portal.get("/search?q=kelp+%26+more&page=2&source=web").body
    (there, _) = re.findall(r'formaction="([^"]+)"', body)
    got = portal.get(html.unescape(there), "POST")
    assert (got.status, got.headers["location"]) == (303, "/search?q=kelp+%26+more&source=web&page=2")


def test_single_keys_are_switched_off_by_a_cookie(portal: Portal) -> None:
    got = portal.get("/preferences/keys?to=off", "POST")
    assert (got.status, got.headers["location"]) == (303, "/")
    assert got.headers["set-cookie"].startswith("keys=off;")
    for path in PAGES:
        assert "keys.js" not in portal.get(path, Cookie="keys=off").body, path
    assert "Turn on keyboard shortcuts" in portal.get("/", Cookie="keys=off").body
    assert portal.get("/preferences/keys?to=else", "POST").headers["set-cookie"].startswith("keys=on;")


def test_a_kept_copy_is_sent_no_script(portal: Portal) -> None:
    number = json.loads(portal.get("/api/v1/search?q=sargasso").body)["hits"][0]["id"]
    assert "<script" not in portal.get(f"/cached/{number}/content").body


def test_style_and_script_are_packed_for_who_can_unpack_them(portal: Portal) -> None:
    for path in ("/static/cormorant.css", "/static/keys.js", "/static/suggest.js"):
        packed = http.client.HTTPConnection("127.0.0.1", portal.port, timeout=HANG_S)
        packed.request("GET", path, headers={"Accept-Encoding": "gzip"})
        answer = packed.getresponse()
        assert answer.getheader("content-encoding") == "gzip"
        assert gzip.decompress(answer.read()).decode() == portal.get(path).body
        packed.close()


@pytest.mark.parametrize(
    "back", ["//evil.example/", "https://evil.example/search?", "/\\evil.example", "search?q=a", ""]
)
def test_a_switch_leads_nowhere_else(back: str, portal: Portal) -> None:
    got = portal.get("/preferences/theme?" + urlencode({"to": "dark", "back": back}), "POST")
    assert (got.status, got.headers["location"]) == (303, "/")


@pytest.mark.parametrize("path", ["/static/../site.py", "/static/%2e%2e/site.py", "/static/nothing.css"])
def test_only_the_style_is_given_away(path: str, portal: Portal) -> None:
    assert portal.get(path).status == 404
    assert portal.get("/static/cormorant.css").status == 200
