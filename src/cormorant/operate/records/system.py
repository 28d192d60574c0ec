"""Records of the whole installation: its state, whether it is ready, and its tokens."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field

from cormorant.model.scope import Scope
from cormorant.operate.records.receivers import ReceiverRecord
from cormorant.operate.records.record import Record, When
from cormorant.operate.records.schedules import Schedule


class HostTroubleRecord(Record):
    """A site that does not answer, or asks to be left alone."""

    site: str
    status: int
    said: str
    advice: str
    not_before: Annotated[When, Field(description="None: the next crawl tries it again.")]


class SourceState(Record):
    """State of a source."""

    source: str
    kind: str
    documents: int
    last_good_run: int | None
    last_good_at: When
    all_looked_at: Annotated[
        When,
        Field(description="Everything it has was looked at since then: the start of its last whole run. Null: never."),
    ]
    last_state: str | None
    last_answered: Annotated[bool, Field(description="Whether a start address answered the newest run.")]
    last_run: int | None
    last_reason: str | None
    last_failed: Annotated[int, Field(description="Documents that failed in it.")]
    quarantined: Annotated[
        int, Field(description="Documents that killed their converter; they are not tried again until they change.")
    ]
    would_leave: Annotated[
        int,
        Field(description="More documents than a run may delete by itself: search finds them until a run is complete."),
    ]
    held_run: Annotated[int | None, Field(description="That waits for an answer.")]
    run: Annotated[int | None, Field(description="That is under way.")]
    state: str
    to_fetch: int
    waits: Annotated[str | None, Field(description="begin or go_on: the step that its newest run waits for.")]
    survives_restart: Annotated[bool, Field(description="Whether that run continues after a restart.")]
    troubles: list[HostTroubleRecord]
    to_reread: Annotated[
        int,
        Field(description="Documents that are read again from their kept copies, since their reader is newer."),
    ]


class DiskRecord(Record):
    """A disk that a crawl writes to."""

    disk: str
    folder: str
    free_bytes: int
    size_bytes: int
    least_bytes: Annotated[int, Field(description="Crawls wait below this number.")]
    full: bool


class Process(Record):
    """A process that is at work."""

    process: str
    role: str
    node: str
    pid: int
    started_at: str
    seen_at: str


class System(Record):
    """The state of everything."""

    data_folder: str
    store: Annotated[str, Field(description="The address of the database, less its password.")]
    documents: int
    sources: list[SourceState]
    to_reread: Annotated[int, Field(description="Documents of all sources that are read again from their kept copies.")]
    held_runs: list[int]
    schedules: list[Schedule]
    receivers: list[ReceiverRecord]
    backlog: Annotated[int, Field(description="Events that the receiver furthest behind has not confirmed.")]
    oldest_undelivered_at: When
    paused: Annotated[bool, Field(description="Deliveries wait until they are resumed.")]
    disks: list[DiskRecord]
    processes: list[Process]


class Deliveries(Record):
    """State of deliveries: active or paused."""

    paused: bool


class Checks(Record):
    """State of each part that search or crawling needs."""

    database: Literal["ok", "away"]
    index: Literal["ok", "away"]
    disk: Annotated[Literal["ok", "full"], Field(description="`full`: crawls wait until there is enough space.")]
    conductor: Annotated[Literal["ok", "silent"], Field(description="Whether the conductor has reported within 15 s.")]


class Readiness(Record):
    """Readiness to answer searches."""

    status: Annotated[
        Literal["ready", "degraded", "unavailable"],
        Field(
            description="`degraded`: search answers and nothing is crawled; `unavailable`: neither, and the answer is "
            "503."
        ),
    ]
    checks: Checks


class Token(Record):
    """A token, never with its value."""

    token: Annotated[str, Field(description="Its name.")]
    scope: Scope
    created_at: When
    used_at: Annotated[When, Field(description="To the minute; None: never.")]


class Tokens(Record):
    """All tokens."""

    tokens: list[Token]


class MadeToken(Token):
    """A token that was made, with the value that its bearer shows."""

    value: Annotated[str, Field(description="Save it now: it is not shown again.")]


class DeletedToken(Record):
    """A token that there was."""

    token: str
    deleted: bool


class SecretRecord(Record):
    """A secret with what uses it, never with its value."""

    secret: str
    used_by: list[str]
    opens: bool
    created_at: When
    changed_at: When


class SiteRecord(Record):
    """A site: its requests of late, the tightest gap between two, and why it is left alone."""

    site: str
    requests_lately: int
    smallest_gap_s: float | None
    asked_gap_s: float | None
    rule: str | None
    trouble: str | None


class SiteFact(Record):
    """Something that is kept of a site, such as its robots.txt."""

    name: str
    size_bytes: int
    until: When


class SiteSource(Record):
    """A source at a site: its settings there, or why it has none now."""

    source: str
    addresses: int
    problem: NotRequired[str]
    delay_s: NotRequired[float]
    parallel: NotRequired[int]
    rule: NotRequired[str]
    suspended_until: NotRequired[When]


class SiteHour(Record):
    """The requests of an hour."""

    hour: str
    requests: int
    smallest_gap_s: float | None
    asked_gap_s: float | None
    rule: str


class WholeSite(SiteRecord):
    """Everything about a site."""

    requests: int
    last_request_at: When
    visited_by: str | None
    left_alone_until: When
    failures_in_a_row: int
    facts: list[SiteFact]
    sources: list[SiteSource]
    hours: list[SiteHour]
