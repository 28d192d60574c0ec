"""Takedowns: a page that lists them, and the forms that begin and end one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response
from fastapi.templating import Jinja2Templates

from cormorant.base.errors import BadAddress, BadRule, CormorantError, UsageError
from cormorant.model.scope import Scope
from cormorant.operate.documents import takedowns
from cormorant.operate.installation import Installation
from cormorant.web.pages import layout
from cormorant.web.pages.formatting import sayable
from cormorant.web.pages.sign_in import form
from cormorant.web.row_number import RowNumber
from cormorant.web.security.authorization import page, visitor


def add(router: APIRouter, house: Installation, look: Jinja2Templates) -> None:
    """Add the page and its forms."""

    @page(router, "/takedowns", Scope.OPERATE)
    def show_page(request: Request, every: Annotated[bool, Query()] = False) -> Response:
        return _page(request, {}, every=every)

    def _page(
        request: Request, given: Mapping[str, str], error: CormorantError | None = None, *, every: bool = False
    ) -> Response:
        """The page; with an `error` its form keeps what was typed, and says beside the field what is wrong."""
        values = layout.of(request, None, back="/takedowns") | {
            "takedowns": sayable(takedowns.list_(house, ended=every)), "every": every, "given": given,
            "faults": {_wrong_field(given, error): error.sentence} if error is not None else {},
        }  # fmt: skip
        status = error.http_status if error is not None else 200
        return look.TemplateResponse(request, "takedowns.html", values, status_code=status)

    @page(router, "/takedowns", Scope.ADMIN, "POST")
    async def begin(request: Request) -> Response:
        given = await form(request)
        wish = takedowns.TakedownOrder(
            given.get("what", ""), given.get("reason", ""), visitor(request).author,
            until=given.get("until") or None, here=False,
        )  # fmt: skip
        try:
            await run_in_threadpool(takedowns.take_down, house, wish)
        except UsageError as error:
            return await run_in_threadpool(_page, request, given, error)
        return RedirectResponse("/takedowns", 303)

    @page(router, "/takedowns/{number}/lift", Scope.ADMIN, "POST")
    def end(request: Request, number: RowNumber) -> Response:
        takedowns.lift(house, number, visitor(request).author)
        return RedirectResponse("/takedowns", 303)


def _wrong_field(given: Mapping[str, str], error: CormorantError) -> str:
    """Return the name of the field for which an order was refused."""
    if isinstance(error, (BadAddress, BadRule)):
        return "what"
    reason = given.get("reason", "").strip()
    return "until" if 0 < len(reason) <= takedowns.MOST_REASON else "reason"
