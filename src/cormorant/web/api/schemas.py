"""Response schemas of the interface for programs.

The records that `--json` prints as well, for the description of the interface.

Answers are not made of these: a test holds every answer to them. So the description cannot leave out what an answer
has, and no answer is any slower for being described.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

When = str | None
"""RFC 3339, UTC."""


class Record(BaseModel):
    """Something with these fields and no others."""

    model_config = ConfigDict(extra="forbid")


class Problem(Record):
    """An error (RFC 9457): `code` is for programs, `detail` says what happened and what to do."""

    type: str = Field(examples=["/help/errors#not_found"])
    title: str
    status: int
    code: str = Field(examples=["not_found"])
    detail: str
    reference: str = Field(default="", description="The reference of the entry in logs/web.log.")
    leave: int | None = Field(default=None, description="Documents that would leave the index; otherwise absent.")
    merge: int | None = Field(default=None, description="Those that would be the same as another; otherwise absent.")
    leaving: list[str] | None = Field(default=None, description="Some of those that would leave; otherwise absent.")
    leave_rules: list[dict[str, Any]] | None = Field(
        default=None, description="Number of them for each rule; otherwise absent."
    )
    meant: str | None = Field(default=None, description="The address that was probably meant; otherwise absent.")
    scope_needed: str | None = Field(default=None, description="The scope that a token needs; otherwise absent.")
    scope_given: str | None = Field(default=None, description="The scope of the token; otherwise absent.")


class HitRecord(Record):
    """A document that was found."""

    id: int = Field(description="Of the document; its kept copy is /cached/ID.")
    url: str
    title: str
    snippet: str = Field(description="Plain text.")
    highlights: list[tuple[int, int]] = Field(description="Half-open ranges of code points in the snippet.")
    score: float
    source: str
    mime: str
    language: str
    size_bytes: int
    modified_at: When
    cached: bool
    duplicates: int = Field(description="Other matching documents of equal content.")
    near_duplicates: int = Field(description="Other matching documents that are nearly the same.")
    group: str | None = Field(default=None, description="The source or site in whose group it comes, if it does.")
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


class ResultGroupRecord(Record):
    """A source or site of which there are hits in the answer, and how many there are in all."""

    value: str
    total: int


class SearchRecord(Record):
    """Search result. An `offset` below `reachable` leads to a hit, or to a group, whatever `total` says."""

    total: int
    reachable: int
    took_ms: float
    query: str = Field(description="The query as it was understood.")
    answered: str = Field(
        description="The query that found the hits: `query`, or `suggestion` where nothing is found for `query`."
    )
    notes: list[str]
    suggestion: str | None
    facets: Facets
    groups: list[ResultGroupRecord] = Field(description="In the order of their hits; none unless `group` is given.")
    hits: list[HitRecord]


class Duplicate(HitRecord):
    """A document that is one with others in results."""

    equal: bool = Field(description="Of equal content with the one that was asked for; else nearly the same.")


class Duplicates(Record):
    """Documents of equal content or nearly the same, the one that search shows first; at most 1,000 of them."""

    total: int
    duplicates: list[Duplicate]


class ScorePartRecord(Record):
    """A part of a score: a field in which words were found, or something else that counts."""

    what: str = Field(
        description="The factor, as a weight is called; `words`: how many words of the question are there."
    )
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
    changed_at: When = Field(description="None: it stands as it came.")
    about: str


class Tuning(Record):
    """All weights."""

    weights: list[Weight]


class CompletionRecord(Record):
    """A question that goes on from what was typed."""

    text: str = Field(description="The whole question.")
    documents: int = Field(description="That hold the completed word, of those that hold the words before it.")


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


class DocumentRecord(Record):
    """Document record: what is known about an address, also before its first visit."""

    id: int | None = Field(description="None for an address that a gate excluded before it became a document.")
    source: str
    url: str
    access_url: str
    state: str
    status: int
    outcome: str | None
    reason: str | None
    rule: str | None
    title: str | None
    mime: str | None
    language: str | None
    size_bytes: int | None
    depth: int | None
    referrer: str | None
    content_hash: str | None
    fetched_at: When
    changed_at: When
    visited_at: When
    next_visit_at: When
    indexed: bool
    attempts: int
    run: int | None = Field(default=None, description="The source in which a gate excluded it.")
    change: str | None = Field(default=None, description="The kind of change in the run that `changed` names.")


class ConversionRecord(Record):
    """Conversion record of a document; all fields are None without a kept copy."""

    answered_from: str | None = None
    charset: str | None = None
    charset_from: str | None = None
    language_from: str | None = None
    truncated: bool | None = None
    links_dropped: int | None = None
    read_by: str | None = None
    no_text: str | None = None


class RejectedDocumentRecord(Record):
    """A receiver could not take a document as it was delivered with the number `seq`, and why in its words."""

    receiver: str
    seq: int
    reason: str
    told_at: When


class OneDocument(DocumentRecord, ConversionRecord):
    """Document record with its conversion and the receivers that could not take it."""

    refusals: list[RejectedDocumentRecord]


class Documents(Record):
    """Some documents; `next` is the cursor of those behind them, None when there are no more."""

    documents: list[DocumentRecord]
    next: str | None


class LinkRecord(Record):
    """A link out of a document or into it."""

    source: str
    direction: str
    address: str
    text: str
    rel: str


class LinksRecord(Record):
    """The links of a document."""

    links: list[LinkRecord]


class Path(Record):
    """A way on which an address was found."""

    how: str
    origin: str | None = Field(alias="from")
    text: str


class RulingRecord(Record):
    """Ruling of a gate by today's settings."""

    gate: str
    rule: str
    ruling: str
    source: str | None = None


class Visit(Record):
    """A visit that changed something, or the newest."""

    time: str
    run: int
    outcome: str
    status: int
    bytes: int
    hash: str | None
    changed: str
    reason: str | None


class Conversion(ConversionRecord):
    """Conversion result of a document."""

    mime: str | None
    status: int
    reason: str | None
    language: str | None = None


class Explanation(Record):
    """Why an address is, or is not, in the index: of one source, or of none when no source knows it."""

    address: str
    source: str | None
    id: int | None
    title: str | None
    depth: int | None
    verdict: str
    because: str
    status: int | None = None
    status_text: str | None = None
    advice: str | None = None
    paths: list[Path]
    links: dict[str, int] | None
    gates: list[RulingRecord]
    visits: list[Visit]
    conversion: Conversion | None
    index: dict[str, Any]
    cache: dict[str, Any] | None
    duplicates: list[str]
    near_duplicates: list[str]
    access: dict[str, list[str]] | None
    next: dict[str, Any] | None
    site: dict[str, Any] | None
    sitemap: dict[str, Any] | None
    takedown: dict[str, Any] | None = None
    refusals: list[RejectedDocumentRecord] = Field(description="The receivers that rejected it.")
    host: dict[str, Any] | None = Field(description="Of an unknown address: the sources that know others of its host.")
    renamed: dict[str, str] | None = None


class Explanations(Record):
    """One explanation for each source that knows the address."""

    explanations: list[Explanation]


class Setting(Record):
    """Setting of a source."""

    setting: str
    default: Any
    needed: bool
    about: str


class SourceKindRecord(Record):
    """A kind of source or receiver; `package` is the one that adds it, "" for what is built in."""

    kind: str
    about: str
    package: str
    settings: list[Setting]


class Kinds(Record):
    """All kinds of sources."""

    kinds: list[SourceKindRecord]


class Query(Record):
    """A search. Nothing says who asked but whether somebody had signed in."""

    number: int
    at: str
    text: str = Field(description="As it was typed; secrets are masked.")
    understood: str
    total: int
    took_ms: float
    page: int
    who: str = Field(description="`anonymous`, `signed in`, or `local` where only this machine reaches the pages.")
    sources: list[str] = Field(description="The sources in which it was asked; none: all.")
    face: str = Field(description="`page` or `api`.")
    clicks: int = Field(description="Results that were opened.")


class Queries(Record):
    """Some searches, newest first; `next` is the cursor of older ones, None when there are none."""

    queries: list[Query]
    next: str | None


class CountedQuery(Record):
    """Searches for the same, in whatever capitals."""

    query: str
    times: int
    last_at: str
    total: int = Field(description="The most that was found.")
    clicks: int


class CountedQueries(Record):
    """Searches counted together, the most frequent first."""

    queries: list[CountedQuery]
