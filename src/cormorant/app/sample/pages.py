"""Pages of the sample site, with those that have moved or are gone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

import xxhash

HERE = Path(__file__).parent

MOVED = {
    "/home.html": (301, "/"),
    "/birds": (301, "/birds/"),
    "/de": (301, "/de/"),
    "/fr": (301, "/fr/"),
    "/today": (302, "/log/midsummer.html"),
}
"""Paths with redirects: status and target."""

GONE = frozenset({"/webcam.html"})
"""Paths of deleted pages (410)."""

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".pdf": "application/pdf",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/atom+xml",
}
_DATE = re.compile(rb'<meta name="date" content="(\d{4})-(\d\d)-(\d\d)">')
_OPENED = (2026, 1, 6)
"""The date of files that name none themselves."""


@dataclass(frozen=True, slots=True)
class Page:
    """Response at one path of the sample site.

    Header names are in the usual spelling; Content-Length is added when sent.
    """

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def read_pages(folder: Path = HERE / "site") -> dict[str, Page]:
    """Return all pages of the site, by path as in a request."""
    pages = {
        path: page for file in sorted(folder.rglob("*")) if file.is_file() for path, page in _pages_of(folder, file)
    }
    for path, (status, target) in MOVED.items():
        pages[path] = Page(status, _note("It is elsewhere", f'Look <a href="{target}">there</a>.'), _html(target))
    for path in GONE:
        pages[path] = Page(410, _note("It is gone", "It was here once, and will not come back."), _html())
    return pages


def missing() -> Page:
    """Return the 404 page for a path with no page."""
    return Page(404, _note("There is no such page", 'Perhaps <a href="/">from the beginning</a>?'), _html())


def documents_folder() -> Path:
    """The folder with the office's documents."""
    return HERE / "documents"


def _pages_of(folder: Path, file: Path) -> Iterator[tuple[str, Page]]:
    """Yield a file under its path; an index page has the path of its folder."""
    body = file.read_bytes()
    written = _DATE.search(body)
    year, month, day = map(int, written.groups()) if written else _OPENED
    headers = {
        "Content-Type": _TYPES[file.suffix],
        "Last-Modified": format_datetime(datetime(year, month, day, 8, tzinfo=UTC), usegmt=True),
        "ETag": f'"{xxhash.xxh3_64_hexdigest(body)}"',
    }
    path = "/" + file.relative_to(folder).as_posix()
    yield path.removesuffix("index.html"), Page(200, body, headers)


def _html(target: str = "") -> dict[str, str]:
    kind = {"Content-Type": _TYPES[".html"]}
    return kind | {"Location": target} if target else kind


def _note(title: str, sentence: str) -> bytes:
    """A page for redirects and errors."""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
        f"<body><h1>{title}</h1><p>{sentence}</p></body></html>\n"
    ).encode()
