"""Records of what was searched for."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cormorant.operate.records.record import Record


class Query(Record):
    """A search. It holds nothing about the person except whether they had signed in."""

    number: int
    at: str
    text: Annotated[str, Field(description="As it was typed; secrets are masked.")]
    understood: str
    total: int
    took_ms: float
    page: int
    who: Annotated[
        str, Field(description="`anonymous`, `signed in`, or `local` where only this machine reaches the pages.")
    ]
    sources: Annotated[list[str], Field(description="The sources in which it was asked; none: all.")]
    face: Annotated[str, Field(description="`page` or `api`.")]
    clicks: Annotated[int, Field(description="Results that were opened.")]


class Queries(Record):
    """Some searches, newest first; `next` is the cursor of older ones, None when there are none."""

    queries: list[Query]
    next: str | None


class CountedQuery(Record):
    """Searches for the same, in whatever capitals."""

    query: str
    times: int
    last_at: str
    total: Annotated[int, Field(description="The most that was found.")]
    clicks: int


class CountedQueries(Record):
    """Searches counted together, the most frequent first."""

    queries: list[CountedQuery]
