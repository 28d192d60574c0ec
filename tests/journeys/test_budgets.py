"""A run receives as many bytes as it may: of a source and of a host, with two processes, and after a kill."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from cormorant.base.clock import SystemClock, pause
from cormorant.operate.explain import explain
from cormorant.operate.runs import report as run_report
from tests.clocks import HANG_S
from tests.journeys import processes
from tests.journeys.crawling import Crawler, begin
from tests.journeys.home import Home
from tests.journeys.maze import Answer, Maze, page, serving

SIZE = 20_000
PER_HOST = 4
"""Requests to a host of this machine at once."""


def big(pages: int) -> Answer:
    """Pages of about `SIZE` bytes, each with a text of its own; the first leads to all others."""

    def answer(path: str) -> str | int:
        name = path.strip("/")
        links = [f"/{number}" for number in range(1, pages)] if not name else []
        return page(f"Page {name}", f"heron {name} " * (SIZE // (len(name) + 7)), *links)

    return answer


def reached(home: Home, run: int) -> Sequence[Any]:
    """The limits that a run reached, from its report."""
    with home.house() as house:
        return [each for each in run_report.of_run(house, run) if each["kind"] == "limit"]


def asked(mazes: list[Maze]) -> int:
    return sum(len(maze.paths) for maze in mazes)


def test_several_processes_together_fetch_so_many_documents(home: Home, crawls: Crawler) -> None:
    with ExitStack() as stack:
        mazes = [stack.enter_context(serving(big(30))) for _ in range(4)]
        home.add_source("web", "site", {"start": [maze.home for maze in mazes], "max_documents": "60"})
        report = crawls.crawl(home, "site")
        assert (report["fetched"], asked(mazes)) == (60, 60)
        assert report["reason"].startswith("max_documents is 60")
        assert [each["setting"] for each in reached(home, report["run"])] == ["max_documents"]


def test_a_source_receives_so_many_bytes_a_run(home: Home, crawls: Crawler) -> None:
    most = 30 * SIZE
    with ExitStack() as stack:
        mazes = [stack.enter_context(serving(big(40))) for _ in range(4)]
        home.add_source("web", "site", {"start": [maze.home for maze in mazes], "max_bytes": str(most)})
        report = crawls.crawl(home, "site")
        assert most <= report["bytes"] < most + 8 * SIZE, "two processes, each with a page or so too many"
        assert report["bytes"] <= asked(mazes) * SIZE * 1.1
        assert not report["complete"]
        assert report["reason"].startswith(f"max_bytes is {most:,}: ")
        (line,) = reached(home, report["run"])
        assert "source edit site --set max_bytes=" in line["sentence"]
        with home.house() as house:
            left = next(maze.url(f"/{n}") for maze in mazes for n in range(1, 40) if f"/{n}" not in maze.paths)
            (said,) = explain.explain(house, left)
        assert said["verdict"] == "pending"
        assert "max_bytes" in said["because"]
        assert "max_bytes" in (said["advice"] or "")
        before = {(maze.port, path) for maze in mazes for path in maze.paths}
        crawls.crawl(home, "site", refresh="due")
        after = {(maze.port, path) for maze in mazes for path in maze.paths}
        assert len(after - before) >= 20, "the next run goes on with what was left"


def test_a_host_gives_so_many_bytes_a_run(home: Home, crawls: Crawler) -> None:
    with serving(big(1)) as other, serving(big(30)) as much, serving(big(5)) as little:
        home.add_source("web", "other", {"start": [other.home]})
        crawls.crawl(home, "other")
        home.add_source("web", "site", {"start": [much.home, little.home], "max_host_bytes": f"{10 * SIZE // 1000}kB"})
        report = crawls.crawl(home, "site")
        assert 10 <= len(much.paths) <= 10 + PER_HOST
        assert len(little.paths) == 5, "another host has a budget of its own"
        assert report["complete"]
        (line,) = reached(home, report["run"])
        assert line["site"] == f"127.0.0.1:{much.port}"
        assert line["setting"] == "max_host_bytes"
        assert line["addresses"] == 30 - len(much.paths)
        left = next(f"/{number}" for number in range(1, 30) if f"/{number}" not in much.paths)
        with home.house() as house:
            (said,) = explain.explain(house, much.url(left))
        assert (said["verdict"], said["status"]) == ("excluded", 979)
        assert "max_host_bytes 200,000: this run has received" in said["because"]
        much.asked.clear()
        home.edit_source("site", {"max_host_bytes": "50MB"})
        report = crawls.crawl(home, "site")
        assert len(much.paths) == 30
        assert reached(home, report["run"]) == []


def test_a_host_is_visited_for_so_many_minutes_a_run(file_home: Home, crawls: Crawler) -> None:
    with serving(big(60)) as maze:
        settings = {"start": [maze.home], "max_host_minutes": "0.03", "delay_s": "0.2", "per_host": "1"}
        file_home.add_source("web", "site", settings)
        report = crawls.crawl(file_home, "site")
        assert 6 <= len(maze.paths) <= 11
        assert report["complete"]
        (line,) = reached(file_home, report["run"])
        assert line["sentence"].startswith(f"127.0.0.1:{maze.port}: max_host_minutes 0.03: this run began to visit it")


def test_bytes_are_counted_on_after_a_kill(home: Home) -> None:
    """Settled batches stand; so what comes twice is what was not settled, a few seconds of the pace."""
    with ExitStack() as stack:
        mazes = [stack.enter_context(serving(big(40))) for _ in range(2)]
        pace: dict[str, object] = {"delay_s": "0.1", "per_host": "1"}
        limits: dict[str, object] = {"max_bytes": str(60 * SIZE), "max_host_bytes": str(25 * SIZE)}
        home.add_source("web", "site", {"start": [maze.home for maze in mazes]} | pace | limits)
        until = SystemClock().monotonic() + 60
        with processes.ended(begin(home, "site")) as crawl:
            while home.value("SELECT count(*) FROM content") < 16 and SystemClock().monotonic() < until:
                pause(0.1)
            tree = processes.below(crawl.pid)
            processes.kill_group(crawl.pid)
            assert not processes.wait_gone(tree, 20)
        settled, lost = home.value("SELECT count(*) FROM content"), asked(mazes)
        lost -= settled
        with processes.ended(begin(home, "site")) as crawl:
            assert crawl.wait(HANG_S) == 0
        for maze in mazes:
            assert 25 <= len(maze.paths) <= 25 + 2 + lost
        assert settled >= 16
