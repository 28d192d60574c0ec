"""The whole installation for programs: what `cormorant status` and `cormorant provider` do and print."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import Field

from cormorant.model.scope import Scope
from cormorant.operate.delivery import receivers
from cormorant.operate.installation import Installation
from cormorant.operate.system import status
from cormorant.web.api.receivers import ReceiverRecord
from cormorant.web.api.routing import Json, order, route
from cormorant.web.api.schedules import Schedule
from cormorant.web.api.schemas import Record, When


class HostTroubleRecord(Record):
    """A site that does not answer, or asks to be left alone."""

    site: str
    status: int
    said: str
    advice: str
    not_before: When = Field(description="None: the next crawl tries it again.")


class SourceState(Record):
    """State of a source."""

    source: str
    kind: str
    documents: int
    last_good_run: int | None
    last_good_at: When
    last_state: str | None
    last_answered: bool = Field(description="Whether a start address answered the newest run.")
    last_run: int | None
    last_reason: str | None
    last_failed: int = Field(description="Documents that failed in it.")
    quarantined: int = Field(
        description="Documents that killed their converter; they are not tried again until they change."
    )
    would_leave: int = Field(
        description="More documents than a run may delete by itself: search finds them until a run is complete."
    )
    held_run: int | None = Field(description="That waits for an answer.")
    run: int | None = Field(description="That is under way.")
    state: str
    to_fetch: int
    waits: str | None = Field(description="begin or go_on: the step that its newest run waits for.")
    survives_restart: bool = Field(description="Whether that run continues after a restart.")
    troubles: list[HostTroubleRecord]


class DiskRecord(Record):
    """A disk that a crawl writes to."""

    disk: str
    folder: str
    free_bytes: int
    size_bytes: int
    least_bytes: int = Field(description="Crawls wait below this number.")
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
    store: str = Field(description="The address of the database, less its password.")
    documents: int
    sources: list[SourceState]
    held_runs: list[int]
    schedules: list[Schedule]
    receivers: list[ReceiverRecord]
    backlog: int = Field(description="Events that the receiver furthest behind has not confirmed.")
    oldest_undelivered_at: When
    paused: bool = Field(description="Deliveries wait until they are resumed.")
    disks: list[DiskRecord]
    processes: list[Process]


class Deliveries(Record):
    """State of deliveries: active or paused."""

    paused: bool


def add(router: APIRouter, house: Installation) -> None:
    """The routes."""

    @route(router, "/system", Scope.OPERATE, System)
    def show_system() -> Response:
        """Show the state of everything: sources and their last good run, held runs, deliveries, disks, processes."""
        return Json(status.status(house))

    @order(router, "POST", "/provider/pause", Scope.OPERATE, Deliveries)
    def pause_deliveries() -> Response:
        """Pause deliveries to the index and all receivers. What is found waits; crawling goes on."""
        receivers.set_paused(house, paused=True)
        return Json({"paused": True})

    @order(router, "POST", "/provider/resume", Scope.OPERATE, Deliveries)
    def resume_deliveries() -> Response:
        """Resume deliveries where they stopped."""
        receivers.set_paused(house, paused=False)
        return Json({"paused": False})
