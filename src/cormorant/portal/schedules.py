"""What programs are told of schedules: what `cormorant schedule list` and `show` print."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import Response
from pydantic import Field

from cormorant.operate import schedules
from cormorant.operate.house import House
from cormorant.portal.programs import Json, route
from cormorant.portal.records import Record, When


class Schedule(Record):
    """Which sources are crawled by themselves, when, and how it went last."""

    schedule: str
    sources: list[str] = Field(description="In the order of crawling.")
    when: str = Field(description="Cron, `every ...` or `manual`.")
    time_zone: str = Field(description="Empty: the machine's.")
    windows: list[str] = Field(description="Hours of the week in which its runs may work; none: all.")
    overrun: str = Field(description="`skip`, `queue` or `restart`.")
    missed: str = Field(description="`run` or `skip`.")
    refresh: str
    enabled: bool
    state: str = Field(
        description="`scheduled`, `launching`, `executing`, `indexing_pending`, `failed`, `partially_failed`, "
        "`stopped` or `disabled`."
    )
    reason: str | None
    run: int | None = Field(description="That is under way.")
    next_at: When
    last_at: When


class SourceEnd(Record):
    """How it went with a source of a launch."""

    source: str
    run: int | None
    failed: bool
    reason: str | None


class Launch(Record):
    """What became of a time of a schedule."""

    slot_at: str = Field(description="The time it is for.")
    why: str = Field(description="`due`, `missed` or `started`.")
    state: str = Field(
        description="`queued`, `launching`, `executing`, `finished`, `partially_failed`, `failed`, `stopped` or "
        "`skipped`."
    )
    reason: str | None
    at: str = Field(description="When it was decided on.")
    started_at: When
    finished_at: When
    run: int | None = Field(description="That is under way.")
    ends: list[SourceEnd]


class OneSchedule(Schedule):
    """A schedule with its newest launches."""

    history: list[Launch] = Field(description="The newest first.")


class Schedules(Record):
    """All schedules."""

    schedules: list[Schedule]


def add(router: APIRouter, house: House) -> None:
    """The routes."""

    @route(router, "/schedules", Schedules)
    def list_schedules() -> Response:
        """List the schedules: how each went last, and when it fires next."""
        return Json({"schedules": schedules.listed(house)})

    @route(router, "/schedules/{name}", OneSchedule)
    def show_schedule(name: Annotated[str, Path(examples=["nightly"])]) -> Response:
        """Show a schedule and what became of its last times."""
        return Json(schedules.shown(house, name))
