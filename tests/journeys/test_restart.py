"""A run that is begun anew while it is under way, by another command than the one whose processes carry it out."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator

import pytest

from cormorant.app.session import running
from cormorant.base.clock import SystemClock, pause
from cormorant.model.run import Refresh, RunState
from cormorant.operate import crawl
from tests.journeys.conftest import Serve
from tests.journeys.home import Home
from tests.journeys.pages import SiteSettings

PAGES = 60
PATIENCE_S = 40.0


@pytest.fixture
def kept(home: Home) -> Iterator[Callable[[], None]]:
    """Start the processes of an installation, as `serve` does, until the test ends."""

    def keep() -> None:
        with running(home.plan):
            pause(600)

    process = multiprocessing.get_context("fork").Process(target=keep)
    yield process.start
    process.terminate()
    process.join(10)


def until(asked: Callable[[], bool]) -> None:
    clock = SystemClock()
    end = clock.monotonic() + PATIENCE_S
    while not asked():
        assert clock.monotonic() < end, "it did not come to an end"
        pause(0.1)


@pytest.mark.parametrize("fetched", [1, 20])
def test_a_restarted_run_stays_stopped_and_its_successor_finishes(
    home: Home, serve: Serve, kept: Callable[[], None], fetched: int
) -> None:
    site = serve(SiteSettings(pages=PAGES, delay_s=0.1))
    home.add_source("web", "site", site.source)
    with home.house() as house:
        (first,) = crawl.order(house, ["site"], Refresh.ALL, force=False, restart=False)
        kept()
        until(lambda: len(site.log()) > fetched)
        (second,) = crawl.order(house, ["site"], Refresh.ALL, force=False, restart=True)
        assert second.run != first.run
        until(lambda: crawl.states(house, [second.run])[second.run] is RunState.FINISHED)
        assert crawl.states(house, [first.run])[first.run] is RunState.STOPPED
        report = crawl.report(house, second.run)
    assert (report["fetched"], report["complete"]) == (PAGES, True)
    assert home.found(site.word(PAGES - 1)) == [[site.url(PAGES - 1)]]
