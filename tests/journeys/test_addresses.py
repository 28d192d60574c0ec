"""Pages that are linked to under many addresses are fetched once, and addresses are what the rules make of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cormorant.base.errors import BadRule
from cormorant.operate.documents import listing
from cormorant.operate.documents.listing import DocumentFilter
from cormorant.operate.sources import impact_preview
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.maze import page, serving
from tests.web.asking import ask

TOKEN = "4f1c9a7e22b05d8810c3"


def records(home: Home, **wanted: Any) -> Mapping[str, Mapping[str, Any]]:
    """The known documents, by the address that is fetched."""
    with home.house() as house:
        return {each["access_url"]: each for each in listing.listed(house, DocumentFilter(**wanted))}


def sessions(path: str) -> str | int:
    """Every link carries a session, a mark or another order; two pages there are."""
    if path == "/":
        return page(
            "Home", "harbour", f"/list;jsessionid={TOKEN}?b=2&a=1", f"/list?a=1&b=2&PHPSESSID={TOKEN}",
            f"/(S({TOKEN}))/list?b=2&a=1", "/list?a=1&b=2&utm_source=news&fbclid=x", f"/list?sid={TOKEN}&b=2&a=1",
            "/story?sid=12",
        )  # fmt: skip
    if path == "/story?sid=12":
        return page("Story", "cormorants nest", "/list?b=2&a=1")
    return page("List", "guillemots", "/", f"/?PHPSESSID={TOKEN}") if path == "/list?a=1&b=2" else 404


def test_a_page_is_fetched_once_whatever_sessions_marks_and_order_its_links_have(home: Home, crawls: Crawler) -> None:
    with serving(sessions) as maze:
        home.add_source("web", "site", {"start": [maze.url("/?utm_campaign=x")]})
        report = crawls.crawl(home, "site")
        assert sorted(maze.paths) == ["/", "/list?a=1&b=2", "/story?sid=12"]
        assert (report["indexed"], report["unlinked"]) == (3, 0)
        assert home.found("guillemots") == [[maze.url("/list?a=1&b=2")]]
        record = home.explained(maze.url(f"/list;jsessionid={TOKEN}?b=2&a=1"))
        assert record["verdict"] == "indexed"
        assert record["renamed"]["rule"] == "strip_parameters: jsessionid; sort_query"
        again = crawls.crawl(home, "site")
        assert (again["unchanged"], again["new"]) == (3, 0)


def test_a_secret_in_an_address_is_fetched_with_and_shown_to_nobody(home: Home, crawls: Crawler) -> None:
    def answer(path: str) -> str | int:
        if path == "/":
            return page("Home", "harbour", f"/report?id=7&access_token={TOKEN}")
        return page("Report", "kittiwakes") if path == f"/report?access_token={TOKEN}&id=7" else 404

    with serving(answer) as maze:
        home.add_source("web", "site", {"start": [maze.home]})
        lines = home.add_receiver("lines", "site")
        assert crawls.crawl(home, "site")["indexed"] == 2
        shown = maze.url("/report?access_token=***&id=7")
        assert home.found("kittiwakes") == [[shown]]
        with home.house() as house:
            got = [ask(house, each) for each in ("/search?q=kittiwakes", "/api/v1/search?q=kittiwakes")]
            number = got[1].json["hits"][0]["id"]
            got.append(ask(house, f"/cached/{number}"))
        assert [each.status for each in got] == [200, 200, 200]
        assert not any(TOKEN in each.body for each in got)
        assert [json.loads(line)["url"] for line in lines.read_text().splitlines()] == [maze.home, shown]
        assert TOKEN not in lines.read_text(), "neither as where it was fetched"
        for log in (home.folder / "logs").glob("*.log"):
            assert TOKEN not in log.read_text(), log
        assert crawls.crawl(home, "site")["index_writes"] == 0


def test_what_was_known_under_another_address_moves_when_the_rules_change(home: Home, crawls: Crawler) -> None:
    def answer(path: str) -> str | int:
        if path == "/":
            return page("Home", "harbour", "/old/a?lang=en")
        return page("A", "razorbills") if path in ("/old/a?lang=en", "/new/a") else 404

    with serving(answer) as maze:
        home.add_source("web", "site", {"start": [maze.home]})
        crawls.crawl(home, "site")
        edit = {"rewrite": [r"/old/(\w+)\?lang=en$ -> /new/\1"]}
        with home.house() as house:
            effect: Mapping[str, Any] = impact_preview.preview(house, "site", edit)
        assert (effect["rename"], effect["leave"], effect["unjudged"]) == (1, 0, [])
        assert effect["renaming"][0]["to"] == maze.url("/new/a")
        home.edit_source("site", edit)
        maze.asked.clear()
        crawls.crawl(home, "site")
        assert sorted(maze.paths) == ["/", "/new/a"], "the old address is known by the new one without asking"
        assert home.found("razorbills") == [[maze.url("/new/a")]]


@pytest.mark.parametrize(
    ("rule", "figures"),
    [
        (r"/list\?page=\d+$ -> /list", {"rename": 3, "merge": 2, "leave": 0}),
        (r"/list\?page=1$ -> /kept", {"rename": 1, "merge": 1, "leave": 0}),
        (r"/list\?page=\d+$ -> /elsewhere/x", {"rename": 0, "merge": 0, "leave": 3}),
    ],
)
def test_a_preview_says_what_goes_since_it_is_renamed(
    rule: str, figures: dict[str, int], home: Home, crawls: Crawler
) -> None:
    def answer(path: str) -> str | int:
        if path == "/":
            return page("Home", "harbour", "/kept", *(f"/list?page={number}" for number in range(3)))
        return page("List", f"guillemots of {path}") if path in ("/list", "/kept") or path.startswith("/list?") else 404

    with serving(answer) as maze:
        home.add_source("web", "site", {"start": [maze.home], "exclude": ["path:/elsewhere/"]})
        crawls.crawl(home, "site")
        before = len(home.found("guillemots")[0])
        edit = {"rewrite": [rule]}
        with home.house() as house:
            effect: Mapping[str, Any] = impact_preview.preview(house, "site", edit)
        assert {name: effect[name] for name in figures} == figures
        home.edit_source("site", edit)
        crawls.crawl(home, "site")
        assert before - len(home.found("guillemots")[0]) == effect["leave"] + effect["merge"]


def test_one_address_is_fetched_and_another_is_shown(home: Home, crawls: Crawler) -> None:
    def answer(path: str) -> str | int:
        if path == "/":
            return page("Home", "harbour", "http://www.birds.example/auk", "/copy/auk", "/secret/x", "/kept")
        return page("Auk", f"razorbills of {path}") if path in ("/fetch/auk", "/fetch2/auk", "/kept") else 404

    with serving(answer) as maze:
        origin = maze.url("")
        rules = [
            rf"^http://www\.birds\.example/(\w+)$ -> https://birds.example/\1 access {origin}/fetch/\1",
            rf"^{origin}/copy/(\w+)$ -> https://birds.example/\1 access {origin}/fetch2/\1",
            r"/secret/ -> discard",
        ]
        home.add_source("web", "site", {"start": [maze.home], "rewrite": rules})
        report = crawls.crawl(home, "site")
        assert sorted(maze.paths) == ["/", "/fetch/auk", "/kept"], (
            "of two with one display address the first is fetched"
        )
        assert home.found("razorbills") == [sorted(["https://birds.example/auk", maze.url("/kept")])]
        assert report["excluded"] == 2
        shown = records(home)[maze.url("/fetch/auk")]
        assert (shown["url"], shown["access_url"]) == ("https://birds.example/auk", maze.url("/fetch/auk"))
        for asked in ("https://birds.example/auk", maze.url("/fetch/auk"), "http://www.birds.example/auk"):
            assert home.explained(asked)["address"] == maze.url("/fetch/auk")
        assert home.explained("http://www.birds.example/auk")["renamed"]["rule"] == f"rewrite: {rules[0]}"
        assert home.explained(maze.url("/fetch2/auk"))["status"] == 956
        discarded = home.explained(maze.url("/secret/x"))
        assert (discarded["status"], discarded["gates"][0]["rule"]) == (955, f"rewrite: {rules[2]}")
        again = crawls.crawl(home, "site")
        assert (again["unchanged"], again["new"], again["gone"]) == (3, 0, 0)


PLUGIN = """
from cormorant.plugins import Discard, Rewritten


class ByHand:
    def rewrite(self, address):
        if "/boom" in address:
            raise ValueError("no idea")
        if "/never" in address:
            return Discard("not wanted")
        if "/from/" in address:
            return Rewritten(address.replace("/from/", "/to/"))
        return None
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A rewriter that is installed, as a package would be, for this process and those it starts."""
    folder = tmp_path / "installed"
    info = folder / "byhand-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "byhand.py").write_text(PLUGIN)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: byhand\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[cormorant.rewriters]\nbyhand = byhand:ByHand\n")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder


@pytest.mark.usefixtures("plugin")
def test_a_rewriter_that_is_installed_decides_and_its_faults_change_nothing(file_home: Home) -> None:
    from tests.journeys.crawling import crawler

    def answer(path: str) -> str | int:
        if path == "/":
            return page("Home", "harbour", "/from/a", "/boom", "/never/b")
        return page("A", "razorbills") if path in ("/to/a", "/boom") else 404

    with serving(answer) as maze, crawler() as crawls:
        file_home.add_source("web", "site", {"start": [maze.home], "rewriter": "byhand"})
        report = crawls.crawl(file_home, "site")
        assert sorted(maze.paths) == ["/", "/boom", "/to/a"]
        assert (report["indexed"], report["excluded"]) == (3, 1)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rewrite": ["/old/ /new/"]}, "' -> '"),
        ({"rewrite": ["/(old/ -> /new/"]}, "/(old/"),
        ({"rewrite": [r"/old/ -> /new/\1"]}, r"'\\1'"),
        ({"rewriter": "nobody"}, "'nobody'"),
        ({"strip_parameters": ["a=b"]}, "'a=b'"),
        ({"strip_parameters": ["off", "sid"]}, "'off'"),
    ],
)
def test_a_bad_rule_is_shown_with_its_place(file_home: Home, settings: dict[str, object], said: str) -> None:
    with pytest.raises(BadRule) as caught:
        file_home.add_source("web", "site", {"start": ["http://127.0.0.1/"], **settings})
    assert said in caught.value.sentence
