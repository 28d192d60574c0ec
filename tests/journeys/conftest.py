"""What journeys stand on: an installation on each store, a process that crawls, a site to be crawled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.journeys.crawling import Crawler, crawler
from tests.journeys.home import Home
from tests.journeys.hosts import Host
from tests.journeys.pages import SiteSettings
from tests.journeys.site import WebSite, website
from tests.stores import Postgres
from tests.threaded import running

Serve = Callable[[SiteSettings], WebSite]


@pytest.fixture(scope="module")
def crawls() -> Iterator[Crawler]:
    """A process that carries out one crawl after another."""
    with crawler() as process:
        yield process


@pytest.fixture
def home(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    """A new installation; on SQLite its store is a file in its data folder."""
    if kind == "sqlite":
        yield Home(tmp_path / "data")
        return
    server: Postgres = request.getfixturevalue("postgres")
    with server.database() as url:
        yield Home(tmp_path / "data", url)


@pytest.fixture
def file_home(tmp_path: Path) -> Home:
    """A new installation whose store is a file in its data folder, where the store makes no difference."""
    return Home(tmp_path / "data")


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts a site; it ends with the test."""
    with ExitStack() as stack:
        yield lambda settings: stack.enter_context(website(settings, tmp_path))


@pytest.fixture
def host() -> Iterator[Callable[[], Host]]:
    """Starts a host; it ends with the test."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(running(Host()))
