"""Search for a reader, the only way to see a document.

    find(question, reader) -> Answer      the hits of a question, for this reader
    see(number, reader)    -> Hit | None  one document, if this reader may see it
    equals(number, reader) -> Equals      the document, its duplicates and near duplicates
    why(question, number, reader) -> ScoreExplanation | None  the parts of the score of a hit

The index may be a moment behind the store. Documents that the store has hidden since (gone, or with changed rights) are
excluded in the query itself, so they leave hits, totals, counts and duplicates at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple, Protocol

from cormorant.base.clock import Clock, date_of
from cormorant.model.acl import Reader
from cormorant.model.attribute import AttributeType
from cormorant.model.content import Value
from cormorant.model.text import display_directives
from cormorant.search.index import query as ask
from cormorant.search.index.completion import Beginning
from cormorant.search.index.facet_request import ByAttribute, ByKey, Counts, Split
from cormorant.search.index.filter_fields import fold_key, language_keys
from cormorant.search.index.protocol import IndexReader, Match, Matches
from cormorant.search.index.query import Key, Query, Search, Sort, Weights
from cormorant.search.index.static_score import DAY_S
from cormorant.search.query.attribute_query import KnownAttributes
from cormorant.search.query.attribute_visibility import AttributeCatalog, AttributeVisibility, built_in_catalog
from cormorant.search.query.filters import NOTHING_CHOSEN, Filters, attribute_choice, attribute_list, parts, within
from cormorant.search.query.parser import Understood, parse
from cormorant.search.query.spelling import better
from cormorant.search.results import suggest as suggestions
from cormorant.search.results.explain_score import ScoreExplanation, explain_match
from cormorant.search.results.facets import Facet, FacetValue, attribute_facets, facets
from cormorant.search.results.federated_result import FederatedResult
from cormorant.search.results.match_positions import Needles
from cormorant.search.results.snippet import Snippet, message_snippet, snippet
from cormorant.search.results.suggest import Completion
from cormorant.search.weights import DEFAULT

# Sort and Key belong to a question; callers may not import the index.
__all__ = [
    "MOST_HITS",
    "Answer",
    "AttributeCatalog",
    "CachedDocument",
    "Equals",
    "Facet",
    "FacetValue",
    "FederatedResult",
    "Filters",
    "GroupBy",
    "Hidden",
    "Hit",
    "Key",
    "KnownAttributes",
    "Library",
    "Question",
    "ResultGroup",
    "ScoreExplanation",
    "Sort",
    "Suggestions",
    "Understood",
    "attribute_choice",
    "attribute_list",
]  # fmt: skip

MOST_HITS = 1_000
"""Hits in one answer."""


class Hidden(Protocol):
    """Finds the documents that must not be found although the index still holds them."""

    def __call__(self, place: int) -> frozenset[int]:
        """Return the ids of documents that the store has hidden after `place`, the place of the index state."""
        ...


class CachedDocument(Protocol):
    """Finds the documents that have a cached copy."""

    def __call__(self, numbers: Sequence[int]) -> frozenset[int]:
        """Return those of these documents whose copy can be shown."""
        ...


class GroupBy(StrEnum):
    """The field by which hits are grouped."""

    SOURCE = "source"
    SITE = "site"


@dataclass(frozen=True, slots=True)
class Question:
    """The search request of a person.

    Empty `sources` means all; `limit` is at most MOST_HITS. Without `fold` duplicates are hits.

    With `group`, `limit` and `offset` count groups. `facets`: count the results that each choice would leave.
    `languages` are those the reader prefers, as tags like de-CH. `as_typed`: do not answer with a corrected query if
    nothing is found. `facet_attributes` are attributes whose values are counted too, dates by month. Without
    `federated` no federated source is asked. With `every_attribute` it may name attributes of which its reader sees
    nothing, for people who administer the installation.
    """

    text: str
    sources: tuple[str, ...] = ()
    limit: int = 10
    offset: int = 0
    sort: Sort = Sort.RELEVANCE
    fold: bool = True
    chosen: Filters = NOTHING_CHOSEN
    group: GroupBy | None = None
    facets: bool = False
    languages: tuple[str, ...] = ()
    as_typed: bool = False
    facet_attributes: tuple[str, ...] = ()
    federated: bool = True
    every_attribute: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A document as a reader sees it in a list. `highlights` are half-open ranges of code points in `snippet`.

    `modified_at` is in epoch seconds. Other matching documents are folded into this one: `duplicates` counts those of
    equal content, `near_duplicates` those that are nearly the same. A `federated` hit is no document of this index: its
    `id` is negative, and it has no score.
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
    group: str | None = None
    near_duplicates: int = 0
    federated: bool = False


class ResultGroup(NamedTuple):
    """A source or site with hits in the answer, and its total number of matches."""

    value: str
    total: int


class Equals(NamedTuple):
    """Documents of equal content and near duplicates, their representative first, and their total number.

    `near` are the ids of hits whose content differs from that of the requested document.
    """

    total: int
    hits: tuple[Hit, ...]
    near: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Answer:
    """The results of a search.

    `total` counts all matches, `reachable` the hits, or groups of them, that can be paged to.

    `suggestion` is a corrected query, if there is one. `answered` is the query that found the hits: the suggestion if
    the typed query finds nothing, unless the question is `as_typed`.

    `federated` are the federated sources that were asked. Their hits are among the others, and neither `total` nor
    `reachable` counts them.
    """

    total: int
    reachable: int
    took_ms: float
    understood: Understood
    hits: tuple[Hit, ...] = ()
    suggestion: str | None = None
    facets: tuple[Facet, ...] = ()
    groups: tuple[ResultGroup, ...] = ()
    answered: str = ""
    attribute_facets: tuple[Facet, ...] = ()
    federated: tuple[FederatedResult, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the reader: words read otherwise than typed, and federated sources that gave no answer."""
        return (*self.understood.notes, *(each.note for each in self.federated if each.note))

    @property
    def own(self) -> int:
        """The number of its hits that are documents of this index."""
        return sum(not hit.federated for hit in self.hits)

    @property
    def is_corrected(self) -> bool:
        """Return whether the hits are those of another query than the one that was typed."""
        return self.answered != self.understood.text


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Completions of the typed query, and documents with matching titles; either may be empty."""

    wordings: tuple[Completion, ...] = ()
    hits: tuple[Hit, ...] = ()


def _nothing_hidden(place: int) -> frozenset[int]:  # noqa: ARG001 - the shape of Hidden
    return frozenset()


def _nothing_kept(numbers: Sequence[int]) -> frozenset[int]:  # noqa: ARG001 - the shape of Kept
    return frozenset()


def _standard() -> Weights:
    return DEFAULT


class Library:
    """Searches all documents, each for the readers who may see it."""

    def __init__(
        self,
        index: IndexReader,
        clock: Clock,
        hidden: Hidden = _nothing_hidden,
        kept: CachedDocument = _nothing_kept,
        weights: Callable[[], Weights] = _standard,
        attributes: Callable[[], AttributeCatalog] = built_in_catalog,
    ) -> None:  # fmt: skip
        self._index = index
        self._clock = clock
        self._hidden = hidden
        self._kept = kept
        self._weights = weights
        self._visibility = AttributeVisibility(index, clock, attributes)

    def attributes(self, question: Question, reader: Reader, names: Collection[str] = ()) -> KnownAttributes:
        """Return the attributes that a question may name, by names in lower case.

        Those that its text names, or that are among `names`, are left out if this reader may not know of them.
        """
        if question.every_attribute:
            return self._visibility.known
        return self._visibility.within(question.text, names, lambda: self._everything(reader))

    def seen_attributes(self, names: Collection[str], reader: Reader) -> frozenset[str]:
        """Return those of these names, in lower case, that this reader may know of.

        They are those that every reader may know of, and those that a document of this reader has a value of.
        """
        return self._visibility.seen(names, lambda: self._everything(reader))

    def size(self) -> int:
        """Return the document count of the index, and nothing else; for administrators, not readers."""
        self._index.refresh()
        return self._index.count()

    def look(self) -> None:
        """Check that a search would be answered now. Raises the errors that any search would raise."""
        self._index.refresh()
        self._hidden(self._index.place)

    def check(self) -> None:
        """Verify every byte of the index, for administrators. Raises IndexDamaged if any is damaged."""
        self._index.check()

    def find(self, question: Question, reader: Reader) -> Answer:
        """Answer a question from the documents of this reader. Raises IndexDamaged; any text is a valid question."""
        started = self._clock.monotonic()
        known = self.attributes(question, reader)
        parsed = parse(question.text, known)
        places = tuple(parts(question.sources, question.chosen).values())
        search = self._search(within(parsed.query, places), reader, question)
        found = self._index.search(search)
        suggestion = better(parsed.query, self._index, search, places, found.total)
        answered = parsed
        if suggestion and not found.total and not question.as_typed:
            answered = parse(suggestion, known)
            search = replace(search, query=within(answered.query, places))
            found = self._index.search(search)
        hits = self._shown(found.hits, search.query)
        counted = self._facets(search, answered.query, question) if question.facets else ()
        groups = self._groups(search, hits)
        took_ms = (self._clock.monotonic() - started) * 1000
        return Answer(
            found.total, found.reachable, took_ms, parsed.understood, hits, suggestion, counted, groups,
            answered.understood.text, self._attribute_facets(search, answered.query, question, known),
        )  # fmt: skip

    def why(self, question: Question, number: int, reader: Reader) -> ScoreExplanation | None:
        """Explain the score of a document that a question finds; None if this reader does not find it so.

        The score is that of relevance, whatever the order of hits in the question.
        """
        known = self.attributes(question, reader)
        query, places = parse(question.text, known).query, tuple(parts(question.sources, question.chosen).values())
        search = self._search(within(query, places), reader, replace(question, limit=1, offset=0, sort=Sort.RELEVANCE))
        found = self._index.why(search, number)
        if found is None and not question.as_typed and not self._index.search(search).total:
            query = parse(better(query, self._index, search, places, 0) or "", known).query
            search = replace(search, query=within(query, places))
            found = self._index.why(search, number)
        query = search.query
        asked = len(query.should) if isinstance(query, ask.Clauses) else 1
        return explain_match(*found, asked, search.today or 0.0) if found else None

    def see(self, number: int, reader: Reader) -> Hit | None:
        """Return one document with the beginning of its text, or None: unknown and forbidden look the same."""
        query = ask.Exact(Key.ID, (str(number),))
        _, hits = self._ask(query, reader, Question("", limit=1, fold=False))
        return hits[0] if hits else None

    def suggest(self, typed: str, reader: Reader, sources: tuple[str, ...] = ()) -> Suggestions:
        """Complete a typed query from the documents of this reader. Raises IndexDamaged."""
        asked = suggestions.opening(typed, self.attributes(Question(typed), reader))
        if asked is None:
            return Suggestions()
        called = suggestions.titled(asked)
        places = tuple(parts(sources, NOTHING_CHOSEN).values())
        everywhere = self._search(within(ask.Everything(), places), reader, Question("", limit=0))
        hits: tuple[Hit, ...] = ()
        if called is not None:
            narrowed = replace(everywhere, query=within(called, places), limit=suggestions.MOST_DOCUMENTS)
            hits = self._shown(self._index.search(narrowed).hits, narrowed.query)
        return Suggestions(suggestions.wordings(asked, self._index, everywhere), hits)

    def filed(self, key: Key, reader: Reader, most: int) -> dict[str, int]:
        """Count the documents that this reader may see by the values of a key, most frequent first."""
        everywhere = self._search(ask.Everything(), reader, Question("", limit=0))
        return dict(self._index.beginning(Beginning("", everywhere, key, most)))

    def count(self, source: str, reader: Reader) -> int:
        """Count the documents of a source that this reader may see."""
        found, _ = self._ask(ask.Exact(Key.SOURCE, (source,)), reader, Question("", limit=0, fold=False))
        return found.total

    def equals(self, number: int, reader: Reader) -> Equals:
        """Return one document and those folded with it that this reader may see; none if the document is not visible.

        At most MOST_HITS are returned, always with their representative.
        """
        one = self._matches(ask.Exact(Key.ID, (str(number),)), reader, Question("", limit=1)).hits
        fold = fold_key(one[0].entry.content_hash) if one else None
        if fold is None:
            return Equals(len(one), self._shown(one, ask.Nothing()))
        query, together = self._together(one[0], reader)
        shown = self._matches(query, reader, Question("", limit=MOST_HITS, sort=Sort.OLDEST)).hits
        first = next((each for each in shown if each.entry.content_hash), one[0])
        first = first._replace(duplicates=0, near=0)  # the folded documents are listed beside it
        others = [each for each in together.hits if each.id != first.id]
        others.sort(key=lambda each: fold_key(each.entry.content_hash) != fold)
        hits = [first, *others][:MOST_HITS]
        near = frozenset(each.id for each in hits if fold_key(each.entry.content_hash) != fold)
        return Equals(together.total, self._shown(hits, ask.Nothing()), near)

    def _together(self, one: Match, reader: Reader) -> tuple[Query, Matches]:
        """Return the documents of this reader that fold with a document, and a query that finds them.

        An equal of a document may be in another class of near duplicates, so the search is repeated until no class or
        content is added.
        """
        contents, classes = {fold_key(one.entry.content_hash)}, {one.entry.near}
        while True:
            equal, near = (tuple(sorted(map(str, some - {None}))) for some in (contents, classes))
            query = ask.Or((ask.Exact(Key.CONTENT, equal), ask.Exact(Key.NEAR, near)))
            found = self._matches(query, reader, Question("", limit=MOST_HITS, fold=False))
            hits = tuple(each for each in found.hits if each.entry.content_hash)
            known = len(contents) + len(classes)
            contents |= {fold_key(each.entry.content_hash) for each in hits}
            classes |= {each.entry.near for each in hits}
            if len(contents) + len(classes) == known:
                return query, Matches(found.total - len(found.hits) + len(hits), hits, found.reachable)

    def _facets(self, search: Search, query: Query, question: Question) -> tuple[Facet, ...]:
        """Count the results that each choice would leave of a query, which is given without the present choices."""

        def tally(narrowed: Query, splits: Sequence[Split]) -> Sequence[Counts]:
            return self._index.tally(replace(search, query=narrowed), splits)

        today = date_of(self._clock.now())
        return facets(tally, query, question.sources, question.chosen, today.date()) if today else ()

    def _attribute_facets(
        self, search: Search, query: Query, question: Question, known: KnownAttributes
    ) -> tuple[Facet, ...]:
        """Count the values of the requested attributes."""

        def tally(narrowed: Query, splits: Sequence[Split]) -> Sequence[Counts]:
            return self._index.tally(replace(search, query=narrowed), splits)

        kinds = {name: known.get(name.lower(), (name, AttributeType.STRING))[1] for name in question.facet_attributes}
        return attribute_facets(tally, query, question.sources, question.chosen, kinds)

    def values(self, name: str, reader: Reader, most: int) -> tuple[str, ...]:
        """Return values of an attribute in documents that this reader may see, most frequent first."""
        (counts,) = self._index.tally(self._everything(reader), [ByAttribute(name)])
        return tuple(sorted(counts, key=lambda value: (-counts[value], value))[:most])

    def _groups(self, search: Search, hits: Sequence[Hit]) -> tuple[ResultGroup, ...]:
        """Count the matches of each group that has hits."""
        if search.group is None or not hits:
            return ()
        (counts,) = self._index.tally(search, [ByKey(search.group)])
        values = dict.fromkeys(hit.group for hit in hits if hit.group is not None)
        return tuple(ResultGroup(value, counts.get(value, 0)) for value in values)

    def _ask(self, query: Query, reader: Reader, question: Question) -> tuple[Matches, tuple[Hit, ...]]:
        """Return the matches of a query, and their hits."""
        found = self._matches(query, reader, question)
        return found, self._shown(found.hits, query)

    def _matches(self, query: Query, reader: Reader, question: Question) -> Matches:
        """Search the newest state of the index, without documents hidden after it."""
        return self._index.search(self._search(query, reader, question))

    def _everything(self, reader: Reader) -> Search:
        """Return the search for all documents that this reader may see, for counts without hits."""
        return self._search(ask.Everything(), reader, Question("", limit=0, fold=False))

    def _search(self, query: Query, reader: Reader, question: Question) -> Search:
        """Refresh the index and return the search for a query, without documents hidden after the newest state.

        It reads the store, so one search serves all queries for one question. The age of documents is counted from
        today.
        """
        self._index.refresh()
        return Search(
            query=query,
            reader=reader,
            limit=max(0, min(question.limit, MOST_HITS)),
            offset=max(0, question.offset),
            sort=question.sort,
            hidden=self._hidden(self._index.place),
            fold=question.fold,
            weights=self._weights(),
            group=Key(question.group) if question.group else None,
            today=self._clock.now() // DAY_S * DAY_S,
            languages=tuple(dict.fromkeys(key for each in question.languages for key in language_keys(each) if each)),
        )

    def _shown(self, matches: Sequence[Match], query: Query) -> tuple[Hit, ...]:
        """Return matches as hits."""
        kept = self._kept([match.id for match in matches])
        needles = Needles(ask.leaves(query))
        return tuple(_hit(match, needles, cached=match.id in kept) for match in matches)


def _hit(match: Match, needles: Needles, *, cached: bool) -> Hit:
    """Return a match as a hit, without the parts that its page asks not to show."""
    entry = match.entry
    quoted = not display_directives.forbids(entry.attributes, display_directives.NO_SNIPPET)
    quote = message_snippet if entry.mime == "message/rfc822" else snippet
    shown = quote(entry.text, needles.spoken(match.spoken)) if quoted else Snippet("")
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
        cached=cached and not display_directives.forbids(entry.attributes, display_directives.NO_COPY),
        duplicates=match.duplicates,
        attributes=entry.attributes if quoted else display_directives.unquoted(entry.attributes),
        group=match.group,
        near_duplicates=match.near,
    )
