"""Records of takedowns, and of what was erased."""

from __future__ import annotations

from typing import Annotated, NotRequired

from pydantic import Field

from cormorant.operate.records.record import Record, When


class _ErasureEnd(Record):
    id: int
    erased: Annotated[bool, Field(description="False: something is left, see `left_in`.")]
    erased_at: When


class ErasureCounts(Record):
    """Figures of an erasure: what was removed, and what the scan of the data folder found."""

    documents: int
    copies: int
    searches: Annotated[int, Field(description="Matches in the log, with words of the text but without a result now.")]
    log_passages: int
    files_scanned: int
    bytes_scanned: int
    passages: Annotated[int, Field(description="Passages of the text that the scan looked for in files.")]
    left_in: Annotated[list[str], Field(description="Files that still contain a passage, and packs with a copy.")]
    kept_before: Annotated[
        list[str], Field(description="Files from before an upgrade of the database, which may contain it.")
    ]


class Erasure(_ErasureEnd, ErasureCounts):
    """The result of an erasure: what was removed, and what the scan of the data folder found."""


class Takedown(Record):
    """Documents that are hidden from every reader, or were."""

    id: int
    rule: str
    source: Annotated[str | None, Field(description="None: documents of every source.")]
    reason: str
    author: str
    state: Annotated[str, Field(description="in_force, to_erase, erased, lifted or expired.")]
    created_at: str
    expires_at: When
    erase: bool
    erased_at: When
    ended_at: When
    ended_by: str | None
    hidden: Annotated[int, Field(description="Known documents that it hides now.")]


class EnforcedTakedown(Takedown):
    """A takedown that was put in force just now, and of which nothing is erased yet."""

    documents: Annotated[int, Field(description="Documents that search found before.")]
    addresses: Annotated[int, Field(description="Known addresses that the rule matches.")]
    duplicates: Annotated[list[str], Field(description="Some addresses at which the same content is still found.")]


class NewTakedown(EnforcedTakedown):
    """A takedown that was put in force just now."""

    erasure: NotRequired[Erasure | None]


class LiftedTakedown(Takedown):
    """A takedown that was ended just now."""

    documents: Annotated[int, Field(description="Found again as soon as the index has taken them in.")]
    next_crawl: Annotated[int, Field(description="Visited again by the next crawl.")]


class TakedownsRecord(Record):
    """Takedowns, oldest first."""

    takedowns: list[Takedown]
