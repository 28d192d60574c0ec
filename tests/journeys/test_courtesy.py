"""Reports of a host's crawl delay, and `source test`, which obeys it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cormorant.app.commands.test_source import try_source
from cormorant.frontier.queue import request_log
from cormorant.frontier.queue.request_log import RequestTally
from cormorant.operate.runs import report
from cormorant.sources.web.crawl_delay import pace_of
from cormorant.sources.web.settings.web import WebSettings
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.hosts import Host
from tests.journeys.pacing import too_soon
from tests.threaded import Said

DELAY_S = 0.6


def rules(*lines: str) -> Said:
    return Said(body="\n".join(("User-agent: *", *lines, "")))


def settings(host: Host, **given: str) -> dict[str, object]:
    return {"start": [host.origin + "/"], "network": ["loopback"], "patience_s": 0, **given}


def test_a_source_is_tested_in_the_turn_of_its_host_by_the_robots_txt_that_is_known(
    file_home: Home, host: Callable[[], Host]
) -> None:
    ours = host()
    ours.says = {"/robots.txt": rules(f"Crawl-delay: {DELAY_S}", "Disallow: /no"), "/": ours.page()}
    file_home.add_source("web", "town", settings(ours))
    first: Any = try_source(file_home.plan, "town", None)
    second: Any = try_source(file_home.plan, "town", None)
    refused: Any = try_source(file_home.plan, "town", ours.origin + "/no")
    assert [each["outcome"] for each in (first, second, refused)] == ["ok", "ok", "excluded"]
    assert (len(first["prerequisites"]), second["prerequisites"], refused["requests"]) == (1, [], 0)
    assert ours.paths == ["/robots.txt", "/", "/"]
    assert too_soon([each.at for each in ours.asked], DELAY_S, ours.late_s) == []
    assert file_home.value("SELECT sum(requests) FROM site_hour") == 3


@pytest.mark.parametrize(
    ("asked", "obeyed", "is_reported"),
    [(3600.0, "obey", True), (60.0, "obey", False), (3600.0, "ignore", False)],
)
def test_a_host_that_asks_for_more_than_is_obeyed_is_named_in_the_report(
    file_home: Home, crawls: Crawler, host: Callable[[], Host], asked: float, obeyed: str, is_reported: bool
) -> None:
    slow = host()
    slow.says = {"/": slow.page()}
    file_home.add_source("web", "slow", settings(slow, crawl_delay=obeyed))
    run = crawls.begin(file_home, "slow")[0]
    crawls.end()
    pace = pace_of(WebSettings.model_validate({"start": [slow.origin]}), [asked], 0.0, private=True)
    with file_home.house() as house:
        with house.store.begin() as tx:  # as if it had been waited for
            tally = RequestTally()
            tally.count(tx.now(), pace.delay_s, pace.delay_s, pace.rule)
            request_log.write(tx, {1: tally})
        problems: list[Any] = [each for each in report.of_run(house, run) if each["kind"] == "delay"]
    assert [each["site"] for each in problems] == ([slow.origin.removeprefix("http://")] if is_reported else [])
    assert all("for 3600 seconds" in each["sentence"] for each in problems)


def test_a_run_that_ignores_robots_txt_says_so_in_the_log(
    file_home: Home, crawls: Crawler, host: Callable[[], Host]
) -> None:
    own = host()
    own.says = {"/": own.page()}
    file_home.add_source("web", "own", settings(own, robots="ignore"))
    crawls.crawl(file_home, "own")
    assert "robots_ignored" in "".join(each.read_text() for each in (file_home.folder / "logs").glob("retriever-*.log"))
