"""While a crawl runs: what it has fetched is found, and pages say that more comes, to who may know of the source."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.app import settings
from cormorant.app.build import BuildPlan, open_house
from cormorant.operate.installation import Installation
from cormorant.operate.search import search
from cormorant.search.reader import Question
from cormorant.web import app
from cormorant.web.security.request_guard import Application
from tests.cli.world import Answer, InstalledCli, Site, ended, serving
from tests.clocks import until
from tests.web.asking import ask_of

SAID = "A crawl of <bdi>docs</bdi> is running</span>; new pages appear as they are found."


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    made = open_house(BuildPlan(tmp_path / "data", settings.load(None)), first=True)
    yield made
    made.store.close()


def slow_site(held: threading.Event) -> Site:
    """A page that is there at once, and one that is not before `held` is set."""
    made = Site()
    made.page("/", "Start", "dulse", ("/quick", "/slow"))
    made.page("/quick", "Quick", "sargasso weed")
    made.answers["/slow"] = Answer("<title>Slow</title>", held=held)
    return made


def test_what_a_running_crawl_has_fetched_is_found_soon(house: Installation, tmp_path: Path) -> None:
    home, held = InstalledCli(tmp_path / "data"), threading.Event()
    pages = app.make(house)
    with serving(slow_site(held)) as served:
        home.fine("source", "add", "web", "docs", "--set", f"start={served.address}")
        process = home.start("crawl")
        try:
            until(lambda: "/quick" in served.asked)
            until(lambda: search.search(house, Question("sargasso")).total)
            assert process.poll() is None, "the crawl still runs"
            for address in ("/", "/search?q=sargasso", "/search?q=nothing"):
                assert SAID in ask_of(pages, address).main, address
        finally:
            held.set()
            ended(process)
    for address in ("/", "/search?q=sargasso"):
        assert "is running" not in ask_of(pages, address).main


def test_a_crawl_of_hidden_documents_is_not_shown(house: Installation, tmp_path: Path) -> None:
    home, held = InstalledCli(tmp_path / "data"), threading.Event()
    pages = app.make(house)
    with serving(slow_site(held)) as served:
        home.fine("source", "add", "web", "docs", "--set", f"start={served.address}", "--set", "grants=group:hr")
        process = home.start("crawl")
        try:
            until(lambda: "/slow" in served.asked)
            until(lambda: "is running" in ask_of(pages, "/").main)
            _hidden_from_everyone(pages)
        finally:
            held.set()
            ended(process)


def _hidden_from_everyone(pages: Application) -> None:
    """Readers who do not administer the installation get the same pages as without a crawl."""
    for address in ("/", "/search?q=sargasso"):
        got = ask_of(pages, address, x_forwarded_for="192.0.2.1")
        assert got.status == 200
        assert "is running" not in got.main
        assert "docs" not in got.main
