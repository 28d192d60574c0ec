"""A web page saved with its pictures in one file (MHTML, RFC 2557).

Signature: a header of a mail whose Content-Type is multipart/related, most often with type="text/html".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from cormorant.extract.document.text_builder import TextBuilder
from cormorant.extract.errors import Unreadable
from cormorant.extract.html.links import SCHEMES
from cormorant.extract.html.page import extract_html
from cormorant.extract.job import ExtractionTask
from cormorant.extract.mail.charset import page_charset
from cormorant.extract.mail.mail_content import NO_BASE
from cormorant.extract.mail.mail_header import MailHeader
from cormorant.extract.mail.mime import MimePart, parse_mime
from cormorant.extract.sanitize import name_of, one_line
from cormorant.model.content import Extraction
from cormorant.model.url import MAX_ADDRESS, try_canonical

MAX_FRAMES: Final = 200
_PAGES: Final = ("text/html", "application/xhtml+xml")


def extract_mhtml(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the extraction of the page and its frames, with links relative to the address where it was saved.

    Instructions to crawlers and browsers are left out: they were for the page in its place. Raises Unreadable when
    there is no page in it.
    """
    tree = parse_mime(body)
    parts = [part for part in _leaves(tree.root) if part.content_type in _PAGES]
    if not parts:
        raise Unreadable("there is no page in it")
    header = tree.root.header
    start = header.parameter("start").strip("<>")
    root = next((part for part in parts if start and _content_id(part) == start), parts[0])
    base = _base(root.header, header)
    page = _page(root, base, task)
    builder = TextBuilder()
    builder.add(page.text)
    for frame in parts[:MAX_FRAMES]:
        if frame is not root and not builder.full:
            builder.aside(_page(frame, base, task).text)
    subject = one_line(header.text("subject"))
    title = subject if subject and page.title == name_of(base) else page.title
    return replace(
        page,
        text=builder.text(),
        title=title if title != name_of(NO_BASE) else name_of(task.address, task.file_name),
        directives=(),
        canonical="",
        refresh="",
        login=False,
        truncated=page.truncated or bool(tree.fault) or builder.full,
        fault=tree.fault,
    )


def _page(part: MimePart, base: str, task: ExtractionTask) -> Extraction:
    body, charset = page_charset(part.body(), part.header.charset)
    return extract_html(body, address=base, charset=charset, manner=task.manner)


def _content_id(part: MimePart) -> str:
    return part.header.text("content-id").strip("<> ")


def _base(*headers: MailHeader) -> str:
    """Return the address where the page was saved, NO_BASE if unknown."""
    for header in headers:
        for name in ("content-location", "snapshot-content-location", "content-base"):
            place = try_canonical(header.raw(name)[:MAX_ADDRESS].decode("ascii", "replace").strip())
            if place and place.startswith(SCHEMES):
                return place
    return NO_BASE


def _leaves(part: MimePart) -> Iterator[MimePart]:
    waiting = [part]
    while waiting:
        each = waiting.pop()
        if not each.parts:
            yield each
        waiting.extend(reversed(each.parts))
