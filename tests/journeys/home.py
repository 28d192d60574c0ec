"""An installation that a test crawls with: its data folder and store, its sources and receivers, what search finds.

Crawls are carried out by processes of their own (`crawling`), so that a test never forks what pytest has open.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from cormorant.app.build import BuildPlan, open_house
from cormorant.app.settings import InstallationSettings
from cormorant.model.acl import ANYONE
from cormorant.operate.documents import lookup
from cormorant.operate.explain import explain
from cormorant.operate.installation import Installation
from cormorant.operate.search import search
from cormorant.operate.sources import sources as source_verbs
from cormorant.search.reader import Library, Question
from cormorant.store.catalog import receivers, sources
from cormorant.store.db.database import Tx

RETRIEVERS = 2


@dataclass(frozen=True, slots=True)
class Home:
    """A data folder, the address of its store and the folder of its kept copies (empty: a file, a folder, in it)."""

    folder: Path
    store: str = ""
    retrievers: int = RETRIEVERS
    cache: str = ""

    @property
    def plan(self) -> BuildPlan:
        """How its processes open it."""
        return BuildPlan(
            self.folder, InstallationSettings(store=self.store, cache=self.cache, retrievers=self.retrievers)
        )

    @contextmanager
    def house(self, *, first: bool = False) -> Iterator[Installation]:
        """The installation, open in this process for the length of a block."""
        house = open_house(self.plan, first=first)
        try:
            yield house
        finally:
            house.store.close()

    def add_source(self, kind: str, name: str, settings: Mapping[str, object]) -> None:
        """Add a source, making the installation when there is none."""
        with self.house(first=True) as house:
            source_verbs.add(house, kind, name, settings)

    def edit_source(self, name: str, settings: Mapping[str, object]) -> None:
        """Change settings of a source."""
        with self.house() as house:
            source_verbs.edit(house, name, settings)

    def add_receiver(self, name: str, source: str) -> Path:
        """Add a receiver that appends what is found to a file; returns the file."""
        path = self.folder.parent / f"{name}.jsonl"
        with self.house() as house, house.store.begin() as tx:
            number = sources.named(tx, source).id
            receivers.add(tx, "jsonlines", name, number, {"path": str(path)}, 0)
        return path

    @contextmanager
    def rows(self) -> Iterator[Tx]:
        """Look into the store."""
        with self.house() as house, house.store.read() as tx:
            yield tx

    def value(self, sql: str) -> Any:
        """The one value a question in SQL has."""
        with self.rows() as tx:
            return tx.execute(sa.text(sql)).scalar_one()

    def explained(self, address: str) -> Mapping[str, Any]:
        """The record of `explain` for an address that one source knows."""
        with self.house() as house:
            (said,) = explain.explain(house, address)
            return said

    def shown(self, address: str) -> Mapping[str, Any]:
        """The record of `document show`."""
        with self.house() as house:
            (said,) = lookup.shown(house, address)
            return said

    @contextmanager
    def library(self) -> Iterator[Library]:
        """The library that readers search."""
        with self.house() as house:
            yield search.library(house)

    def found(self, *words: str) -> list[list[str]]:
        """For each word the addresses of the documents that have it."""
        with self.library() as library:
            return [found_in(library, each) for each in words]


def found_in(library: Library, text: str) -> list[str]:
    """The addresses of all documents that a question finds."""
    answer = library.find(Question(text, limit=1000, fold=False), ANYONE)
    assert answer.total == len(answer.hits) or answer.total > 1000
    return sorted(hit.url for hit in answer.hits)


def received(path: Path) -> list[dict[str, Any]]:
    """The events in a receiver's file, whole lines only: a crawl may be writing the last."""
    text = path.read_text() if path.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
