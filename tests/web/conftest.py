"""Fixtures of the tests of pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cormorant.app import settings
from cormorant.app.build import BuildPlan, open_house
from cormorant.operate.sources import secrets
from cormorant.web import app
from tests.cli.world import InstalledCli, serving
from tests.web.crawled import PASSWORD, Crawled, a_site


@pytest.fixture(scope="session")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """Two sources that know the same pages, one with a secret; a folder for everyone, and one for a group."""
    folder = tmp_path_factory.mktemp("pages")
    for name, text in (("papers/letter.txt", "About sargasso weed."), ("staff/pay.txt", "What pickers are paid.")):
        (folder / name).parent.mkdir()
        (folder / name).write_text(text)
    home = InstalledCli(folder / "data")
    plan = BuildPlan(home.folder, settings.load(None))
    house = open_house(plan, first=True)
    secrets.add(house, "door", PASSWORD)
    with serving(a_site()) as served:
        pages = ("--set", f"start={served.address}", "--set", "delay_s=0")
        home.fine("source", "add", "web", "web", *pages, "--set", "credentials=basic ada secret:door")
        home.fine("source", "add", "web", "twin", *pages, "--set", "exclude=contains:/n7", "--set", "depth=1")
        home.fine("source", "add", "files", "papers", "--set", f"path={folder / 'papers'}")
        home.fine(
            "source", "add", "files", "personnel", "--set", f"path={folder / 'staff'}", "--set", "grants=group:hr"
        )
        home.run("crawl")
        home.fine("schedule", "add", "nightly", "--source", "web", "--source", "papers", "--when", "0 2 * * *")
        home.fine("parameters", "add", "brisk", "--set", "per_host=2")
        home.fine("document", "takedown", "http://elsewhere.example/", "--reason", "For an example", "--yes")
        yield Crawled(home, served.address.rstrip("/"), app.make(house))
    house.store.close()
