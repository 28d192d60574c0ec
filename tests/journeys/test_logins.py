"""Pages that move below a folder about logins have moved; those that a login page stands before stay as they were."""

from __future__ import annotations

from collections.abc import Callable

from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.hosts import Host
from tests.threaded import Said

NAMES = [f"page{number}" for number in range(12)]
OLD = [f"/guide/{name}" for name in NAMES]
OTHERS = [f"/zz/{number}" for number in range(6)]


def crawled(home: Home, crawls: Crawler, ours: Host) -> None:
    """A site is crawled while all is well."""
    ours.says = {"/": ours.page(*OLD, *OTHERS)} | {each: ours.page() for each in (*OLD, *OTHERS)}
    home.add_source("web", "town", {"start": [ours.origin + "/"], "network": ["loopback"], "patience_s": 0})
    assert crawls.crawl(home, "town")["new"] == 1 + len(OLD) + len(OTHERS)


def test_a_guide_that_moves_below_a_folder_about_logins_is_crawled_there(
    file_home: Home, crawls: Crawler, host: Callable[[], Host]
) -> None:
    ours = host()
    crawled(file_home, crawls, ours)
    ours.says |= {f"/guide/{name}": Said(301, headers={"Location": f"/docs/authentication/{name}"}) for name in NAMES}
    ours.says |= {f"/docs/authentication/{name}": ours.page() for name in NAMES}
    report = crawls.crawl(file_home, "town")
    assert (report["moved"], report["new"], report["held"]) == (len(NAMES), len(NAMES), 0)
    assert report["unchanged"] == 1 + len(OTHERS)


def test_a_site_behind_a_login_page_is_held_and_left_alone(
    file_home: Home, crawls: Crawler, host: Callable[[], Host]
) -> None:
    ours = host()
    crawled(file_home, crawls, ours)
    walls = {each: f"/auth/realms/x/start?back={each}" for each in OLD}
    ours.says |= {each: Said(301, headers={"Location": wall}) for each, wall in walls.items()}
    ours.says |= {wall: Said(body="<title>Who are you?</title><p>one moment") for wall in walls.values()}
    before = len(ours.asked)
    report = crawls.crawl(file_home, "town")
    assert (report["moved"], report["new"], report["gone"]) == (0, 0, 0)
    assert report["held"] >= 3
    assert len(ours.asked) - before < len(OLD), "it is left alone"
    assert file_home.value("SELECT count(*) FROM content WHERE indexed") == 1 + len(OLD) + len(OTHERS)
