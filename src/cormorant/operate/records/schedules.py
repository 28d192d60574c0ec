"""Records of schedules and of their launches."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cormorant.operate.records.record import Record, When


class Schedule(Record):
    """Schedule: the sources that it crawls automatically, when, and its last result."""

    schedule: str
    sources: Annotated[list[str], Field(description="In the order of crawling.")]
    when: Annotated[str, Field(description="Cron, `every ...` or `manual`.")]
    time_zone: Annotated[str, Field(description="Empty: the machine's.")]
    windows: Annotated[list[str], Field(description="Hours of the week in which its runs may work; none: all.")]
    overrun: Annotated[str, Field(description="`skip`, `queue` or `restart`.")]
    missed: Annotated[str, Field(description="`run` or `skip`.")]
    refresh: str
    enabled: bool
    state: Annotated[
        str,
        Field(
            description="`scheduled`, `launching`, `executing`, `indexing_pending`, `failed`, `partially_failed`, "
            "`stopped` or `disabled`."
        ),
    ]
    reason: str | None
    run: Annotated[int | None, Field(description="The run under way.")]
    next_at: When
    last_at: When


class SourceEnd(Record):
    """Result of one source of a launch."""

    source: str
    run: int | None
    failed: bool
    reason: str | None


class Launch(Record):
    """Launch at one time of a schedule, and its outcome."""

    slot_at: Annotated[str, Field(description="The scheduled time.")]
    why: Annotated[str, Field(description="`due`, `missed` or `started`.")]
    state: Annotated[
        str,
        Field(
            description="`queued`, `launching`, `executing`, `finished`, `partially_failed`, `failed`, `stopped` or "
            "`skipped`."
        ),
    ]
    reason: str | None
    at: Annotated[str, Field(description="When it was decided on.")]
    started_at: When
    finished_at: When
    run: Annotated[int | None, Field(description="The run under way.")]
    ends: list[SourceEnd]


class OneSchedule(Schedule):
    """A schedule with its newest launches."""

    history: Annotated[list[Launch], Field(description="The newest first.")]


class SchedulesRecord(Record):
    """All schedules."""

    schedules: list[Schedule]


class DeletedSchedule(Record):
    """A schedule that there was."""

    schedule: str
    deleted: bool
    runs: Annotated[list[int], Field(description="Runs that continue without it.")]
