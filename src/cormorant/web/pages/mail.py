"""Pages of messages: one to be read, its thread, and a month of a source.

/mail/ID                   header, text with quoted parts folded, attachments, the messages before and after it
/mail/ID/thread            all messages of its thread, answers after the messages that they answer
/mail/SOURCE/YEAR/MONTH    the messages of a month by day, and links to the months before and after
"""

from __future__ import annotations

from calendar import Calendar
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from itertools import groupby
from typing import Annotated, NamedTuple
from urllib.parse import quote, urlencode

from fastapi import FastAPI, Path, Query, Request
from fastapi.responses import Response
from fastapi.templating import Jinja2Templates

from cormorant.base.clock import date_of, rfc3339
from cormorant.model.acl import ANYONE
from cormorant.model.scope import Scope
from cormorant.operate.mail import mail_message, mail_thread
from cormorant.operate.mail.mail_header import author_of
from cormorant.operate.mail.mail_text import TextBlock
from cormorant.search.reader import Hit, Question
from cormorant.search.results.match_positions import Marking
from cormorant.web.pages import layout
from cormorant.web.pages.formatting import HitView, SnippetPart, day as day_text, shown
from cormorant.web.security import authorization
from cormorant.web.shared_reader import SharedReader

Year = Annotated[int, Path(ge=1970, le=9998)]
Month = Annotated[int, Path(ge=1, le=12)]
Day = Annotated[int, Query(ge=0, le=31)]
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


class BlockView(NamedTuple):
    """A block of a message as the page shows it: runs of text by how deep they are quoted, from 1 on.

    `is_open`: a quote that is not folded, since the message has no other text or the quote has a word of the query.
    """

    quoted: bool
    lines: int
    is_open: bool
    runs: tuple[tuple[int, tuple[SnippetPart, ...]], ...]


class DayView(NamedTuple):
    """The messages of a day: each with its author and the moment it was sent."""

    number: int
    name: str
    messages: tuple[tuple[HitView, str, str | None], ...]


def add(app: FastAPI, shelf: SharedReader, look: Jinja2Templates) -> None:
    """The three pages."""

    @authorization.page(app, "/mail/{number}", Scope.SEARCH)
    def message(request: Request, number: int, q: str = "") -> Response:
        library = shelf.library()
        found = mail_message.message(shelf.house, library, number)
        place = mail_thread.position(mail_thread.thread(library, number), number)
        when = mail_message.month_of(found.sent_at)
        marking = Marking(q, found.hit.language, library.attributes(Question(q), ANYONE))
        values = layout.of(request, shelf.known(), q=q, back=f"/mail/{number}") | {
            "message": found, "hit": shown(found.hit), "sent": rfc3339(found.sent_at), "origin": found.hit.source,
            "month": month_address(found.hit.source, when) if when else "", "of_month": _month_name(when),
            "attachments": [(each.name, shown(each.hit)) for each in found.attachments], "thread": place,
            "ordinal": _ordinal(place.place), "blocks": _blocks(found.blocks, marking if q else lambda _: ()),
            "asked": f"?{urlencode({'q': q})}" if q else "", "answers": _answered(place.answers),
        }  # fmt: skip
        return look.TemplateResponse(request, "mail.html", values)

    @authorization.page(app, "/mail/{number}/thread", Scope.SEARCH)
    def thread(request: Request, number: int) -> Response:
        found = mail_thread.thread(shelf.library(), number)
        here = next(each.hit for each in found if each.hit.id == number)
        when = mail_message.month_of(here.modified_at)
        values = layout.of(request, shelf.known(), back=f"/mail/{number}/thread") | {
            "entries": [(each, shown(each.hit), rfc3339(each.hit.modified_at)) for each in found], "number": number,
            "title": mail_thread.bare_subject(found[0].hit.title) or "Thread",
            "people": len({each.author for each in found}), "origin": found[0].hit.source,
            "span": _span([each.hit.modified_at for each in found]), "of_month": _month_name(when),
            "month": month_address(here.source, when) if when else "",
        }  # fmt: skip
        return look.TemplateResponse(request, "thread.html", values)

    @authorization.page(app, "/mail/{source}/{year}/{month}", Scope.SEARCH)
    def month(request: Request, source: str, year: Year, month: Month, day: Day = 0) -> Response:
        when = year, month
        total, hits = mail_thread.month(shelf.library(), source, when, day)
        here = month_address(source, when)
        days = list(_days(hits))
        whole = not day and total <= len(hits)
        values = layout.of(request, shelf.known(), back=f"{here}?day={day}" if day else here) | {
            "origin": source, "total": total, "listed": len(hits), "name": _month_name(when), "days": days, "day": day,
            "here": here, "weeks": Calendar().monthdayscalendar(year, month), "whole": whole,
            "counts": {each.number: len(each.messages) for each in days},
            "beside": [(_month_name(each), month_address(source, each)) for each in _beside(when)],
        }  # fmt: skip
        return look.TemplateResponse(request, "month.html", values)


def month_address(source: str, when: tuple[int, int]) -> str:
    """Return the address of the page of a month."""
    return f"/mail/{quote(source, safe='')}/{when[0]:04}/{when[1]:02}"


def _blocks(blocks: Sequence[TextBlock], marks: Callable[[str], Sequence[tuple[int, int, int]]]) -> list[BlockView]:
    """Return the views of a message's text blocks, with the words of the query marked."""
    views = list[BlockView]()
    for each in blocks:
        quotes = each.quotes if each.quoted else [(1, each.text)]
        runs = tuple((level, _marked(text, marks)) for level, text in quotes)
        found = any(piece.marked for _, pieces in runs for piece in pieces)
        views.append(BlockView(each.quoted, each.lines, found or all(other.quoted for other in blocks), runs))
    return views


def _marked(text: str, marks: Callable[[str], Sequence[tuple[int, int, int]]]) -> tuple[SnippetPart, ...]:
    found, at = list[SnippetPart](), 0
    for start, end, _ in marks(text):
        found += [SnippetPart(text[at:start], marked=False), SnippetPart(text[start:end], marked=True)]
        at = end
    return tuple(each for each in (*found, SnippetPart(text[at:], marked=False)) if each.text)


def _answered(hit: Hit | None) -> tuple[HitView, str, str] | None:
    """Return the message that one answers, its author and its day."""
    return None if hit is None else (shown(hit), author_of(hit.attributes), day_text(hit.modified_at))


def _days(hits: Iterable[Hit]) -> Iterable[DayView]:
    """Group messages in order by their day in UTC, like the bounds of the month."""
    for found, those in groupby(hits, key=lambda hit: _date(hit.modified_at)):
        if found is not None:
            rows = tuple((shown(each), author_of(each.attributes), rfc3339(each.modified_at)) for each in those)
            yield DayView(found.day, f"{found.day} {_MONTHS[found.month - 1]}", rows)


def _date(moment: float | None) -> date | None:
    found = date_of(moment) if moment is not None else None
    return found.date() if found is not None else None


def _span(moments: Iterable[float | None]) -> str:
    """Return the first and the last day, like 2 Nov 2026 to 4 Nov 2026; "" if none is known."""
    known = sorted(each for each in moments if each is not None)
    ends = list(dict.fromkeys(day_text(each) for each in (known[0], known[-1]))) if known else []
    return " to ".join(ends)


def _ordinal(place: int) -> str:
    """Return a place in words, like 3rd."""
    return f"{place:,}" + ("th" if place % 100 in (11, 12, 13) else _ENDINGS.get(place % 10, "th"))


def _beside(when: tuple[int, int]) -> list[tuple[int, int]]:
    """The months before and after one, within the years that have a page."""
    count = when[0] * 12 + when[1] - 1
    return [(each // 12, each % 12 + 1) for each in (count - 1, count + 1) if 1970 * 12 <= each < 9999 * 12]


def _month_name(when: tuple[int, int] | None) -> str:
    return f"{_MONTHS[when[1] - 1]} {when[0]}" if when else ""
