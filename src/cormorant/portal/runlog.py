"""The log of a run, for programs: its end as one object, or all of it, to be kept."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import ConfigDict, Field

from cormorant.model.scope import Scope
from cormorant.operate import runlog
from cormorant.operate.house import House
from cormorant.operate.runlog import Wanted
from cormorant.portal.programs import Json, Limit, Number, as_lines, in_lines, route
from cormorant.portal.records import Record


class LogLine(Record):
    """A line of the log of a run. What is said beyond these fields is told by `event`."""

    model_config = ConfigDict(extra="allow")

    at: str = Field(description="RFC 3339, UTC.")
    level: str = Field(description="`debug`, `info`, `warning` or `error`.")
    event: str
    logger: str
    run: int
    source: str | None = None


class RunLog(Record):
    """The last lines of the log of a run."""

    lines: list[LogLine]


def add(router: APIRouter, house: House) -> None:
    """The route."""

    @route(router, "/runs/{number}/log", Scope.OPERATE, RunLog, LogLine)
    def show_log(
        request: Request,
        number: Number,
        level: Annotated[str, Query(description="Of this level and above.", examples=["warning"])] = "debug",
        only: Annotated[str, Query(description="Of this log only.", examples=["fetch"])] = "",
        limit: Limit = 500,
    ) -> Response:
        """Show the last lines of the log of a run; as lines it is all of it, to be kept."""
        if as_lines(request):
            return in_lines(runlog.lines(house, number, Wanted(level, only or None)))
        return Json({"lines": list(runlog.lines(house, number, Wanted(level, only or None, limit)))})
