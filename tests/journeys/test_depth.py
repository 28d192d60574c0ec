"""Everything within the depth is found, though the short way to it is the slow one; and leaves when that is gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from threading import Event

import pytest
import sqlalchemy as sa

from tests.clocks import HANG_S
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.threaded import Asked, Said, Server, running

LONG = ("/", "/l1", "/l2", "/l3", "/l4", "/old")
"""By the long way /old is five steps from the start, by /short it is two."""


class Race(Server):
    """Pages of which `/short` is answered when the end of the long way was asked for; `pages` may be changed."""

    def __init__(self) -> None:
        super().__init__(self.say)
        self.far = Event()
        self.pages: dict[str, tuple[str, ...]] = {here: (there,) for here, there in pairwise(LONG)}
        self.pages |= {"/": ("/l1", "/short"), "/short": ("/l3",), "/old": ("/behind",), "/behind": ("/beyond",)}

    def say(self, asked: Asked) -> Said:
        """Answer with a page of links."""
        links = self.pages.get(asked.path)
        if asked.path == "/l3":
            self.far.set()
        if asked.path == "/short":
            assert self.far.wait(HANG_S), "the long way is the fast one"
        text = "".join(f'<p><a href="{each}">{each}</a>' for each in links or ())
        return Said(200, f"<title>{asked.path}</title>{text}") if links is not None else Said(404)


@pytest.fixture
def race() -> Iterator[Race]:
    with running(Race()) as server:
        server.pages["/beyond"] = ()
        yield server


def depths(home: Home) -> dict[str, int]:
    """Path and depth of every page that search finds."""
    with home.rows() as tx:
        sql = "SELECT address, depth FROM resource JOIN content USING (id) WHERE indexed AND role = 0 AND outcome < 3"
        return {"/" + row[0].split("/", 3)[3]: row[1] for row in tx.rows(sa.text(sql))}


def test_a_slow_short_way_and_a_fast_long_one(home: Home, crawls: Crawler, race: Race) -> None:
    given = {"start": [f"{race.origin}/"], "depth": 4, "depth_exact": True, "delay_s": 0, "sitemaps": "off"}
    home.add_source("web", "docs", given)
    crawls.crawl(home, "docs")
    expected = {"/": 0, "/l1": 1, "/short": 1, "/l2": 2, "/l3": 2, "/l4": 3, "/old": 4}
    assert depths(home) == expected
    asked = {path: count for path, count in Counter(race.paths).items() if path != "/robots.txt"}
    assert asked == dict.fromkeys(expected, 1), "no page is asked twice for it"
    assert home.shown(f"{race.origin}/old")["depth"] == 4
    assert home.found("depth:2") == [sorted(f"{race.origin}{path}" for path in ("/l2", "/l3"))], "the index knows it"
    assert "972" in home.explained(f"{race.origin}/behind")["because"]


def test_what_was_near_by_a_link_that_is_gone_leaves(file_home: Home, crawls: Crawler, race: Race) -> None:
    home = file_home
    race.far.set()
    given = {"start": [f"{race.origin}/"], "depth": 4, "depth_exact": True, "delay_s": 0, "sitemaps": "off"}
    home.add_source("web", "docs", given)
    assert crawls.crawl(home, "docs")["new"] == 7
    race.pages["/short"] = ()
    report = crawls.crawl(home, "docs")
    assert (report["excluded"], report["complete"], report["state"]) == (1, True, "finished")
    assert depths(home) == {"/": 0, "/l1": 1, "/short": 1, "/l2": 2, "/l3": 3, "/l4": 4}
    assert f"{race.origin}/old" not in home.found("old")[0]
    gone = home.explained(f"{race.origin}/old")
    assert (gone["verdict"], gone["status"], gone["depth"]) == ("excluded", 972, 5)
    race.pages["/short"] = ("/l3",)
    again = crawls.crawl(home, "docs")
    assert (again["index_deletes"], depths(home)["/old"]) == (0, 4), "back by the same link, in the same run"
    assert f"{race.origin}/old" in home.found("old")[0]
