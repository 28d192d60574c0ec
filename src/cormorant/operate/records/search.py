"""Records of search: hits, facets, duplicates, scores, suggestions, weights of ranking, attributes and their values."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from pydantic import Field

from cormorant.operate.records.record import Record, When


class HitRecord(Record):
    """A document that was found."""

    id: Annotated[int, Field(description="Of the document; its kept copy is /cached/ID. Negative for a federated hit.")]
    url: str
    title: str
    snippet: Annotated[str, Field(description="Plain text.")]
    highlights: Annotated[list[tuple[int, int]], Field(description="Half-open ranges of code points in the snippet.")]
    score: float
    source: str
    mime: str
    language: str
    size_bytes: int
    modified_at: When
    cached: bool
    duplicates: Annotated[int, Field(description="Other matching documents of equal content.")]
    near_duplicates: Annotated[int, Field(description="Other matching documents that are nearly the same.")]
    group: NotRequired[
        Annotated[str | None, Field(description="The source or site in whose group it comes, if it does.")]
    ]
    federated: NotRequired[
        Annotated[bool, Field(description="It comes from a federated source, and is no document of this index.")]
    ]
    attributes: dict[str, Any]


class FacetValueRecord(Record):
    """A value that can be chosen, and how many results there are then."""

    value: str
    count: int
    chosen: bool


class Age(FacetValueRecord):
    """Since when something was changed: `value` is week, month or year, `since` is what to ask for."""

    since: str


class Facets(Record):
    """Facets: what each choice leaves, by parameter; each list is counted as if nothing were chosen from it."""

    source: list[FacetValueRecord]
    site: list[FacetValueRecord]
    type: list[FacetValueRecord]
    language: list[FacetValueRecord]
    changed: list[Age]


class AttributeFacetValue(FacetValueRecord):
    """A value of an attribute that can be chosen, and its display name."""

    label: Annotated[str, Field(description="In the reader's language, where a list of values names it.")]


class ResultGroupRecord(Record):
    """A source or site of which there are hits in the answer, and how many there are in all."""

    value: str
    total: int


class FederatedRecord(Record):
    """A federated source that was asked."""

    source: str
    hits: Annotated[int, Field(description="Its hits in this answer.")]
    total: Annotated[int | None, Field(description="As its server says; None: it does not.")]
    took_ms: float
    note: Annotated[str | None, Field(description="Why it gave no answer.")]


class SearchRecord(Record):
    """Search result. An `offset` below `reachable` leads to a hit, or to a group, whatever `total` says."""

    total: int
    reachable: int
    took_ms: float
    query: Annotated[str, Field(description="The query as it was understood.")]
    answered: Annotated[
        str,
        Field(
            description="The query that found the hits: `query`, or `suggestion` where nothing is found for `query`."
        ),
    ]
    notes: list[str]
    suggestion: str | None
    facets: Facets
    attribute_facets: Annotated[
        dict[str, list[AttributeFacetValue]], Field(description="Values of the attributes that `facet` names.")
    ]
    groups: Annotated[
        list[ResultGroupRecord], Field(description="In the order of their hits; none unless `group` is given.")
    ]
    federated: Annotated[
        list[FederatedRecord],
        Field(description="Federated sources that were asked; `limit` and `total` do not count their hits."),
    ]
    hits: list[HitRecord]


class Duplicate(HitRecord):
    """A document that is one with others in results."""

    equal: Annotated[bool, Field(description="Of equal content with the one that was asked for; else nearly the same.")]


class Duplicates(Record):
    """Documents of equal content or nearly the same, the one that search shows first; at most 1,000 of them."""

    total: int
    duplicates: list[Duplicate]


class ScorePartRecord(Record):
    """A part of a score: a field in which words were found, or something else that counts."""

    what: Annotated[
        str, Field(description="The factor, as a weight is called; `words`: how many words of the question are there.")
    ]
    name: str
    about: str
    points: float


class ScoreRecord(Record):
    """Score of a document: the points of its parts add up to it."""

    id: int
    url: str
    title: str
    score: float
    parts: list[ScorePartRecord]


class Weight(Record):
    """Ranking weight: how much something counts in the order of hits."""

    name: str
    value: float
    standard: float
    least: float
    most: float
    changed_at: Annotated[When, Field(description="None: it stands as it came.")]
    about: str


class Tuning(Record):
    """All weights."""

    weights: list[Weight]


class CompletionRecord(Record):
    """A question that goes on from what was typed."""

    text: Annotated[str, Field(description="The whole question.")]
    documents: Annotated[
        int, Field(description="That hold the completed word, of those that hold the words before it.")
    ]


class Titled(Record):
    """A document whose title has the words."""

    id: int
    title: str
    url: str
    source: str


class SuggestionsRecord(Record):
    """Suggestions for a partly typed query; words come as the index has them, without accents."""

    query: str
    wordings: list[CompletionRecord]
    documents: list[Titled]


class AttributeImpact(Record):
    """Effect of an edit on the next crawls: documents are judged again, as they are kept in the types of attributes.

    The documents of every source are counted, each of which costs a request at the most.
    """

    sources: int
    documents: int


class AttributeRecord(Record):
    """A search attribute."""

    name: str
    type: Annotated[str, Field(description="string, number or date.")]
    origin: Annotated[
        str, Field(description="system: every installation has it; administrator, source or document: who brought it.")
    ]
    about: str
    facet: Annotated[bool, Field(description="Its values are offered beside results.")]
    field: Annotated[str, Field(description="The name before a colon in a query.")]
    values: Annotated[int, Field(description="Values in its lists.")]
    created_at: When


class EditedAttribute(AttributeRecord):
    """A search attribute that was changed, and what the next crawls do because of that."""

    recrawl: Annotated[AttributeImpact | None, Field(description="None: documents are kept as they are.")]


class DeletedAttribute(Record):
    """A search attribute that is not kept with documents any more."""

    deleted: str
    recrawl: AttributeImpact


class AttributesRecord(Record):
    """All search attributes."""

    attributes: list[AttributeRecord]


class ValueRecord(Record):
    """A value of an attribute, as it may be chosen from a list."""

    attribute: str
    value: str
    source: Annotated[str | None, Field(description="In whose list it is; None: in that of all sources.")]
    names: Annotated[dict[str, str], Field(description="Display names by language; with an empty one, of all others.")]


class ValueLists(Record):
    """Values of attributes, in the order of their lists."""

    values: list[ValueRecord]


class DeletedValues(Record):
    """Values that are in no list any more."""

    attribute: str
    deleted: int


class ImportedValues(Record):
    """Values that were read into lists."""

    added: int
    changed: int
