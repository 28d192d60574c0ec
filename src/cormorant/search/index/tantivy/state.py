"""One committed state of the embedded index, opened, with what is remembered of it until the next one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import tantivy

from cormorant.model.acl import Reader
from cormorant.search.index.completion import Beginning, Begun
from cormorant.search.index.identifiers import Identifier
from cormorant.search.index.query import Search, Sort
from cormorant.search.index.tantivy.dictionary import Dictionary
from cormorant.search.index.tantivy.facet_counts import Columns, Twins
from cormorant.search.index.tantivy.integrity import Readable, check, segments
from cormorant.search.index.tantivy.reader_view import Sight
from cormorant.search.index.tantivy.schema import Mark, mark_in, register

CHECKED_BYTES = 32_000_000
"""Up to this size every byte is checked when a reader opens, 25 ms; above, the ends of the files."""
_SIGHTS = 256
_TWINS = 64

Stamp = tuple[tuple[int, ...], tuple[int, ...]]
"""Of the pointer to the generation in use, and of that generation's table of contents."""


@dataclass(slots=True)
class State:
    """One committed state, opened. Replaced as a whole, so that a question under way keeps the one it began with."""

    stamp: Stamp
    generation: Path
    index: tantivy.Index
    searcher: tantivy.Searcher
    mark: Mark
    slots: int
    deleted: int
    dictionary: Dictionary
    columns: Columns
    sights: dict[frozenset[str], Sight] = field(default_factory=dict)
    spelled: dict[tuple[str, Search], str] = field(default_factory=dict)
    begun: dict[Beginning, tuple[Begun, ...]] = field(default_factory=dict)
    literals: dict[tuple[Search, Identifier], tuple[int, ...]] = field(default_factory=dict)
    twins: dict[Search, Twins] = field(default_factory=dict)
    """What is equal among the matches of the last searches, with their readers: a search is followed by its counts."""

    def sight(self, reader: Reader) -> Sight:
        """Return what this reader sees, remembered until the next state."""
        known = self.sights.get(reader.principals)
        if known is None:
            if len(self.sights) >= _SIGHTS:
                self.sights.clear()
            known = Sight(self.searcher, self.index.schema, reader, self.slots)
            self.sights[reader.principals] = known
        return known

    def remember(self, search: Search, twins: Twins) -> None:
        """Keep for a while what is equal among the matches of a search that folds them."""
        if not search.fold:
            return
        if len(self.twins) >= _TWINS:
            self.twins.clear()
        self.twins[matching(search)] = twins


def opened(generation: Path, stamp: Stamp, old: State | None) -> State:
    """Open a state, going on with the index that is open already when it is the same generation."""
    contents = segments(generation)
    with Readable():
        if old and old.generation == generation:
            index = old.index
        else:
            check(generation, CHECKED_BYTES)
            index = tantivy.Index.open(str(generation))
            register(index)
        index.reload()
        searcher = index.searcher()
        return State(
            stamp=stamp,
            generation=generation,
            index=index,
            searcher=searcher,
            mark=mark_in(searcher, index.schema),
            slots=sum(segment["max_doc"] for segment in contents),
            dictionary=Dictionary(searcher),
            columns=Columns(searcher),
            deleted=sum(segment["deletes"]["num_deleted_docs"] for segment in contents if segment["deletes"]),
        )


def matching(search: Search) -> Search:
    """Return a search less what does not change which documents match, and for whom."""
    return replace(search, limit=0, offset=0, sort=Sort.RELEVANCE, group=None, today=None, languages=())
