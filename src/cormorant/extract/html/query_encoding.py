"""Encoding of a link's query in the charset of its page, as browsers do and servers expect.

    text, charset -> Encoder: bytes of each character, or none -> percent-encoded

The encoders are those of the Encoding Standard: each is the inverse of the parser's decoder, whose tables are the
standard's, with the exceptions that it makes for encoders. Python's codecs of the same names differ in hundreds of
characters. Tables are made when a charset is first met, in at most two tenths of a second, and kept.
Sources: https://encoding.spec.whatwg.org/, https://url.spec.whatwg.org/#query-state
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final

from cormorant.extract.detect.charset import decode_as

_UNICODE: Final = frozenset(("", "utf-8", "utf-16le", "utf-16be", "replacement"))
"""Charsets of documents whose queries are sent in UTF-8: https://encoding.spec.whatwg.org/#get-an-output-encoding."""
_LEADS: Final = {
    "gbk": range(0x81, 0xFF), "gb18030": range(0x81, 0xFF), "euc-kr": range(0x81, 0xFF), "euc-jp": range(0xA1, 0xFF),
    # The first 32 rows are extensions of Hong Kong, which are decoded only.
    "big5": range(0xA1, 0xFF),
    # ED to EF are NEC's selection of IBM's extensions, which FA to FC have too; F0 to F9 are for everybody's own use.
    "shift_jis": (*range(0x81, 0xA0), *range(0xE0, 0xED), *range(0xFA, 0xFD)),
}  # fmt: skip
_TRAILS: Final = range(0x40, 0xFF)
_LAST_WINS: Final = frozenset("\u2550\u255e\u2561\u256a\u5341\u5345")
"""Characters that Big5 has twice and encodes as the second."""
_GB_FIRST: Final = dict(
    zip(
        "\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795\ue796\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854\ue864",
        (
            b"\xa6\xd9", b"\xa6\xda", b"\xa6\xdb", b"\xa6\xdc", b"\xa6\xdd", b"\xa6\xde", b"\xa6\xdf", b"\xa6\xec",
            b"\xa6\xed", b"\xa6\xf3", b"\xfe\x59", b"\xfe\x61", b"\xfe\x66", b"\xfe\x67", b"\xfe\x6d", b"\xfe\x7e",
            b"\xfe\x90", b"\xfe\xa0",
        ),
        strict=True,
    )
)  # fmt: skip
"""Characters for private use that an older edition of GB 18030 encoded so."""
_KATAKANA: Final = range(0xFF61, 0xFFA0)
"""Halfwidth katakana."""
_ASCII, _ROMAN, _JIS = b"\x1b(B", b"\x1b(J", b"\x1b$B"
_IN_ROMAN: Final = {"\xa5": b"\\", "\u203e": b"~"}
_SHIFTS: Final = frozenset("\x0e\x0f\x1b")
_MINUS: Final = {"\u2212": "\uff0d"}
_REMOVED: Final = {9: None, 10: None, 13: None}
"""Tabs and line ends, which every parser of addresses leaves out."""
_UNENCODED: Final = frozenset(bytes(range(0x21, 0x7F))) - frozenset(b"\"#'<>")
"""Bytes of an encoded query that stand for themselves: https://url.spec.whatwg.org/#special-query-percent-encode-set."""
_IN_FORMS: Final = frozenset(b"*-._0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
"""Those of a form: https://url.spec.whatwg.org/#application-x-www-form-urlencoded-percent-encode-set."""


def in_charset(reference: str, charset: str) -> str:
    """Return a reference of a document in this charset (a name of the standard) so that it can be joined as UTF-8 is.

    Its query is percent-encoded; a character that the charset lacks becomes `%26%23`, its number and `%3B`. The rest of
    an address is UTF-8 whatever the document is.
    """
    if charset in _UNICODE or (reference.isascii() and charset != "iso-2022-jp"):
        return reference
    address, hash_mark, part = reference.partition("#")
    path, mark, query = address.partition("?")
    if query.isascii() and not (charset == "iso-2022-jp" and _SHIFTS & {*query}):
        return reference
    kept = query.translate(_REMOVED) if hash_mark else query.rstrip(" \r\n\t\f\0").translate(_REMOVED)
    return f"{path}{mark}{_percent_encoded(_encoded(kept, charset), _UNENCODED)}{hash_mark}{part}"


def form_data(fields: Iterable[tuple[str, str]], charset: str) -> str:
    """Return the fields of a form as its query (https://url.spec.whatwg.org/#urlencoded-serializing)."""
    return "&".join(f"{_field(name, charset)}={_field(value, charset)}" for name, value in fields)


def is_unicode(charset: str) -> bool:
    """Return whether queries of documents in this charset are sent in UTF-8."""
    return charset in _UNICODE


def _field(text: str, charset: str) -> str:
    encoded = [text.encode(errors="replace")] if charset in _UNICODE else _encoded(text, charset)
    return _percent_encoded(encoded, _IN_FORMS).replace("%20", "+")


def _percent_encoded(pieces: Iterable[bytes | int], unencoded: frozenset[int]) -> str:
    """Percent-encode the bytes of a text; a number stands for a character that could not be encoded."""
    return "".join(
        f"%26%23{piece}%3B"
        if isinstance(piece, int)
        else "".join(chr(byte) if byte in unencoded else f"%{byte:02X}" for byte in piece)
        for piece in pieces
    )


def _encoded(text: str, charset: str) -> Iterator[bytes | int]:
    """Yield the bytes of each character, or the number of one that the charset has not."""
    if charset == "iso-2022-jp":
        yield from _shifted(text)
        return
    table = _table(charset)
    four = charset == "gb18030"
    for character in text:
        if character < "\x80":
            yield character.encode()
        elif (found := table.get(character)) is not None:
            yield found
        else:
            yield _four_bytes(character) if four else ord(character)


def _shifted(text: str) -> Iterator[bytes | int]:
    """The same in ISO-2022-JP, which shifts between its parts: https://encoding.spec.whatwg.org/#iso-2022-jp-encoder."""
    table, state = _table("euc-jp"), _ASCII
    for each in text:
        wanted, code = _in_iso_2022_jp(each, state, table)
        if code is None and state == _JIS:
            wanted = _ASCII
        if wanted != state:
            yield wanted
            state = wanted
        yield (0xFFFD if each in _SHIFTS else ord(each)) if code is None else code
    if state != _ASCII:
        yield _ASCII


def _in_iso_2022_jp(each: str, state: bytes, table: Mapping[str, bytes]) -> tuple[bytes, bytes | None]:
    """The part of ISO-2022-JP that a character is written in, and its bytes there, None for none."""
    if each in _SHIFTS:
        return (_ASCII if state == _JIS else state), None
    if each < "\x80":
        return (_ROMAN if state == _ROMAN and each not in "\\~" else _ASCII), each.encode()
    if each in _IN_ROMAN:
        return _ROMAN, _IN_ROMAN[each]
    if ord(each) in _KATAKANA:
        each = {"\uff9e": "\u309b", "\uff9f": "\u309c"}.get(each) or unicodedata.normalize("NFKC", each)
    found = table.get(each)
    return (_JIS, bytes(byte - 0x80 for byte in found)) if found else (state, None)


def _four_bytes(character: str) -> bytes | int:
    """Return the GB 18030 bytes of characters outside of its tables, or the number of the one that it lacks."""
    if character == "\ue5e5":
        return ord(character)
    return b"\x81\x35\xf4\x37" if character == "\ue7c7" else character.encode("gb18030", "replace")


@cache
def _table(charset: str) -> Mapping[str, bytes]:
    """The bytes of every character beyond ASCII that a charset has."""
    if charset not in _LEADS:
        return _inverted(charset, (bytes((byte,)) for byte in range(0x80, 0x100)))
    pairs = (bytes((lead, trail)) for lead in _LEADS[charset] for trail in _TRAILS)
    table = _inverted(charset, pairs)
    if charset in ("gbk", "gb18030"):
        table |= _GB_FIRST | ({"\u20ac": b"\x80"} if charset == "gbk" else {})
    if charset in ("euc-jp", "shift_jis"):
        table |= {new: table[old] for new, old in _MINUS.items()} | _IN_ROMAN
        before = b"\x8e" if charset == "euc-jp" else b""
        table |= {chr(code): before + bytes((code - 0xFF61 + 0xA1,)) for code in _KATAKANA}
    if charset == "shift_jis":
        table["\x80"] = b"\x80"
    return table


def _inverted(charset: str, codes: Iterable[bytes]) -> dict[str, bytes]:
    """Characters by the first bytes that mean them, where the standard does not want the last."""
    table: dict[str, bytes] = {}
    for code in codes:
        text = decode_as(code, charset)
        if len(text) != 1 or text < "\x80" or text == "\ufffd":
            continue
        if text not in table or (charset == "big5" and text in _LAST_WINS):
            table[text] = code
    return table
