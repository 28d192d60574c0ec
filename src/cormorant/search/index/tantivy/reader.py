"""Reader of the embedded index."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final, TypeVar

import tantivy
from tantivy import FieldType

from cormorant.base.errors import IndexDamaged
from cormorant.model.acl import Reader
from cormorant.search.index import query as ask
from cormorant.search.index.collapse import folded, in_groups, page, ties_by_id
from cormorant.search.index.completion import FIELDS, Beginning, Begun, most_held
from cormorant.search.index.facet_request import Counts, Split
from cormorant.search.index.filter_fields import is_cut, own_value, title_order
from cormorant.search.index.identifiers import Identifier
from cormorant.search.index.protocol import Match, Matches, Reason, Stats
from cormorant.search.index.query import MOST_RANKED, Field, Number, Query, Search, Sort
from cormorant.search.index.stemming import SHORTEST
from cormorant.search.index.tantivy import generations
from cormorant.search.index.tantivy.dictionary import Dictionary
from cormorant.search.index.tantivy.explain import reasons, scored
from cormorant.search.index.tantivy.facet_counts import NO_TWINS, Columns, Twins, twins_of
from cormorant.search.index.tantivy.integrity import Readable, Sound, check, segments
from cormorant.search.index.tantivy.literals import holding, narrowed
from cormorant.search.index.tantivy.query_compiler import Compiler
from cormorant.search.index.tantivy.reader_view import ReaderView, total_of
from cormorant.search.index.tantivy.salvage import answered, looked_up, refuses
from cormorant.search.index.tantivy.schema import (
    GREATEST_ID,
    TITLES,
    UNQUOTED,
    UNQUOTED_VALUE,
    Mark,
    mark_in,
    own,
    register,
    texts_of,
    to_entry,
)
from cormorant.search.index.tokenizer import spelling, words

EXAMINED_BYTES = 256_000_000
"""Up to this size every byte is checked after a failed search, to find damaged files: a quarter of a second."""
_BEGUN = 2_000
"""Completions that are cached while a user types: prefixes of two letters are the slowest and the most frequent."""
_MISSPELT = 1_000
_SPELLED = 5
"""Documents that are read to find the spelling of a word."""
_LITERALS = 256
"""Identifiers of searches whose documents are cached, since every page of results needs them again."""
_TRIES = 10
_RESTLESS = "The index changes faster than it can be opened. Does another program write into its folder?"
_ORDERS: Final[dict[Sort, tuple[str, tantivy.Order]]] = {
    Sort.NEWEST: (Number.MODIFIED, tantivy.Order.Desc),
    Sort.OLDEST: (Number.MODIFIED, tantivy.Order.Asc),
    Sort.TITLE: (TITLES[0], tantivy.Order.Asc),
}
"""The column by which the engine sorts, and the direction."""


T = TypeVar("T")


class EmbeddedReader:
    """Reads the index in a folder; until the folder exists, nothing is found."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._state: IndexState | None = None
        self._refreshing = threading.Lock()
        self.refresh()

    @property
    def place(self) -> int:
        """The place of the committed state that is read."""
        return self._state.mark.place if self._state else 0

    @property
    def origin(self) -> str | None:
        """The name of the database whose rows are indexed, None if none was given."""
        return self._state.mark.origin if self._state else None

    def refresh(self) -> bool:
        """Read the newest committed state from now on; say whether it changed."""
        with self._refreshing:
            old = self._state
            if old and old.stamp == self._stamp(old.generation):
                return False
            self._state = self._newest(old)
            return self._state is not None

    def search(self, search: Search) -> Matches:
        """Answer a search."""
        state = self._state
        if state is None:
            return Matches(0, (), 0)
        return self._answered(state, search, _answer)

    def tally(self, search: Search, splits: Sequence[Split]) -> list[Counts]:
        """Count matches by facet value."""
        state = self._state
        if state is None:
            return [{} for _ in splits]
        return self._answered(state, search, lambda state, search: _tally(state, search, splits))

    def why(self, search: Search, number: int) -> tuple[Match, tuple[Reason, ...]] | None:
        """Return a document with the parts of its score."""
        state = self._state
        if state is None or not 0 <= number <= GREATEST_ID:
            return None
        return self._answered(state, search, lambda state, search: _why(state, search, number))

    def alike(self, word: str, reader: Reader) -> tuple[str, ...]:
        """Return words that the reader may know, written nearly like this one."""
        state, found = self._state, words(word)
        if state is None or len(found) != 1 or len(found[0]) < SHORTEST:
            return ()
        return looked_up(lambda: _alike(state, state.sight(reader), found[0]), (), self._examine)

    def spelling(self, word: str, within: Search) -> str:
        """Return a word as documents write it."""
        state, key = self._state, (word, within)
        if state is None:
            return word
        if key not in state.spelled:
            if len(state.spelled) >= _BEGUN:
                state.spelled.clear()
            state.spelled[key] = looked_up(lambda: _spelling(state, word, within), word, self._examine)
        return state.spelled[key]

    def beginning(self, asked: Beginning) -> tuple[Begun, ...]:
        """Return words, or values of a key, with this prefix from documents that the reader may see."""
        state = self._state
        if state is None or not (asked.letters or asked.key):
            return ()
        known = state.begun.get(asked)
        if known is None:
            if len(state.begun) >= _BEGUN:
                state.begun.clear()
            known = state.begun[asked] = looked_up(lambda: _begun(state, asked), (), self._examine)
        return known

    def count(self) -> int:
        """Return how many documents there are."""
        return self._state.searcher.num_docs - 1 if self._state else 0

    def ids(self, behind: int, most: int) -> list[int]:
        """Return the numbers of documents above this one, at most so many, in order."""
        state = self._state
        if state is None or behind >= GREATEST_ID:
            return []
        with Readable():
            above = tantivy.Query.range_query(state.index.schema, "id", FieldType.Integer, behind + 1, GREATEST_ID)
            found = state.searcher.search(above, most, count=False, order_by_field="id", order=tantivy.Order.Asc)
            numbers = state.columns.whole("id", [address for _, address in found.hits])
        return [number for number in numbers if number is not None]

    def stats(self) -> Stats:
        """Return the size of the index."""
        state = self._state
        if state is None:
            return Stats(0, 0, 0, 0, 0)
        size = sum(file.stat().st_size for file in state.generation.iterdir() if file.is_file())
        return Stats(self.count(), state.deleted, state.searcher.num_segments, size, state.mark.place)

    def check(self) -> None:
        """Compute every checksum."""
        self._check(None)

    def _answered(self, state: IndexState, search: Search, answer: Callable[[IndexState, Search], T]) -> T:
        """Answer a search in one state, without the parts that the engine refuses. Raises IndexDamaged, QueryFailed."""
        return answered(search, partial(answer, state), partial(_fails, state, search), self._examine)

    def _examine(self) -> None:
        """Raise IndexDamaged if a check of the files finds damage."""
        self._check(EXAMINED_BYTES)

    def _check(self, budget_bytes: int | None) -> None:
        """See `integrity.check`. Files that a writer replaced meanwhile are no damage: the check is repeated."""
        for _ in range(_TRIES):
            generation = generations.current(self._folder)
            if generation is None:
                return
            stamp = self._stamp(generation)
            try:
                check(generation, budget_bytes)
            except IndexDamaged:
                if stamp == self._stamp(generation):
                    raise
                continue
            return
        raise IndexDamaged(_RESTLESS)

    def _stamp(self, generation: Path) -> Stamp:
        """Return a stamp that changes with every commit and every switch of generations."""
        return generations.stamp(self._folder), generations.file_stamp(generation / "meta.json")

    def _newest(self, old: IndexState | None) -> IndexState | None:
        """Open the newest state, and open it again if it is replaced meanwhile."""
        for _ in range(_TRIES):
            generation = generations.current(self._folder)
            if generation is None:
                return None
            stamp = self._stamp(generation)
            try:
                state = opened(generation, stamp, old)
            except IndexDamaged:
                if stamp == self._stamp(generation):
                    raise
                continue
            if stamp == self._stamp(generation):
                return state
        raise IndexDamaged(_RESTLESS)


def _fails(state: IndexState, search: Search, part: Query) -> bool:
    """Say whether the engine refuses a part of a search by itself."""
    return refuses(partial(_answer, state, replace(search, query=part, limit=0)))


def _why(state: IndexState, search: Search, number: int) -> tuple[Match, tuple[Reason, ...]] | None:
    """Return a document with the parts of its score, in one state."""
    compiler = _compiler(state, search)

    def scores(query: tantivy.Query) -> tuple[float, tantivy.DocAddress] | None:
        hits = state.searcher.search(compiler.one(query, number), 1).hits
        return hits[0] if hits else None

    found = scores(compiler.whole(search))
    if found is None:
        return None
    entry = to_entry(state.searcher.doc(found[1]), number)
    spoken = state.sight(search.reader).language_of(entry)
    parts = scored(compiler, search, lambda query: one[0] if (one := scores(query)) else None)
    return Match(number, found[0], entry, spoken=spoken), reasons(parts, entry, spoken)


def _answer(state: IndexState, search: Search) -> Matches:
    """Answer a search in one state.

    All matches up to MOST_RANKED are ranked, not only those of the page: folding compares all of them, and a tie at the
    end of a page must be broken as on the next page.
    """
    columns, result = state.columns, _ranked(state, search)
    found = result.hits  # read once, because each access builds a new list
    values, addresses = [value for value, _ in found], [address for _, address in found]

    def ids(some: Sequence[int]) -> Sequence[int]:
        return columns.every("id", [addresses[number] for number in some])

    def worth(some: Sequence[int]) -> list[tuple[int, int]]:
        stands = columns.every("standing", [addresses[number] for number in some])
        return list(zip(stands, ids(some), strict=True))

    folds = columns.folded(addresses) if search.fold else folded([None] * len(addresses))
    state.remember(search, twins_of(folds, addresses) if total_of(result) == len(addresses) else NO_TWINS)
    reachable = folds.distinct
    total = total_of(result) - len(addresses) + reachable
    order = _by_title(state, values, addresses) if search.sort is Sort.TITLE else ties_by_id(values, ids)
    kept = folds.kept(order, worth, values if search.sort is Sort.RELEVANCE else ())
    if search.group:
        marks = columns.numbers(own(search.group), addresses)
        places, reachable = in_groups(kept, marks, search.offset, search.limit)
    else:
        places = page(kept, search.offset, search.limit)
    hits, sight = [], state.sight(search.reader)
    for (number, duplicates, near), called in zip(places, ids([each[0] for each in places]), strict=True):
        score = float(values[number]) if search.sort is Sort.RELEVANCE else 0.0
        entry = to_entry(state.searcher.doc(addresses[number]), called)
        spoken = sight.language_of(entry)
        hits.append(Match(entry.id, score, entry, duplicates, near, own_value(entry, search.group), spoken))
    return Matches(total, tuple(hits), reachable)


def _tally(state: IndexState, search: Search, splits: Sequence[Split]) -> list[Counts]:
    """Count the matches of a search in one state by facet value."""
    query = _compiled(state, replace(search, limit=0))
    twins = NO_TWINS
    if search.fold and splits:
        known = state.twins.get(matching(search))
        twins = state.columns.twins(query) if known is None else known
    return state.columns.tally(query, splits, twins)


def _by_title(state: IndexState, values: Sequence[Any], addresses: Sequence[Any]) -> Iterator[int]:
    """Yield the numbers of matches in the order of their titles, given in the order of the titles' first steps.

    The stored titles are compared only if all steps are equal. Lazy, like `ties_by_id`.
    """
    ids = state.columns.every("id", addresses)
    steps = [(0,) * len(ids), *(state.columns.numbers(name, addresses) for name in TITLES[1:])]
    beginnings = list(zip(*steps, strict=True))
    for _, run in groupby(range(len(values)), key=values.__getitem__):
        numbers = list(run)
        many = Counter(beginnings[number] for number in numbers)
        whole = {
            number: title_order(to_entry(state.searcher.doc(addresses[number]), ids[number]).title)
            for number in numbers
            if many[beginnings[number]] > 1 and is_cut(beginnings[number][-1])
        }
        with Sound():
            numbers.sort(key=lambda each: (beginnings[each], whole.get(each, ""), ids[each]))
        yield from numbers


def _ranked(state: IndexState, search: Search) -> Any:
    """Return the best matches in their order, as the engine ranks them."""
    query = _compiled(state, search)
    if search.sort is Sort.RELEVANCE:
        return state.searcher.search(query, MOST_RANKED)
    column, order = _ORDERS[search.sort]
    return state.searcher.search(query, MOST_RANKED, order_by_field=column, order=order)


def _compiled(state: IndexState, search: Search) -> tantivy.Query:
    """Return the engine's query for a search."""
    return _compiler(state, search).whole(search)


def _compiler(state: IndexState, search: Search) -> Compiler:
    """Return the compiler for a search, its reader and its weights."""
    sight = state.sight(search.reader)
    plain = Compiler(state.index.schema, sight, state.dictionary, search.weights)

    def literal(identifier: Identifier) -> tuple[int, ...]:
        key = (matching(search), identifier)
        if key not in state.literals:
            if len(state.literals) >= _LITERALS:
                state.literals.clear()
            query = plain.whole(replace(search, query=narrowed(search.query, identifier), limit=0))
            state.literals[key] = holding(state.searcher, query, identifier)
        return state.literals[key]

    return Compiler(state.index.schema, sight, state.dictionary, search.weights, literal)


def _alike(state: IndexState, sight: ReaderView, word: str) -> tuple[str, ...]:
    """Look up the words of one state that are spelled nearly like a word; cached, since misspellings recur."""
    if sight.holding(word):
        return ()
    known = sight.alike.get(word)
    if known is None:
        if len(sight.alike) >= _MISSPELT:
            sight.alike.clear()
        known = sight.alike[word] = tuple(state.dictionary.alike(word, sight))
    return known


def _quoted(state: IndexState, query: tantivy.Query, reader: Reader) -> tantivy.Query:
    """Return a query without the documents that ask not to be quoted."""
    unquoted = state.sight(reader).terms(UNQUOTED, [UNQUOTED_VALUE])
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.MustNot, unquoted)])


def _spelling(state: IndexState, word: str, within: Search) -> str:
    """Return the spelling of a word in the best matching documents of one state."""
    held = ask.Or((ask.Phrase(word, Field.TEXT), ask.Phrase(word, Field.TITLE)))
    query = _compiled(state, replace(within, query=ask.And((within.query, held)), limit=0))
    found = state.searcher.search(_quoted(state, query, within.reader), _SPELLED, count=False).hits
    return spelling(word, [texts_of(state.searcher.doc(address))[1] for _, address in found])


def _begun(state: IndexState, asked: Beginning) -> tuple[Begun, ...]:
    """Look up the words or values of one state with a prefix, and the number of filtered documents that hold each."""
    within = _compiled(state, asked.within)
    if asked.key is None:
        within = _quoted(state, within, asked.within.reader)
    counts: dict[str, int] = {}
    for name in (asked.key,) if asked.key else FIELDS:
        for text, count in state.searcher.terms_with_prefix(name, asked.letters, within):
            counts[text] = max(count, counts.get(text, 0))
    return most_held(counts, asked.most)


CHECKED_BYTES = 32_000_000
"""Up to this size every byte is checked when a reader opens, 25 ms; above, the ends of the files."""
_SIGHTS = 256
_TWINS = 64

Stamp = tuple[tuple[int, ...], tuple[int, ...]]
"""Stamps of the pointer to the generation in use, and of that generation's table of contents."""


@dataclass(slots=True)
class IndexState:
    """One committed state, opened. It is replaced as a whole, so a search in progress keeps the state it began with."""

    stamp: Stamp
    generation: Path
    index: tantivy.Index
    searcher: tantivy.Searcher
    mark: Mark
    slots: int
    deleted: int
    dictionary: Dictionary
    columns: Columns
    sights: dict[frozenset[str], ReaderView] = field(default_factory=dict)
    spelled: dict[tuple[str, Search], str] = field(default_factory=dict)
    begun: dict[Beginning, tuple[Begun, ...]] = field(default_factory=dict)
    literals: dict[tuple[Search, Identifier], tuple[int, ...]] = field(default_factory=dict)
    twins: dict[Search, Twins] = field(default_factory=dict)
    """Equal documents among the matches of recent searches, with their readers: facet counts follow a search."""

    def sight(self, reader: Reader) -> ReaderView:
        """Return this reader's view, cached until the next state."""
        known = self.sights.get(reader.principals)
        if known is None:
            if len(self.sights) >= _SIGHTS:
                self.sights.clear()
            known = ReaderView(self.searcher, self.index.schema, reader, self.slots)
            self.sights[reader.principals] = known
        return known

    def remember(self, search: Search, twins: Twins) -> None:
        """Cache the equal documents among the matches of a search that folds."""
        if not search.fold:
            return
        if len(self.twins) >= _TWINS:
            self.twins.clear()
        self.twins[matching(search)] = twins


def opened(generation: Path, stamp: Stamp, old: IndexState | None) -> IndexState:
    """Open a state, reusing the open index if the generation is the same."""
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
        return IndexState(
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
    """Return a search with only those settings that affect which documents match."""
    return replace(search, limit=0, offset=0, sort=Sort.RELEVANCE, group=None, today=None, languages=())
