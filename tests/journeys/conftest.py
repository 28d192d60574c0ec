"""Fixtures of journeys: an installation on each store, a process that crawls, a site to be crawled."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.journeys.crawling import Crawler, crawler
from tests.journeys.home import Home
from tests.journeys.hosts import Host
from tests.journeys.pages import SiteSettings
from tests.journeys.proofs import PROOFS, record
from tests.journeys.site import WebSite, website
from tests.journeys.stories import STORIES, left_out
from tests.stores import KINDS, Postgres
from tests.threaded import running

_WENT: dict[str, Counter[str]] = {}
"""How the tests of a proof went, by its file."""
_LEFT_OUT: dict[str, dict[str, str]] = {}
_OUTCOMES: dict[str, str] = {}
"""How each story went."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tell the stories as asked: all of them; or those of one store; or each on one of its stores, in turns."""
    stories = [item for item in items if Path(__file__).parent in item.path.parents]
    out = left_out(stories, os.environ.get(STORIES, ""))
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if item not in set(out)]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Count the tests of proofs."""
    file, _, name = report.nodeid.partition("::")
    if report.failed or (report.when == "call" and "/journeys/" in file):
        _OUTCOMES[report.nodeid] = report.outcome
    if "/prove_" in file and (report.when == "call" or report.skipped):
        _WENT.setdefault(file, Counter())[report.outcome] += 1
        if report.skipped and isinstance(report.longrepr, tuple):
            _LEFT_OUT.setdefault(file, {})[name] = report.longrepr[2]


def pytest_sessionfinish() -> None:
    """Have the proofs that are tests leave their figures."""
    for proof in PROOFS:
        if went := _WENT.get(proof.run):
            figures = {"checks": went.total(), "as they must be": went["passed"]}
            record(proof.name, figures, _LEFT_OUT.get(proof.run))
    store = os.environ.get(STORIES, "")
    if store in KINDS and "PYTEST_XDIST_WORKER" not in os.environ:
        figures = {"stories": len(_OUTCOMES), "as they must be": [*_OUTCOMES.values()].count("passed")}
        record("stories", figures, part=f"--store {store}")


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
