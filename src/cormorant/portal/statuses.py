"""What a status number means, why it is given and what to do: pages of the administration."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from fastapi.templating import Jinja2Templates

from cormorant.base.errors import NotFoundError
from cormorant.model.status import TABLE, describe, is_known
from cormorant.operate import listing
from cormorant.operate.listing import Wanted
from cormorant.portal import frame
from cormorant.portal.explaining import title_of
from cormorant.portal.shelf import Shelf
from cormorant.portal.showing import sayable

PER_PAGE = 50
"""Addresses on a page of a number."""


def add(router: APIRouter, shelf: Shelf, look: Jinja2Templates) -> None:
    """The table of all numbers, and a page of each."""

    @router.get("/status", include_in_schema=False)
    def table(request: Request) -> Response:
        values = frame.of(request, None, back="/status") | {"rows": TABLE.values()}
        return look.TemplateResponse(request, "statuses.html", values)

    @router.get("/status/{number}", include_in_schema=False)
    def status(request: Request, number: str, cursor: Annotated[str, Query(max_length=100)] = "") -> Response:
        known = int(number) if number.isascii() and number.isdigit() and len(number) <= 4 else -1
        if not is_known(known):
            raise NotFoundError(unknown(number))
        excluded = describe(known).outcome.name == "EXCLUDED"
        wanted = Wanted(status=known, excluded=excluded)
        records, following = listing.page(shelf.house, wanted, cursor, PER_PAGE)
        rows = [each | {"title": title_of(each)} for each in sayable(records)]
        values = frame.of(request, None, back=f"/status/{known}") | {
            "status": describe(known), "rows": rows, "following": following, "begun": not cursor, "excluded": excluded,
        }  # fmt: skip
        return look.TemplateResponse(request, "status.html", values)


def unknown(number: str) -> str:
    """What is said of a number that no document has."""
    ours = [each for each in TABLE if each >= 600]
    return (
        f"There is no status {number[:20]}. There are 0, those of HTTP from 100 to 599, and ours from {min(ours)} to "
        f"{max(ours)}, of which not every one is given: `/status` lists them."
    )
