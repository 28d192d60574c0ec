"""Endless sites are visited seldom and reported as traps; large honest sites are fetched completely."""

from __future__ import annotations

from typing import Any

from cormorant.crawl.worker.housekeeping import BATCH_S
from cormorant.frontier.traps.detector import CANDIDATE, WINDOW
from cormorant.operate.checks import traps
from cormorant.operate.runs import report as run_report
from cormorant.operate.sources import sources
from tests.clocks import HANG_S, until
from tests.journeys import processes
from tests.journeys.crawling import Crawler, begin
from tests.journeys.home import Home
from tests.journeys.labyrinth import Shop, labyrinth, real
from tests.journeys.maze import Answer, Maze, page, serving

PAGES, PRODUCTS = 60, 300
MOST = 500
"""Requests that a dozen traps may cost."""


def around(pages: int) -> Answer:
    return lambda path: labyrinth(path, pages)


def check_labyrinth(home: Home, crawls: Crawler, pages: int) -> None:
    """Every real page is fetched, the traps cost little, the run ends and names them."""
    with serving(around(pages)) as maze:
        home.add_source("web", "site", {"start": [maze.home]})
        report = crawls.crawl(home, "site")
        fetched = set(maze.paths)
        assert sum(real(path, pages) is not None for path in fetched) == pages
        trapped = [path for path in maze.paths if real(path, pages) is None]
        assert len(trapped) <= MOST
        assert (report["state"], report["complete"]) == ("finished", True)
        with home.house() as house:
            listed = traps.listed(house)
            problems: list[Any] = [each for each in run_report.of_run(house, report["run"]) if each["kind"] == "trap"]
        assert {"/cal/{n}/{n}", "/day?date", "/pages?p"} <= {
            each["template"].removeprefix(maze.url("")) for each in listed
        }
        assert {each["trap"] for each in problems} == {each["trap"] for each in listed}
        maze.asked.clear()
        crawls.crawl(home, "site")
        again = {path for path in maze.paths if real(path, pages) is None}
        assert len(again - set(trapped)) <= len(listed) * 3, "what was suspected is suspected still"


def test_a_dozen_traps_cost_little_and_no_real_page(home: Home, crawls: Crawler) -> None:
    check_labyrinth(home, crawls, PAGES)


def check_shop(home: Home, crawls: Crawler, products: int) -> None:
    """Every product is fetched."""
    with serving(Shop(products)) as maze:
        home.add_source("web", "shop", {"start": [maze.home]})
        report = crawls.crawl(home, "shop")
        assert len({path for path in maze.paths if path.startswith("/product")}) == products
        assert report["complete"]


def test_a_shop_is_fetched_whole(file_home: Home, crawls: Crawler) -> None:
    check_shop(file_home, crawls, PRODUCTS)


def calendar(path: str) -> str | int:
    """A home page, and months for ever."""
    if path == "/":
        return page("Home", "harbour", "/cal/1")
    at = int(path.rpartition("/")[2])
    return page("Month", "Nothing happens.", f"/cal/{at + 1}")


def test_an_accepted_trap_is_left_out(file_home: Home, crawls: Crawler) -> None:
    with serving(calendar) as maze:
        file_home.add_source("web", "site", {"start": [maze.home]})
        crawls.crawl(file_home, "site")
        assert len(maze.paths) < 60
        with file_home.house() as house:
            (trap,) = traps.listed(house)
            name, edit = traps.proposed(house, trap["trap"])
            sources.edit(house, name, edit)
            assert [each["accepted"] for each in traps.listed(house) if each["trap"] == trap["trap"]] == [True]
        maze.asked.clear()
        crawls.crawl(file_home, "site")
        assert maze.paths == ["/"]


def kill_at(home: Home, maze: Maze, paths: int) -> None:
    """Crawl, and kill everything once so many paths were asked for."""
    with processes.ended(begin(home, "site")) as crawl:
        until(lambda: len(set(maze.paths)) >= paths)
        processes.kill_group(crawl.pid)


def test_a_suspicion_outlives_a_kill(home: Home) -> None:
    """Evidence about a calendar from before a kill still counts after it, and so does a suspicion."""
    with serving(calendar) as maze:
        home.add_source("web", "site", {"start": [maze.home], "delay_s": BATCH_S / 20, "per_host": 1})
        for paths in (31, 39):
            kill_at(home, maze, paths)
        with processes.ended(begin(home, "site")) as crawl:
            assert crawl.wait(HANG_S) == 0
        assert len(set(maze.paths)) <= 1 + WINDOW + CANDIDATE + 2, "two are under way at most when it is suspected"
        with home.house() as house:
            assert [each["template"] for each in traps.listed(house)] == [maze.url("/cal/{n}")]


def test_a_trap_that_is_to_be_ignored_is_followed_to_the_limit(file_home: Home, crawls: Crawler) -> None:
    with serving(calendar) as maze:
        file_home.add_source("web", "site", {"start": [maze.home], "traps": "ignore", "max_documents": 150})
        report = crawls.crawl(file_home, "site")
        assert report["fetched"] >= 150
        assert "max_documents" in report["reason"]


def test_a_host_is_asked_for_so_many_documents_a_run(home: Home, crawls: Crawler) -> None:
    with serving(lambda path: real(path, 40) or 404) as maze:
        home.add_source("web", "site", {"start": [maze.url("/real/1.html")], "max_host_documents": 7})
        report = crawls.crawl(home, "site")
        assert len(maze.paths) == 7
        assert report["excluded"] > 0
        maze.asked.clear()
        crawls.crawl(home, "site")
        assert len(maze.paths) == 7, "as many in the next run"
        assert home.value("SELECT count(*) FROM content WHERE indexed") >= 7, "what was found is found still"


def test_a_run_ends_after_its_minutes(file_home: Home, crawls: Crawler) -> None:
    with serving(lambda path: real(path, 400) or 404) as maze:
        file_home.add_source("web", "site", {"start": [maze.home], "max_minutes": 0.03, "delay_s": 0.2})
        report = crawls.crawl(file_home, "site")
        assert not report["complete"]
        assert report["reason"].startswith("max_minutes is 0.03")
        assert len(maze.paths) < 40
