"""Answers of search servers: results in a feed, in JSON Feed, or as another Cormorant writes them.

"OpenSearch 1.1 Draft 6", response elements; docs/reference/api.md, `/api/v1/search`. A result without an http or https
address is passed over. Text is returned without markup.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from typing import Final

from lxml import etree

from cormorant.model.content import Value
from cormorant.model.url import join, origin_of, try_canonical
from cormorant.sources.feed.entry import FeedDocument
from cormorant.sources.feed.parser import parse_feed
from cormorant.sources.json_api.record import JsonRecord, parse_json
from cormorant.sources.live import LiveAnswer, LiveHit

MAX_TEXT: Final = 20_000
"""Characters of the text of a result that are looked at."""
MAX_LINE: Final = 300
"""Characters of a title or of a value of an attribute."""
MAX_VALUES: Final = 20
"""Values of one attribute of a result."""
_TOTAL: Final = re.compile(rb"<(?:[A-Za-z][\w.-]{0,40}:)?totalResults\b[^<>]{0,300}>\s*([0-9]{1,12})\s*<")
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]{0,2000}>|<!--.{0,2000}?-->", re.DOTALL)
_MIME: Final = re.compile(r"[a-z0-9.+-]{1,60}/[a-z0-9.+-]{1,80}")
_LANGUAGE: Final = re.compile(r"[a-z]{2,8}(?:-[a-z0-9]{1,8}){0,3}")
_SILENT: Final = ("script", "style", "template", "noscript")


def parse_answer_of_feed(
    body: bytes, address: str, charset: str, most: int, mapping: Mapping[str, str] | None = None
) -> LiveAnswer:
    """Read results in RSS, Atom or JSON Feed. Raises ValueError, with what it is instead, for what is none."""
    page = parse_feed(body, address, charset)
    total = _TOTAL.search(body)
    hits = (_of_entry(each, mapping or {}) for each in page.entries if each.link)
    return LiveAnswer(_most(hits, most), int(total[1]) if total else None)


def parse_answer_in_json(body: bytes, address: str, most: int, mapping: Mapping[str, str] | None = None) -> LiveAnswer:
    """Read results as a Cormorant writes them, or a JSON Feed. Raises ValueError for anything else."""
    value = parse_json(body)
    record = JsonRecord(value)
    if "hits" not in record:
        if "items" in record:
            return parse_answer_of_feed(body, address, "", most, mapping)
        raise ValueError("it is JSON without `hits` or `items`")
    hits = (_of_record(each, address, mapping or {}) for each in record.records("hits"))
    return LiveAnswer(_most(hits, most), max(0, record.number("total")) if "total" in record else None)


def _most(hits: Iterable[LiveHit | None], most: int) -> tuple[LiveHit, ...]:
    """Return the first hits, one for each address."""
    found: dict[str, LiveHit] = {}
    for each in hits:
        if each is not None:
            found.setdefault(each.url, each)
        if len(found) == most:
            break
    return tuple(found.values())


def _of_entry(entry: FeedDocument, mapping: Mapping[str, str]) -> LiveHit | None:
    """Return the hit of an entry of a feed."""
    url = _web(entry.link)
    if not url:
        return None
    theirs: dict[str, object] = {
        "author": list(entry.authors), "creator": list(entry.authors), "category": list(entry.categories),
        "subject": list(entry.categories), "published": entry.published_at, "updated": entry.updated_at,
        "id": entry.key, "feed": entry.feed,
    }  # fmt: skip
    return LiveHit(
        url, title_of(entry.title) or url, text_of(entry.summary or entry.content, is_html=entry.is_html),
        language=entry.language, modified_at=entry.modified_at, attributes=_kept(theirs, mapping),
    )  # fmt: skip


def _of_record(hit: JsonRecord, address: str, mapping: Mapping[str, str]) -> LiveHit | None:
    """Return the hit of a record; of a document that no browser reaches, its copy at that Cormorant."""
    url = _web(hit.text("url"))
    if not url and hit.flag("cached") and hit.number("id") > 0:
        origin = origin_of(address)
        url = next((each for _, each in join(address, (f"/cached/{hit.number('id')}",))), "") if origin.host else ""
    if not url:
        return None
    mime, language = hit.line("mime").lower(), hit.line("language").lower()
    theirs = {name.casefold(): value for name, value in hit.record("attributes").members.items()}
    return LiveHit(
        url, hit.line("title")[:MAX_LINE] or url, hit.text("snippet")[:MAX_TEXT],
        mime if _MIME.fullmatch(mime) else "", language if _LANGUAGE.fullmatch(language) else "",
        max(0, hit.number("size_bytes")), hit.at("modified_at"), _kept(theirs, mapping),
    )  # fmt: skip


def _web(text: str) -> str:
    """Return a canonical http or https address, "" for anything else."""
    found = try_canonical(text) if len(text) < 4_000 else None
    return found if found is not None and found.startswith(("https://", "http://")) else ""


def _kept(theirs: Mapping[str, object], mapping: Mapping[str, str]) -> dict[str, Value]:
    """Return the attributes that are mapped and have a value."""
    found: dict[str, Value] = {}
    for name, their in mapping.items():
        value = theirs.get(their)
        if isinstance(value, list):
            lines = [line for each in value[:MAX_VALUES] if isinstance(each, str) and (line := title_of(each))]
            if lines:
                found[name] = lines
        elif isinstance(value, str) and (line := title_of(value)):
            found[name] = line
        elif isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e18:
            found[name] = value
    return found


def title_of(text: str) -> str:
    """Return a line of text of a title, which may be markup."""
    bare = html.unescape(_TAG.sub("", text[: 8 * MAX_LINE])) if "<" in text or "&" in text else text
    return " ".join(bare[: 4 * MAX_LINE].split())[:MAX_LINE]


def text_of(text: str, *, is_html: bool = True) -> str:
    """Return the text of a piece of HTML, without scripts and styles."""
    piece = text[:MAX_TEXT]
    if not is_html or not ("<" in piece or "&" in piece):
        return piece
    root = etree.HTML(f"<div>{piece}</div>", etree.HTMLParser(remove_comments=True, remove_pis=True, no_network=True))
    if root is None:
        return ""
    etree.strip_elements(root, *_SILENT, with_tail=False)
    return " ".join(each for each in root.itertext() if each.strip())
