"""A readable page of a record that people talk about: its fields, its description, and each comment."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final, NamedTuple

from cormorant.base.clock import date_of
from cormorant.model.acl import ACL
from cormorant.model.content import Content, Value
from cormorant.sources.record_page import PAGE_TYPE, RecordSection, record_page

MOST_TEXT: Final = 8 << 20
"""Characters of comments that are kept of one record."""
MOST_PAGES: Final = 50
"""Pages of comments that are asked for."""
GHOST: Final = "ghost"
"""Stands for an author whose account was deleted, as GitHub shows it."""


class Comment(NamedTuple):
    """Something said about a record. `sort` says how, like review, "" for a plain comment."""

    author: str
    at: float | None
    text: str
    is_html: bool = True
    sort: str = ""


class ThreadRecord(NamedTuple):
    """A record with its comments. `fields` are shown, `attributes` are searched; `url` is where people read it."""

    title: str
    url: str
    description: RecordSection
    comments: Sequence[Comment]
    fields: Sequence[tuple[str, object]]
    attributes: dict[str, Value]
    modified_at: float | None = None
    is_cut: bool = False
    links: Sequence[tuple[str, str]] = ()


def thread_page(record: ThreadRecord, address: str, acl: ACL | None) -> Content:
    """Return the content of a record: one page with everything that was said, oldest first."""
    base = RecordSection("", f'<base href="{escape(record.url)}">', is_html=True)
    sections, left = [base, record.description], MOST_TEXT - len(record.description.text)
    for each in record.comments:
        left -= len(each.text)
        if left < 0:
            break
        sections.append(RecordSection(_heading(each), each.text, each.is_html))
    people = [each.author for each in record.comments if each.author and each.author != GHOST]
    attributes = record.attributes | {"Participants": list(dict.fromkeys(people))}
    return Content(
        address,
        record_page(record.title, record.fields, sections, links=record.links),
        PAGE_TYPE,
        "utf-8",
        modified_at=record.modified_at,
        acl=acl,
        directives=("nofollow",),
        truncated=record.is_cut or left < 0,
        title=record.title,
        attributes={name: value for name, value in attributes.items() if value not in ("", None, [])},
    )


def day_of(seconds: float | None) -> str:
    """Return a moment as pages show it, in UTC; "" for none."""
    moment = date_of(seconds) if seconds is not None else None
    return moment.strftime("%Y-%m-%d %H:%M") if moment is not None else ""


def _heading(comment: Comment) -> str:
    sort = f" ({comment.sort})" if comment.sort else ""
    return ", ".join(filter(None, (comment.author or GHOST, day_of(comment.at)))) + sort
