"""Indexes to test on, and small documents to put into them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cormorant.model.acl import ANYONE, EVERYONE
from cormorant.search.index.document import Change, IndexedDocument, Upsert
from cormorant.search.index.memory import MemoryIndex
from cormorant.search.index.protocol import IndexReader, IndexWriter, Matches
from cormorant.search.index.query import Query, Search
from cormorant.search.index.tantivy.folder import open_reader, open_writer
from cormorant.search.query.parser import parse
from cormorant.search.weights import DEFAULT

KINDS = ("embedded", "memory")


@dataclass
class Shelf:
    """One index with its writer and a reader."""

    writer: IndexWriter
    reader: IndexReader

    def put(self, *entries: IndexedDocument) -> None:
        """Put entries, commit and read them."""
        self.apply(map(Upsert, entries))

    def apply(self, changes: Iterable[Change]) -> None:
        """Apply changes, commit and read them."""
        self.writer.apply(changes)
        self.writer.commit(self.writer.place + 1)
        self.reader.refresh()

    def ask(self, query: str | Query, **more: Any) -> Matches:
        """Ask what a person typed, as anyone unless said otherwise."""
        asked = parse(query).query if isinstance(query, str) else query
        given: dict[str, Any] = {"reader": ANYONE, "weights": DEFAULT, "limit": 1_000, **more}
        return self.reader.search(Search(query=asked, **given))

    def ids(self, query: str | Query, **more: Any) -> list[int]:
        """Ask, and return the ids in order."""
        return [match.id for match in self.ask(query, **more).hits]


@contextmanager
def shelf(kind: str, folder: Path) -> Iterator[Shelf]:
    """Give an empty index of a kind."""
    if kind == "memory":
        index = MemoryIndex()
        yield Shelf(index.writer(), index.reader())
        return
    writer = open_writer(folder)
    try:
        yield Shelf(writer, open_reader(folder))
    finally:
        writer.close()


def entry(number: int, text: str = "", **more: Any) -> IndexedDocument:
    """Return a document that everyone may see."""
    made = {"source": "docs", "url": f"https://docs.example.org/{number}", "title": "", "grants": (EVERYONE,)}
    return IndexedDocument(**(made | more), id=number, text=text)
