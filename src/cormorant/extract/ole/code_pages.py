"""Code pages of Windows as codecs of Python."""

from __future__ import annotations

import codecs
import sys
from array import array
from typing import Final

DEFAULT_CODEC: Final = "cp1252"
"""Western European, the code page of Windows that most files mean when they name none."""

_CODECS: Final = {
    708: "iso8859_6", 936: "gb18030", 1200: "utf-16-le", 1201: "utf-16-be", 10000: "mac_roman", 10001: "cp932",
    10002: "cp950", 10003: "cp949", 10006: "mac_greek", 10007: "mac_cyrillic", 10008: "gb18030", 10029: "mac_latin2",
    10079: "mac_iceland", 10081: "mac_turkish", 20127: DEFAULT_CODEC, 20866: "koi8_r", 20932: "euc_jp", 20936: "gb2312",
    21866: "koi8_u", 28591: DEFAULT_CODEC, 28592: "iso8859_2", 28593: "iso8859_3", 28594: "iso8859_4",
    28595: "iso8859_5", 28596: "iso8859_6", 28597: "iso8859_7", 28598: "iso8859_8", 28599: "cp1254",
    28603: "iso8859_13", 28605: "iso8859_15", 38598: "iso8859_8", 50220: "iso2022_jp", 50221: "iso2022_jp_ext",
    50222: "iso2022_jp", 50225: "iso2022_kr", 51932: "euc_jp", 51936: "gb2312", 51949: "euc_kr", 52936: "hz",
    32768: "mac_roman", 32769: DEFAULT_CODEC, 54936: "gb18030", 65000: DEFAULT_CODEC, 65001: "utf-8",
}  # fmt: skip


def code_page_codec(code_page: int) -> str:
    """Return the name of the codec for a code page, cp1252 for one that is not known."""
    name = _CODECS.get(code_page & 0xFFFF, f"cp{code_page & 0xFFFF}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return DEFAULT_CODEC


_LANGUAGES: Final = {
    0x01: "cp1256", 0x02: "cp1251", 0x04: "gb18030", 0x05: "cp1250", 0x08: "cp1253", 0x0D: "cp1255", 0x0E: "cp1250",
    0x11: "cp932", 0x12: "cp949", 0x15: "cp1250", 0x18: "cp1250", 0x19: "cp1251", 0x1A: "cp1250", 0x1B: "cp1250",
    0x1C: "cp1250", 0x1E: "cp874", 0x1F: "cp1254", 0x20: "cp1256", 0x22: "cp1251", 0x23: "cp1251", 0x24: "cp1250",
    0x25: "cp1257", 0x26: "cp1257", 0x27: "cp1257", 0x29: "cp1256", 0x2A: "cp1258", 0x2C: "cp1254", 0x2F: "cp1251",
    0x3F: "cp1251", 0x40: "cp1251", 0x44: "cp1251",
}  # fmt: skip
_SERBIAN_CYRILLIC: Final = (0x0C1A, 0x1C1A)
_TRADITIONAL_CHINESE: Final = (0x0404, 0x0C04, 0x1404)


def language_codec(language: int) -> str:
    """Return the codec of the code page that Windows uses for a language (LCID, [MS-LCID])."""
    if language in _SERBIAN_CYRILLIC:
        return "cp1251"
    if language in _TRADITIONAL_CHINESE:
        return "cp950"
    return _LANGUAGES.get(language & 0x3FF, DEFAULT_CODEC)


def decode_text(data: bytes, codec: str) -> str:
    """Return text of bytes that may end with NUL; damaged characters are replaced."""
    if codec.startswith("utf-16"):
        return data[: len(data) & ~1].decode(codec, "replace").partition("\0")[0]
    return data.partition(b"\0")[0].decode(codec, "replace")


def unit_text(data: bytes) -> str:
    """Return UTF-16 as a string with one character for each unit: pairs of surrogates stay apart."""
    data = data[: len(data) & ~1]
    text = data.decode("utf-16-le", "surrogatepass")
    if len(text) * 2 == len(data):
        return text
    units = array("H", data)
    if sys.byteorder == "big":
        units.byteswap()
    return array("I", units).tobytes().decode("utf-32", "surrogatepass")


def joined_units(text: str) -> str:
    """Return the result of `unit_text` with pairs of surrogates joined to characters."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
