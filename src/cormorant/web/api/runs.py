"""Runs for programs: what `cormorant crawl` and `cormorant run` do and print. Whoever serves carries orders out."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import ConfigDict, Field, create_model

from cormorant.model.run import Counters
from cormorant.model.scope import Scope
from cormorant.operate.installation import Installation
from cormorant.operate.runs import control, eta_summary, log, review, start
from cormorant.operate.runs.log import LogFilter
from cormorant.operate.runs.start import RunOrder
from cormorant.web.api import requests
from cormorant.web.api.routing import Cursor, Json, Limit, Number, OfSource, as_lines, before, in_lines, order, route
from cormorant.web.api.schemas import Problem, Record, When
from cormorant.web.security.authorization import demand


class _Run(Record):
    """One crawl of one source, with its figures."""

    run: int
    source: str | None
    state: str
    to_fetch: int
    to_index: int = Field(
        description="Documents that were examined and wait for `index`: new, changed, or fetched anew by force."
    )
    started_at: When
    finished_at: When
    seconds: float
    pages_per_s: float
    bottleneck: str | None
    complete: bool
    reason: str | None
    error: str | None
    gives_up_at: When
    refresh: str
    mode: str = Field(description="accept, examine, index_only or test: the kind of run.")
    forget: bool = Field(description="It is deleted when it ends.")
    edited: list[str] = Field(description="The changed settings because of which all documents are downloaded again.")
    force: bool
    waits: str | None = Field(description="begin or go_on: the step that it waits for; `reason` gives the cause.")
    node: str | None = Field(description="The only node that crawls its source.")


_SAID = {
    "changed": "Documents with a new text or new rights.",
    "moved": "Pages that send their readers elsewhere, and files that were renamed.",
    "conversions": "Documents and sitemaps that were read in the sandbox: no HTML or plain text, unless large.",
    "exposed_files": "Files of a folder that everyone can find and that others on its machine may not read.",
}
_counters: dict[str, Any] = {each.name: (int, Field(description=_SAID.get(each.name))) for each in fields(Counters)}
Run = create_model("Run", __base__=_Run, __doc__=_Run.__doc__, **_counters)


class Runs(Record):
    """Some runs, newest first; `next` is the cursor of older ones, None when there are none."""

    runs: list[Run]  # type: ignore[valid-type] # made above of what a run counts
    next: str | None


class StillToGo(Record):
    """Remaining time of a run under way (ETA)."""

    least: float = Field(description="Seconds.")
    most: float | None = Field(description="Seconds; None while the crawl finds more than it visits.")


OneRun = create_model(
    "OneRun", __base__=Run, __doc__="A run, its problems and notes, and the documents that a held run holds.",
    problems=(list[dict[str, Any]], ...),
    notices=(list[dict[str, Any]], Field(description="Notes although nothing went wrong.")),
    leaving=(list[dict[str, Any]] | None, None),
    eta_s=(StillToGo | None, Field(description="None when it has ended, and while no estimate is possible.")),
)  # fmt: skip


class OrderedRun(Record):
    """A run that was ordered."""

    run: int
    source: str
    resumed: bool = Field(description="It was ordered before, and continues.")
    as_before: bool = Field(description="It keeps its own options; the options of this request apply to the next run.")


class OrderedRuns(Record):
    """Runs that were ordered, and why other sources are not crawled."""

    runs: list[OrderedRun]
    left_out: list[Problem] = Field(description="Runs that wait for an answer, for each source that has one.")


class Pruned(Record):
    """Documents pruned from what a run is to index."""

    run: int
    source: str | None
    pruned: int
    left: int = Field(description="Documents that are still to be indexed.")
    rules: list[dict[str, Any]] = Field(description="Number of documents for each rule.")
    settled: list[str] = Field(description="Rules that match only documents with nothing waiting to be indexed.")
    idle: list[str] = Field(description="Rules that match no visited document.")


class DeletedRun(Record):
    """A run that there was."""

    run: int
    state: str = Field(examples=["deleted"])


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
    def show_run(number: Number) -> Response:
        """Show the report of a run, what should be known of it, and of a held one which documents would go."""
        return Json(eta_summary.shown(house, number))


def _add_orders(router: APIRouter, house: Installation) -> None:
    @order(router, "POST", "/runs", Scope.OPERATE, OrderedRuns, 202)
    def order_runs(request: Request, said: requests.Crawl) -> Response:
        """Have sources crawled: a run of each, or the one that has not ended goes on. Runs are not waited for.

        A source whose run is held is left out; when all are, that is refused (409). `forget` needs the scope `admin`,
        as deleting a run does.
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
    def delete_run(number: Number) -> Response:
        """Forget a run that has ended, with its figures. What it found stays, but what a test has found."""
        control.delete(house, number)
        return Json({"run": number, "state": "deleted"})


def _add_steering(router: APIRouter, house: Installation) -> None:
    def now(number: int) -> Response:
        return Json(start.report(house, number))

    @order(router, "POST", "/runs/{number}/suspend", Scope.OPERATE, Run)
    def suspend_run(number: Number) -> Response:
        """Leave a run where it is, until it is resumed or the next crawl of its source goes on with it."""
        return now(control.suspend(house, number).id)

    @order(router, "POST", "/runs/{number}/resume", Scope.OPERATE, Run)
    def resume_run(number: Number) -> Response:
        """Go on with a run that was suspended or interrupted."""
        return now(control.resume(house, number).run)

    @order(router, "POST", "/runs/{number}/stop", Scope.OPERATE, Run)
    def stop_run(number: Number) -> Response:
        """End a run for good; the next crawl of its source begins anew. What was found is kept.

        What was examined and is not indexed yet is dropped: the next crawl fetches it anew.
        """
        return now(control.stop(house, number).id)


def _add_answers(router: APIRouter, house: Installation) -> None:
    def now(number: int) -> Response:
        return Json(start.report(house, number))

    @order(router, "POST", "/runs/{number}/accept", Scope.ADMIN, Run)
    def accept_run(number: Number) -> Response:
        """Let the documents of a held run go, or take their new text; the run goes on to its end."""
        return now(start.answer(house, number, accept=True).id)

    @order(router, "POST", "/runs/{number}/refuse", Scope.OPERATE, Run)
    def refuse_run(number: Number) -> Response:
        """Keep the documents of a held run as they are until the next crawl; the run goes on to its end."""
        return now(start.answer(house, number, accept=False).id)

    @order(router, "POST", "/runs/{number}/prune", Scope.OPERATE, Pruned)
    def prune_run(number: Number, said: requests.Prune) -> Response:
        """Leave some of what a run has examined out of what is to be indexed. The next crawl finds it again."""
        return Json(review.prune(house, number, said.rules))

    @order(router, "POST", "/runs/{number}/index", Scope.OPERATE, Run)
    def index_run(number: Number) -> Response:
        """Index what a run has examined, without a request; the run goes on to its end."""
        return now(review.index(house, number).id)


def add_log(router: APIRouter, house: Installation) -> None:
    """Add the route of the log."""

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
            return in_lines(log.lines(house, number, LogFilter(level, only or None)))
        return Json({"lines": list(log.lines(house, number, LogFilter(level, only or None, limit)))})
