"""How is the embedded index asked?"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path

import tantivy

from cormorant.base.errors import IndexDamaged
from cormorant.index import generations
from cormorant.index.compile import Compiler
from cormorant.index.damage import Readable, check, segments
from cormorant.index.dictionary import Dictionary
from cormorant.index.folding import distinct, page, ties_by_id
from cormorant.index.layout import place_of, register, to_entry
from cormorant.index.protocol import Match, Matches, Stats
from cormorant.index.query import MOST_RANKED, Search, Sort
from cormorant.index.sight import Sight, total_of
from cormorant.index.stems import SHORTEST
from cormorant.index.words import words
from cormorant.model.acl import Reader

_SIGHTS = 256
_TRIES = 10

Stamp = tuple[tuple[int, ...], tuple[int, ...]]
"""Of the pointer to the generation in use, and of that generation's table of contents."""


@dataclass(slots=True)
class _State:
    """One committed state, opened. Replaced as a whole, so that a question under way keeps the one it began with."""

    stamp: Stamp
    generation: Path
    index: tantivy.Index
    searcher: tantivy.Searcher
    place: int
    slots: int
    deleted: int
    dictionary: Dictionary
    sights: dict[frozenset[str], Sight] = field(default_factory=dict)

    def sight(self, reader: Reader) -> Sight:
        """Return what this reader sees, remembered until the next state."""
        known = self.sights.get(reader.principals)
        if known is None:
            if len(self.sights) >= _SIGHTS:
                self.sights.clear()
            known = Sight(self.searcher, self.index.schema, reader, self.slots)
            self.sights[reader.principals] = known
        return known


class EmbeddedReader:
    """Reads the index in a folder, which need not be there yet: until it is, nothing is found."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._state: _State | None = None
        self._refreshing = threading.Lock()
        self.refresh()

    @property
    def place(self) -> int:
        """The place of the committed state that is read."""
        return self._state.place if self._state else 0

    def refresh(self) -> bool:
        """Read the newest committed state from now on; say whether it changed."""
        with self._refreshing:
            old = self._state
            if old and old.stamp == self._stamp(old.generation):
                return False
            self._state = self._newest(old)
            return self._state is not None

    def search(self, search: Search) -> Matches:
        """Answer a question."""
        state = self._state
        if state is None:
            return Matches(0, (), 0)
        with Readable():
            return _answer(state, search)

    def alike(self, word: str, reader: Reader) -> tuple[str, ...]:
        """Return words that the reader may know, written nearly like this one."""
        state, found = self._state, words(word)
        if state is None or len(found) != 1 or len(found[0]) < SHORTEST:
            return ()
        with Readable():
            sight = state.sight(reader)
            return () if sight.holding(found[0]) else tuple(state.dictionary.alike(found[0], sight.holding))

    def count(self) -> int:
        """Return how many documents there are."""
        return self._state.searcher.num_docs - 1 if self._state else 0

    def stats(self) -> Stats:
        """Return how big it is."""
        state = self._state
        if state is None:
            return Stats(0, 0, 0, 0, 0)
        size = sum(file.stat().st_size for file in state.generation.iterdir() if file.is_file())
        return Stats(self.count(), state.deleted, state.searcher.num_segments, size, state.place)

    def _stamp(self, generation: Path) -> Stamp:
        """Return what changes with every commit and every switch."""
        return generations.stamp(self._folder), generations.file_stamp(generation / "meta.json")

    def _newest(self, old: _State | None) -> _State | None:
        """Open the newest state. One that is replaced while it is being opened is opened again."""
        for _ in range(_TRIES):
            generation = generations.current(self._folder)
            if generation is None:
                return None
            stamp = self._stamp(generation)
            try:
                state = _opened(generation, stamp, old)
            except IndexDamaged:
                if stamp == self._stamp(generation):
                    raise
                continue
            if stamp == self._stamp(generation):
                return state
        raise IndexDamaged("The index changes faster than it can be opened. Is something else writing into its folder?")


def _opened(generation: Path, stamp: Stamp, old: _State | None) -> _State:
    """Open a state, going on with the index that is open already when it is the same generation."""
    contents = segments(generation)
    with Readable():
        if old and old.generation == generation:
            index = old.index
        else:
            check(generation, 0)
            index = tantivy.Index.open(str(generation))
            register(index)
        index.reload()
        searcher = index.searcher()
        return _State(
            stamp=stamp,
            generation=generation,
            index=index,
            searcher=searcher,
            place=place_of(searcher, index.schema),
            slots=sum(segment["max_doc"] for segment in contents),
            dictionary=Dictionary(searcher),
            deleted=sum(segment["deletes"]["num_deleted_docs"] for segment in contents if segment["deletes"]),
        )


def _answer(state: _State, search: Search) -> Matches:
    """Answer a question to one state.

    All matches up to MOST_RANKED are ranked, not only the page's: folding needs to know which are equal, and a tie at
    the end of a page must be broken as on the next. It costs 3 ms.
    """
    sight = state.sight(search.reader)
    query = Compiler(state.index.schema, sight, state.dictionary, search.weights).whole(search)
    searcher = state.searcher
    if search.sort is Sort.RELEVANCE:
        result = searcher.search(query, MOST_RANKED)
    else:
        order = tantivy.Order.Asc if search.sort is Sort.OLDEST else tantivy.Order.Desc
        result = searcher.search(query, MOST_RANKED, order_by_field="modified_at", order=order)
    values = [value for value, _ in result.hits]
    addresses = [address for _, address in result.hits]
    ids = [int(each or 0) for each in searcher.fast_field_values("id", addresses)]
    folds: list[int | None] = [None] * len(ids)
    if search.fold:
        folds = [None if each is None else int(each) for each in searcher.fast_field_values("fold", addresses)]
    reachable = distinct(folds)
    total = total_of(result) - len(ids) + reachable
    hits = []
    for number, duplicates in page(ties_by_id(values, ids), folds, search.offset, search.limit):
        score = float(values[number]) if search.sort is Sort.RELEVANCE else 0.0
        hits.append(Match(ids[number], score, to_entry(searcher.doc(addresses[number])), duplicates))
    return Matches(total, tuple(hits), reachable)
