"""Text and attachments of a mail, sorted out of its parts.

    part that is shown as text                          -> text
    part with a name, document, message, attachment     -> attachment
    picture in the page, signature, resource fork       -> neither

Of alternatives the one with more words is shown; the plain one if they are equal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

from cormorant.extract.document.alt_text import human_text
from cormorant.extract.document.page_alternatives import alternatives_beside, words_of
from cormorant.extract.html.page import extract_html
from cormorant.extract.mail.charset import page_charset, text_of_bytes
from cormorant.extract.mail.mime import MimePart
from cormorant.extract.mail.plain_text import calendar_lines, enriched, flowed, without_armor
from cormorant.extract.mail.uuencode import without_files
from cormorant.model.content import PageLink
from cormorant.model.url import try_canonical

NO_BASE: Final = "mail://mail/"
"""Base of the references in a mail that does not say where it comes from: those without a scheme lead nowhere."""

_ENCRYPTED: Final = frozenset(("multipart/encrypted", "application/pgp-encrypted"))
_SMIME: Final = frozenset(("application/pkcs7-mime", "application/x-pkcs7-mime"))
_NOT_SHOWN: Final = frozenset(
    (
        "application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature",
        "application/applefile", "message/external-body", "text/x-amp-html", "text/watch-html", "text/css",
        "text/javascript",
    )
)  # fmt: skip
_BODIES: Final = frozenset(("text/plain", "text/html", "text/enriched", "text/richtext", "text/calendar"))
_REPORTS: Final = frozenset(
    (
        "message/delivery-status", "message/disposition-notification", "message/feedback-report", "message/partial",
        "message/global-delivery-status", "message/global-headers", "text/rfc822-headers",
    )
)  # fmt: skip
_IN_PAGE: Final = ("image/", "audio/", "video/", "font/", "text/css", "application/javascript")
"""Beginnings of types that a page shows as parts of itself."""
_NEW_WORDS: Final = 0.2
"""Share of a page's words that a plain text lacks which is but a hint at the page (RFC 2046 5.1.4)."""
_WORD: Final = re.compile(r"\w+")


class MailText(NamedTuple):
    """A text that the mail shows. `page`: it comes from HTML.

    `pictures` returns the alternative texts of its pictures with words that a text shown in its place lacks.
    """

    text: str
    page: bool = False
    links: tuple[PageLink, ...] = ()
    language: str = ""
    charset: str = ""
    pictures: Callable[[Set[str]], str] | None = None


class Attachment(NamedTuple):
    """A file of a mail. `name` is as the mail has it, "" for none; `body` decodes its bytes."""

    name: str
    mime: str
    body: Callable[[], bytes]


@dataclass(slots=True)
class MailContent:
    """The texts and files of a mail, in their order. `links` are those of pages that are not shown as well."""

    texts: list[MailText] = field(default_factory=list)
    calendar: list[str] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    links: list[PageLink] = field(default_factory=list)
    encrypted: bool = False

    def add(self, other: MailContent) -> None:
        """Add the contents of a part."""
        self.texts += other.texts
        self.calendar += other.calendar
        self.attachments += other.attachments
        self.links += other.links
        self.encrypted = self.encrypted or other.encrypted


def content_of(part: MimePart, default: str = "") -> MailContent:
    """Return the text and files of a part. `default` is the charset of text that declares none.

    Parts lie at most `mime.MAX_DEPTH` deep in one another.
    """
    kind, found = part.content_type, MailContent()
    if kind in _NOT_SHOWN:
        return found
    if kind in _ENCRYPTED or (kind in _SMIME and not part.parts and _is_sealed(part)):
        found.encrypted = True
    elif kind == "multipart/alternative" and part.parts:
        _add_alternative(part, default, found)
    elif kind == "multipart/related" and part.parts:
        _add_related(part, default, found)
    elif part.parts:
        _add_one_after_the_other(part, default, found)
    elif not kind.startswith("multipart/") or not part.closed:
        _add_leaf(part, default, found)
    return found


def _is_sealed(part: MimePart) -> bool:
    return part.header.parameter("smime-type").lower() in ("", "enveloped-data", "authenveloped-data")


def _add_one_after_the_other(part: MimePart, default: str, found: MailContent) -> None:
    """Add parts that are shown one after the other; a text with a name, behind another, is a file."""
    shown = False
    for child in part.parts:
        if shown and child.content_type in _BODIES and child.header.file_name:
            found.attachments.append(_attachment(child))
            continue
        made = content_of(child, default)
        shown = shown or any(text.text.strip() for text in made.texts)
        found.add(made)


def _add_alternative(part: MimePart, default: str, found: MailContent) -> None:
    texts: list[list[MailText]] = []
    for child in part.parts:
        made = content_of(child, default)
        if made.texts:
            texts.append(made.texts)
        made.texts = []
        found.add(made)
    plain = next((each for each in texts if not each[0].page), None)
    page = next((each for each in reversed(texts) if each[0].page), None)
    shown = page if plain is None or (page is not None and _says_more(page, plain)) else plain
    found.texts += shown or []
    if shown and page and shown is not page:
        words = words_of("\n".join(each.text for each in shown))
        found.texts += [MailText(text) for each in page if each.pictures and (text := each.pictures(words))]


def _says_more(page: list[MailText], plain: list[MailText]) -> bool:
    """Return whether a page has words that the plain text beside it lacks, which then is but a hint at the page."""
    known, of_page = (set(_WORD.findall(" ".join(each.text for each in texts).lower())) for texts in (plain, page))
    return len(of_page - known) > _NEW_WORDS * len(of_page)


def _add_related(part: MimePart, default: str, found: MailContent) -> None:
    """Add a page with its parts (RFC 2387); of these, files that are attached to it or are no parts of a page."""
    start = part.header.parameter("start").strip("<>")
    roots = (each for each in part.parts if start and each.header.text("content-id").strip("<> ") == start)
    root = next(roots, part.parts[0])
    found.add(content_of(root, default))
    for child in part.parts:
        if child is root or child.content_type in _NOT_SHOWN:
            continue
        shown_in_page = child.content_type.startswith(_IN_PAGE) or not child.header.file_name
        if child.parts:
            found.add(content_of(child, default))
        elif child.header.disposition == "attachment" or not shown_in_page:
            found.attachments.append(_attachment(child))


def _add_leaf(part: MimePart, default: str, found: MailContent) -> None:
    kind = part.content_type
    if part.header.disposition == "attachment":
        found.attachments.append(_attachment(part))
    elif kind in _REPORTS:
        found.texts.append(MailText(text_of_bytes(part.body(), part.header.charset, default)))
    elif kind == "text/html":
        text = _page_text(part, default)
        found.links += text.links
        found.texts.append(text)
    elif kind == "text/calendar":
        found.calendar += calendar_lines(text_of_bytes(part.body(), part.header.charset, "utf-8"))
    elif kind in _BODIES or kind.startswith("multipart/") or (kind.startswith("text/") and not _is_file(part)):
        _add_plain(part, default, found)
    else:
        found.attachments.append(_attachment(part))


def _is_file(part: MimePart) -> bool:
    """Return whether text of another kind than a body is a file: one with a name, or in a format of its own."""
    return bool(part.header.file_name) or part.content_type in (
        "text/csv", "text/xml", "text/rtf", "text/vcard", "text/x-vcard", "text/directory", "text/tab-separated-values",
    )  # fmt: skip


def _page_text(part: MimePart, default: str) -> MailText:
    body, charset = page_charset(part.body(), part.header.charset)
    place = part.header.raw("content-location") or part.header.raw("content-base")
    base = try_canonical(place[:4096].decode("ascii", "replace").strip()) if place else None
    address = base if base and base.startswith(("http:", "https:")) else NO_BASE
    page = extract_html(body, address=address, charset=charset or default, alternatives=human_text)
    pictures = partial(alternatives_beside, body, page.charset)
    return MailText(page.text, True, page.links, page.language, page.charset, pictures)


def _add_plain(part: MimePart, default: str, found: MailContent) -> None:
    header = part.header
    body, files = without_files(part.body())
    text, encrypted = without_armor(text_of_bytes(body, header.charset, default))
    if part.content_type in ("text/enriched", "text/richtext"):
        text = enriched(text)
    elif header.parameter("format").lower() == "flowed":
        text = flowed(text, delete_space=header.parameter("delsp").lower() == "yes")
    found.encrypted = found.encrypted or encrypted
    found.texts.append(MailText(text, charset=header.charset.lower()))
    found.attachments += [Attachment(file.name, "", partial(bytes, file.body)) for file in files]


def _attachment(part: MimePart) -> Attachment:
    kind = part.content_type
    name = part.header.file_name
    if kind == "application/ms-tnef":
        name = name or "winmail.dat"
    declared = "" if kind.startswith("multipart/") else kind
    return Attachment(name, declared, part.body)
