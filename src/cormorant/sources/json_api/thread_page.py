"""A readable page of a record that people talk about: its fields, its description, and each comment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Final, NamedTuple

from cormorant.base.clock import rfc3339
from cormorant.model.acl import ACL
from cormorant.model.content import Content, Value
from cormorant.sources.json_api.record import MAX_NAMES
from cormorant.sources.record_page import PAGE_TYPE, RecordSection, record_page

MOST_TEXT: Final = 8 << 20
"""Characters of comments that are kept of one record."""
_FENCES: Final = re.compile("`{3,}")
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
    """A record with its comments. `fields` are shown, `attributes` are searched; `url` is where people read it.

    `files` are the texts of files that belong to it, each under its name.
    """

    title: str
    url: str
    description: RecordSection
    comments: Sequence[Comment]
    fields: Sequence[tuple[str, object]]
    attributes: dict[str, Value]
    modified_at: float | None = None
    is_cut: bool = False
    files: Sequence[RecordSection] = ()


def thread_page(record: ThreadRecord, address: str, acl: ACL | None) -> Content:
    """Return the content of a record whose texts are HTML: one page with everything that was said."""
    base = RecordSection("", f'<base href="{escape(record.url)}">', is_html=True)
    said, is_cut = _fitting(record)
    sections = [base, record.description, *(RecordSection(_heading(each), each.text, each.is_html) for each in said)]
    body = record_page(record.title, record.fields, sections)
    return _content(record, address, acl, body, PAGE_TYPE, is_cut=is_cut)


def thread_markdown(record: ThreadRecord, address: str, acl: ACL | None) -> Content:
    """Return the content of a record whose texts are Markdown, as a text of that type (RFC 7763)."""
    said, is_cut = _fitting(record)
    rows = [f"- {name}: {value}" for name, value in record.fields if value not in ("", None)]
    parts = [f"# {record.title}", "\n".join(rows), record.description.text]
    parts += [f"## {each.heading}\n\n{_fenced(each.text)}" for each in record.files]
    parts += [f"## {_heading(each)}\n\n{each.text}" for each in said]
    body = "\n\n".join(filter(None, parts)).encode("utf-8", "replace")
    return _content(record, address, acl, body, "text/markdown", is_cut=is_cut)


def _fenced(text: str) -> str:
    """Return a text as a block of code, behind a fence that stands nowhere in it [CommonMark 4.5]."""
    fence = "`" * max(3, 1 + max(map(len, _FENCES.findall(text)), default=0))
    return f"{fence}\n{text}\n{fence}"


def _fitting(record: ThreadRecord) -> tuple[Sequence[Comment], bool]:
    """Return the comments that there is room for, oldest first, and whether any is left out."""
    left = MOST_TEXT - len(record.description.text) - sum(len(each.text) for each in record.files)
    for place, each in enumerate(record.comments):
        left -= len(each.text)
        if left < 0:
            return record.comments[:place], True
    return record.comments, record.is_cut


def _content(record: ThreadRecord, address: str, acl: ACL | None, body: bytes, mime: str, *, is_cut: bool) -> Content:
    people = [each.author for each in record.comments if each.author and each.author != GHOST]
    attributes = record.attributes | {"Participants": list(dict.fromkeys(people))[:MAX_NAMES]}
    return Content(
        address,
        body,
        mime,
        "utf-8",
        modified_at=record.modified_at,
        acl=acl,
        directives=("nofollow",),
        truncated=is_cut,
        title=record.title,
        attributes={name: value for name, value in attributes.items() if value not in ("", None, [])},
    )


def day_of(seconds: float | None) -> str:
    """Return a moment as pages show it, in UTC; "" for none."""
    return (rfc3339(seconds) or "")[:16].replace("T", " ")


def _heading(comment: Comment) -> str:
    sort = f" ({comment.sort})" if comment.sort else ""
    return ", ".join(filter(None, (comment.author or GHOST, day_of(comment.at)))) + sort
