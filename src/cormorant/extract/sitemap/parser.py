"""Parser of sitemaps and feeds, which returns the URLs that they name.

Bytes in, entries out.

    bytes -> gunzip -> text -> tags -> fields of an element -> FeedEntry

Sitemaps and sitemap indexes (https://www.sitemaps.org/protocol.html), RSS 2.0 and 1.0, Atom (RFC 4287), JSON Feed, and
lists of addresses. Many are broken, so tags are looked for and no tree is built: what stands before, between and behind
a fault is used. There is no document type and no entity here but those that HTML names, so nothing can be made to grow.
The other languages of a page are an extension of Google's:
https://developers.google.com/search/docs/specialty/international/localized-versions
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html.entities import html5
from typing import Final

from cormorant.extract.detect.charset import decoded
from cormorant.extract.errors import Unreadable
from cormorant.extract.formats.gzip import gunzipped
from cormorant.extract.html.links import SCHEMES
from cormorant.extract.sitemap.fields import FREQUENCIES, moment, weight
from cormorant.model.content import FeedEntry, Sitemap
from cormorant.model.url import MAX_ADDRESS, join

MAX_ENTRIES: Final = 50_000
"""Entries of one file, as the protocol has it."""
MAX_ITEMS: Final = 10_000
"""The most items of one feed."""
MAX_TAGS: Final = 1_500_000
"""Tags that are looked at; reading them takes less than two seconds."""

_TAG: Final = re.compile(r"<(?:!--|!\[CDATA\[|(/?)([A-Za-z_][\w.-]{0,60}+(?::[\w.-]{1,60}+)?+)([^<>]*+)>|[!?])")
_ENTITY: Final = re.compile(r"&(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});")
_DECLARED: Final = re.compile(r"<!ENTITY\s{1,20}(?:%\s{1,20})?([\w.-]{1,60})")
_ATTRIBUTE: Final = re.compile(r"""(?<![\w:.-])([\w:.-]{1,60}+)\s{0,20}+=\s{0,20}+(?:"([^"]*)"|'([^']*)')""")
_MOST_TEXT: Final = 4 * MAX_ADDRESS
_MOST_PIECES: Final = 16
"""Characters of a field between two tags, and how often tags or sections may part it."""
_MOST_NAMES: Final = 1_000
"""Names of elements, and of entities, that are remembered."""
_HAS_SCHEME: Final = ("http://", "https://")

_FORMS: Final = {"urlset": "sitemap", "sitemapindex": "sitemap", "rss": "feed", "rdf": "feed", "feed": "feed"}
_ELEMENTS: Final = {"sitemap": ("url", "sitemap"), "feed": ("item", "entry")}
_FIELDS: Final = {
    "sitemap": {"loc": "loc", "lastmod": "date", "changefreq": "every", "priority": "weight"},
    "feed": {"link": "loc", "guid": "guid", "id": "", "pubdate": "date", "updated": "date", "published": "older",
             "modified": "date", "date": "date", "enclosure": "enclosure"},
}  # fmt: skip
_OF_OTHERS: Final = frozenset(("image", "video", "news", "source"))
"""Elements within an entry that have a `loc` or `link` of their own, which is no page."""
_PICTURED: Final = frozenset(("dc:date", "dc:modified"))


def read_sitemap(body: bytes, *, address: str, charset: str = "") -> Sitemap:
    """Return what a sitemap or feed at `address` (canonical) names, each address once, in its order.

    Raises Unreadable when it is none, or grows too much when decompressed. A document that is not well-formed is used
    in part.
    """
    body, cut = gunzipped(body)
    text = decoded(body, charset)[0].lstrip("\ufeff \t\r\n\f\0")
    if text.startswith("<"):
        return _Tags(address).read(text, cut=cut)
    if text.startswith("{"):
        return _json_feed(text, address, cut=cut)
    return _lines(text, address, cut=cut)


def _lines(text: str, base: str, *, cut: bool) -> Sitemap:
    """A list of addresses, one a line."""
    made = _Entries(base, MAX_ENTRIES)
    for line in text.splitlines():
        bare = line.strip()
        if bare.startswith("www."):
            bare = f"http://{bare}"
        if bare.startswith(_HAS_SCHEME):
            made.add({"loc": bare}, is_map=False)
        elif bare:
            made.unusable += 1
        if made.over:
            break
    if text.strip() and not made.found and made.unusable:
        raise Unreadable("it is no sitemap: it begins with no tag and has no line that is an address")
    return made.done("text", truncated=cut or made.over)


def _json_feed(text: str, base: str, *, cut: bool) -> Sitemap:
    """A JSON Feed (https://www.jsonfeed.org/version/1.1/). One that is not whole is none."""
    try:
        feed = json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable("it is no sitemap: it begins like JSON and is not whole, or damaged") from None
    items = feed.get("items") if isinstance(feed, dict) else None
    if not isinstance(items, list):
        raise Unreadable("it is no sitemap: it is JSON, but no feed")
    made = _Entries(base, MAX_ITEMS)
    for item in items:
        said = {name: value for name, value in item.items() if isinstance(value, str)} if isinstance(item, dict) else {}
        loc = said.get("url") or said.get("external_url") or ""
        date = said.get("date_modified") or said.get("date_published") or ""
        made.add({"loc": loc, "guid": said.get("id", ""), "date": date}, is_map=False)
        if made.over:
            break
    return made.done("json", truncated=cut or made.over)


class _Entries:
    """Entries as they are found, by their address; `unusable` counts those without one that could be visited."""

    def __init__(self, base: str, most: int) -> None:
        self.found: dict[str, FeedEntry] = {}
        self.unusable = 0
        self.most = most
        self.over = False
        self.declared: set[str] = set()
        self._base = base
        self._alternates: dict[str, None] = {}

    def add(self, fields: dict[str, str], *, is_map: bool) -> None:
        """Add an entry, of the texts of its elements, if there is room; else there are too many (`over`)."""
        self.over = len(self.found) + self.unusable >= self.most
        if self.over:
            return
        guid = fields.get("guid", "")
        raw = fields.get("loc") or fields.get("about") or (guid if guid.startswith(_HAS_SCHEME) else "")
        raw = raw or fields.get("enclosure", "")
        bases = [fields[name] for name in ("base", "link base") if name in fields]
        address = "" if len(raw) > 2 * MAX_ADDRESS or self._is_declared(raw) else self._joined(raw, bases)
        if not address.startswith(SCHEMES):
            self.unusable += 1
            return
        since, until = moment(fields.get("date") or fields.get("older") or "")
        every = FREQUENCIES.get(fields.get("every", "").strip().lower(), 0)
        self.found.setdefault(
            address, FeedEntry(address, is_map, since, until, every, weight(fields.get("weight", "")))
        )

    def add_alternate(self, attributes: dict[str, str]) -> None:
        """Note the page in another language that a link within an entry names, if it is such a link."""
        said = {name.lower(): value for name, value in attributes.items()}
        raw = said.get("href", "")
        if not (raw and said.get("hreflang") and "alternate" in said.get("rel", "").lower().split()):
            return
        if len(self._alternates) <= 2 * MAX_ENTRIES and len(raw) <= 2 * MAX_ADDRESS and not self._is_declared(raw):
            self._alternates[raw] = None

    def rebase(self, raw: str) -> None:
        """Take relative addresses from here on for relative to this one."""
        self._base = self._joined(raw) or self._base

    def _joined(self, raw: str, bases: Sequence[str] = ()) -> str:
        """The address of a reference, from the outer to the inner base (https://www.w3.org/TR/xmlbase/), or ""."""
        address = self._base
        for each in (*(base for base in bases if base), raw):
            address = next((absolute for _, absolute in join(address, ("".join(each.split()),))), "")
            if not address:
                return ""
        return address

    def _is_declared(self, raw: str) -> bool:
        """Return whether a URL uses an entity that the document declares, and so means another URL."""
        return bool(self.declared) and any(name in self.declared for name in _ENTITY.findall(raw))

    def done(self, form: str, *, truncated: bool) -> Sitemap:
        """All of them; behind the entries the pages in other languages that are no entries, while there is room."""
        for raw in self._alternates:
            address = self._joined(raw)
            if not address.startswith(SCHEMES) or address in self.found:
                continue
            if len(self.found) >= self.most:
                truncated = True
                break
            self.found[address] = FeedEntry(address)
        return Sitemap(form, tuple(self.found.values()), self.unusable, truncated)


class _Tags:
    """Looks at one tag after the other. `_name` is the field whose text is being gathered, "" when none is."""

    def __init__(self, address: str) -> None:
        self._made = _Entries(address, MAX_ENTRIES)
        self._form = self._root = self._prefix = self._name = self._others = ""
        self._element = ""
        self._fields: dict[str, str] = {}
        self._pieces: list[str] = []
        self._meanings: dict[str, tuple[str, str]] = {}
        self._ended = self._aside = False

    def read(self, text: str, *, cut: bool) -> Sitemap:
        """Read all of it, or up to a limit."""
        place, tags, find = 0, 0, _TAG.search
        while (match := find(text, place)) and not self._ended and tags < MAX_TAGS:
            tags += 1
            if self._name and match.start() > place:
                self._gather(text, place, match.start())
            place = match.end()
            if match[2]:
                self._tag(match[2], match[3], closes=bool(match[1]))
                continue
            place = self._passed(text, match)
        if not self._form:
            raise Unreadable("it is no sitemap: none of its elements is one of a sitemap or a feed")
        self._tail(text[place:])
        return self._made.done(self._root, truncated=cut or not self._ended or self._made.over)

    def _gather(self, text: str, start: int, end: int, *, raw: bool = False) -> None:
        """Take a piece of a field. One that is too long, or torn into too many, is none at all."""
        if end - start > _MOST_TEXT or len(self._pieces) > _MOST_PIECES:
            self._pieces = [""] * (_MOST_PIECES + 1)
        else:
            self._pieces.append(text[start:end] if raw else _unescaped(text[start:end]))

    def _passed(self, text: str, match: re.Match[str]) -> int:
        """Pass over a comment, a declaration or an instruction, and take what a CDATA section says; returns its end."""
        start = match.end()
        opened = match[0]
        if opened == "<![CDATA[":
            end = text.find("]]>", start)
            if self._name:
                self._gather(text, start, end if end >= 0 else len(text), raw=True)
            return end + 3 if end >= 0 else len(text)
        close = "-->" if opened == "<!--" else ">"
        end = text.find(close, start)
        end = end + len(close) if end >= 0 else len(text)
        if opened == "<!" and len(self._made.declared) < _MOST_NAMES:
            self._made.declared.update(_DECLARED.findall(text, match.start(), end))
        return end

    def _tag(self, raw: str, attributes: str, *, closes: bool) -> None:
        """One tag."""
        sort, name = self._meanings.get(raw) or self._meaning(raw)
        if self._others:
            self._others = "" if closes and raw == self._others else self._others
        elif sort == "others" and self._element and not closes:
            self._others = "" if attributes.endswith("/") else raw
        elif sort == "root":
            self._ended = closes
            if "xml:base" in attributes:
                self._made.rebase(_attributes(attributes).get("xml:base", ""))
        elif sort == "element":
            self._element_tag(name, attributes, closes=closes)
        elif sort == "field":
            self._field_tag(name, attributes, closes=closes)
        elif sort == "alternate" and self._element == "url" and not closes:
            self._made.add_alternate(_attributes(attributes))

    def _meaning(self, raw: str) -> tuple[str, str]:
        """Say what a tag of this name is: root, element, field or alternate of an entry, of others, or nothing."""
        prefix, _, local = raw.rpartition(":")
        local = local.lower()
        if not self._form:
            if local == "html":
                raise Unreadable("it is no sitemap: it is a page")
            self._form = _FORMS.get(local, "")
            if not self._form:
                return "", ""
            self._root, self._prefix = local, prefix
            self._made.most = MAX_ITEMS if self._form == "feed" else MAX_ENTRIES
            return self._known(raw, ("root", local))
        if local == "link" and self._form == "sitemap":
            return self._known(raw, ("alternate", ""))
        if prefix not in ("", self._prefix) and raw.lower() not in _PICTURED:
            return self._known(raw, ("", ""))
        if local == self._root:
            return self._known(raw, ("root", local))
        if local in _OF_OTHERS:
            return self._known(raw, ("others", local))
        if local in _ELEMENTS[self._form]:
            return self._known(raw, ("element", local))
        field = _FIELDS[self._form].get(local, "")
        return self._known(raw, ("field", field) if field else ("", ""))

    def _known(self, raw: str, meaning: tuple[str, str]) -> tuple[str, str]:
        if len(self._meanings) < _MOST_NAMES:
            self._meanings[raw] = meaning
        return meaning

    def _element_tag(self, name: str, attributes: str, *, closes: bool) -> None:
        """An entry begins or ends; one that was not closed ends where the next begins."""
        if not closes and self._name and not self._aside and not "".join(self._pieces).strip():
            return  # <loc><url>..., as some write it
        self._finish_field()
        if self._element:
            self._finish()
        if closes:
            return
        self._element, self._fields = name, {}
        if self._form == "sitemap":
            self._name, self._pieces, self._aside = "loc", [], True  # some write no loc
        elif "about" in attributes or "xml:base" in attributes:
            said = _attributes(attributes)
            self._fields = {"about": said.get("rdf:about", ""), "base": said.get("xml:base", "")}

    def _field_tag(self, name: str, attributes: str, *, closes: bool) -> None:
        """A field begins or ends. A second address begins another entry."""
        if closes or not self._aside:
            self._finish_field()
        self._name = ""
        if closes:
            return
        self._aside = False
        if not self._element:
            if self._form == "feed" or name != "loc":
                return
            self._element = "sitemap" if self._root == "sitemapindex" else "url"
        if name == "enclosure" or (name == "loc" and self._root == "feed"):
            self._link(name, _attributes(attributes))
            return
        if name == "loc" and self._fields.get("loc"):
            element = self._element
            self._finish()
            self._element = element
        if not attributes.endswith("/"):
            self._name, self._pieces = name, []

    def _link(self, name: str, said: dict[str, str]) -> None:
        """Read a link in attributes. An enclosure counts for an item without a page."""
        rel = said.get("rel", "alternate") if name == "loc" else name
        if rel == "alternate" and not self._fields.get("loc"):
            self._fields |= {"loc": said.get("href", ""), "link base": said.get("xml:base", "")}
        elif rel == "enclosure":
            self._fields.setdefault("enclosure", said.get("url") or said.get("href", ""))

    def _finish_field(self) -> None:
        """Keep the text of a field; an address that stands beside the fields only when it is one."""
        if self._name:
            torn = len(self._pieces) > _MOST_PIECES
            text = "" if torn else "".join(self._pieces).strip()
            if torn and not self._aside:
                self._fields.setdefault(self._name, "")
            elif text and (not self._aside or text.startswith(_HAS_SCHEME)):
                self._fields.setdefault(self._name, text)
        self._name, self._aside = "", False

    def _finish(self) -> None:
        """Keep an entry."""
        if self._fields or self._form == "feed":
            self._made.add(self._fields, is_map=self._element == "sitemap")
        self._element, self._fields = "", {}
        self._ended = self._ended or self._made.over

    def _tail(self, rest: str) -> None:
        """Process what the end of the text left open; a URL that may be cut off is dropped."""
        end = rest.find("<")
        if self._name and end >= 0:
            self._gather(rest, 0, end)
            self._finish_field()
        if self._element and self._fields and not self._made.over:
            self._finish()


def _attributes(text: str) -> dict[str, str]:
    return {match[1]: _unescaped(match[2] or match[3] or "") for match in _ATTRIBUTE.finditer(text[:_MOST_TEXT])}


def _unescaped(text: str) -> str:
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    """Return the character of a reference; one that only the document itself defines stays as it is."""
    name = match[1]
    if name[0] != "#":
        return html5.get(f"{name};", match[0])
    number = int(name[2:] if name[1] in "xX" else name[1:], 16 if name[1] in "xX" else 10)
    return chr(number) if 0 < number < 0xD800 or 0xDFFF < number < 0x110000 else match[0]
