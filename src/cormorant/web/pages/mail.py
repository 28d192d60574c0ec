"""Pages of messages: one to be read, its thread, and a month of a source.

/mail/ID                   head, text with quoted parts folded, attachments
/mail/ID/thread            all messages of its thread, answers behind what they answer
/mail/SOURCE/YEAR/MONTH    the messages of a month, and the ways to the months beside it
"""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import FastAPI, Path, Request
from fastapi.responses import Response
from fastapi.templating import Jinja2Templates

from cormorant.base.clock import rfc3339
from cormorant.model.scope import Scope
from cormorant.operate.documents import mail_message
from cormorant.web.pages import layout
from cormorant.web.pages.formatting import day, shown
from cormorant.web.security import authorization
from cormorant.web.shared_reader import SharedReader

Year = Annotated[int, Path(ge=1970, le=9998)]
Month = Annotated[int, Path(ge=1, le=12)]


def add(app: FastAPI, shelf: SharedReader, look: Jinja2Templates) -> None:
    """The three pages."""

    @authorization.page(app, "/mail/{number}", Scope.SEARCH)
    def message(request: Request, number: int, q: str = "") -> Response:
        found = mail_message.message(shelf.house, shelf.library(), number)
        when = mail_message.month_of(found.sent_at)
        values = layout.of(request, shelf.known(), q=q, back=f"/mail/{number}") | {
            "message": found, "hit": shown(found.hit), "sent": rfc3339(found.sent_at), "origin": found.hit.source,
            "month": month_address(found.hit.source, when) if when else "", "of_month": _month_name(when),
            "attachments": [(each.name, shown(each.hit)) for each in found.attachments],
        }  # fmt: skip
        return look.TemplateResponse(request, "mail.html", values)

    @authorization.page(app, "/mail/{number}/thread", Scope.SEARCH)
    def thread(request: Request, number: int) -> Response:
        found = mail_message.thread(shelf.library(), number)
        values = layout.of(request, shelf.known(), back=f"/mail/{number}/thread") | {
            "entries": [(each, shown(each.hit), rfc3339(each.hit.modified_at)) for each in found],
            "title": mail_message.bare_subject(found[0].hit.title) or "Thread", "number": number,
            "people": len({each.author for each in found}), "origin": found[0].hit.source,
        }  # fmt: skip
        return look.TemplateResponse(request, "thread.html", values)

    @authorization.page(app, "/mail/{source}/{year}/{month}", Scope.SEARCH)
    def month(request: Request, source: str, year: Year, month: Month) -> Response:
        total, hits = mail_message.month(shelf.library(), source, (year, month))
        when = year, month
        values = layout.of(request, shelf.known(), back=month_address(source, when)) | {
            "origin": source, "total": total, "name": _month_name(when),
            "entries": [(shown(each), mail_message.author_of(each.attributes), day(each.modified_at)) for each in hits],
            "beside": [(_month_name(each), month_address(source, each)) for each in _beside(when)],
        }  # fmt: skip
        return look.TemplateResponse(request, "month.html", values)


def month_address(source: str, when: tuple[int, int]) -> str:
    """Return the address of the page of a month."""
    return f"/mail/{quote(source, safe='')}/{when[0]:04}/{when[1]:02}"


def _beside(when: tuple[int, int]) -> list[tuple[int, int]]:
    """The months before and behind one, within the years that have a page."""
    count = when[0] * 12 + when[1] - 1
    return [(each // 12, each % 12 + 1) for each in (count - 1, count + 1) if 1970 * 12 <= each < 9999 * 12]


def _month_name(when: tuple[int, int] | None) -> str:
    names = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
             "November", "December")  # fmt: skip
    return f"{names[when[1] - 1]} {when[0]}" if when else ""
