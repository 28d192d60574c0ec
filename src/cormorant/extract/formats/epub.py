"""Reader of EPUB books (EPUB 3.3 and OPF 2.0.1): their chapters in reading order, by the reader of web pages.

container.xml ──> package document ──> spine ──> chapters ──extract_html──> text, links out of the book
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from cormorant.extract.document.alt_text import human_text
from cormorant.extract.document.xml_tree import Element, attribute, local_name, parse_part
from cormorant.extract.document.zip_package import ZipPackage, resolve
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.html.head import MAX_KEYWORDS, language_tag
from cormorant.extract.html.links import MAX_LINKS
from cormorant.extract.html.page import extract_html
from cormorant.extract.html.xhtml import extract_xhtml
from cormorant.extract.job import ExtractionTask
from cormorant.extract.sanitize import MAX_TEXT, MAX_VALUE, clean, one_line, title_or_name
from cormorant.model.content import Extraction, PageLink, Value

MAX_CHAPTERS: Final = 20_000

_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
_WITHIN: Final = "https://book.invalid/"
"""The base address of chapters: links below it lead to parts of the book."""
_HTML: Final = frozenset(("text/html", "text/x-oeb1-document"))
_XHTML: Final = frozenset(("application/xhtml+xml", "application/x-dtbook+xml", "image/svg+xml"))
_ENDINGS: Final = (".xhtml", ".html", ".htm", ".xml", ".svg")
_NCX: Final = "application/x-dtbncx+xml"
_NOTE_MARK: Final = re.compile(rb"(?=<a\s[^<>]*noteref)")
_PICTURE: Final = re.compile(rb"<img\s[^<>]*>")
_ALTERNATIVE: Final = re.compile(rb"""\salt\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_OF_FONTS: Final = frozenset(("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"))
"""Algorithms that hide fonts, and nothing else (EPUB 3.3 4.4)."""


class _Item(NamedTuple):
    name: str
    mime: str
    is_navigation: bool


class _Book(NamedTuple):
    metadata: Element | None
    chapters: list[_Item]
    damaged: bool
    contents: str = ""  # the name of the part that lists its contents


class _Reading:
    """Text, links and faults of a book while it is read."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.links: dict[str, PageLink] = {}
        self.language = ""
        self.size = self.seen = self.missing = self.encrypted = 0
        self.cut = False

    def lines(self) -> set[str]:
        """Return its lines, with one space between words."""
        return {" ".join(line.split()) for text in self.texts for line in text.split("\n")}

    def add(self, said: Extraction) -> None:
        """Add a chapter."""
        self.texts.append(said.text)
        self.size += len(said.text)
        self.cut |= said.truncated
        self.language = self.language or said.language
        self.seen += said.links_seen
        for link in said.links:
            if not link.address.startswith(_WITHIN) and len(self.links) < MAX_LINKS:
                self.links.setdefault(link.address, link)


def extract_epub(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the text of a book.

    Raises Protected for one with rights management, and Unreadable when no chapter can be read.
    """
    package = ZipPackage(body)
    book = _book(package)
    reading = _Reading()
    _read_chapters(package, book.chapters, reading)
    _add_contents(package, book.contents, reading)
    if not reading.texts:
        if reading.encrypted:
            raise Protected
        raise Unreadable("it has no chapter that can be read")
    attributes = _attributes(book.metadata)
    fault = _fault(reading, len(book.chapters), damaged=book.damaged)
    return Extraction(
        text=clean("\n\n".join(reading.texts)),
        title=title_or_name(next(iter(_texts(book.metadata, "title")), ""), task.address, task.file_name),
        links=tuple(reading.links.values()),
        language=language_tag(next(iter(_texts(book.metadata, "language")), "")) or reading.language,
        attributes=attributes,
        links_seen=reading.seen,
        truncated=reading.cut or bool(fault) or reading.size > MAX_TEXT,
        fault=fault,
    )


def _book(package: ZipPackage) -> _Book:
    """Read the package document; a book without one has all its pages for chapters, in the order of their names."""
    for name in _package_documents(package):
        data = package.read(name)
        root, whole = parse_part(data) if data else (None, False)
        if root is not None and (chapters := _chapters(root, name)):
            return _Book(_child(root, "metadata"), chapters, not whole, _contents(root, name))
    pages = sorted(name for name in package.names if name.lower().endswith(_ENDINGS[:3]))
    return _Book(None, [_Item(name, "", False) for name in pages], damaged=True)


def _package_documents(package: ZipPackage) -> list[str]:
    """Return the names of package documents: those of the container, then any other."""
    data = package.read(_CONTAINER)
    root, _ = parse_part(data) if data else (None, False)
    named = [] if root is None else [attribute(each, "full-path") for each in root.iter("{*}rootfile")]
    found = [name for name in package.names if name.lower().endswith(".opf")]
    return list(dict.fromkeys(name for name in (*named, *found) if name in package))


def _chapters(root: Element, base: str) -> list[_Item]:
    """Return the chapters in the order of the spine, else in that of the manifest."""
    items: dict[str, _Item] = {}
    for each in root.iter("{*}item"):
        name = resolve(base, unquote(attribute(each, "href").partition("#")[0]))
        is_navigation = "nav" in attribute(each, "properties").split()
        items.setdefault(attribute(each, "id"), _Item(name, attribute(each, "media-type"), is_navigation))
    listed = [items.get(attribute(each, "idref")) for each in root.iter("{*}itemref")]
    chapters = [item for item in listed if item is not None] or list(items.values())
    return [item for item in dict.fromkeys(chapters) if _is_page(item)][:MAX_CHAPTERS]


def _contents(root: Element, base: str) -> str:
    """Return the name of the navigation document, else of the table of contents of older books, "" for none."""
    found = {attribute(each, "properties") or attribute(each, "media-type"): each for each in root.iter("{*}item")}
    item = next((found[key] for key in found if "nav" in key.split()), found.get(_NCX))
    return "" if item is None else resolve(base, unquote(attribute(item, "href")))


def _is_page(item: _Item) -> bool:
    return item.mime in _HTML or item.mime in _XHTML or (not item.mime and item.name.lower().endswith(_ENDINGS))


def _read_chapters(package: ZipPackage, chapters: list[_Item], reading: _Reading) -> None:
    encrypted = _encrypted(package)
    navigation: list[tuple[int, Extraction]] = []
    for item in chapters:
        if reading.size > MAX_TEXT:
            break
        try:
            said = _chapter(package, item, reading, encrypted)
        except Unreadable:  # too much is packed in it: further parts would be unpacked in vain
            reading.cut = True
            break
        if said is None:
            continue
        if item.is_navigation:
            navigation.append((len(reading.texts), said))
        else:
            reading.add(said)
    lines = reading.lines()
    for place, said in reversed(navigation):
        titles = [link.text for link in said.links if link.address.startswith(_WITHIN) and link.text]
        if not reading.texts or not titles or not lines.issuperset(titles):
            reading.texts.insert(place, said.text)


def _chapter(package: ZipPackage, item: _Item, reading: _Reading, encrypted: frozenset[str]) -> Extraction | None:
    """Return the extraction of a chapter, None for an unreadable one, which is counted."""
    try:
        data = None if item.name.lower() in encrypted else package.read(item.name)
    except Protected:
        reading.encrypted += 1
        return None
    if data is None:
        reading.encrypted += item.name.lower() in encrypted
        reading.missing += item.name.lower() not in encrypted
        return None
    read = extract_html if item.mime in _HTML else extract_xhtml
    return read(_with_alternatives(data), address=_WITHIN + quote(item.name))


def _with_alternatives(data: bytes) -> bytes:
    """Return a page with the alternative text of its pictures as text, and its marks of notes set apart from words."""
    if b"noteref" in data:
        data = _NOTE_MARK.sub(b" ", data)
    return _PICTURE.sub(_with_alternative, data) if b"<img" in data else data


def _with_alternative(picture: re.Match[bytes]) -> bytes:
    found = _ALTERNATIVE.search(picture[0])
    text = (found[1] or found[2] or b"") if found else b""
    return b"%b %b " % (picture[0], text) if human_text(unescape(text.decode(errors="replace"))) else picture[0]


def _add_contents(package: ZipPackage, name: str, reading: _Reading) -> None:
    """Add the entries of the table of contents that are no line of the text: titles that are pictures in it."""
    if not name or not reading.texts or reading.cut or reading.size > MAX_TEXT:
        return
    try:
        data = package.read(name)
        root, _ = parse_part(data) if data else (None, False)
    except (Protected, Unreadable):
        return
    if root is None:
        return
    listed = [each for each in root.iter("{*}nav") if "toc" in attribute(each, "type").split()]
    entries = (each for part in listed or [root] for each in part.iter("{*}a", "{*}navLabel"))
    titles = dict.fromkeys(" ".join("".join(each.itertext()).split()) for each in entries)
    lines = reading.lines()
    reading.texts.append("\n".join(title for title in titles if title not in lines))


def _encrypted(package: ZipPackage) -> frozenset[str]:
    """Return the names, in small letters, of parts that only a bookseller's program can read."""
    data = package.read(_ENCRYPTION)
    root, _ = parse_part(data) if data else (None, False)
    names = set[str]()
    for each in () if root is None else root.iter("{*}EncryptedData"):
        method = next(each.iter("{*}EncryptionMethod"), None)
        if method is None or attribute(method, "Algorithm") not in _OF_FONTS:
            names |= {unquote(attribute(place, "URI")).lstrip("/").lower() for place in each.iter("{*}CipherReference")}
    return frozenset(names)


def _fault(reading: _Reading, count: int, *, damaged: bool) -> str:
    if reading.encrypted:
        return f"{reading.encrypted:,} of its {count:,} chapters are encrypted."
    if reading.missing:
        return f"{reading.missing:,} of its {count:,} chapters are missing."
    return "Its list of chapters is damaged." if damaged else ""


def _child(element: Element, name: str) -> Element | None:
    return next((each for each in element if local_name(each) == name), None)


def _texts(metadata: Element | None, name: str) -> list[str]:
    """Return the texts of all elements of a name, which may lie in a `dc-metadata` (OEBPS 1.2)."""
    found = () if metadata is None else metadata.iter(f"{{*}}{name}")
    texts = ("".join(each.itertext()).strip() for each in found)
    return [text for text in texts if text]


def _attributes(metadata: Element | None) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for name, attribute_name in (("creator", "Author"), ("subject", "Subject"), ("publisher", "Publisher")):
        values = _several(_texts(metadata, name))
        if values:
            found[attribute_name] = values[0] if len(values) == 1 else values
    description = " ".join(_texts(metadata, "description"))[: MAX_VALUE * 4]
    if "<" in description:
        description = extract_html(description.encode(errors="replace"), address=_WITHIN, charset="utf-8").text
    description = one_line(description, MAX_VALUE)
    if description:
        found["Description"] = description
    return found


def _several(values: Iterable[str]) -> tuple[str, ...]:
    lines = (one_line(value) for value in values)
    return tuple(dict.fromkeys(line for line in lines if line))[:MAX_KEYWORDS]
