"""Query reports for operators of the search: a page, and the same data for programs.

Recorded searches that wait are written first, so that the newest searches are included.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response
from fastapi.templating import Jinja2Templates

from cormorant.model.scope import Scope
from cormorant.operate.records.queries import CountedQueries, Queries
from cormorant.operate.search import query_log
from cormorant.operate.search.query_log import DAYS, MOST, MOST_DAYS, QueryReport
from cormorant.web.api.routing import Cursor, Json, Limit, before, route
from cormorant.web.pages import layout
from cormorant.web.pages.formatting import sayable
from cormorant.web.query_recorder import QueryRecorder
from cormorant.web.security import authorization
from cormorant.web.shared_reader import SharedReader

PERIODS: Final = (7, DAYS, 90)
"""Days that the page offers."""
NEWEST: Final = 20
REPORTS: Final = (
    (QueryReport.ZERO, "Found nothing", "a word that documents do not use, or a missing document"),
    (QueryReport.UNCLICKED, "Nobody opened a result", "the results did not fit, or a snippet said enough"),
    (QueryReport.TOP, "Most asked", "with how often a result was opened"),
)
Days = Annotated[int, Query(ge=1, le=MOST_DAYS, description="Of so many days.")]


def add(router: APIRouter, shelf: SharedReader, look: Jinja2Templates, asked: QueryRecorder) -> None:
    """The page and the routes."""

    @authorization.page(router, "/queries", Scope.OPERATE)
    def page(request: Request, days: Days = DAYS) -> Response:
        asked.flush()
        reports: list[dict[str, Any]] = [
            {"anchor": which.value, "title": title, "meaning": meaning,
             "rows": sayable(query_log.counted(shelf.house, which, days))}
            for which, title, meaning in REPORTS
        ]  # fmt: skip
        values = layout.of(request, None, back=f"/queries?days={days}") | {
            "reports": reports, "days": days, "periods": PERIODS, "kept": shelf.house.query_days,
            "newest": sayable(query_log.listed(shelf.house, most=NEWEST)),
        }  # fmt: skip
        return look.TemplateResponse(request, "queries.html", values)

    @route(router, "/queries", Scope.OPERATE, Queries)
    def list_queries(limit: Limit = 100, cursor: Cursor = "") -> Response:
        """List searches, the newest first: the typed query, the number of results, and of opened results."""
        asked.flush()
        found = query_log.listed(shelf.house, before(cursor), limit + 1)
        following = str(found[limit - 1]["number"]) if len(found) > limit else None
        return Json({"queries": found[:limit], "next": following})

    @route(router, "/queries/{report}", Scope.OPERATE, CountedQueries)
    def count_queries(
        report: Annotated[
            Literal["top", "zero", "unclicked"],
            Path(description="All, without a result, or without a result opened.", examples=["zero"]),
        ],
        days: Days = DAYS,
        limit: Annotated[int, Query(ge=1, le=1000, description="Searches in the answer.")] = MOST,
    ) -> Response:
        """Count searches for the same together, the most frequent first."""
        asked.flush()
        return Json({"queries": query_log.counted(shelf.house, QueryReport(report), days, limit)})
