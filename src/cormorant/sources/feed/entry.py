"""Entries of feeds as they are kept, and the page that readers find of one."""

from __future__ import annotations

import hashlib
from html import escape
from typing import Final

import msgspec

from cormorant.base.clock import FIRST_S, LAST_S
from cormorant.model.content import Content, Value
from cormorant.model.schedule.timezones import wall_time
from cormorant.net.http import headers
from cormorant.sources.record_page import PAGE_TYPE, RecordSection, record_page

MAX_KEY: Final = 1_000
"""Bytes of an entry's key; a longer one is known by its hash."""


class FeedEnclosure(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file that an entry encloses."""

    address: str
    media_type: str = ""
    size: str = ""


class FeedDocument(msgspec.Struct, frozen=True, omit_defaults=True):
    """An entry of a feed. `link` is its page, absolute, or ""; `base` is what addresses in `content` are relative to.

    `published_at` and `updated_at` are epoch seconds.
    """

    key: str
    link: str = ""
    title: str = ""
    summary: str = ""
    content: str = ""
    is_html: bool = True
    base: str = ""
    authors: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    enclosures: tuple[FeedEnclosure, ...] = ()
    published_at: float | None = None
    updated_at: float | None = None
    language: str = ""
    feed: str = ""

    @property
    def digest(self) -> str:
        """The version of the entry: of everything that it says."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:32]

    @property
    def modified_at(self) -> float | None:
        """The moment of its last change, as far as it says."""
        return self.updated_at if self.updated_at is not None else self.published_at


def stored_key(text: str) -> str:
    """Return the key under which an entry is kept; a long one, or one that no database takes, becomes its hash."""
    if 0 < len(text.encode(errors="replace")) <= MAX_KEY and "\0" not in text:
        return text
    return f"sha256:{hashlib.sha256(text.encode(errors='replace')).hexdigest()}"


def entry_moment(text: str) -> float | None:
    """Return epoch seconds of a date in any of the forms that feeds use; None for none of them."""
    bare = text.strip()[:64]
    found = headers.moment(bare) if bare else None
    if found is None and len(bare) in (4, 7) and bare.replace("-", "").isdigit():  # W3C-DTF: a year, or a month
        found = headers.moment(f"{bare}-01" if len(bare) == 7 else f"{bare}-01-01")
    return found if found is not None and FIRST_S <= found <= LAST_S else None


def entry_content(address: str, entry: FeedDocument) -> Content:
    """Return the page of an entry: its title, its dates and people, its text, and links to what it names."""
    fields = [
        ("Author", ", ".join(entry.authors)), ("Published", _shown(entry.published_at)),
        ("Updated", _shown(entry.updated_at)), ("Categories", ", ".join(entry.categories)), ("Feed", entry.feed),
    ]  # fmt: skip
    text = entry.content or entry.summary
    if entry.is_html and entry.base:
        text = f'<base href="{escape(entry.base)}">{text}'
    links = [(entry.link, entry.title)] if entry.link else []
    links += [(each.address, each.address.rsplit("/", 1)[-1]) for each in entry.enclosures]
    body = record_page(
        entry.title or entry.link or entry.key, fields, [RecordSection("", text, entry.is_html)],
        language=entry.language, links=links,
    )  # fmt: skip
    return Content(
        address, body, PAGE_TYPE, charset="utf-8", validator=entry.digest, modified_at=entry.modified_at,
        language=entry.language, directives=("nofollow",), title=entry.title, attributes=_attributes(entry),
    )  # fmt: skip


def _shown(at: float | None) -> str:
    return "" if at is None else str(wall_time(at, "UTC"))


def _attributes(entry: FeedDocument) -> dict[str, Value]:
    found: dict[str, Value] = {
        "Author": list(entry.authors), "Keywords": list(entry.categories), "Feed": entry.feed,
        "Enclosure": [each.address for each in entry.enclosures],
    }  # fmt: skip
    if entry.published_at is not None:
        found["published_at"] = entry.published_at
    if entry.updated_at is not None:
        found["updated_at"] = entry.updated_at
    return {name: value for name, value in found.items() if value or value == 0.0}
