"""Reader of XHTML: a safe XML parser, whose events are written as equivalent HTML for the HTML reader.

    bytes ──decode──> text ──expat──> events ──HtmlWriter──> HTML ──extract_html──> Extraction
                                 └──no well-formed XML──> the bytes as HTML, with a remark

In XML `<script/>`, `<title/>` or `<a id="x"/>` are empty and end there; an HTML parser takes them for open tags that
swallow the page. Which parser is right is decided by the media type alone: https://html.spec.whatwg.org/#the-xhtml-syntax
"""

from __future__ import annotations

import re
from html import escape
from html.entities import html5
from typing import Final, NamedTuple
from xml.parsers import expat

from msgspec.structs import replace

from cormorant.base.profiling import Steps, unmeasured
from cormorant.extract.detect.charset import PAGE, DecodedText, decoded
from cormorant.extract.html.page import extract_html
from cormorant.model.content import PLAIN, Extraction, Manner

XHTML: Final = "application/xhtml+xml"
MAX_DEPTH: Final = 1_000
"""Elements in each other."""

_NAMESPACE: Final = "http://www.w3.org/1999/xhtml"
_DRAWN: Final = ("http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML")
_ATTRIBUTES: Final = {
    "http://www.w3.org/XML/1998/namespace lang": "lang", "http://www.w3.org/1999/xlink href": "xlink:href",
}  # fmt: skip
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9._-]*")
_ATTRIBUTE: Final = re.compile(r"[^\s\"'<>/=\x00-\x1f\x7f]+")
_VOID: Final = frozenset((
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "link",
    "meta", "param", "source", "track", "wbr",
))  # fmt: skip
_EMPTY: Final = re.compile(
    rb"<(?!(?:%s)[\s/>])([A-Za-z][\w:-]*)((?:\s[^<>]*)?)/>" % "|".join(sorted(_VOID)).encode(), re.IGNORECASE
)
"""An empty element as XML writes it, which an HTML parser would leave open."""
_RAW: Final = frozenset(("script", "style"))
_UNSEEN: Final = frozenset(("iframe", "noembed"))
_TEXT_ALONE: Final = frozenset(("title", "textarea"))
_RENAMED: Final = {"image": "span", "isindex": "span", "noframes": "div", "plaintext": "pre", "xmp": "pre"}
"""Names that an HTML parser reads in a way of its own, and an XML parser does not."""
# A section of characters has no entities; what HTML names and XML does not becomes a character reference.
_ENTITY: Final = re.compile(
    r"<!\[CDATA\[(?:[^\]]|\](?!\]>))*|&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]{1,31};)"
)


class _NotWellFormed(Exception):
    """The document is no XML that is read here; the message ends the sentence "It is not ..."."""


class _HtmlWriter:
    """Writer of an XML document as HTML; elements of other languages keep their words and lose their names."""

    def __init__(self, most: int) -> None:
        self._pieces: list[str] = []
        self._left = most
        self._open: list[str] = []  # the names that are closed again, "" for elements that are not written
        self._raw = self._text_alone = self._unseen = 0

    def html(self) -> str:
        """Return the document as HTML."""
        return "".join(self._pieces)

    def doctype(self, _name: str, system: str | None, public: str | None, _internal: int) -> None:
        """Write the document type, whose address some sources take for a link."""
        named = f' PUBLIC "{public or ""}" "{system}"' if system and '"' not in f"{public}{system}" else ""
        self._write(f"<!DOCTYPE html{named}>")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element."""
        if len(self._open) >= MAX_DEPTH:
            raise _NotWellFormed(f"read as XML with more than {MAX_DEPTH:,} elements in each other")
        tag = "" if self._raw or self._unseen or self._text_alone else _tag(name)
        self._open.append("" if tag in _VOID else tag)
        self._count(tag or "-", 1)
        if tag:
            written = "".join(_attribute(*each) for each in attributes.items())
            self._write(f"<{tag}{written}>")

    def end(self, _name: str) -> None:
        """End an element."""
        tag = self._open.pop()
        self._count(tag or "-", -1)
        if tag:
            self._write(f"</{tag}>")

    def data(self, text: str) -> None:
        """Write characters."""
        if self._raw:
            self._write(text.replace("</", "<\\/").replace("<!--", "<\\!--"))
        elif not self._unseen:
            self._write(escape(text, quote=False))

    def comment(self, text: str) -> None:
        """Write a comment, in which some sources look for addresses."""
        if not (self._raw or self._unseen or self._text_alone):
            self._write(f"<!-- {text} -->")

    def entity(self, *_declaration: object) -> None:
        """Refuse a declaration by which a document could grow without end."""
        raise _NotWellFormed("read as XML, since it declares entities of its own")

    def _count(self, tag: str, step: int) -> None:
        """Note an element within which others are not written; each counts those in it, so that it ends in time."""
        if self._raw or tag in _RAW:
            self._raw += step
        elif self._unseen or tag in _UNSEEN:
            self._unseen += step
        elif self._text_alone or tag in _TEXT_ALONE:
            self._text_alone += step

    def _write(self, piece: str) -> None:
        self._left -= len(piece)
        if self._left < 0:
            raise _NotWellFormed("read as XML, since it grows too much")
        self._pieces.append(piece)


class Markup(NamedTuple):
    """A page for an HTML parser, in the charset `label`; its origin, and a sentence about its faults."""

    body: bytes
    label: str
    read: DecodedText
    fault: str = ""


def extract_xhtml(
    body: bytes, *, address: str, charset: str = "", steps: Steps = unmeasured, manner: Manner = PLAIN
) -> Extraction:
    """Return the extraction of an XHTML page.

    Never raises for the contents of `body`, which is read as HTML if it is no XML.
    """
    with steps("parse"):
        markup = html_of(body, charset, manner.charset)
    said = extract_html(markup.body, address=address, charset=markup.label, steps=steps, manner=manner)
    if body.strip() and (not markup.fault or markup.read.known_from == PAGE):
        said = replace(said, charset=markup.read.charset, charset_from=markup.read.known_from)
    return replace(said, fault=markup.fault) if markup.fault else said


def html_of(body: bytes, charset: str = "", default: str = "") -> Markup:
    """Write an XHTML page as equivalent HTML; a page that is no XML unchanged, except for its empty elements.

    Nothing is fetched: of the document type only the names of characters count, and those are known.
    """
    read = decoded(body, charset, default)
    if not read.text.strip():
        return Markup(body, charset, read)
    try:
        return Markup(_as_html(read.text).encode(errors="replace"), "utf-8", read)
    except _NotWellFormed as fault:
        label = charset if read.known_from != PAGE else read.charset  # a meta may say more than the bytes
        return Markup(_EMPTY.sub(rb"<\1\2></\1>", body), label, read, f"It is not {fault}: it was read as HTML.")


def _as_html(text: str) -> str:
    """Raise _NotWellFormed for a text that is no XML, or more than one may be."""
    text = text.lstrip("\ufeff \t\r\n")
    writer = _HtmlWriter(4 * len(text) + 1_000)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.StartDoctypeDeclHandler = writer.doctype
    parser.StartElementHandler = writer.start
    parser.EndElementHandler = writer.end
    parser.CharacterDataHandler = writer.data
    parser.CommentHandler = writer.comment
    parser.EntityDeclHandler = writer.entity
    try:
        parser.Parse(_ENTITY.sub(_numeric, text), True)
    except expat.ExpatError as error:
        place = f"{expat.ErrorString(error.code)}, line {error.lineno:,}"
        raise _NotWellFormed(f"well-formed XML ({place})") from None
    except ValueError:  # what cannot be encoded
        raise _NotWellFormed("well-formed XML") from None
    return writer.html()


def _numeric(match: re.Match[str]) -> str:
    """Write an entity that HTML names, and XML does not, as a character reference."""
    return "".join(f"&#{ord(character)};" for character in html5.get(match[1] or "", "")) or match[0]


def _tag(name: str) -> str:
    """Return the name of an element in HTML, "span" for one that HTML does not know."""
    namespace, _, local = name.rpartition(" ")
    if not _NAME.fullmatch(local) or (namespace and namespace != _NAMESPACE and namespace not in _DRAWN):
        return "span"
    if namespace in _DRAWN:
        return local
    tag = local.lower()
    return _RENAMED.get(tag, tag)


def _attribute(name: str, value: str) -> str:
    known = _ATTRIBUTES.get(name, name)
    return f' {known}="{escape(value)}"' if _ATTRIBUTE.fullmatch(known) else ""
