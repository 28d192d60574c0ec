"""REST routes of schedules, like `cormorant schedule`."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response

from cormorant.model.scope import Scope
from cormorant.operate.installation import Installation
from cormorant.operate.records.schedules import DeletedSchedule, OneSchedule, Schedule, SchedulesRecord
from cormorant.operate.runs import schedules
from cormorant.web.api import requests
from cormorant.web.api.routing import Json, as_lines, in_lines, order, route

Name = Annotated[str, Path(examples=["nightly"])]


def add(router: APIRouter, house: Installation) -> None:
    """The routes."""
    _add_looks(router, house)
    _add_changes(router, house)
    _add_switches(router, house)


def _add_looks(router: APIRouter, house: Installation) -> None:
    @route(router, "/schedules", Scope.OPERATE, SchedulesRecord, Schedule)
    def list_schedules(request: Request) -> Response:
        """List the schedules, each with its last result and its next time."""
        found = schedules.listed(house)
        return in_lines(found) if as_lines(request) else Json({"schedules": found})

    @route(router, "/schedules/{name}", Scope.OPERATE, OneSchedule)
    def show_schedule(name: Name) -> Response:
        """Show a schedule and its last launches."""
        return Json(schedules.shown(house, name))


def _add_changes(router: APIRouter, house: Installation) -> None:
    @order(router, "POST", "/schedules", Scope.ADMIN, Schedule, 201)
    def add_schedule(said: requests.NewSchedule) -> Response:
        """Add a schedule. `sources` and `when` have to be given; it fires from now on, while this serves."""
        return Json(schedules.add(house, said.schedule, _wanted(said)), 201)

    @order(router, "PATCH", "/schedules/{name}", Scope.ADMIN, Schedule)
    def edit_schedule(name: Name, said: requests.Times) -> Response:
        """Change a schedule. A launch under way keeps the sources that it began with."""
        return Json(schedules.edit(house, name, _wanted(said)))

    @order(router, "DELETE", "/schedules/{name}", Scope.ADMIN, DeletedSchedule)
    def delete_schedule(name: Name) -> Response:
        """Delete a schedule and its history. A run of it that is under way goes on."""
        return Json({"schedule": name, "deleted": True, "runs": schedules.delete(house, name)})


def _add_switches(router: APIRouter, house: Installation) -> None:
    @order(router, "POST", "/schedules/{name}/start", Scope.OPERATE, Schedule)
    def start_schedule(name: Name) -> Response:
        """Launch a schedule now, whatever the time."""
        return Json(schedules.start(house, name))

    @order(router, "POST", "/schedules/{name}/enable", Scope.ADMIN, Schedule)
    def enable_schedule(name: Name) -> Response:
        """Enable a schedule again. Times that passed meanwhile are skipped."""
        return Json(schedules.set_enabled(house, name, enabled=True))

    @order(router, "POST", "/schedules/{name}/disable", Scope.ADMIN, Schedule)
    def disable_schedule(name: Name) -> Response:
        """Disable a schedule. A launch under way goes on."""
        return Json(schedules.set_enabled(house, name, enabled=False))


def _wanted(said: requests.Times) -> schedules.ScheduleChange:
    return schedules.ScheduleChange(
        said.sources, said.when, said.time_zone, said.windows, said.overrun, said.missed, said.refresh
    )
