"""Status pages of the administration: the meaning of a status number, its cause and the remedy."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from fastapi.templating import Jinja2Templates

from cormorant.base.errors import NotFoundError
from cormorant.model.scope import Scope
from cormorant.model.status import TABLE, describe, is_known
from cormorant.model.url import origin_of
from cormorant.operate.documents import listing
from cormorant.operate.documents.listing import DocumentFilter
from cormorant.operate.installation import Installation
from cormorant.web.pages import layout
from cormorant.web.pages.explain import title_of
from cormorant.web.pages.formatting import sayable
from cormorant.web.security import authorization
from cormorant.web.shared_reader import SharedReader

PER_PAGE = 50
"""Addresses on a page of a number."""
COUNTED = 1_000
"""Addresses that are counted for the figures of a page."""


class Figures(NamedTuple):
    """Figures of addresses with a status, of at most COUNTED; sources and sites with the most come first."""

    total: int
    more: bool
    indexed: int
    again: int
    by_source: tuple[tuple[str, int], ...]
    by_site: tuple[tuple[str, int], ...]


def add(router: APIRouter, shelf: SharedReader, look: Jinja2Templates) -> None:
    """The table of all numbers, and a page of each."""

    @authorization.page(router, "/status", Scope.OPERATE)
    def table(request: Request) -> Response:
        values = layout.of(request, None, back="/status") | {"rows": TABLE.values()}
        return look.TemplateResponse(request, "statuses.html", values)

    @authorization.page(router, "/status/{number}", Scope.OPERATE)
    def status(
        request: Request, number: str, cursor: Annotated[str, Query(max_length=100)] = "", source: str = ""
    ) -> Response:
        known = int(number) if number.isascii() and number.isdigit() and len(number) <= 4 else -1
        if not is_known(known):
            raise NotFoundError(unknown(number))
        excluded = describe(known).outcome.name == "EXCLUDED"
        wanted = DocumentFilter(source or None, status=known, excluded=excluded)
        records, following = listing.page(shelf.house, wanted, cursor, PER_PAGE)
        rows = [each | {"title": title_of(each)} for each in sayable(records)]
        values = layout.of(request, None, back=f"/status/{known}") | {
            "status": describe(known), "rows": rows, "following": following, "begun": not cursor, "excluded": excluded,
            "figures": None if cursor else figures(shelf.house, replace(wanted, source=None)), "source": source,
        }  # fmt: skip
        return look.TemplateResponse(request, "status.html", values)


def figures(house: Installation, wanted: DocumentFilter) -> Figures:
    """Count the listed addresses."""
    records, more = listing.page(house, wanted, "", COUNTED)
    sites = Counter(_site(each["access_url"]) for each in records)
    by_source = Counter(each["source"] for each in sayable(records))
    return Figures(
        len(records), more is not None, sum(each["indexed"] for each in records),
        sum(each["attempts"] > 1 for each in records), tuple(by_source.most_common()), tuple(sites.most_common()),
    )  # fmt: skip


def _site(address: str) -> str:
    """The site of an address; files are on this machine."""
    return "files" if address.startswith("file:") else origin_of(address).site


def unknown(number: str) -> str:
    """Return the message on a status number that does not exist."""
    ours = [each for each in TABLE if each >= 600]
    return (
        f"There is no status {number[:20]}. Statuses are 0, those of HTTP from 100 to 599, and Cormorant's own from "
        f"{min(ours)} to {max(ours)}, with gaps: `/status` lists them."
    )
