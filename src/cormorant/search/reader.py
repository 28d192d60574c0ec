"""Where can a document be seen? Only here.

    find(question, reader) -> Answer      what a question finds, for this reader
    see(number, reader)    -> Hit | None  one document, if this reader may see it

The index may be a moment behind the store. What the store has hidden since (gone, or its rights changed) is subtracted
in the question itself, so it is gone from hits, totals and duplicates at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from cormorant.base.clock import Clock
from cormorant.index import query as ask
from cormorant.index.beginning import Beginning
from cormorant.index.protocol import IndexReader, Match, Matches
from cormorant.index.query import Key, Query, Search, Sort, Weights
from cormorant.model import showing
from cormorant.model.acl import Reader
from cormorant.model.content import Value
from cormorant.search import suggesting
from cormorant.search.needles import Needles
from cormorant.search.parse import Understood, parse
from cormorant.search.snippet import Snippet, snippet
from cormorant.search.spelling import better
from cormorant.search.suggesting import Wording
from cormorant.search.weights import DEFAULT

# Sort and Key belong to a question; who asks one cannot import the index.
__all__ = [
    "MOST_HITS", "Answer", "Hidden", "Hit", "Kept", "Key", "Library", "Question", "Sort", "Suggestions", "Understood",
]  # fmt: skip

MOST_HITS = 1_000
"""Hits in one answer."""


class Hidden(Protocol):
    """What must not be found although the index still holds it."""

    def __call__(self, place: int) -> frozenset[int]:
        """Return the ids of documents that the store has hidden after `place`, the place of the state to be asked."""
        ...


class Kept(Protocol):
    """What there is a cached copy of."""

    def __call__(self, numbers: Sequence[int]) -> frozenset[int]:
        """Return those of these documents whose copy can be shown."""
        ...


@dataclass(frozen=True, slots=True)
class Question:
    """What a person asks. No `sources` are all; `limit` is cut to MOST_HITS. Without `fold` duplicates are hits."""

    text: str
    sources: tuple[str, ...] = ()
    limit: int = 10
    offset: int = 0
    sort: Sort = Sort.RELEVANCE
    fold: bool = True


@dataclass(frozen=True, slots=True)
class Hit:
    """A document as a reader sees it in a list. `highlights` are half-open ranges of code points in `snippet`.

    `modified_at` is in epoch seconds; `duplicates` counts the other matching documents of equal content.
    """

    id: int
    url: str
    title: str
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    score: float
    source: str
    mime: str
    language: str
    size_bytes: int
    modified_at: float | None
    cached: bool
    duplicates: int
    attributes: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found. `total` counts all of it, `reachable` the hits that can be paged to.

    `suggestion` is a better query, if there is one.
    """

    total: int
    reachable: int
    took_ms: float
    understood: Understood
    hits: tuple[Hit, ...] = ()
    suggestion: str | None = None


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Queries that go on from what was typed, and documents that are called so; either may be empty."""

    wordings: tuple[Wording, ...] = ()
    hits: tuple[Hit, ...] = ()


def _nothing_hidden(place: int) -> frozenset[int]:  # noqa: ARG001 - the shape of Hidden
    return frozenset()


def _nothing_kept(numbers: Sequence[int]) -> frozenset[int]:  # noqa: ARG001 - the shape of Kept
    return frozenset()


class Library:
    """All documents, each for those who may see it."""

    def __init__(
        self,
        index: IndexReader,
        clock: Clock,
        hidden: Hidden = _nothing_hidden,
        kept: Kept = _nothing_kept,
        weights: Weights = DEFAULT,
    ) -> None:
        self._index = index
        self._clock = clock
        self._hidden = hidden
        self._kept = kept
        self._weights = weights

    def find(self, question: Question, reader: Reader) -> Answer:
        """Answer a question as far as this reader may know. Raises IndexDamaged, and nothing for any text."""
        started = self._clock.monotonic()
        parsed = parse(question.text)
        query = _within(parsed.query, question.sources)
        found, hits = self._ask(query, reader, question)
        suggestion = better(
            parsed.query, lambda word: self._index.alike(word, reader),
            lambda other: self._ask(_within(other, question.sources), reader, replace(question, limit=0))[0].total,
            found.total,
        )  # fmt: skip
        took_ms = (self._clock.monotonic() - started) * 1000
        return Answer(found.total, found.reachable, took_ms, parsed.understood, hits, suggestion)

    def see(self, number: int, reader: Reader) -> Hit | None:
        """Return one document with the beginning of its text, or None: unknown and forbidden look the same."""
        query = ask.Exact(Key.ID, (str(number),))
        _, hits = self._ask(query, reader, Question("", limit=1, fold=False))
        return hits[0] if hits else None

    def suggest(self, typed: str, reader: Reader, sources: tuple[str, ...] = ()) -> Suggestions:
        """Say how what is typed may go on, as far as this reader may know. Raises IndexDamaged."""
        asked = suggesting.opening(typed)
        if asked is None:
            return Suggestions()
        called = suggesting.titled(asked)
        hits: tuple[Hit, ...] = ()
        if called is not None:
            question = Question("", limit=suggesting.MOST_DOCUMENTS)
            _, hits = self._ask(_within(called, sources), reader, question)
        within = self._search(_within(ask.Everything(), sources), reader, Question("", limit=0))
        return Suggestions(suggesting.wordings(asked, self._index, within), hits)

    def filed(self, key: Key, reader: Reader, most: int) -> dict[str, int]:
        """Under which values of a key there are documents that this reader may see, and how many, most first."""
        within = self._search(ask.Everything(), reader, Question("", limit=0))
        return dict(self._index.beginning(Beginning("", within, key, most)))

    def count(self, source: str, reader: Reader) -> int:
        """Say how many documents of a source this reader may see."""
        found, _ = self._ask(ask.Exact(Key.SOURCE, (source,)), reader, Question("", limit=0, fold=False))
        return found.total

    def _ask(self, query: Query, reader: Reader, question: Question) -> tuple[Matches, tuple[Hit, ...]]:
        """Ask the newest state of the index, without what was hidden after it."""
        found = self._index.search(self._search(query, reader, question))
        kept = self._kept([match.id for match in found.hits])
        needles = Needles(ask.leaves(query))
        return found, tuple(_hit(match, needles, cached=match.id in kept) for match in found.hits)

    def _search(self, query: Query, reader: Reader, question: Question) -> Search:
        """Read the newest state of the index from now on; return what to ask it, without what was hidden after it."""
        self._index.refresh()
        return Search(
            query=query,
            reader=reader,
            limit=max(0, min(question.limit, MOST_HITS)),
            offset=max(0, question.offset),
            sort=question.sort,
            hidden=self._hidden(self._index.place),
            fold=question.fold,
            weights=self._weights,
        )


def _within(query: Query, sources: tuple[str, ...]) -> Query:
    """Return the query, asked of these sources only."""
    if not sources:
        return query
    place = ask.Exact(Key.SOURCE, sources)
    if isinstance(query, ask.Clauses):
        return replace(query, must=(place, *query.must), least=int(query.needs_one and bool(query.should)))
    return ask.And((place, query))


def _hit(match: Match, needles: Needles, *, cached: bool) -> Hit:
    """Return a match as it is shown, less what its page asks not to be shown."""
    entry = match.entry
    shown = (
        Snippet("")
        if showing.forbids(entry.attributes, showing.NO_SNIPPET)
        else snippet(entry.text, needles.spoken(entry.language))
    )
    return Hit(
        id=match.id,
        url=entry.url,
        title=entry.title,
        snippet=shown.text,
        highlights=shown.highlights,
        score=match.score,
        source=entry.source,
        mime=entry.mime,
        language=entry.language,
        size_bytes=entry.size_bytes,
        modified_at=entry.modified_at,
        cached=cached and not showing.forbids(entry.attributes, showing.NO_COPY),
        duplicates=match.duplicates,
        attributes=entry.attributes,
    )
