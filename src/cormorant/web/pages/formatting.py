"""Formatting of a hit for a page: plain values without markup."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeVar, cast
from urllib.parse import unquote

from jinja2.filters import do_forceescape, do_mark_safe

from cormorant.base.clock import date_of
from cormorant.model.member import INNER, MEMBER, is_member
from cormorant.model.schedule.timezones import is_moment, wall_time
from cormorant.model.text import display_directives
from cormorant.operate.mail.mail_header import MAIL_FOLDER, MESSAGE, author_of, first_of
from cormorant.search.reader import Hit
from cormorant.web.pages import labels

PER_PAGE = 10
PER_PAGES = (PER_PAGE, 20, 50)
"""Offered numbers of results on a page."""
MOST_PAGES = 50
_FILE = "file://"
_MAIL = "mail://"
_ROW = "table://"
_NUMBERED = re.compile(r"(?!https?:)[a-z][a-z0-9+.-]*://[0-9]+/")
"""Addresses of documents that their source numbers itself."""
MOST_STEPS = 5
"""Steps of an address that are shown."""
LONGEST_AUTHOR = 80
"""Characters of the author of a message that are shown."""
LONGEST_ASKED = 60
"""Characters of the query of an address that are shown; the link has all of it."""

UNNAMED = "Message without a subject"
ROW = "Row"
UNKNOWN = "und"
"""The language tag of documents in an unknown language (RFC 5646 section 4.1)."""

_Record = TypeVar("_Record")
_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


class SnippetPart(NamedTuple):
    """A stretch of a snippet, marked or not."""

    text: str
    marked: bool


class HitView(NamedTuple):
    """A hit as the page shows it. `link` is the target of its title, "" for none; `icon` page, file, letter or row.

    `origin` is its federated source, "" for a document of this index. `author` and `sent`, the day, are of a message.
    """

    id: int
    url: str
    title: str
    link: str
    where: tuple[str, ...]
    language: str
    icon: str
    pieces: tuple[SnippetPart, ...]
    meta: tuple[str, ...]
    cached: bool
    duplicates: int
    near: int
    origin: str = ""
    author: str = ""
    sent: str = ""


def shown(hit: Hit, *, spoken: bool = False) -> HitView:
    """Return the view of a hit. Its title links to the document if a browser can open it, else to the kept copy.

    The title of a message links to its page, and that of a document within another one to its kept copy, since a
    browser would open the outer one.

    `spoken`: show its language, since the hits are in several languages.
    """
    web = hit.url.startswith(("http://", "https://")) and not (is_member(hit.url) and hit.cached)
    kept = f"/mail/{hit.id}" if hit.mime == MESSAGE else f"/cached/{hit.id}"
    link = hit.url if web else (kept if hit.cached else "")
    letter = hit.mime == MESSAGE
    return HitView(
        hit.id, hit.url, _title(hit), link, location(hit), hit.language, _icon(hit, web=web), tuple(pieces(hit)),
        meta(hit, spoken=spoken), hit.cached, hit.duplicates, hit.near_duplicates, hit.source if hit.federated else "",
        author_of(hit.attributes)[:LONGEST_AUTHOR] if letter else "", day(hit.modified_at) if letter else "",
    )  # fmt: skip


def _icon(hit: Hit, *, web: bool) -> str:
    if web:
        return "page"
    if hit.mime == MESSAGE:
        return "letter"
    return "row" if _is_row(hit.url) else "file"


def _is_row(url: str) -> bool:
    """Return whether this is the address of a row itself, not of a document in one of its columns."""
    return url.startswith(_ROW) and not is_member(url)


def _title(hit: Hit) -> str:
    """Return its title, and UNNAMED for a message without a subject, whose title is a file name."""
    is_named = hit.mime != MESSAGE or hit.attributes.get("Subject") or hit.title not in unquote(hit.url)
    return hit.title or hit.url if is_named else UNNAMED


def is_canonical(hit: Hit) -> bool:
    """Return whether a document declares itself canonical among its duplicates."""
    return display_directives.CANONICAL in hit.attributes


def location(hit: Hit, *, whole: bool = False) -> tuple[str, ...]:
    """Return where a document is, as people read it: its address step by step, for a message the folder that has it.

    `whole`: with the middle of a long address.
    """
    folder = first_of(hit.attributes.get(MAIL_FOLDER))
    if not folder or not hit.url.startswith(_MAIL) or is_member(hit.url):
        return where(hit.url, hit.source, whole=whole)
    return _cut((hit.source, *(step for step in folder.split("/") if step)), whole=whole)


def where(url: str, source: str = "", *, whole: bool = False) -> tuple[str, ...]:
    """An address as people read it: host and path as steps, the query after the last step; for a file, its path.

    A file on a share is shown as Windows writes it, with the server first. The names of members follow the path of
    their container, those of attachments the folder of their message. An address that begins with the number of a
    source is shown with the name of the `source`. `whole`: with the middle of a long address.
    """
    if is_member(url):
        outer, _, path = url.partition(MEMBER)
        names = [unquote(name) for name in path.replace(INNER, "/").split("/") if name]
        if len(names) > MOST_STEPS and not whole:
            names = ["…", *names[-3:]]
        around = where(outer, source, whole=whole)
        return (*(around[:-1] if url.startswith(_MAIL) else around), *names)
    if url.startswith(_FILE):
        return (_path(url.removeprefix(_FILE), whole=whole),)
    bare, _, asked = (url.partition("//")[2] or url).partition("?")
    steps = [unquote(step) for step in bare.split("/") if step]
    if source and _NUMBERED.match(url):
        steps = [source, *(step for step in steps[1:] if step != "~")]
    steps = list(_cut(steps, whole=whole))
    if asked := unquote(asked.partition("#")[0]):
        said = f"?{asked[:LONGEST_ASKED]}…" if len(asked) > LONGEST_ASKED else f"?{asked}"
        steps = [*steps[:-1], steps[-1] + said] if len(steps) > 1 else [*steps, said]
    return tuple(steps)


def _cut(steps: Sequence[str], *, whole: bool) -> tuple[str, ...]:
    """Return the steps without their middle if they are many."""
    return tuple(steps) if whole or len(steps) <= MOST_STEPS else (steps[0], "…", *steps[-MOST_STEPS + 2 :])


def _path(bare: str, *, whole: bool) -> str:
    """The path of a file as a file manager shows it, without its middle if it is long."""
    server, _, path = bare.partition("/")
    steps = _cut([unquote(step) for step in path.split("/") if step], whole=whole)
    return "\\\\" + "\\".join([server, *steps]) if server else "/" + "/".join(steps)


def pieces(hit: Hit) -> list[SnippetPart]:
    """The snippet, cut at its highlights."""
    found, at = [], 0
    for start, end in hit.highlights:
        found += [SnippetPart(hit.snippet[at:start], marked=False), SnippetPart(hit.snippet[start:end], marked=True)]
        at = end
    found.append(SnippetPart(hit.snippet[at:], marked=False))
    return [piece for piece in found if piece.text]


def meta(hit: Hit, *, spoken: bool = False) -> tuple[str, ...]:
    """Type, size, date and, if `spoken`, language, as far as they are known. A message has its date elsewhere."""
    kind = labels.of_mime(hit.mime) if hit.mime or not hit.federated else ""
    kind = ROW if _is_row(hit.url) else kind
    said = f"in {labels.spoken(hit.language)}" if spoken and hit.language not in ("", UNKNOWN) else ""
    moment = "" if hit.mime == MESSAGE else day(hit.modified_at)
    facts = (f"{kind}, {size(hit.size_bytes)}" if hit.size_bytes else kind, moment, said)
    return tuple(filter(None, facts))


def day(moment: float | None) -> str:
    """A day, like 14 Nov 2026, of epoch seconds; "" when there is none."""
    found = date_of(moment) if moment is not None else None
    return f"{found.day} {found:%b %Y}" if found else ""


def moment(value: object) -> object:
    """A time of a record in the local time of this machine, as a `time` element with its UTC value; "" for None.

    Any other value is returned unchanged.
    """
    if is_moment(value):
        return do_mark_safe(f'<time datetime="{value}">{do_forceescape(str(wall_time(value)))}</time>')
    return "" if value is None else value


def sayable(record: _Record) -> _Record:
    """Return a record with every text encodable as UTF-8: names of files may hold undecodable bytes."""
    if isinstance(record, str):
        return cast("_Record", record.encode(errors="replace").decode())
    if isinstance(record, dict):
        return cast("_Record", {key: sayable(value) for key, value in record.items()})
    if isinstance(record, list | tuple):
        return cast("_Record", [sayable(value) for value in record])
    return record


def size(count: int) -> str:
    """Bytes with a unit."""
    for least, unit in _UNITS:
        if count >= least:
            return f"{count / least:.1f} {unit}" if count < 10 * least else f"{count / least:,.0f} {unit}"
    return f"{count} bytes"


def per_page(given: str) -> int:
    """Return the number of results on a page; values that are not offered become the default."""
    return int(given) if given in map(str, PER_PAGES) else PER_PAGE


def per_parameter(per: int) -> str:
    """Return the number of results on a page as a parameter of an address; "" for the default."""
    return "" if per == PER_PAGE else str(per)


def pages(reach: int, page: int, per: int = PER_PAGE) -> list[int | None]:
    """Numbers of the pages to offer for so many hits, None for a gap; empty when one page holds everything."""
    last = -(-reach // per)
    if last <= 1:
        return []
    near = sorted({1, last, *range(max(1, page - 2), min(last, page + 2) + 1)})
    found: list[int | None] = []
    for number in near:
        if found and found[-1] is not None and number - found[-1] > 1:
            found.append(None)
        found.append(number)
    return found
