"""Characters of symbol fonts, which Word keeps as numbers from F020 to F0FF (ECMA-376-1 17.3.3.30)."""

from __future__ import annotations

import re
from typing import Final

from cormorant.extract.document.xml_tree import Element, attribute
from cormorant.extract.ole.symbol_font import font_symbol
from cormorant.extract.ooxml.namespaces import first_child, name_of_element

_PRIVATE: Final = re.compile("[\uf020-\uf0ff]")
_OF_MICROSOFT: Final = range(0xF000, 0xF100)
# Bullets, suits of cards, pieces of large brackets.
_NO_TEXT: Final = frozenset("♣♦♥♠•⏐⎯↵◊⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭ ")


def symbol_text(font: str, code: int) -> str:
    """Return the character of a font as Unicode; "" for pictures, and for fonts with unknown characters."""
    name = font.strip().lower()
    name = "symbol" if name.startswith("symbol") else name
    if not 0x20 <= code < 0xD800 and (code not in _OF_MICROSOFT or name != "symbol"):
        return ""
    character = font_symbol(code, name)
    return "" if character in _NO_TEXT else character


def with_symbols(text: str, run: Element | None) -> str:
    """Return text with the symbols in it as Unicode; `run` is the run that it stands in, whose font decides."""
    if text.isascii() or not _PRIVATE.search(text):
        return text
    font = _font(run)
    return _PRIVATE.sub(lambda match: symbol_text(font, ord(match[0])) or " ", text)


def _font(run: Element | None) -> str:
    """Return the font of a run in text (`w:rPr`) or of one in a drawing (`a:rPr`)."""
    for properties in run if run is not None else ():
        if name_of_element(properties) not in ("w:rPr", "a:rPr"):
            continue
        fonts = first_child(properties, "w:rFonts")
        if fonts is not None:
            return attribute(fonts, "ascii") or attribute(fonts, "hAnsi")
        named = (first_child(properties, name) for name in ("a:sym", "a:latin"))
        return next((attribute(each, "typeface") for each in named if each is not None), "")
    return ""
