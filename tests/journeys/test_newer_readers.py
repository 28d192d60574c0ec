"""Documents whose reader is newer than their text: the next crawl reads them from their kept copies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cormorant.store.db import migrate
from tests.extract.writers import docx
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.hosts import Host
from tests.store.older import BEFORE_0039
from tests.threaded import Asked, Said

TAG = '"one"'


@pytest.fixture
def town(host: Callable[[], Host]) -> Host:
    """A site that has a document, and says that it is unchanged when it is."""
    made = host()
    made.says = {"/": made.page("/plan.docx")}
    document = Said(body=docx("Sketchword is in the plan."), headers={"ETag": TAG})

    def answer(asked: Asked) -> Said:
        if asked.path != "/plan.docx":
            return made.says.get(asked.path, Said(404))
        return Said(304) if asked.fields.get("if-none-match") == TAG else document

    made.answer = answer
    return made


def upgrade(home: Home) -> None:
    """Take its database back to the version before, and bring it to the version of now."""
    with home.house() as house:
        with house.store.begin() as tx:
            for change in BEFORE_0039:
                tx.driver(change)
        migrate.prepare(house.store, lambda *_: "")


def test_they_are_read_again_without_being_sent_again(home: Home, crawls: Crawler, town: Host) -> None:
    home.add_source("web", "town", {"start": [town.origin + "/"], "network": ["loopback"], "patience_s": "0"})
    crawls.crawl(home, "town")
    assert crawls.crawl(home, "town")["conversions"] == 0
    upgrade(home)
    third = crawls.crawl(home, "town")
    assert third["conversions"] == 1
    assert town.paths.count("/plan.docx") == 3, "once each crawl"
    assert third["bytes"] < 2_000, "the document was not sent again"
    assert (third["changed"], third["new"]) == (0, 0), "its text is the same"
    assert home.found("sketchword") == [[town.origin + "/plan.docx"]]
    assert crawls.crawl(home, "town")["conversions"] == 0


def test_files_are_read_again(home: Home, crawls: Crawler, tmp_path: Path) -> None:
    share = tmp_path / "share"
    share.mkdir()
    (share / "plan.docx").write_bytes(docx("Sketchword is in the plan."))
    home.add_source("files", "share", {"path": str(share)})
    crawls.crawl(home, "share")
    upgrade(home)
    assert crawls.crawl(home, "share")["conversions"] == 1
    assert crawls.crawl(home, "share")["conversions"] == 0
    assert home.found("sketchword") == [[f"file://{share}/plan.docx"]]
