"""Records of documents: what is known about an address, its links, and how it was read."""

from __future__ import annotations

from typing import Annotated, NotRequired

from pydantic import Field

from cormorant.operate.records.record import Record, When


class DocumentRecord(Record):
    """Document record: what is known about an address, also before its first visit."""

    id: Annotated[
        int | None, Field(description="None for an address that a gate excluded before it became a document.")
    ]
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
    run: NotRequired[Annotated[int | None, Field(description="The source in which a gate excluded it.")]]
    change: NotRequired[Annotated[str | None, Field(description="The kind of change in the run that `changed` names.")]]


class PassedService(Record):
    """A document service that a document has passed, and the seconds that it took."""

    service: str
    took_s: float


class ConversionRecord(Record):
    """Conversion record of a document; all fields are None without a kept copy."""

    answered_from: NotRequired[str | None]
    charset: NotRequired[str | None]
    charset_from: NotRequired[str | None]
    language_from: NotRequired[str | None]
    truncated: NotRequired[bool | None]
    links_dropped: NotRequired[int | None]
    read_by: NotRequired[str | None]
    no_text: NotRequired[str | None]
    services: NotRequired[list[PassedService] | None]
    withheld: NotRequired[
        Annotated[bool | None, Field(description="A document service wants its original shown to nobody.")]
    ]


class RejectedDocumentRecord(Record):
    """A receiver could not take a document as it was delivered with the number `seq`, and why in its words."""

    receiver: str
    seq: int
    reason: str
    told_at: When


class OneDocument(ConversionRecord, DocumentRecord):
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


class Recrawled(Record):
    """Number of documents that are due now, of each source."""

    documents: int
    sources: Annotated[dict[str, int], Field(description="By name; those of which none is chosen are not there.")]


class DeletedDocuments(Record):
    """Documents that were taken out of search: known addresses, those that search had found, and their sources."""

    deleted: int
    documents: int
    sources: list[str]


class DocumentDiff(Record):
    """The difference of two kept versions of a document, line by line."""

    source: str
    url: str
    before_at: When
    now_at: When
    versions: int
    diff: list[str]
