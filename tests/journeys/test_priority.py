"""Pages that are wanted sooner come sooner, none waits for ever, and an edit holds for what is known already."""

from __future__ import annotations

from collections import Counter
from typing import Any

from cormorant.operate.explain import explain
from cormorant.operate.sources import fetch_test
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.maze import Maze, page, serving

SECTIONS = {"news": 60, "docs": 120, "old": 120}
ONE_BY_ONE: dict[str, Any] = {"per_host": "1"}


def site(path: str) -> str | int:
    """A home page that leads to all pages of all sections, the least wanted first."""
    section, _, number = path.strip("/").partition("/")
    if not section:
        links = [f"/{name}/{n}" for name in reversed(SECTIONS) for n in range(SECTIONS[name])]
        return page("Home", "All there is.", *links)
    return page(f"{section} {number}", f"This is what {section} says about {number}.")


def sections(maze: Maze) -> list[str]:
    """The sections of the pages that were asked for, in order, the home page left out."""
    return [path.split("/")[1] for path in maze.paths if path != "/"]


def test_levels_share_a_site_and_none_waits_for_ever(home: Home, crawls: Crawler) -> None:
    with serving(site) as maze:
        rules = ["high path:/news/*", "lowest path:/old/*"]
        home.add_source("web", "site", {"start": [maze.home], "priority": rules, "levels": "9:6:3:2:1"} | ONE_BY_ONE)
        crawls.crawl(home, "site")
        order = sections(maze)
        assert Counter(order) == SECTIONS
        first = Counter(order[:50])
        assert (first["news"], first["docs"], first["old"]) == (30, 15, 5)
        assert order[-1] == "old"


def test_a_limit_leaves_out_what_is_wanted_least(home: Home, crawls: Crawler) -> None:
    with serving(site) as maze:
        settings = {"start": [maze.home], "priority": ["high path:/news/*", "low path:/old/*"], "levels": "strict"}
        home.add_source("web", "site", settings | ONE_BY_ONE | {"max_documents": "101"})
        crawls.crawl(home, "site")
        assert sections(maze) == ["news"] * 60 + ["docs"] * 40


def test_an_edit_holds_for_pages_that_are_known(home: Home, crawls: Crawler) -> None:
    with serving(site) as maze:
        home.add_source("web", "site", {"start": [maze.home], "priority": ["high path:/news/*"]} | ONE_BY_ONE)
        crawls.crawl(home, "site")
        maze.asked.clear()
        home.edit_source("site", {"priority": ["highest path:/old/*", "low path:/docs/*"], "levels": "strict"})
        crawls.crawl(home, "site")
        assert sections(maze) == ["old"] * 120 + ["news"] * 60 + ["docs"] * 120
        with home.house() as house:
            (said,) = explain.explain(house, maze.url("/docs/1"))
            judged = fetch_test.judge(house, "site", maze.url("/old/1"))
        assert said["next"] == {"when": "in the next run", "level": "low"}
        assert judged["priority"] == {"level": "highest", "rule": "path:/old/*"}
        maze.asked.clear()
        home.edit_source("site", {"priority": []})
        crawls.crawl(home, "site")
        assert sections(maze) == ["old"] * 120 + ["docs"] * 120 + ["news"] * 60, "as they were found"


def test_a_sitemap_orders_the_pages_of_a_level(home: Home, crawls: Crawler) -> None:
    def answer(path: str) -> str | int:
        if path == "/sitemap.xml":
            weights = {"/a/1": 0.1, "/a/2": 0.9, "/b/1": 0.2, "/b/2": 0.8}
            urls = [f"<url><loc>{maze.origin}{at}</loc><priority>{w}</priority></url>" for at, w in weights.items()]
            return f"<?xml version='1.0'?><urlset>{''.join(urls)}</urlset>"
        return page(f"Page {path}", f"This is what {path} says.")

    with serving(answer) as maze:
        settings = {"sitemaps": [maze.url("/sitemap.xml")], "priority": ["high path:/b/*"], "levels": "strict"}
        home.add_source("web", "site", settings | ONE_BY_ONE)
        crawls.crawl(home, "site")
        assert [path for path in maze.paths if path != "/sitemap.xml"] == ["/b/2", "/b/1", "/a/2", "/a/1"]
