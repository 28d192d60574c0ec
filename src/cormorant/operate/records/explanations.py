"""Records of explanations: why an address is, or is not, in the index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from cormorant.operate.records.documents import ConversionRecord, RejectedDocumentRecord
from cormorant.operate.records.record import Record


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
    cache: dict[str, Any] | None
    duplicates: list[str]
    near_duplicates: list[str]
    access: dict[str, list[str]] | None
    next: dict[str, Any] | None
    site: Mapping[str, Any] | None
    sitemap: dict[str, Any] | None
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
