"""The built-in kinds of sources, and the example of one, by the suite that packages use; and what the suite finds."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import pytest

from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Outcome
from cormorant.model.resource import DiscoveredUrl, Removal, Resource
from cormorant.plugins import BaseSource, Source, SourceSettings, make_source
from cormorant.sources.base import BaseFilters
from cormorant.testing import SourceSuite, tools

EXAMPLES = Path(__file__).parents[2] / "examples" / "plugins"


class TestFiles(SourceSuite):
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        self.path = tmp_path
        for name in ("a.txt", "b c.md", "sub/ü.html"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(f"what {name} says")

    def make(self) -> Source:
        return make_source("files", 3, {"path": str(self.path)}, tools())


class TestWeb(SourceSuite):
    fetches = False

    def make(self) -> Source:
        return make_source("web", 3, {"start": ["http://site.example/", "http://site.example/b/"]}, tools())


class TestExample(SourceSuite):
    @pytest.fixture(autouse=True)
    def table(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.syspath_prepend(EXAMPLES / "sqlite-source")
        self.path = tmp_path / "desk.db"
        with closing(sqlite3.connect(self.path)) as database:
            database.execute("CREATE TABLE documents (id, title TEXT, body TEXT, changed TEXT)")
            rows = [(1, "One", "first", "a"), ("a/b ü", "Odd", "second", "b"), (3, "", "", "")]
            database.executemany("INSERT INTO documents VALUES (?, ?, ?, ?)", rows)
            database.commit()

    def make(self) -> Source:
        example = import_module("cormorant_sqlite")
        source: Source = example.TableSource(3, example.TableSettings(path=self.path), tools())
        return source


class Faulty(BaseSource[SourceSettings]):
    """A source with a fault of each sort, by choice."""

    kind: ClassVar[str] = "faulty"
    about: ClassVar[str] = "Faults."
    fault: ClassVar[str] = ""
    made: ClassVar[int] = 0

    def discover(self, cursor: str) -> Iterator[Sequence[DiscoveredUrl | Removal]]:
        Faulty.made += 1
        yield [self.found("a", str(Faulty.made) if self.fault == "version" else "1")]
        if self.fault == "twice":
            yield [self.found("a", "1")]
        if self.fault == "spelling":
            yield [self.found("b")._replace(address="HTTP://Faulty.example")]

    async def fetch(self, resource: Resource, wire: VisitTrace) -> Content | Outcome:
        if resource.address.endswith("not-there") and self.fault == "raises":
            raise KeyError(resource.address)
        return Content(resource.address, b"says", "text/plain")

    @property
    def gates(self) -> Any:
        return BaseFilters([""]) if self.fault == "open" else super().gates


@pytest.mark.parametrize(
    ("fault", "test"),
    [
        ("twice", "discovery_ends_and_names_each_document_once"),
        ("version", "two_discoveries_name_the_same"),
        ("spelling", "addresses_are_canonical_and_have_a_site"),
        ("spelling", "what_is_discovered_is_admitted"),
        ("open", "what_belongs_to_others_is_refused"),
        ("", "what_is_not_there_is_an_outcome"),
    ],
)
def test_the_suite_finds_a_fault(fault: str, test: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Suite(SourceSuite):
        def make(self) -> Source:
            return Faulty(3, SourceSettings(), tools())

    monkeypatch.setattr(Faulty, "fault", fault)
    with pytest.raises(AssertionError):
        getattr(Suite(), f"test_{test}")()


def test_the_suites_need_no_pytest() -> None:
    assert "pytest" not in vars(sys.modules["cormorant.testing.sources"])


def test_keys_come_back_from_addresses() -> None:
    source = Faulty(3, SourceSettings(), tools())
    for key in ("1", "a/b", "ü %2F?#", "", ".", "..", "~", "~x", "^", "\n", "..a"):
        assert source.key_of(source.address_of(key)) == key
        assert source.gates.follow(source.address_of(key), 0).admitted, key
