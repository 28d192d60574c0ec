"""One crawled installation for all tests that only look, a copy of it for those that change something."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.world import InstalledCli, Site, serving, small_site


@dataclass(frozen=True)
class World:
    """A site, a folder of papers, and an installation that has crawled both as `docs` and `papers`."""

    site: Site
    papers: Path
    home: InstalledCli


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Made once. Nobody may change it."""
    base = tmp_path_factory.mktemp("world")
    papers = base / "papers"
    papers.mkdir()
    (papers / "minutes.txt").write_text("Minutes of the harbour board\n\nThe zephyr fund was discussed.\n")
    (papers / "notice.md").write_text("# Notice to mariners\n\nThe harbour light is out.\n")
    with serving(small_site()) as site:
        home = InstalledCli(base / "data")
        home.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
        home.fine("source", "add", "files", "papers", "--set", f"path={papers}")
        home.fine("crawl")
        yield World(site, papers, home)


@pytest.fixture
def home(world: World, tmp_path: Path) -> InstalledCli:
    """A copy of the crawled installation, to be changed."""
    shutil.copytree(world.home.folder, tmp_path / "data")
    return InstalledCli(tmp_path / "data")


@pytest.fixture
def bare(tmp_path: Path) -> InstalledCli:
    """An installation that does not exist yet."""
    return InstalledCli(tmp_path / "data")


@pytest.fixture
def site() -> Iterator[Site]:
    """A small site of the test's own."""
    with serving(small_site()) as made:
        yield made
