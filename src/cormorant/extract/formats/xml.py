"""Text extraction from an XML document.

The parser is expat; nothing is resolved, and no entity is accepted.

A document that declares entities of its own is refused: every XML bomb needs one. A document type that is only named is
skipped; expat opens nothing.
"""

from __future__ import annotations

import re
from html.entities import html5
from typing import Final
from xml.parsers import expat

from cormorant.extract.detect.charset import decoded
from cormorant.extract.errors import Unreadable
from cormorant.extract.sanitize import MAX_TEXT, clean, name_of, one_line
from cormorant.model.content import PLAIN, Extraction, Manner

MAX_DEPTH: Final = 1_000
"""The greatest depth of nested elements."""

_TITLES: Final = frozenset(("title", "headline"))
_NAMED: Final = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]{1,31};)")


class _TooMuch(Exception):
    """Enough text was read, or the elements lie too deep in each other."""


class _Collector:
    """Gathers text between tags; the first title is the document's."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.size = self.depth = 0
        self.title = ""
        self._title: list[str] | None = None

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        """An element begins."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _TooMuch
        self.pieces.append("\n")
        if not self.title and name.rpartition(":")[2].lower() in _TITLES:
            self._title = []

    def end(self, _name: str) -> None:
        """An element ends."""
        self.depth -= 1
        self.pieces.append("\n")
        if self._title is not None:
            self.title = one_line("".join(self._title))
            self._title = None

    def data(self, text: str) -> None:
        """Characters between tags."""
        self.pieces.append(text)
        if self._title is not None:
            self._title.append(text)
        self.size += len(text)
        if self.size > MAX_TEXT:
            raise _TooMuch

    def entity(self, *_declaration: object) -> None:
        """Reject a declaration that no normal document needs."""
        raise Unreadable("it declares XML entities of its own, which could make it larger without end")


def extract_xml(
    body: bytes, *, address: str, charset: str = "", file_name: str = "", manner: Manner = PLAIN
) -> Extraction:
    """Return the text between the tags, a line an element; the title is the first element of that name.

    Raises Unreadable when it declares entities. A document that is not well-formed is read up to the fault and flagged
    truncated.
    """
    text, name, known_from = decoded(body, charset, manner.charset)
    collector = _Collector()
    truncated = _collect(text, collector)
    lines = (line.strip() for line in "".join(collector.pieces).split("\n"))
    return Extraction(
        text=clean("\n".join(line for line in lines if line)),
        title=collector.title or name_of(address, file_name),
        charset=name,
        truncated=truncated,
        charset_from=known_from,
    )


def _collect(text: str, collector: _Collector) -> bool:
    """Parse; return whether the end was not reached."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.StartElementHandler = collector.start
    parser.EndElementHandler = collector.end
    parser.CharacterDataHandler = collector.data
    parser.EntityDeclHandler = collector.entity
    try:
        parser.Parse(_NAMED.sub(_numeric, text.lstrip("\ufeff \t\r\n")), True)
    except expat.ExpatError:
        parser.buffer_text = False  # hands over what it still holds
        return True
    except _TooMuch:
        return True
    return False


def _numeric(match: re.Match[str]) -> str:
    """Write an entity that HTML names, and XML does not, as a character reference."""
    return "".join(f"&#{ord(character)};" for character in html5.get(match[1], "")) or match[0]
