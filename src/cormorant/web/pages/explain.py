"""Why an address is, or is not, in the index, and what links to it: pages of the administration."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any
from urllib.parse import unquote, urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from fastapi.templating import Jinja2Templates

from cormorant.base.errors import CormorantError
from cormorant.model.acl import ANYONE
from cormorant.model.outcome import OutcomeKind
from cormorant.model.scope import Scope
from cormorant.model.status import is_known
from cormorant.operate.documents import links, lookup
from cormorant.operate.explain import explain
from cormorant.web.pages import layout
from cormorant.web.pages.formatting import sayable
from cormorant.web.row_number import MOST_NUMBER, RowNumber
from cormorant.web.security import authorization
from cormorant.web.shared_reader import SharedReader

PER_PAGE = 50
"""Links of one direction on a page."""
WAYS = 12
"""Ways on which an address was found that are shown with it; the page of its links has them all."""
_BADGES = frozenset(each.name.lower() for each in OutcomeKind if each is not OutcomeKind.NONE)
_BAD = frozenset(("failed", "deferred", "quarantined", "held"))
_WAYS = {
    "seed": "start address", "link": "link", "redirect": "redirect", "listing": "listing of its source",
    "sitemap": "sitemap", "canonical": "canonical link", "push": "pushed", "prerequisite": "asked for before others",
    "robots": "robots.txt", "member": "part of its container",
}  # fmt: skip
_KNOWN = {
    "mark": "by its byte-order mark", "header": "by the server's header", "page": "as it says itself",
    "default": "the source's default", "bytes": "by its bytes", "text": "by its text",
}  # fmt: skip
"""How charset or language was known."""

Behind = Annotated[int, Query(ge=0, le=MOST_NUMBER)]


def add(router: APIRouter, shelf: SharedReader, look: Jinja2Templates) -> None:
    """The pages of one address."""

    @authorization.page(router, "/explain", Scope.OPERATE)
    def explanation(request: Request, address: str = "") -> Response:
        asked = address.strip()
        found = sayable(explain.explain(shelf.house, asked, here=False)) if asked else []
        back = "/explain?" + urlencode({"address": asked}) if asked else "/explain"
        shown = [told(each, number) | {"copied": _copied(shelf, each)} for number, each in enumerate(found)]
        values = layout.of(request, None, back=back) | {"asked": asked, "found": shown}
        return look.TemplateResponse(request, "explain.html" if found else "look-up.html", values)

    @authorization.page(router, "/documents/{number}/links", Scope.OPERATE)
    def linked(
        request: Request,
        number: RowNumber,
        into: Annotated[int, Query(alias="in", ge=0, le=MOST_NUMBER)] = 0,
        out: Behind = 0,
    ) -> Response:
        record = sayable(lookup.numbered(shelf.house, number))
        both = [
            (links.some(shelf.house, number, links.IN, into, PER_PAGE), into),
            (links.some(shelf.house, number, links.OUT, out, PER_PAGE), out),
        ]
        here = f"/documents/{number}/links"

        def address(**changes: int) -> str:
            given = {"in": into, "out": out} | changes
            return here + "?" + urlencode({name: value for name, value in given.items() if value})

        values = layout.of(request, None, back=here) | {
            "asked": record["access_url"], "document": record, "title": title_of(record), "address": address,
            "into": _shown(*both[0]), "out": _shown(*both[1]), "per_page": PER_PAGE,
        }  # fmt: skip
        return look.TemplateResponse(request, "links.html", values)


def _shown(found: links.DocumentLinks, behind: int) -> dict[str, Any]:
    rows = sayable(found.records)
    return {
        "rows": rows, "total": found.total, "texts": sayable(found.texts), "behind": behind,
        "last": min(behind + PER_PAGE, found.total),
    }  # fmt: skip


def title_of(record: Mapping[str, Any]) -> str:
    """Return the title of a document for a page, else the last step of its address."""
    address = str(record.get("access_url") or record.get("address"))
    bare = unquote(address.partition("//")[2]).partition("?")[0].rstrip("/")
    return str(record.get("title") or bare.rpartition("/")[2] or address)


def told(record: Mapping[str, Any], number: int) -> dict[str, Any]:
    """An explanation as the page shows it; `number` tells those of one address apart."""
    visits, no_text = _visits(record["visits"]), (record["conversion"] or {}).get("no_text")
    outcome = visits[0]["outcome"] if visits else ""
    if record.get("takedown"):
        outcome = "excluded"
    is_bad = no_text or record["refusals"] or record["verdict"] not in ("indexed", "pending")
    return dict(record) | {
        "part": f"-{number + 1}" if number else "", "parts": _parts(record), "title": title_of(record),
        "outcome": outcome, "badge": "ok" if outcome == "unchanged" else outcome, "ended": _ended(record, visits),
        "visits": visits,
        "advised": record.get("advice") if is_bad else "",
        "status": record.get("status"), "status_text": record.get("status_text", ""),
        "explained": is_known(record.get("status", -1)), "ways": [_path(each) for each in record["paths"][:WAYS]],
        "read_as": _read_as(record["conversion"] or {}), "robots": _robots(record["address"]),
    }  # fmt: skip


def _ended(record: Mapping[str, Any], visits: list[dict[str, Any]]) -> int | None:
    """Return the status of the last visit if the document keeps another status because it was unchanged."""
    ended = visits[0]["status"] if visits and visits[0]["outcome"] == "unchanged" else None
    return ended if ended != record.get("status") else None


def _parts(record: Mapping[str, Any]) -> list[tuple[str, str, int]]:
    """The parts of an explanation that there are: the name of the part, what it is called, and how much is in it."""
    found = (
        ("found", "How it was found", "paths", 0), ("rules", "Rules", "gates", 0),
        ("visits", "Visits", "visits", len(record["visits"])), ("conversion", "Conversion", "conversion", 0),
        ("index", "Index", "source", 0), ("who", "Who may see it", "access", 0),
    )  # fmt: skip
    return [(name, said, count) for name, said, of, count in found if record[of]]


def _copied(shelf: SharedReader, record: Mapping[str, Any]) -> bool:
    """Return whether there is a copy that the page of copies would show. Not where the page asks for none."""
    if not (record["id"] and record["cache"]):
        return False
    with suppress(CormorantError):  # other parts of the page report faults of the index
        hit = shelf.library().see(record["id"], ANYONE)
        return hit is not None and hit.cached
    return False


def _path(path: Mapping[str, Any]) -> dict[str, Any]:
    """One way it was found; `from` is a word of Jinja's, so it is `at` there."""
    return {"way": _WAYS.get(path["how"], path["how"]), "at": path["from"], "text": path["text"]}


def _visits(visits: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The visits, the newest first, each with the checksum before it where it changed the content."""
    found, before = [], ""
    for each in visits:
        checksum = (each["hash"] or "")[:8]
        shown = {
            "mark": "change" if each["changed"] else "bad" if each["outcome"] in _BAD else "",
            "badge": each["outcome"] if each["outcome"] in _BADGES else "", "explained": is_known(each["status"]),
            "checksum": checksum, "before": before if before != checksum else "",
        }  # fmt: skip
        found.append(each | shown)
        before = checksum or before
    return found[::-1]


def _read_as(said: Mapping[str, Any]) -> list[tuple[str, str]]:
    """In what charset and language it was read, how those were known, and by what."""
    by = [("Read by", str(said["read_by"]))] if said.get("read_by") else []
    passed = [f"{each['service']} ({each['took_s'] * 1000:,.1f} ms)" for each in said.get("services") or []]
    by += [("Services", ", ".join(passed))] if passed else []
    by += [("Original", "shown to nobody")] if said.get("withheld") else []
    return by + [
        (name.capitalize(), f"{said[name]} ({_KNOWN.get(how, how)})")
        for name in ("charset", "language")
        if (how := said.get(f"{name}_from"))
    ]


def _robots(address: str) -> str:
    """Return the URL of robots.txt of the site; "" where an address has none."""
    scheme, _, rest = address.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}/robots.txt" if scheme in ("http", "https") else ""
