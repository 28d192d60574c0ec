"""The kinds that keep their items, by the suite that packages use."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings
from cormorant.base.clock import SystemClock
from cormorant.net.egress.guard import Egress
from cormorant.operate.installation import Installation
from cormorant.operate.sources import push, sources
from cormorant.plugins import Source, make_source
from cormorant.store.journal.item_shelf import ItemShelf
from cormorant.testing import SourceSuite, tools
from tests.cli.world import Answer, Site, serving

STRANGE = ("a/b", "..", "~", "ü \N{SNOWMAN}", "%41", "x" * 300, "a\nb\x7f")
"""Names of items that would mean something else in a path."""


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    with opened(BuildPlan(tmp_path / "data", InstallationSettings()), new=True) as made:
        yield made


class TestPush(SourceSuite):
    @pytest.fixture(autouse=True)
    def pushed(self, house: Installation) -> None:
        self.house = house
        sources.add(house, "push", "desk", {})
        for number, name in enumerate(STRANGE):
            item = b'{"items": [{"id": %s, "content": "text %d"}]}' % (_json(name), number)
            assert push.accept(house, "desk", item)["accepted"] == 1
        push.upload(house, "desk", "a/b", "../c d", (b"attached", "text/plain"))

    def make(self) -> Source:
        return make_source("push", 1, {}, replace(tools(), items=ItemShelf(self.house.store, 1)))


class TestFeed(SourceSuite):
    @pytest.fixture(autouse=True)
    def fed(self, house: Installation) -> Iterator[None]:
        self.house = house
        keys = "".join(f"<item><guid>{name}</guid><title>{name}</title></item>" for name in STRANGE[:-1])
        with serving(Site(answers={"/feed": Answer(f"<rss><channel>{keys}</channel></rss>")})) as site:
            self.site = site
            yield

    def make(self) -> Source:
        given = {"feeds": [f"{self.site.address}feed"]}
        shelf = ItemShelf(self.house.store, 1)
        return make_source("feed", 1, given, replace(tools(), egress=lambda: Egress(SystemClock()), items=shelf))


def _json(text: str) -> bytes:
    return json.dumps(text).encode()
