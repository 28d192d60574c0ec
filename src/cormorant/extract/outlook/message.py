"""Text of a message: sender, recipients, date, body, and the names of its attachments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final, NamedTuple
from urllib.parse import unquote

import msgspec

from cormorant.extract.document.alt_text import human_text
from cormorant.extract.document.page_alternatives import alternatives_beside, words_of
from cormorant.extract.errors import Unreadable
from cormorant.extract.html.head import MAX_KEYWORDS
from cormorant.extract.html.page import extract_html
from cormorant.extract.job import ExtractionTask
from cormorant.extract.outlook.compressed_rtf import decompress_rtf
from cormorant.extract.outlook.encapsulated_html import is_html_in_rtf, unwrap_html
from cormorant.extract.outlook.property_bag import BYTE_TEXT, WIDE_TEXT, PropertyBag, Tag
from cormorant.extract.rtf.reader import extract_rtf
from cormorant.extract.sanitize import MAX_TEXT, MAX_TITLE, MAX_VALUE, clean_lines, name_of, one_line
from cormorant.model.content import Extraction, PageLink, Value

MAX_RECIPIENTS: Final = 10_000

_FIRST, _COPY, _BLIND_COPY = 1, 2, 3
# References without a scheme lead nowhere: the address of the page is unknown.
_NO_BASE: Final = "mail://mail/"
_SHOWN: Final = re.compile(r"cid:([^\"'<>\s)\\]{1,300})", re.IGNORECASE)
_PICTURES: Final = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".emf", ".wmf", ".svg", ".webp", ".tif", ".tiff")
_TO_MINUTES: Final = len("2026-03-14 10:15")
_IN_BODY: Final = 4
_APPOINTMENT: Final = bytes.fromhex("0220060000000000C000000000000046")
_CONTACT: Final = bytes.fromhex("0420060000000000C000000000000046")
_STRINGS: Final = bytes.fromhex("2903020000000000C000000000000046")
_LOCATION: Final = (_APPOINTMENT, 0x8208)
_TIMES: Final = ((_APPOINTMENT, 0x820D), (_APPOINTMENT, 0x820E))
_CONTACT_LINES: Final = tuple((_CONTACT, name) for name in (0x8083, 0x8093, 0x80A3, 0x801A, 0x801B, 0x801C, 0x802B))
_KEYWORDS: Final = (_STRINGS, "Keywords")
# Names, addresses, telephone numbers: [MS-OXOCNTC] 2.2.1.
_OF_PERSONS: Final = range(0x3A00, 0x3A60)


class MapiMessage(NamedTuple):
    """The properties of a message, of its recipients, and of its attachments."""

    properties: PropertyBag
    recipients: list[PropertyBag]
    attachments: list[PropertyBag]


class _Body(NamedTuple):
    text: str
    links: tuple[PageLink, ...] = ()
    links_seen: int = 0


def message_extraction(message: MapiMessage, task: ExtractionTask) -> Extraction:
    """Return the extraction of a message; its title is its subject."""
    bag = message.properties
    page, rtf = _read_page(bag)
    body = _read_body(bag.text(Tag.BODY), page, rtf, task)
    people = _people(message)
    subject = one_line(bag.text(Tag.SUBJECT) or bag.text(Tag.NORMALIZED_SUBJECT), MAX_VALUE)
    sent = bag.moment(Tag.SENT_AT) or bag.moment(Tag.RECEIVED_AT)
    lines = [f"{label}: {', '.join(shown)}" for label, shown in people.items() if shown]
    lines += [f"Date: {str(sent)[:_TO_MINUTES]}"] if sent is not None else []
    lines += [f"Subject: {subject}"] if subject else []
    shown = _shown_in(page)
    names = [attachment_name(each) for each in message.attachments if not is_in_page(each, shown)]
    attached = [f"Attachment: {name}" for name in names if name]
    text = "\n".join([*lines, "", body.text, "", *_particulars(bag), *attached])
    return Extraction(
        text=clean_lines(text),
        title=subject[:MAX_TITLE] or name_of(task.address, task.file_name),
        links=body.links,
        links_seen=body.links_seen,
        attributes=_attributes(bag, people, subject, sent),
        truncated=len(text) > MAX_TEXT,
    )


def _attributes(
    bag: PropertyBag, people: dict[str, tuple[str, ...]], subject: str, sent: datetime | None
) -> dict[str, Value]:
    authors = people["From"]
    found: dict[str, Value] = {"Author": authors[0] if authors else "", "To": people["To"], "Cc": people["Cc"]}
    found["Subject"] = subject
    found["Keywords"] = _keywords(bag)
    for name, tag in (("MessageId", Tag.MESSAGE_ID), ("InReplyTo", Tag.IN_REPLY_TO)):
        found[name] = one_line(bag.text(tag)).strip("<> ")
    found = {name: value for name, value in found.items() if value}
    if sent is not None:
        found["sent_at"] = sent.timestamp()
    return found


def with_damage(extraction: Extraction) -> Extraction:
    """Return the extraction of a message that is damaged."""
    fault = "A part of it is damaged or missing; the rest was read."
    return msgspec.structs.replace(extraction, truncated=True, fault=fault)


def attachment_name(bag: PropertyBag) -> str:
    """Return the name of an attached file or message, "" when it has none."""
    tags = (Tag.FILE_NAME, Tag.DISPLAY_NAME, Tag.SHORT_FILE_NAME)
    return next((name for tag in tags if (name := one_line(bag.text(tag)))), "")


def media_type(bag: PropertyBag) -> str:
    """Return the declared media type of an attachment in lower case, "" when none is declared."""
    return one_line(bag.text(Tag.MEDIA_TYPE).partition(";")[0]).lower()


def shown_parts(bag: PropertyBag) -> frozenset[str]:
    """Return the content identifiers that the page of a message shows: pictures in its text (RFC 2392)."""
    return _shown_in(_read_page(bag)[0])


def _shown_in(page: str) -> frozenset[str]:
    return frozenset(unquote(found).lower() for found in _SHOWN.findall(page))


def is_in_page(bag: PropertyBag, shown: frozenset[str]) -> bool:
    """Return whether an attachment is a picture in the body, which is not displayed as a file: [MS-OXCMSG] 2.2.2.

    `shown` is the result of `shown_parts` for its message.
    """
    if bag.number(Tag.HIDDEN):
        return True
    content_id = bag.text(Tag.CONTENT_ID).strip("<> ").lower()
    picture = media_type(bag).startswith("image/") or attachment_name(bag).lower().endswith(_PICTURES)
    return content_id in shown or (picture and bool(bag.number(Tag.FLAGS) & _IN_BODY))


def _people(message: MapiMessage) -> dict[str, tuple[str, ...]]:
    """Return sender and recipients, each as a name with an address, by the label of their line."""
    bag = message.properties
    by_type: dict[int, list[str]] = {}
    for each in message.recipients[:MAX_RECIPIENTS]:
        person = _person(each.text(Tag.DISPLAY_NAME), each.text(Tag.SMTP_ADDRESS), each.text(Tag.ADDRESS))
        kind = each.number(Tag.RECIPIENT_TYPE) & 15
        if person:
            by_type.setdefault(kind if kind in (_COPY, _BLIND_COPY) else _FIRST, []).append(person)
    sender = _sender(bag)
    people: dict[str, tuple[str, ...]] = {"From": (sender,) if sender else ()}
    for label, kind, tag in (
        ("To", _FIRST, Tag.DISPLAY_TO),
        ("Cc", _COPY, Tag.DISPLAY_CC),
        ("Bcc", _BLIND_COPY, Tag.DISPLAY_BCC),
    ):
        persons = by_type.get(kind) or [_person(each) for each in bag.text(tag).split(";")]
        people[label] = tuple(dict.fromkeys(filter(None, persons)))
    return people


def _sender(bag: PropertyBag) -> str:
    """Return for whom a message was sent, else by whom."""
    names = (Tag.SENT_FOR_NAME, Tag.SENT_FOR_SMTP_ADDRESS, Tag.SENT_FOR_ADDRESS)
    others = (Tag.SENDER_NAME, Tag.SENDER_SMTP_ADDRESS, Tag.SENDER_ADDRESS)
    return _person(*map(bag.text, names)) or _person(*map(bag.text, others))


def _person(name: str, *addresses: str) -> str:
    """Return a name with the first address that is one of the internet; others are useless to a reader."""
    name = one_line(name).strip("'")
    address = next((one_line(each) for each in addresses if "@" in each), "")
    if not name or not address or address.lower() in name.lower():
        return name or address
    return f"{name} <{address}>"


def _keywords(bag: PropertyBag) -> tuple[str, ...]:
    words = (one_line(word) for word in bag.texts(bag.tag_of(*_KEYWORDS)))
    return tuple(dict.fromkeys(word for word in words if word))[:MAX_KEYWORDS]


def _particulars(bag: PropertyBag) -> Iterator[str]:
    """Yield the details of appointments and contacts beside their body, a line each."""
    kind = bag.text(Tag.MESSAGE_CLASS).lower()
    yield bag.text(bag.tag_of(*_LOCATION))
    if kind.startswith(("ipm.appointment", "ipm.schedule")):
        moments = [bag.moment(bag.tag_of(*each)) for each in _TIMES]
        yield " - ".join(str(moment)[:_TO_MINUTES] for moment in moments if moment is not None)
    if kind.startswith("ipm.contact"):
        tags = sorted(tag for tag, of in bag.values.tags() if tag in _OF_PERSONS and of in (BYTE_TEXT, WIDE_TEXT))
        named = (bag.tag_of(*each) for each in _CONTACT_LINES)
        yield from dict.fromkeys(bag.text(tag) for tag in (*tags, *named))


def _read_page(bag: PropertyBag) -> tuple[str, bytes]:
    """Return the page of HTML of a body, "" for none, and its RTF where it has no page: [MS-OXBBODY]."""
    page = bag.text(Tag.BODY_HTML) or bag.binary(Tag.BODY_HTML).decode(bag.html_codec(), "replace")
    if page.strip("\0 \r\n"):
        return page, b""
    rtf = decompress_rtf(bag.binary(Tag.BODY_RTF))
    return (unwrap_html(rtf), b"") if is_html_in_rtf(rtf) else ("", rtf)


def _read_body(plain: str, page: str, rtf: bytes, task: ExtractionTask) -> _Body:
    """Return the body as text. Its links are those of the page, which plain text has lost."""
    if page:
        body = page.encode(errors="replace")
        read = extract_html(body, address=_NO_BASE, charset="utf-8", alternatives=human_text)
        if plain.strip():
            plain = f"{plain}\n\n{alternatives_beside(body, 'utf-8', words_of(plain))}".rstrip()
    elif rtf:
        try:
            read = extract_rtf(rtf, task)
        except Unreadable:
            return _Body(plain)
    else:
        return _Body(plain)
    return _Body(plain if plain.strip() else read.text, read.links, read.links_seen)
