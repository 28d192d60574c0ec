"""Takedowns: a page that lists them, the forms that begin and end one, and the same for programs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response
from fastapi.templating import Jinja2Templates
from pydantic import Field

from cormorant.model.scope import Scope
from cormorant.operate import erasure, takedowns
from cormorant.operate.house import House
from cormorant.portal import frame, orders
from cormorant.portal.admission import page, visitor
from cormorant.portal.programs import MOST_NUMBER, Json, as_lines, in_lines, order, route
from cormorant.portal.records import Record, When
from cormorant.portal.showing import sayable
from cormorant.portal.signing import form

Number = Annotated[int, Path(ge=1, le=MOST_NUMBER, examples=[1])]


class Erasure(Record):
    """The result of an erasure: what was removed, and what the scan of the data folder found."""

    id: int
    erased: bool = Field(description="False: something is left, see `left_in`.")
    erased_at: When
    documents: int
    copies: int
    searches: int = Field(description="In the log, with words of the text, and without a result now.")
    log_passages: int
    files_scanned: int
    bytes_scanned: int
    passages: int = Field(description="Passages of the text that were looked for in files.")
    left_in: list[str] = Field(description="Files that still hold a passage, and packs with a copy.")
    kept_before: list[str] = Field(description="Files from before an upgrade of the database, which may hold it.")


class Takedown(Record):
    """Documents that are hidden from every reader, or were."""

    id: int
    rule: str
    source: str | None = Field(description="None: documents of every source.")
    reason: str
    author: str
    state: str = Field(description="in_force, to_erase, erased, lifted or expired.")
    created_at: str
    expires_at: When
    erase: bool
    erased_at: When
    ended_at: When
    ended_by: str | None
    hidden: int = Field(description="Known documents that it hides now.")


class NewTakedown(Takedown):
    """A takedown that was put in force just now."""

    documents: int = Field(description="Documents that search found until now.")
    addresses: int = Field(description="Known addresses that it means.")
    duplicates: list[str] = Field(description="Some addresses at which the same content is still found.")
    erasure: Erasure | None = None


class LiftedTakedown(Takedown):
    """A takedown that was ended just now."""

    documents: int = Field(description="Found again as soon as the index has taken them in.")
    next_crawl: int = Field(description="Visited again by the next crawl.")


class Takedowns(Record):
    """Takedowns, oldest first."""

    takedowns: list[Takedown]


def add(router: APIRouter, house: House, look: Jinja2Templates) -> None:
    """The page, its forms and the routes."""
    _add_pages(router, house, look)
    _add_routes(router, house)


def _add_pages(router: APIRouter, house: House, look: Jinja2Templates) -> None:
    @page(router, "/takedowns", Scope.OPERATE)
    def show_page(request: Request, every: Annotated[bool, Query()] = False) -> Response:
        values = frame.of(request, None, back="/takedowns") | {
            "takedowns": sayable(takedowns.list_(house, ended=every)), "every": every,
        }  # fmt: skip
        return look.TemplateResponse(request, "takedowns.html", values)

    @page(router, "/takedowns", Scope.ADMIN, "POST")
    async def begin(request: Request) -> Response:
        given = await form(request)
        wish = takedowns.Order(
            given.get("what", ""), given.get("reason", ""), visitor(request).author,
            until=given.get("until") or None, here=False,
        )  # fmt: skip
        await run_in_threadpool(takedowns.take_down, house, wish)
        return RedirectResponse("/takedowns", 303)

    @page(router, "/takedowns/{number}/lift", Scope.ADMIN, "POST")
    def end(request: Request, number: Number) -> Response:
        takedowns.lift(house, number, visitor(request).author)
        return RedirectResponse("/takedowns", 303)


def _add_routes(router: APIRouter, house: House) -> None:
    @route(router, "/takedowns", Scope.OPERATE, Takedowns, Takedown)
    def list_takedowns(
        request: Request, every: Annotated[bool, Query(description="Those that have ended as well.")] = False
    ) -> Response:
        """List the takedowns in force."""
        found = takedowns.list_(house, ended=every)
        return in_lines(iter(found)) if as_lines(request) else Json({"takedowns": found})

    @route(router, "/takedowns/{number}", Scope.OPERATE, Takedown)
    def show_takedown(number: Number) -> Response:
        """Show one takedown."""
        return Json(takedowns.show(house, number))

    @order(router, "POST", "/takedowns", Scope.ADMIN, NewTakedown, 201)
    def take_down(request: Request, said: orders.TakedownOrder) -> Response:
        """Hide documents from every reader at once; with `erase`, answer when they are erased from the disk as well."""
        wish = takedowns.Order(
            said.what, said.reason, visitor(request).author, said.source, said.until, said.erase, here=False
        )
        record = takedowns.take_down(house, wish)
        if said.erase:
            record |= {"erasure": erasure.erase(house, record["id"], lent=True)}
        return Json(record, 201)

    @order(router, "POST", "/takedowns/{number}/lift", Scope.ADMIN, LiftedTakedown)
    def lift_takedown(request: Request, number: Number) -> Response:
        """End a takedown."""
        return Json(takedowns.lift(house, number, visitor(request).author))

    @order(router, "POST", "/takedowns/{number}/erase", Scope.ADMIN, Erasure)
    def erase_takedown(number: Number) -> Response:
        """Erase from the disk what a takedown hides, and scan for it."""
        return Json(erasure.erase(house, number, lent=True))
