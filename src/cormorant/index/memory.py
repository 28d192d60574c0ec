"""The index in this process's memory: the embedded one's twin for tests, which means the same and is easy to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import assert_never

from cormorant.index import query as ask
from cormorant.index.alike import allowed, edits
from cormorant.index.dictionary import MOST_ALIKE
from cormorant.index.entry import Change, Drop, Entry, Put, Relink
from cormorant.index.folding import distinct, page
from cormorant.index.keys import fold_key, headings, keys, said_by
from cormorant.index.occurrences import Places, between, times
from cormorant.index.protocol import Match, Matches, Stats
from cormorant.index.query import Field, Key, Search, Sort
from cormorant.index.stems import SHORTEST, language_of
from cormorant.index.words import clean, places, words
from cormorant.model.acl import ACL, Reader

_WORDS_FIRST = 1_000_000.0


@dataclass(frozen=True, slots=True)
class _Held:
    """An entry with its words and keys."""

    entry: Entry
    fields: Mapping[Field, Places]
    keys: Mapping[Key, tuple[str, ...]]
    language: str = ""


@dataclass(slots=True)
class _Committed:
    """A committed state."""

    held: dict[int, _Held] = field(default_factory=dict)
    place: int = 0

    def spoken(self, reader: Reader) -> list[_Held]:
        """Return what a reader sees; what is in no known language is taken to be in that of most others there."""
        seen = [each for each in self.held.values() if reader.may_read(ACL(each.entry.grants, each.entry.denies))]
        counts = Counter(each.language for each in seen if each.language)
        most = max(counts, key=lambda each: (counts[each], each), default="")
        unknown = ("und",)
        return [replace(each, language=most) if each.keys[Key.LANGUAGE] == unknown else each for each in seen]


class MemoryIndex:
    """Both ends of an index: hand out the one writer and any readers."""

    def __init__(self) -> None:
        self.committed = _Committed()

    def writer(self) -> MemoryWriter:
        """Return the writer."""
        return MemoryWriter(self)

    def reader(self) -> MemoryReader:
        """Return a reader."""
        return MemoryReader(self)


class MemoryWriter:
    """See IndexWriter."""

    def __init__(self, index: MemoryIndex) -> None:
        self._index = index
        self._held = dict(index.committed.held)

    @property
    def place(self) -> int:
        """The sequence number given to the last commit."""
        return self._index.committed.place

    def apply(self, changes: Iterable[Change]) -> None:
        """Apply changes in order."""
        for change in changes:
            match change:
                case Put():
                    self._held[change.entry.id] = _hold(change.entry)
                case Drop():
                    self._held.pop(change.id, None)
                case Relink():
                    if change.id in self._held:
                        self._held[change.id] = _hold(change.on(self._held[change.id].entry))
                case _:
                    assert_never(change)

    def commit(self, place: int) -> None:
        """Make everything applied visible, together with `place`."""
        if place < self.place:
            raise ValueError(f"A commit at {place} after one at {self.place}.")
        self._index.committed = _Committed(dict(self._held), place)

    def close(self) -> None:
        """Forget what was not committed."""
        self._held = dict(self._index.committed.held)


class MemoryReader:
    """See IndexReader."""

    def __init__(self, index: MemoryIndex) -> None:
        self._index = index
        self._state = index.committed

    @property
    def place(self) -> int:
        """The place of the committed state that is read."""
        return self._state.place

    def refresh(self) -> bool:
        """Read the newest committed state from now on; say whether it changed."""
        changed = self._state is not self._index.committed
        self._state = self._index.committed
        return changed

    def search(self, search: Search) -> Matches:
        """Answer a question."""
        found = [held for held in self._state.spoken(search.reader) if _sees(held, search)]
        scores = {held.entry.id: _score(held, search) for held in found}
        found.sort(key=lambda held: (*_rank(held.entry, scores[held.entry.id], search.sort), held.entry.id))
        folds = [fold_key(held.entry.content_hash) if search.fold else None for held in found]
        hits = []
        for number, duplicates in page(range(len(found)), folds, search.offset, search.limit):
            entry = found[number].entry
            score = scores[entry.id] if search.sort is Sort.RELEVANCE else 0.0
            hits.append(Match(entry.id, score, entry, duplicates))
        total = distinct(folds)
        return Matches(total, tuple(hits), total)

    def alike(self, word: str, reader: Reader) -> tuple[str, ...]:
        """Return words that the reader may know, written nearly like this one."""
        found, counts = words(word), Counter[str]()
        for held in self._state.held.values():
            if reader.may_read(ACL(held.entry.grants, held.entry.denies)):
                counts.update(held.fields[Field.TITLE].keys() | held.fields[Field.TEXT].keys())
        if len(found) != 1 or len(found[0]) < SHORTEST or found[0] in counts:
            return ()
        most = allowed(found[0])
        apart = {each: edits(found[0], each, most) for each in counts if each[0] == found[0][0]}
        near = [each for each, by in apart.items() if by <= most]
        return tuple(sorted(near, key=lambda each: (apart[each], -counts[each], each))[:MOST_ALIKE])

    def count(self) -> int:
        """Return how many documents there are."""
        return len(self._state.held)

    def stats(self) -> Stats:
        """Return how big it is; memory is not measured."""
        return Stats(self.count(), 0, 1, 0, self.place)


def _hold(entry: Entry) -> _Held:
    """Return an entry as it is kept, with its words."""
    entry = replace(entry, text=clean(entry.text), title=clean(entry.title), url=clean(entry.url))
    texts = {
        Field.TITLE: entry.title, Field.HEADINGS: "\n".join(headings(entry)), Field.TEXT: entry.text,
        Field.ANCHORS: "\n".join(entry.anchors), Field.ADDRESS: said_by(entry.url),
    }  # fmt: skip
    return _Held(entry, {name: places(text) for name, text in texts.items()}, keys(entry), language_of(entry.language))


def _sees(held: _Held, search: Search) -> bool:
    """Say whether an entry matches and may be found by who asks."""
    entry = held.entry
    may = search.reader.may_read(ACL(entry.grants, entry.denies)) and entry.id not in search.hidden
    return may and _holds(held, search.query, search.weights)


def _holds(held: _Held, node: ask.Query, weights: ask.Weights) -> bool:
    """Say whether an entry matches a part of a query."""

    def also(part: ask.Query) -> bool:
        return _holds(held, part, weights)

    match node:
        case ask.Word() | ask.Phrase() | ask.Near() | ask.Prefix() | ask.Pattern() | ask.Like():
            return _times(held, node, weights) > 0
        case ask.Exact() | ask.Range():
            return _filed(held, node)
        case ask.Everything():
            return True
        case ask.Nothing():
            return False
        case ask.And():
            return bool(node.parts) and all(map(also, node.parts))
        case ask.Or():
            return any(map(also, node.parts))
        case ask.Not():
            return not also(node.part)
        case ask.Clauses():
            return _clauses(node, also)
    assert_never(node)


def _filed(held: _Held, node: ask.Exact | ask.Range) -> bool:
    """Say whether an entry lies in a place to look."""
    if isinstance(node, ask.Range):
        return between(held.entry, node)
    own = (str(held.entry.id),) if node.key is Key.ID else held.keys[node.key]
    return not set(own).isdisjoint(node.values)


def _clauses(node: ask.Clauses, also: Callable[[ask.Query], bool]) -> bool:
    """Say whether clauses match."""
    if not (node.must or node.should or node.never) or any(map(also, node.never)):
        return False
    wanted = not node.should or not node.needs_one or any(map(also, node.should))
    return wanted and all(map(also, node.must))


def _times(held: _Held, leaf: ask.Leaf, weights: ask.Weights) -> float:
    """Return how often a leaf stands in the fields it means, each time as much as the field weighs."""
    count = partial(times, leaf, held.language if weights.form else "")
    return sum(count(held.fields[name]) * (weights.of(name) or 1.0) for name in weights.fields(leaf.field))


def _score(held: _Held, search: Search) -> float:
    """Return how well an entry matches: first by the number of optional words, then by how often they stand there."""
    root = search.query
    should = root.should if isinstance(root, ask.Clauses) else ()
    counted = sum(_holds(held, each, search.weights) for each in should) if len(should) > 1 else 0
    return counted * _WORDS_FIRST + sum(_times(held, leaf, search.weights) for leaf in ask.leaves(root))


def _rank(entry: Entry, score: float, sort: Sort) -> tuple[bool, float]:
    """Return a key that is less for what comes earlier."""
    if sort is Sort.RELEVANCE:
        return False, -score
    if entry.modified_at is None:
        return True, 0.0
    return False, entry.modified_at if sort is Sort.OLDEST else -entry.modified_at
