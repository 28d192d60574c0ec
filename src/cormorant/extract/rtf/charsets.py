"""Charsets of fonts (RTF 1.9.1, "Font Table"), which determine the characters of the bytes of a text."""

from __future__ import annotations

from typing import Final, NamedTuple

from cormorant.extract.ole.code_pages import DEFAULT_CODEC, code_page_codec
from cormorant.extract.ole.symbol_font import font_symbol

_ANSI: Final = 0
_OF_DOCUMENT: Final = 1
_SIGNS: Final = 2
_CODE_PAGES: Final = {
    77: 10000, 78: 932, 79: 949, 80: 936, 81: 950, 83: 10005, 84: 10004, 85: 10006, 86: 10081, 87: 10021, 88: 10029,
    89: 10007, 128: 932, 129: 949, 130: 1361, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255,
    178: 1256, 179: 1256, 180: 1256, 181: 1255, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850,
}  # fmt: skip
_JOHAB: Final = 1361
_UTF_7: Final = 65000
_SIGN_FONTS: Final = ("symbol", "wingdings", "webdings", "zapf", "monotype sorts", "marlett")
_NAME: Final = 100


class FontCharset(NamedTuple):
    """The charset of a font: a codec, and the name of a font whose letters are signs, "" for most."""

    codec: str = DEFAULT_CODEC
    signs: str = ""

    def decode(self, data: bytes) -> str:
        """Return text in this charset; damaged characters are replaced."""
        if self.signs:
            return "".join(font_symbol(0xF000 | byte, self.signs) if byte >= 0x20 else "" for byte in data)
        return data.decode(self.codec, "replace")

    def character(self, number: int) -> str:
        """Return a character of Unicode; those in F000 to F0FF are numbered as the font likes."""
        if 0xF000 <= number <= 0xF0FF:
            return font_symbol(number, self.signs or _SIGN_FONTS[0])
        return chr(number)


class FontTable:
    """The fonts of a document by number."""

    def __init__(self) -> None:
        """Start without fonts, in the code page of Western Europe."""
        self.code_page = 1252
        """The code page of the document (`ansicpg`)."""
        self._charsets: dict[int, int] = {}
        self._code_pages: dict[int, int] = {}
        self._names: dict[int, str] = {}
        self._found: dict[int, FontCharset] = {}

    def set_charset(self, font: int, charset: int) -> None:
        """Note the charset of a font (`fcharset`)."""
        self._charsets[font] = charset

    def set_code_page(self, font: int, code_page: int) -> None:
        """Note the code page of a font (`cpg`)."""
        self._code_pages[font] = code_page

    def add_name(self, font: int, name: str) -> None:
        """Note the name of a font, or its next piece."""
        self._names[font] = (self._names.get(font, "") + name)[:_NAME]

    def charset(self, font: int) -> FontCharset:
        """Return the charset of a font; that of the document for one that is not in the table."""
        found = self._found.get(font)
        if found is None:
            found = self._found[font] = self._charset(font)
        return found

    def document_charset(self) -> FontCharset:
        """Return the charset of text that has no font."""
        return FontCharset(_codec(self.code_page))

    def complete(self) -> None:
        """Answer from now on for the fonts that are known now."""
        self._found.clear()

    def _charset(self, font: int) -> FontCharset:
        charset = self._charsets.get(font, _OF_DOCUMENT)
        name = self._names.get(font, "").strip().rstrip(";").lower()
        if charset == _SIGNS and name.startswith(_SIGN_FONTS):
            return FontCharset(signs=name)
        page = self._code_pages.get(font, 0) or _CODE_PAGES.get(charset, 0)
        if not page and charset == _ANSI and self._is_precise():
            page = 1252
        return FontCharset(_codec(page)) if page else self.document_charset()

    def _is_precise(self) -> bool:
        """Return whether the charset 0 of a font is meant: some programs write it for every font."""
        own = {charset for charset, page in _CODE_PAGES.items() if page == self.code_page}
        return not own or not own.isdisjoint(self._charsets.values())


def _codec(page: int) -> str:
    if page == _UTF_7:  # by which any text could be smuggled in
        return DEFAULT_CODEC
    return "johab" if page == _JOHAB else code_page_codec(page)
