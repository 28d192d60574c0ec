"""REST routes of runs, like `cormorant crawl` and `cormorant run`. The processes of `serve` carry out the orders."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from cormorant.model.scope import Scope
from cormorant.operate.installation import Installation
from cormorant.operate.records.runs import DeletedRun, LogLine, OneRun, OrderedRuns, Pruned, Run, RunLog, Runs
from cormorant.operate.runs import control, eta_summary, log, review, start
from cormorant.operate.runs.log import LogFilter
from cormorant.operate.runs.start import RunOrder
from cormorant.web.api import requests
from cormorant.web.api.routing import Cursor, Json, Limit, OfSource, as_lines, before, in_lines, order, route
from cormorant.web.row_number import RowNumber
from cormorant.web.security.authorization import demand


def add(router: APIRouter, house: Installation) -> None:
    """The routes."""
    _add_looks(router, house)
    _add_orders(router, house)
    _add_steering(router, house)
    _add_answers(router, house)


def _add_looks(router: APIRouter, house: Installation) -> None:
    @route(router, "/runs", Scope.OPERATE, Runs, Run)
    def list_runs(request: Request, source: OfSource = None, limit: Limit = 20, cursor: Cursor = "") -> Response:
        """List runs, the newest first."""
        older = before(cursor)
        if as_lines(request):
            return in_lines(start.listed(house, source, before=older))
        found = start.listed(house, source, before=older, most=limit + 1)
        return Json({"runs": found[:limit], "next": str(found[limit - 1]["run"]) if len(found) > limit else None})

    @route(router, "/runs/{number}", Scope.OPERATE, OneRun)
    def show_run(number: RowNumber) -> Response:
        """Show the report of a run with its problems and notices, and for a held one the documents to be deleted."""
        return Json(eta_summary.shown(house, number))


def _add_orders(router: APIRouter, house: Installation) -> None:
    @order(router, "POST", "/runs", Scope.OPERATE, OrderedRuns, 202)
    def order_runs(request: Request, said: requests.Crawl) -> Response:
        """Order a crawl of sources: a new run of each, or its unfinished run continues. The answer waits for no run.

        A source whose run is held is left out; if all are held, the request is refused (409). `forget` needs the scope
        `admin`, as deleting a run does.
        """
        if said.forget:
            demand(request, Scope.ADMIN)
        wish = RunOrder(said.refresh, said.force, said.restart, said.mode, said.forget)
        held = start.left_out(house, said.sources, wish)
        ordered = start.order(house, said.sources, wish)
        if held and not ordered:
            raise held[0]
        runs = [each.record() for each in ordered]
        return Json({"runs": runs, "left_out": [each.as_problem() for each in held]}, 202)

    @order(router, "DELETE", "/runs/{number}", Scope.ADMIN, DeletedRun)
    def delete_run(number: RowNumber) -> Response:
        """Delete an ended run with its figures. Its documents stay, except those of a test."""
        control.delete(house, number)
        return Json({"run": number, "state": "deleted"})


def _add_steering(router: APIRouter, house: Installation) -> None:
    def now(number: int) -> Response:
        return Json(start.report(house, number))

    @order(router, "POST", "/runs/{number}/suspend", Scope.OPERATE, Run)
    def suspend_run(number: RowNumber) -> Response:
        """Suspend a run, until it is resumed or the next crawl of its source continues it."""
        return now(control.suspend(house, number).id)

    @order(router, "POST", "/runs/{number}/resume", Scope.OPERATE, Run)
    def resume_run(number: RowNumber) -> Response:
        """Resume a run that was suspended or interrupted."""
        return now(control.resume(house, number).run)

    @order(router, "POST", "/runs/{number}/stop", Scope.OPERATE, Run)
    def stop_run(number: RowNumber) -> Response:
        """End a run for good; the next crawl of its source begins a new one. Its documents are kept.

        Examined documents that are not indexed yet are dropped: the next crawl fetches them again.
        """
        return now(control.stop(house, number).id)


def _add_answers(router: APIRouter, house: Installation) -> None:
    def now(number: int) -> Response:
        return Json(start.report(house, number))

    @order(router, "POST", "/runs/{number}/accept", Scope.ADMIN, Run)
    def accept_run(number: RowNumber) -> Response:
        """Accept the deletions and new texts of a held run; the run continues to its end."""
        return now(start.answer(house, number, accept=True).id)

    @order(router, "POST", "/runs/{number}/refuse", Scope.OPERATE, Run)
    def refuse_run(number: RowNumber) -> Response:
        """Keep the documents of a held run unchanged until the next crawl; the run continues to its end."""
        return now(start.answer(house, number, accept=False).id)

    @order(router, "POST", "/runs/{number}/prune", Scope.OPERATE, Pruned)
    def prune_run(number: RowNumber, said: requests.Prune) -> Response:
        """Exclude some examined documents of a run from indexing. The next crawl finds them again."""
        return Json(review.prune(house, number, said.rules))

    @order(router, "POST", "/runs/{number}/index", Scope.OPERATE, Run)
    def index_run(number: RowNumber) -> Response:
        """Index the examined documents of a run, without requests; the run continues to its end."""
        return now(review.index(house, number).id)


def add_log(router: APIRouter, house: Installation) -> None:
    """Add the route of the log."""

    @route(router, "/runs/{number}/log", Scope.OPERATE, RunLog, LogLine)
    def show_log(
        request: Request,
        number: RowNumber,
        level: Annotated[str, Query(description="Of this level and above.", examples=["warning"])] = "debug",
        only: Annotated[str, Query(description="Of this log only.", examples=["fetch"])] = "",
        limit: Limit = 500,
    ) -> Response:
        """Show the last lines of the log of a run; as JSON Lines the answer is the whole log."""
        if as_lines(request):
            return in_lines(log.lines(house, number, LogFilter(level, only or None)))
        return Json({"lines": list(log.lines(house, number, LogFilter(level, only or None, limit)))})
