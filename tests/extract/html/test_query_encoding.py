"""The encoders of the Encoding Standard, as queries and forms use them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, strategies as st

from cormorant.extract.detect.charset import decode_as
from cormorant.extract.html.links import absolute
from cormorant.extract.html.query_encoding import form_data, in_charset
from tests.suites.record import record

CHARSETS = (
    "big5", "euc-jp", "euc-kr", "gb18030", "gbk", "ibm866", "iso-8859-2", "iso-8859-3", "iso-8859-4",
    "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8", "iso-8859-8-i", "iso-8859-10", "iso-8859-13",
    "iso-8859-14", "iso-8859-15", "iso-8859-16", "koi8-r", "koi8-u", "macintosh", "shift_jis", "windows-874",
    "windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255", "windows-1256",
    "windows-1257", "windows-1258", "x-mac-cyrillic", "x-user-defined",
)  # fmt: skip
PRIVATE = (
    0xE78D,
    0xE78E,
    0xE78F,
    *range(0xE790, 0xE797),
    0xE81E,
    0xE826,
    0xE82B,
    0xE82C,
    0xE832,
    0xE843,
    0xE854,
    0xE864,
)
ONE_WAY = {
    "euc-jp": "\xa5\u203e\u2212", "shift_jis": "\xa5\u203e\u2212", "gbk": "".join(map(chr, PRIVATE)),
    "gb18030": "".join(map(chr, PRIVATE)),
}  # fmt: skip
"""Characters that the standard encodes as another one, or as it decodes to another one."""


def query(text: str, charset: str) -> str:
    return in_charset(f"a?{text}", charset).removeprefix("a?")


def octets(encoded: str) -> bytes:
    out, at = bytearray(), 0
    while at < len(encoded):
        escape = encoded[at] == "%"
        out.append(int(encoded[at + 1 : at + 3], 16) if escape else ord(encoded[at]))
        at += 3 if escape else 1
    return bytes(out)


@pytest.mark.parametrize("charset", CHARSETS)
def test_an_encoder_is_the_inverse_of_its_decoder(charset: str) -> None:
    codes = [*range(0x80, 0xD800), *range(0xE000, 0xFFFD), *range(0x10000, 0x2FA20, 251)]
    lacking = 0
    for character in map(chr, codes[:: 1 if charset in ("gb18030", "shift_jis", "big5") else 7]):
        encoded = query(character, charset)
        if encoded.startswith("%26%23"):
            assert encoded == f"%26%23{ord(character)}%3B"
            lacking += 1
        elif character not in ONE_WAY.get(charset, ""):
            assert decode_as(octets(encoded), charset) == character
    assert (lacking == 1) == (charset == "gb18030")


def test_iso_2022_jp_shifts_as_pythons_codec_does() -> None:
    for start in range(0x4E00, 0x9F00, 16):
        text = "".join(map(chr, range(start, start + 16))).encode("iso2022_jp", "ignore").decode("iso2022_jp")
        assert query(f"é{text}", "iso-2022-jp") == "%26%23233%3B" + quote(
            text.encode("iso2022_jp"), safe="!$%&()*+,-./:;=?@[\\]^_`{|}~"
        )


@pytest.mark.parametrize(
    ("text", "charset", "encoded"),
    [
        ("No=洪170", "gbk", "No=%BA%E9170"),
        ("q=мир", "windows-1251", "q=%EC%E8%F0"),
        ("q=мир", "koi8-r", "q=%CD%C9%D2"),
        ("q=한글", "euc-kr", "q=%C7%D1%B1%DB"),
        ("q=똠", "euc-kr", "q=%8Cc"),
        ("q=日本", "shift_jis", "q=%93%FA%96{"),
        ("q=ソ", "shift_jis", "q=%83\\"),
        ("q=\uff5e①㈱", "shift_jis", "q=%81`%87@%87%8A"),
        ("q=ｱ", "euc-jp", "q=%8E%B1"),
        ("q=日本", "euc-jp", "q=%C6%FC%CB%DC"),
        ("q=日 x", "iso-2022-jp", "q=%1B$BF|%1B(B%20x"),
        ("q=日€x", "iso-2022-jp", "q=%1B$BF|%1B(B%26%238364%3Bx"),
        ("q=ｶﾞ", "iso-2022-jp", "q=%1B$B%+!+%1B(B"),
        ("q=香港", "big5", "q=%AD%BB%B4%E4"),
        ("q=十", "big5", "q=%A4Q"),
        ("q=€", "gbk", "q=%80"),
        ("q=€", "gb18030", "q=%A2%E3"),
        ("q=😀", "gb18030", "q=%949%FC6"),
        ("q=😀", "gbk", "q=%26%23128512%3B"),
        ("q=€\x81", "windows-1252", "q=%80%81"),
        ("q=é&r='<>\"", "iso-8859-15", "q=%E9&r=%27%3C%3E%22"),
        ("q=é 1", "macintosh", "q=%8E%201"),
        ("q=שלום", "iso-8859-8-i", "q=%F9%EC%E5%ED"),
        ("q=%D0\u043c%zz", "windows-1251", "q=%D0%EC%zz"),
        ("q=é\t\n1", "windows-1252", "q=%E91"),
    ],
)
def test_queries_as_browsers_send_them(text: str, charset: str, encoded: str) -> None:
    assert query(text, charset) == encoded


@pytest.mark.parametrize("charset", ["", "utf-8", "utf-16le", "utf-16be", "replacement"])
def test_documents_of_unicode_send_utf_8(charset: str) -> None:
    assert in_charset("a?q=\xe9", charset) == "a?q=\xe9"
    assert form_data([("q", "\xe9 1")], charset) == "q=%C3%A9+1"


def test_only_the_query_is_encoded() -> None:
    assert in_charset("/мир?q=мир#мир", "windows-1251") == "/мир?q=%EC%E8%F0#мир"
    assert in_charset("/мир#мир?мир", "windows-1251") == "/мир#мир?мир"
    assert in_charset("/мир?q=1", "windows-1251") == "/мир?q=1"
    assert in_charset("http://a.example?мир?м", "windows-1251") == "http://a.example?%EC%E8%F0?%EC"


def test_forms() -> None:
    assert form_data([("имя", "мир & 1"), ("b*-._", "~é")], "windows-1251") == (
        "%E8%EC%FF=%EC%E8%F0+%26+1&b*-._=%7E%26%23233%3B"
    )


@given(st.text(), st.sampled_from((*CHARSETS, "iso-2022-jp")))
def test_whatever_it_is_it_becomes_ascii(text: str, charset: str) -> None:
    sent = in_charset(f"/?\xe9{text}", charset)
    assert sent.partition("#")[0].isascii()
    assert form_data([(text, text)], charset).isascii()


def test_percent_encoding_of_the_platform_tests(suite: Callable[[str], Path]) -> None:
    cases = [each for each in json.loads((suite("wpt-url") / "percent-encoding.json").read_text()) if "input" in each]
    judged = [(each["input"], name, out) for each in cases for name, out in each["output"].items()]
    got = {(text, name): absolute("http://a.example/", f"?{text}", name).partition("?")[2] for text, name, _ in judged}
    assert {(text, name): out for text, name, out in judged if got[text, name] != out} == {}
    record("wpt-url-percent-encoding", len(judged), len(judged), {})
