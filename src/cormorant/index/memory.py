"""The index in this process's memory: the embedded one's twin for tests, which means the same and is easy to read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from cormorant.index import query as ask
from cormorant.index.entry import Change, Drop, Entry, Put, Relink
from cormorant.index.folding import distinct, page
from cormorant.index.keys import fold_key, keys
from cormorant.index.protocol import Match, Matches, Stats
from cormorant.index.query import Field, Key, Search, Sort
from cormorant.index.words import clean, places, words
from cormorant.model.acl import ACL

_WORDS_FIRST = 1_000_000.0

Places = Mapping[str, list[int]]


@dataclass(frozen=True, slots=True)
class _Held:
    """An entry with its words and keys."""

    entry: Entry
    fields: Mapping[Field, Places]
    keys: Mapping[Key, tuple[str, ...]]


@dataclass(slots=True)
class _Committed:
    """A committed state."""

    held: dict[int, _Held] = field(default_factory=dict)
    place: int = 0


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
        found = [held for held in self._state.held.values() if _sees(held, search)]
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

    def count(self) -> int:
        """Return how many documents there are."""
        return len(self._state.held)

    def stats(self) -> Stats:
        """Return how big it is; memory is not measured."""
        return Stats(self.count(), 0, 1, 0, self.place)


def _hold(entry: Entry) -> _Held:
    """Return an entry as it is kept, with its words."""
    entry = replace(entry, text=clean(entry.text), title=clean(entry.title), url=clean(entry.url))
    texts = {Field.TITLE: entry.title, Field.TEXT: entry.text, Field.ANCHORS: "\n".join(entry.anchors)}
    return _Held(entry, {name: places(text) for name, text in texts.items()}, keys(entry))


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
        case ask.Word() | ask.Phrase() | ask.Prefix():
            return _times(held, node, weights) > 0
        case ask.Exact():
            own = (str(held.entry.id),) if node.key is Key.ID else held.keys[node.key]
            return not set(own).isdisjoint(node.values)
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


def _clauses(node: ask.Clauses, also: Callable[[ask.Query], bool]) -> bool:
    """Say whether clauses match."""
    if not (node.must or node.should or node.never) or any(map(also, node.never)):
        return False
    wanted = not node.should or not node.needs_one or any(map(also, node.should))
    return wanted and all(map(also, node.must))


def _times(held: _Held, leaf: ask.Leaf, weights: ask.Weights) -> float:
    """Return how often a leaf stands in the fields it means, each time as much as the field weighs."""
    found = words(leaf.text)
    if not found:
        return 0.0
    count = _begins if isinstance(leaf, ask.Prefix) else _side_by_side
    return sum(count(held.fields[name], found) * (weights.of(name) or 1.0) for name in weights.fields(leaf.field))


def _side_by_side(where: Places, found: list[str]) -> int:
    """Return how often words stand side by side in this order."""
    starts = where.get(found[0], [])
    return sum(all(start + n in where.get(word, ()) for n, word in enumerate(found)) for start in starts)


def _begins(where: Places, found: list[str]) -> int:
    """Return how often a word begins with the last of `found`, if the others stand together."""
    if len(found) > 1 and not _side_by_side(where, found[:-1]):
        return 0
    return sum(len(at) for word, at in where.items() if word.startswith(found[-1]))


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
