"""Records of explanations: why an address is, or is not, in the index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from cormorant.operate.records.documents import ConversionRecord, RejectedDocumentRecord
from cormorant.operate.records.record import Record, When


class _How(Record):
    how: str


_From = TypedDict("_From", {"from": str | None})  # a word of the language, which no class can have as a field


class Path(_How, _From):
    """A way on which an address was found."""

    text: str


class RulingRecord(Record):
    """Ruling of a gate by today's settings."""

    gate: str
    rule: str
    ruling: str
    source: NotRequired[str | None]


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
    language: NotRequired[str | None]


class MovedTo(Record):
    """The address at which a document is now, and the run that moved it there."""

    address: str
    at: str
    run: int


class CacheEntryRecord(Record):
    """The place of a kept copy: its pack, and where it lies in it, in bytes."""

    pack: str
    offset: int
    length: int
    fetched_at: When


class NextVisitRecord(Record):
    """The time of the next visit: in words, or a moment before which there is none."""

    when: NotRequired[str]
    level: NotRequired[Annotated[str, Field(description="The priority, unless it is the usual one.")]]
    not_before: NotRequired[When]
    attempts: NotRequired[int]
    holds_until: NotRequired[Annotated[When, Field(description="Of a robots.txt: when its rules expire.")]]


class SitemapTallyRecord(Record):
    """The addresses of a sitemap by what became of them when it was read last."""

    form: str
    entries: int
    new: int
    known: int
    excluded: int
    unusable: int
    over: int
    truncated: bool


class SitemapEntryRecord(Record):
    """The data of a page in its sitemap, and how often the times in sitemaps of its site were right."""

    modified_at: When
    every_s: float | None
    believed: bool
    right: int
    checked: int


class Explanation(Record):
    """Why an address is, or is not, in the index: of one source, or of none when no source knows it."""

    address: str
    source: str | None
    id: int | None
    title: str | None
    depth: int | None
    verdict: str
    because: str
    status: NotRequired[int | None]
    status_text: NotRequired[str | None]
    advice: NotRequired[str | None]
    paths: list[Path]
    links: dict[str, int] | None
    gates: list[RulingRecord]
    visits: list[Visit]
    conversion: Conversion | None
    index: dict[str, Any]
    cache: CacheEntryRecord | None
    duplicates: list[str]
    near_duplicates: list[str]
    access: dict[str, list[str]] | None
    next: NextVisitRecord | None
    site: Mapping[str, Any] | None
    sitemap: SitemapTallyRecord | SitemapEntryRecord | None
    takedown: NotRequired[Mapping[str, Any] | None]
    refusals: Annotated[list[RejectedDocumentRecord], Field(description="The receivers that rejected it.")]
    host: Annotated[
        dict[str, Any] | None, Field(description="Of an unknown address: the sources that know others of its host.")
    ]
    renamed: NotRequired[dict[str, str] | None]
    moved_to: NotRequired[
        Annotated[MovedTo | None, Field(description="Of an address at which a document was: where it is now.")]
    ]


class Explanations(Record):
    """One explanation for each source that knows the address."""

    explanations: list[Explanation]
