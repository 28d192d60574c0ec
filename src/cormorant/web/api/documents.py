"""REST routes of documents: recrawl, and take down, lift or erase a takedown."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from cormorant.model.scope import Scope
from cormorant.operate.documents import erasure, recrawl, takedowns
from cormorant.operate.documents.listing import DocumentFilter
from cormorant.operate.documents.recrawl import RecrawlSelection
from cormorant.operate.installation import Installation
from cormorant.operate.records.documents import Recrawled
from cormorant.operate.records.takedowns import Erasure, LiftedTakedown, NewTakedown, Takedown, TakedownsRecord
from cormorant.web.api import requests
from cormorant.web.api.routing import Json, as_lines, in_lines, order, route
from cormorant.web.row_number import RowNumber
from cormorant.web.security.authorization import visitor


def add(router: APIRouter, house: Installation) -> None:
    """Add the routes of documents."""
    _add_takedowns(router, house)

    @order(router, "POST", "/documents/recrawl", Scope.OPERATE, Recrawled)
    def recrawl_documents(said: requests.Recrawl) -> Response:
        """Have documents fetched again in full, by the run of their source that is under way, or by the next."""
        chosen = RecrawlSelection(said.addresses, DocumentFilter(said.source, said.state or None, said.status))
        return Json(recrawl.recrawl(house, chosen, here=False))


def _add_takedowns(router: APIRouter, house: Installation) -> None:
    @route(router, "/takedowns", Scope.OPERATE, TakedownsRecord, Takedown)
    def list_takedowns(
        request: Request, every: Annotated[bool, Query(description="Those that have ended as well.")] = False
    ) -> Response:
        """List the takedowns in force."""
        found = takedowns.list_(house, ended=every)
        return in_lines(iter(found)) if as_lines(request) else Json({"takedowns": found})

    @route(router, "/takedowns/{number}", Scope.OPERATE, Takedown)
    def show_takedown(number: RowNumber) -> Response:
        """Show one takedown."""
        return Json(takedowns.show(house, number))

    @order(router, "POST", "/takedowns", Scope.ADMIN, NewTakedown, 201)
    def take_down(request: Request, said: requests.TakedownRequest) -> Response:
        """Hide documents from every reader at once; with `erase`, the answer follows their erasure from the disk."""
        wish = takedowns.TakedownOrder(
            said.what, said.reason, visitor(request).author, said.source, said.until, said.erase, here=False
        )
        record = takedowns.take_down(house, wish)
        if not said.erase:
            return Json(record, 201)
        erased: NewTakedown = {**record, "erasure": erasure.erase(house, record["id"], lent=True)}
        return Json(erased, 201)

    @order(router, "POST", "/takedowns/{number}/lift", Scope.ADMIN, LiftedTakedown)
    def lift_takedown(request: Request, number: RowNumber) -> Response:
        """End a takedown."""
        return Json(takedowns.lift(house, number, visitor(request).author))

    @order(router, "POST", "/takedowns/{number}/erase", Scope.ADMIN, Erasure)
    def erase_takedown(number: RowNumber) -> Response:
        """Erase the documents of a takedown from the disk, and scan for them."""
        return Json(erasure.erase(house, number, lent=True))
