"""Documents that a program chooses, to be visited again."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import Field

from cormorant.model.scope import Scope
from cormorant.operate import choosing
from cormorant.operate.choosing import Chosen
from cormorant.operate.house import House
from cormorant.operate.listing import Wanted
from cormorant.portal import orders
from cormorant.portal.programs import Json, order
from cormorant.portal.records import Record


class Recrawled(Record):
    """How many documents are due now, of each source."""

    documents: int
    sources: dict[str, int] = Field(description="By name; those of which none is chosen are not there.")


def add(router: APIRouter, house: House) -> None:
    """The routes."""

    @order(router, "POST", "/documents/recrawl", Scope.OPERATE, Recrawled)
    def recrawl_documents(said: orders.Recrawl) -> Response:
        """Have documents fetched anew, whole, by the run of their source that is under way, or by the next."""
        chosen = Chosen(said.addresses, Wanted(said.source, said.state or None, said.status))
        return Json(choosing.recrawl(house, chosen, here=False))
