"""Search: the answer to a reader's question, without documents that the store has hidden in the meantime."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final, NamedTuple, cast

import sqlalchemy as sa

from cormorant.base import tracing
from cormorant.base.clock import rfc3339
from cormorant.base.errors import ConflictError, NotFoundError, UsageError
from cormorant.frontier.staging import pending_deletes
from cormorant.model.acl import ANYONE, Reader
from cormorant.operate.installation import Installation
from cormorant.operate.records.search import (
    AttributeFacetValue,
    Duplicate,
    Duplicates,
    Facets,
    HitRecord,
    ScorePartRecord,
    ScoreRecord,
    SearchRecord,
    SuggestionsRecord,
)
from cormorant.operate.search import attributes, index_consistency, ranking
from cormorant.operate.search.federation import Federation
from cormorant.search.index.protocol import IndexReader
from cormorant.search.query.type_names import ALIASES, NAMES
from cormorant.search.reader import Answer, Equals, Hit, Key, Library, Question, ScoreExplanation
from cormorant.store.catalog import receivers, sources
from cormorant.store.schema import content

_KEPT: Final = sa.select(content.c.id).where(
    content.c.id.in_(sa.bindparam("numbers", expanding=True)), content.c.indexed
)
"""A statement of every search, so it is built once."""
NO_LABELS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType({})
_MISSING = "There is no such document, or you have no access to it."


def library(house: Installation) -> Library:
    """The documents of an installation; callers that search often keep it open.

    Raises ConflictError if the installation runs without an index, IndexDamaged if it cannot be read.
    """
    if not house.searchable:
        raise ConflictError(
            "This installation runs without an index. Set CORMORANT_INDEX=embedded; `cormorant index rebuild` then "
            "builds one from the kept copies."
        )
    index = house.index_reader()
    return Library(
        index, house.clock, _Hidden(house, index), lambda numbers: _kept(house, numbers),
        lambda: ranking.weights(house), lambda: attributes.catalog(house),
    )  # fmt: skip


class _Hidden:
    """Documents that the store has hidden from search.

    It also checks that the index belongs to this database and is not older than its rows.
    """

    def __init__(self, house: Installation, index: IndexReader) -> None:
        self._house, self._index = house, index

    def __call__(self, place: int) -> frozenset[int]:
        """Ids of documents that must not be found.

        A row is removed once the index has passed it. The index is refreshed if the rows know of a newer state, so that
        no row is missed that was removed between reading the index and reading the rows. Raises IndexDamaged if the
        index is not consistent even then.
        """
        with self._house.store.read() as tx:
            ids = pending_deletes.everything(tx)
            if receivers.index_place(tx) > place:
                self._index.refresh()
            fault = index_consistency.fault(tx, self._index)
        if fault is not None:
            raise fault
        return ids


def _kept(house: Installation, numbers: Sequence[int]) -> frozenset[int]:
    """Those of these documents that have a kept copy."""
    with house.store.read() as tx:
        rows = tx.rows(_KEPT, {"numbers": list(numbers)})
    return frozenset(row.id for row in rows)


def search(
    house: Installation,
    question: Question,
    reader: Reader = ANYONE,
    *,
    shelf: Library | None = None,
    federation: Federation | None = None,
    offered: Collection[str] = (),
) -> Answer:
    """Answer a question from the documents of this reader. `shelf` is an open library.

    With a `federation` the federated sources that the question is for are asked at the same time, and their hits are
    merged with those of the index. Attributes that are `offered` may be named whatever this reader sees of them.

    Raises NotFoundError for an unknown source, and for an attribute that is unknown or of which this reader sees
    nothing; UsageError for an invalid type or day, and the errors of `library`.
    """
    if question.chosen.faults:
        raise UsageError(" ".join(question.chosen.faults.values()))
    named = (*question.facet_attributes, *(name for name, _ in question.chosen.attributes))
    asked = {name.lower(): name for name in named}
    question = _with_attributes(house, question)
    if question.sources:
        with house.store.read() as tx:
            for name in question.sources:
                sources.named(tx, name)
    with tracing.span("search", limit=question.limit, offset=question.offset) as note:
        shelf = shelf or library(house)
        answer = _found(shelf, question, reader, federation)
        note(total=answer.total, took_ms=answer.took_ms)
    if not question.every_attribute:
        unproven = [name for name in _unproven(question, answer) if name not in offered]
        seen = shelf.seen_attributes(unproven, reader)
        if hidden := next((name for name in unproven if name.lower() not in seen), None):
            raise _unknown(asked[hidden.lower()])  # as it was asked: the catalog writes it in a way of its own
    return answer


def _found(shelf: Library, question: Question, reader: Reader, federation: Federation | None) -> Answer:
    """Ask the index, and the federated sources at the same time."""
    begun = federation.begin(question, reader, shelf.attributes(question, reader)) if federation is not None else None
    if federation is None or begun is None:
        return shelf.find(question, reader)
    try:
        answer = shelf.find(question, reader)
    except BaseException:
        federation.drop(begun)
        raise
    return federation.merge(begun, answer)


def _with_attributes(house: Installation, question: Question) -> Question:
    """Return a question whose attributes are named as the catalog has them. Raises NotFoundError for an unknown one."""
    if not (question.facet_attributes or question.chosen.attributes):
        return question
    known = attributes.known(house)
    named = (*question.facet_attributes, *(name for name, _ in question.chosen.attributes))
    for name in named:
        if name.lower() not in known:
            raise _unknown(name)
    return replace(
        question, facet_attributes=tuple(dict.fromkeys(known[name.lower()][0] for name in question.facet_attributes))
    )


def _unproven(question: Question, answer: Answer) -> list[str]:
    """Return the attributes that a question names and of which its answer shows no value.

    Each hit of the index has a value of every chosen attribute.
    """
    proven = {facet.name.lower() for facet in answer.attribute_facets if any(each.results for each in facet.choices)}
    chosen = [name for name, _ in question.chosen.attributes]
    if not all(hit.federated for hit in answer.hits):
        proven |= {name.lower() for name in chosen}
    return [name for name in dict.fromkeys((*question.facet_attributes, *chosen)) if name.lower() not in proven]


def _unknown(name: str) -> NotFoundError:
    return NotFoundError(f"There is no attribute {name[:60]!r}. `cormorant attribute list` lists them.")


def why(
    house: Installation, question: Question, number: int, reader: Reader = ANYONE, *, shelf: Library | None = None
) -> ScoreExplanation:
    """Explain the score of a document that a question finds.

    Raises NotFoundError for unknown and forbidden documents, and those that the question does not find, alike.
    """
    found = (shelf or library(house)).why(question, number, reader)
    if found is None:
        raise NotFoundError("The query finds no such document, or you have no access to it.")
    return found


def whys(
    question: Question, answer: Answer, reader: Reader = ANYONE, *, shelf: Library
) -> list[ScoreExplanation | None]:
    """Explain the score of every hit of an answer; None for one that is no longer found, or is federated."""
    return [None if hit.federated else shelf.why(question, hit.id, reader) for hit in answer.hits]


def counts(house: Installation, shelf: Library, reader: Reader = ANYONE) -> dict[str, int]:
    """Return how many documents of each source this reader may see; sources without any are left out."""
    with house.store.read() as tx:
        names = [row.name for row in sources.every(tx)]
    return {name: count for name in names if (count := shelf.count(name, reader))}


def hit_record(hit: Hit) -> HitRecord:
    """The Hit record of the interfaces, with its group if hits are grouped."""
    record: HitRecord = {
        "id": hit.id, "url": hit.url, "title": hit.title, "snippet": hit.snippet,
        "highlights": list(hit.highlights), "score": round(hit.score, 4), "source": hit.source,
        "mime": hit.mime, "language": hit.language, "size_bytes": hit.size_bytes,
        "modified_at": rfc3339(hit.modified_at), "cached": hit.cached, "duplicates": hit.duplicates,
        "near_duplicates": hit.near_duplicates, "attributes": dict(hit.attributes),
    }  # fmt: skip
    if hit.group is not None:
        record["group"] = hit.group
    if hit.federated:
        record["federated"] = True
    return record


def why_record(why: ScoreExplanation) -> ScoreRecord:
    """The Score record of the interfaces: parts that add up to the score."""
    return {
        "id": why.id, "url": why.url, "title": why.title, "score": why.score,
        "parts": [cast("ScorePartRecord", part._asdict()) for part in why.parts],
    }  # fmt: skip


def answer_record(answer: Answer, labels: Mapping[str, Mapping[str, str]] = NO_LABELS) -> SearchRecord:
    """The search object around hits. Every offset below `reachable` has a hit, whatever `total` says."""
    return {
        "total": answer.total, "reachable": answer.reachable, "took_ms": round(answer.took_ms, 2),
        "query": answer.understood.text, "answered": answer.answered, "notes": list(answer.notes),
        "suggestion": answer.suggestion, "facets": facets_record(answer),
        "attribute_facets": attribute_facets_record(answer, labels),
        "groups": [{"value": each.value, "total": each.total} for each in answer.groups],
        "federated": [
            {"source": each.source, "hits": each.hits, "total": each.total, "took_ms": round(each.took_ms, 2),
             "note": each.note or None}
            for each in answer.federated
        ],
        "hits": [hit_record(hit) for hit in answer.hits],
    }  # fmt: skip


def facets_record(answer: Answer) -> Facets:
    """Return the facets: the choices of each list, and the number of results that each choice leaves."""
    found = {
        facet.name: [
            {"value": each.value, "count": each.results, "chosen": each.chosen}
            | ({"since": each.since} if each.since else {})
            for each in facet.choices
        ]
        for facet in answer.facets
    }
    return cast("Facets", found)


def attribute_facets_record(
    answer: Answer, labels: Mapping[str, Mapping[str, str]] = NO_LABELS
) -> dict[str, list[AttributeFacetValue]]:
    """Return the counted values of the requested attributes, with the display names from lists of values."""
    return {
        facet.name: [
            {"value": each.value, "count": each.results, "chosen": each.chosen,
             "label": labels.get(facet.name.lower(), {}).get(each.value, each.value)}
            for each in facet.choices
        ]
        for facet in answer.attribute_facets
    }  # fmt: skip


def equals_record(found: Equals) -> Duplicates:
    """Documents that are folded in results; `equal` ones have the same content as the requested one."""
    hits: list[Duplicate] = [{**hit_record(hit), "equal": hit.id not in found.near} for hit in found.hits]
    return {"total": found.total, "duplicates": hits}


def duplicates(shelf: Library, number: int, reader: Reader = ANYONE) -> Equals:
    """A document with its duplicates and near duplicates, their representative first.

    Raises NotFoundError for unknown and forbidden documents alike.
    """
    found = shelf.equals(number, reader)
    if not found.hits:
        raise NotFoundError(_MISSING)
    return found


def suggested(shelf: Library, typed: str, sources: Sequence[str] = (), reader: Reader = ANYONE) -> SuggestionsRecord:
    """The Suggestions record of the interfaces, from the documents of this reader. Raises IndexDamaged."""
    found = shelf.suggest(typed, reader, tuple(sources))
    return {
        "query": typed,
        "wordings": [{"text": each.text, "documents": each.documents} for each in found.wordings],
        "documents": [
            {"id": hit.id, "title": hit.title or hit.url, "url": hit.url, "source": hit.source} for hit in found.hits
        ],
    }


MOST: Final = 200
"""Values in a list, the most frequent first."""
UNKNOWN: Final = "und"
"""The language tag of documents in an unknown language."""


class Lists(NamedTuple):
    """Hosts and domains, names of types as `type:` takes them, language tags."""

    sites: tuple[str, ...]
    types: tuple[str, ...]
    languages: tuple[str, ...]


def lists(shelf: Library, reader: Reader = ANYONE) -> Lists:
    """Return the lists of values that this reader can choose from. Raises IndexDamaged."""
    mimes = shelf.filed(Key.MIME, reader, MOST)
    languages = shelf.filed(Key.LANGUAGE, reader, MOST)
    return Lists(
        tuple(shelf.filed(Key.SITE, reader, MOST)),
        tuple(name for name, each in NAMES.items() if name not in ALIASES and not mimes.keys().isdisjoint(each)),
        tuple(each for each in languages if each != UNKNOWN),
    )
