"""An index in the memory of the process: a simple twin of the embedded index with the same semantics, for tests."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from sys import getsizeof
from typing import assert_never

from cormorant.model.acl import ACL, Reader
from cormorant.model.text import display_directives
from cormorant.search.index import query as ask
from cormorant.search.index.attribute_terms import has_match, lies_within, values_of
from cormorant.search.index.collapse import Folded, folded, in_groups, page
from cormorant.search.index.completion import FIELDS, Beginning, Begun, most_held
from cormorant.search.index.compounds import language_of
from cormorant.search.index.document import Change, Delete, IndexedDocument, UpdateLinks, Upsert
from cormorant.search.index.edit_distance import allowed, edits, misspelt
from cormorant.search.index.facet_request import ByAttribute, Counts, Since, Split
from cormorant.search.index.filter_fields import UNKNOWN, exact, fold_key, keys, own_value, read, standing, title_order
from cormorant.search.index.identifiers import Identifier, names
from cormorant.search.index.protocol import COUNT, SPELLED, Match, Matches, Reason, Stats
from cormorant.search.index.query import Field, Key, Search, Sort
from cormorant.search.index.static_score import worth
from cormorant.search.index.stemming import SHORTEST
from cormorant.search.index.tantivy import literals
from cormorant.search.index.tantivy.dictionary import MOST_ALIKE
from cormorant.search.index.tantivy.explain import Scored, reasons
from cormorant.search.index.tantivy.reader_view import most_spoken
from cormorant.search.index.tantivy.term_frequency import Places, Rules, between, times
from cormorant.search.index.tokenizer import clean, places, plainer, prepare, spelling, words

_WORDS_FIRST = 1_000_000.0


@dataclass(frozen=True, slots=True)
class _Held:
    """An entry with its words and keys."""

    entry: IndexedDocument
    fields: Mapping[Field, Places]
    keys: Mapping[Key, tuple[str, ...]]
    language: str = ""
    names: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Committed:
    """A committed state."""

    held: dict[int, _Held] = field(default_factory=dict)
    place: int = 0
    origin: str | None = None

    def spoken(self, reader: Reader) -> list[_Held]:
        """Return the entries that a reader sees; one in an unknown language gets the prevailing language of its source.

        If the source has no other entries, it gets the prevailing language of all entries.
        """
        seen = [each for each in self.held.values() if reader.may_read(ACL(each.entry.grants, each.entry.denies))]
        counts = Counter(each.language for each in seen if each.language)
        by_source = {each.entry.source: Counter[str]() for each in seen}
        for each in seen:
            by_source[each.entry.source].update([each.language] if each.language else [])
        most = {source: most_spoken(own or counts) for source, own in by_source.items()}
        return [
            replace(each, language=most[each.entry.source]) if each.keys[Key.LANGUAGE] == (UNKNOWN,) else each
            for each in seen
        ]


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

    @property
    def origin(self) -> str | None:
        """The origin that was last given to a commit."""
        return self._index.committed.origin

    def apply(self, changes: Iterable[Change]) -> int:
        """Apply changes in order; returns bytes of text."""
        size = 0
        for change in changes:
            match change:
                case Upsert():
                    self._held[change.entry.id] = _hold(change.entry)
                case Delete():
                    self._held.pop(change.id, None)
                case UpdateLinks():
                    if change.id in self._held:
                        self._held[change.id] = _hold(change.on(self._held[change.id].entry))
                case _:
                    assert_never(change)
            if not isinstance(change, Delete) and change.id in self._held:
                size += getsizeof(self._held[change.id].entry.text)
        return size

    def commit(self, place: int, origin: str | None = None) -> None:
        """Make everything applied visible, together with `place`."""
        if place < self.place:
            raise ValueError(f"A commit at {place} after one at {self.place}.")
        self._index.committed = _Committed(dict(self._held), place, origin or self.origin)

    def close(self) -> None:
        """Discard uncommitted changes."""
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

    @property
    def origin(self) -> str | None:
        """The name of the database whose rows it is made of."""
        return self._state.origin

    def refresh(self) -> bool:
        """Read the newest committed state from now on; say whether it changed."""
        changed = self._state is not self._index.committed
        self._state = self._index.committed
        return changed

    def search(self, search: Search) -> Matches:
        """Answer a search."""
        found = self._found(search)
        scores = {held.entry.id: _score(held, search) for held in found}
        found.sort(key=lambda held: (*_rank(held.entry, scores[held.entry.id], search.sort), held.entry.id))
        folds = _folds(found, search)
        ranked = [scores[held.entry.id] for held in found] if search.sort is Sort.RELEVANCE else ()
        kept = folds.kept(range(len(found)), lambda some: [_worth(found[number].entry) for number in some], ranked)
        total = reachable = folds.distinct
        values = [own_value(held.entry, search.group) for held in found]
        if search.group:
            places, reachable = in_groups(kept, values, search.offset, search.limit)
        else:
            places = page(kept, search.offset, search.limit)
        hits = []
        for number, duplicates, near in places:
            entry = found[number].entry
            score = scores[entry.id] if search.sort is Sort.RELEVANCE else 0.0
            hits.append(Match(entry.id, score, entry, duplicates, near, values[number], found[number].language))
        return Matches(total, tuple(hits), reachable)

    def tally(self, search: Search, splits: Sequence[Split]) -> list[Counts]:
        """Count matches by facet value."""
        found = self._found(search)
        return [_counted(found, search, split) for split in splits]

    def _found(self, search: Search) -> list[_Held]:
        """Return the matching entries."""
        return [held for held in self._state.spoken(search.reader) if _sees(held, search)]

    def why(self, search: Search, number: int) -> tuple[Match, tuple[Reason, ...]] | None:
        """Return a document with the parts of its score."""
        found = [held for held in self._state.spoken(search.reader) if held.entry.id == number and _sees(held, search)]
        if not found:
            return None
        held = found[0]
        match = Match(number, _score(held, search), held.entry, spoken=held.language)
        return match, reasons(_scored(held, search), held.entry, held.language)

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
        apart |= {each: 0 for each in plainer(found[0]) if each in counts}
        near = [each for each, by in apart.items() if by <= most]
        return tuple(
            sorted(near, key=lambda each: (apart[each], misspelt(found[0], each), -counts[each], each))[:MOST_ALIKE]
        )

    def spelling(self, word: str, within: Search) -> str:
        """Return a word as documents write it."""
        held = ask.Or((ask.Phrase(word, Field.TEXT), ask.Phrase(word, Field.TITLE)))
        asked = replace(within, query=ask.And((within.query, held)))
        found = [held.entry for held in self._found(asked) if _is_quoted(held)]
        return spelling(word, [(entry.title, entry.text) for entry in found])

    def beginning(self, asked: Beginning) -> tuple[Begun, ...]:
        """Return words, or values of a key, with this prefix from documents that the reader may see."""
        if not (asked.letters or asked.key):
            return ()
        found = [held for held in self._state.spoken(asked.within.reader) if _sees(held, asked.within)]
        if asked.key is not None:
            filed = Counter(value for held in found for value in set(held.keys[asked.key]))
            return most_held({text: filed[text] for text in filed if text.startswith(asked.letters)}, asked.most)
        counts = Counter[str]()
        quoted = [held for held in found if _is_quoted(held)]
        for name in FIELDS:
            counts |= Counter(word for held in quoted for word in held.fields[name] if word.startswith(asked.letters))
        return most_held(counts, asked.most)

    def count(self) -> int:
        """Return how many documents there are."""
        return len(self._state.held)

    def ids(self, behind: int, most: int) -> list[int]:
        """Return the numbers of documents above this one, at most so many, in order."""
        return sorted(number for number in self._state.held if number > behind)[:most]

    def stats(self) -> Stats:
        """Return the size of the index; memory is not measured."""
        return Stats(self.count(), 0, 1, 0, self.place)

    def check(self) -> None:
        """See IndexReader: an index in memory is never damaged."""


def _is_quoted(held: _Held) -> bool:
    """Say whether a document may be quoted."""
    return not display_directives.forbids(held.entry.attributes, display_directives.NO_SNIPPET)


def _hold(entry: IndexedDocument) -> _Held:
    """Return an entry as it is kept, with its words."""
    entry = replace(entry, text=clean(entry.text), title=clean(entry.title), url=clean(entry.url))
    spelled = frozenset(name for text in (entry.title, entry.text) for name in names(prepare(text)))
    found = {name: places(text) for name, text in read(entry).items()}
    return _Held(entry, found, keys(entry), language_of(entry.language), spelled)


def _folds(found: Sequence[_Held], search: Search) -> Folded:
    """Fold matches by content and class, or none of them if the search does not fold."""
    if not search.fold:
        return folded([None] * len(found))
    return folded([fold_key(held.entry.content_hash) for held in found], [held.entry.near for held in found])


def _counted(found: Sequence[_Held], search: Search, split: Split) -> Counts:
    """Count matches by facet value, each value folded by itself."""
    held = defaultdict[str, list[_Held]](list)
    for each in found:
        for sort in _sorts(each, split):
            held[sort].append(each)
    return {sort: _folds(some, search).distinct for sort, some in held.items()}


def _worth(entry: IndexedDocument) -> tuple[int, int]:
    """Return a sort key that is least for the one of equal entries that is shown."""
    return standing(entry), entry.id


def _sorts(held: _Held, split: Split) -> frozenset[str]:
    """Return the facet values under which an entry is counted."""
    if isinstance(split, Since):
        return split.sorts(held.entry.modified_at)
    if isinstance(split, ByAttribute):
        return frozenset(values_of(held.entry, split.list_name))
    return split.sorts(map(exact, held.keys[split.key]))


def _sees(held: _Held, search: Search) -> bool:
    """Say whether an entry matches and the searching reader may see it."""
    entry = held.entry
    may = search.reader.may_read(ACL(entry.grants, entry.denies)) and entry.id not in search.hidden
    return may and _holds(held, search.query, search.weights)


def _holds(held: _Held, node: ask.Query, weights: ask.Weights) -> bool:
    """Say whether an entry matches a part of a query."""

    def also(part: ask.Query) -> bool:
        return _holds(held, part, weights)

    match node:
        case ask.QueryWord() | ask.Phrase() | ask.Near() | ask.Prefix() | ask.Pattern() | ask.Like():
            return any(points > 0 for _, points in _times(held, node, weights))
        case ask.Exact() | ask.Range() | ask.AttributeMatch() | ask.AttributeRange():
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


def _filed(held: _Held, node: ask.Exact | ask.Range | ask.AttributeMatch | ask.AttributeRange) -> bool:
    """Say whether an entry passes a filter."""
    if isinstance(node, ask.AttributeMatch):
        return has_match(held.entry, node)
    if isinstance(node, ask.AttributeRange):
        return lies_within(held.entry, node)
    if isinstance(node, ask.Range):
        return between(held.entry, node)
    if node.key is Key.ID:
        own: tuple[str, ...] = (str(held.entry.id),)
    elif node.key is Key.CONTENT:
        own = (str(fold_key(held.entry.content_hash)),)
    elif node.key is Key.NEAR:
        own = (str(held.entry.near),)
    else:
        own = held.keys[node.key]
    return not set(own).isdisjoint(node.values)


def _clauses(node: ask.Clauses, also: Callable[[ask.Query], bool]) -> bool:
    """Say whether clauses match."""
    if not (node.must or node.should or node.never) or any(map(also, node.never)):
        return False
    wanted = not node.should or not node.needs_one or any(map(also, node.should))
    return wanted and all(map(also, node.must))


def _times(held: _Held, leaf: ask.Leaf, weights: ask.Weights) -> Iterator[tuple[Field, float]]:
    """Yield how often a leaf occurs in each field that it searches, multiplied by the field's weight."""
    forms, compounds = (held.language if weight else "" for weight in (weights.form, weights.compound))
    count = partial(times, leaf, Rules(forms, compounds))
    for name in weights.fields(leaf.field):
        yield name, count(held.fields[name]) * (weights.of(name) or 1.0)


def _score(held: _Held, search: Search) -> float:
    """Return how well an entry matches: first by the number of optional words, then by how often they occur."""
    return sum(each.points for each in _scored(held, search))


def _scored(held: _Held, search: Search) -> Iterator[Scored]:
    """Yield the parts of the score of an entry."""
    root = search.query
    should = root.should if isinstance(root, ask.Clauses) else ()
    for each in should if len(should) > 1 else ():
        if _holds(held, each, search.weights):
            yield Scored(COUNT, _WORDS_FIRST, getattr(each, "text", ""))
    for leaf in ask.leaves(root):
        for name, points in _times(held, leaf, search.weights):
            yield Scored(name, points, leaf.text, leaf)
    for identifier in literals.asked(search):
        if _spells(held, identifier):
            yield Scored(SPELLED, literals.worth(identifier, search, _WORDS_FIRST), identifier.text)
    for prior, points in worth(held.entry, search).items():
        yield Scored(prior, points)


def _spells(held: _Held, identifier: Identifier) -> bool:
    """Say whether an entry holds an identifier as it was typed."""
    if identifier.is_name:
        return identifier.text in held.names
    return identifier.stands_in((held.entry.title, held.entry.text))


def _rank(entry: IndexedDocument, score: float, sort: Sort) -> tuple[bool, float | str]:
    """Return a sort key that is less for entries that rank earlier."""
    if sort is Sort.RELEVANCE:
        return False, -score
    if sort is Sort.TITLE:
        order = title_order(entry.title)
        return not order, order
    if entry.modified_at is None:
        return True, 0.0
    return False, entry.modified_at if sort is Sort.OLDEST else -entry.modified_at
