"""Header lines into values."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from cormorant.net.http.headers import (
    Headers,
    clean,
    codings,
    content_type,
    final_part,
    http_date,
    last_modified,
    name_in_disposition,
    retry_after,
    robots_directives,
    without_secrets,
)

NOW = 1_700_000_000.0


def test_final_part() -> None:
    lines = [b"HTTP/1.1 200 OK\r\n", b"A: 1\r\n", b"B: 2\r\n", b"\r\n"]
    assert final_part(lines) == (lines[0], b"A: 1\r\nB: 2\r\n", 2, 0, True)
    early = [b"HTTP/1.1 103 Early\r\n", b"Link: x\r\n", b"\r\n"]
    assert final_part([*early, *early, *lines]) == (lines[0], b"A: 1\r\nB: 2\r\n", 2, 2, True)
    assert final_part([*lines, b"Trailer: x\r\n", b"\r\n"]) == (lines[0], b"A: 1\r\nB: 2\r\n", 2, 0, True)
    assert final_part([*early, *lines[:2]]) == (lines[0], b"A: 1\r\n", 1, 1, False)
    assert final_part([b"HTTP/1.0 200\n", b"A: 1\n", b"\n"]) == (b"HTTP/1.0 200\n", b"A: 1\n", 1, 0, True)
    assert final_part([]).complete is False


@given(st.lists(st.sampled_from([b"HTTP/1.1 100 C\r\n", b"A: 1\r\n", b"\r\n", b"\n", b"x"])))
def test_final_part_never_raises(lines: list[bytes]) -> None:
    assert final_part(lines).fields <= len(lines)


def test_fields() -> None:
    headers = Headers(b'ETag: "a"\r\nX-A: 1\r\nx-a:2\r\nempty:\r\nbroken\r\n: odd\r\n')
    assert headers.get("etag") == '"a"'
    assert (headers.get("x-a"), headers.first("x-a"), headers.all("x-a")) == ("2", "1", ("1", "2"))
    assert ("empty" in headers, headers.get("empty"), headers.get("missing", "-")) == (True, "", "-")
    assert ("x-a", "1") in headers.items()


def test_values_carry_no_control_characters() -> None:
    headers = Headers(b"A: x\r\n\tfolded\r\nB: a\x1b[31mb\0c\x7f\r\nC: \xc3\xa4\r\nD: \xe4\r\n")
    assert headers.get("a") == "x folded"
    assert headers.get("b") == "a [31mb c "
    assert headers.get("d") == "ä"
    assert Headers(b"C: \xc3\xa4\r\n").get("c") == "ä"


def test_each_field_is_read_in_its_own_charset() -> None:
    headers = Headers(b"Location: /th\xc3\xa9\r\nX-Author: J\xf6rg\r\nServer: caf\xc3\xa9\r\n")
    assert (headers.get("location"), headers.get("x-author"), headers.get("server")) == ("/thé", "Jörg", "café")


@pytest.mark.parametrize(
    ("block", "reference"),
    [
        (b"Location: /a b\r\n", "/a b"),
        (b"Location: /caf\xc3\xa9?q=\xc3\xa9\r\n", "/caf%C3%A9?q=%C3%A9"),
        (b"Location: /caf\xe9?q=\xe9\r\n", "/caf%E9?q=%E9"),
        (b"location:\t/a\tb \t\r\n", "/a\tb"),
        (b"Location: /a\x01b\r\n", "/a b"),
        (b"Location: /a\r\n /b\r\n", "/a /b"),
        (b"Location: /\x85\x9f\r\n", "/%85%9F"),
        (b"Location: /first\r\nX: \xe9\r\nLocation: /last\r\n", "/last"),
        (b"X-Location: /x\r\n", ""),
    ],
)
def test_a_reference_is_percent_encoded_as_it_came(block: bytes, reference: str) -> None:
    assert Headers(block).reference("location") == reference


@pytest.mark.parametrize(
    ("field", "name"),
    [
        (b'attachment; filename="Report 2026.pdf"', "Report 2026.pdf"),
        (b"attachment; filename=report.pdf", "report.pdf"),
        (b"inline; filename=Annual report.pdf; size=3", "Annual report.pdf"),
        (b"filename=bare.txt", "bare.txt"),
        (b"ATTACHMENT; FILENAME = \"A.PDF\" ", "A.PDF"),
        (b"attachment; filename=\"x.pdf\"; filename*=UTF-8''Report%20%C3%9Cbersicht.pdf", "Report Übersicht.pdf"),
        (b"attachment; filename*=utf-8'de'%C3%BC.txt; filename=u.txt", "ü.txt"),
        (b"attachment; filename*=iso-8859-1''caf%E9.txt", "café.txt"),
        (b"attachment; filename*=UTF-8''%FF.txt; filename=good.txt", "good.txt"),
        (b"attachment; filename*=koi8-r''%C1; filename=good.txt", "good.txt"),
        (b"attachment; filename*=broken; filename=good.txt", "good.txt"),
        ('attachment; filename="Übersicht.pdf"'.encode(), "Übersicht.pdf"),
        ('attachment; filename="Übersicht.pdf"'.encode("latin-1"), "Übersicht.pdf"),
        (b'attachment; filename="%C3%9Cbersicht.pdf"', "Übersicht.pdf"),
        (b'attachment; filename="100%25.pdf"', "100%.pdf"),
        (b'attachment; filename="100%.pdf"', "100%.pdf"),
        (b'attachment; filename="%E9.pdf"', "%E9.pdf"),
        (b'attachment; filename="=?UTF-8?Q?=C3=9Cbersicht?=.pdf"', "Übersicht.pdf"),
        (b'attachment; filename="=?nonsense?B?x?=.pdf"', "=?nonsense?B?x?=.pdf"),
        (b'attachment; filename="say \\"hello\\".txt"', 'say "hello".txt'),
        (b'attachment; filename="C:\\temp\\report.pdf"', "report.pdf"),
        (b'attachment; filename="../../etc/passwd"', "passwd"),
        (b"attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", "passwd"),
        (b'attachment; name="a; filename=evil"; filename=good.txt', "good.txt"),
        ("attachment; filename=\"a\u202egnp.exe\"".encode(), "a gnp.exe"),
        (b"attachment; filename*=UTF-8''a%00%0D%0Ab.txt", "a b.txt"),
        (b'attachment; filename="not closed.pdf', "not closed.pdf"),
        (b'attachment; filename="<script>alert(1)</script>"', "script>"),
        (b'attachment; filename=".."', ""), (b'attachment; filename=""', ""), (b"attachment", ""), (b"", ""),
        (b'attachment; filename="a/"', ""),
    ],
)  # fmt: skip
def test_the_name_in_a_content_disposition(field: bytes, name: str) -> None:
    headers = Headers(b"Content-Disposition: " + field + b"\r\nX-Other: \xe9\r\n")
    assert [name_in_disposition(each) for each in headers.octets("content-disposition")] == [name]


@given(st.binary(max_size=300))
@example(b'filename="' + b"\\" * 100)
@example(b"filename*=utf-8''%" + b"%" * 100)
def test_a_hostile_name_is_harmless(field: bytes) -> None:
    name = name_in_disposition(field.decode("latin-1"))
    assert len(name) <= 255
    assert name.isprintable()
    assert not {"/", "\\"} & set(name)


@given(st.binary(max_size=300))
def test_no_block_raises_or_leaks_controls(block: bytes) -> None:
    for name, value in Headers(block).items():
        assert name == name.lower()
        assert not any(ord(letter) < 32 for letter in value)


@given(st.text(max_size=100))
def test_clean(text: str) -> None:
    assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in clean(text))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("text/html", ("text/html", "")),
        ("Text/HTML; Charset=UTF-8", ("text/html", "utf-8")),
        ('text/html;charset="iso-8859-1"', ("text/html", "iso-8859-1")),
        ("text/html; a=b; charset = utf-8 ; c=d", ("text/html", "utf-8")),
        ("text/html; charset='utf-8'", ("text/html", "utf-8")),
        ("application/ld+json", ("application/ld+json", "")),
        ("", ("", "")),
        ("html", ("", "")),
        ("text/", ("", "")),
        ("te xt/html", ("", "")),
        ("; charset=utf-8", ("", "utf-8")),
    ],
)
def test_content_type(value: str, expected: tuple[str, str]) -> None:
    assert content_type(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0", 0.0),
        ("120", 120.0),
        (" 5 ", 5.0),
        ("315360000", 315_360_000.0),
        ("9" * 400, 999_999_999_999.0),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
        ("²", None),
        ("Tue, 14 Nov 2023 22:14:20 GMT", 60.0),
        ("Wed, 15 Nov 2023 23:13:20 GMT", 90_000.0),
        ("Tue, 14 Nov 2013 22:14:20 GMT", None),
    ],
)
def test_retry_after(value: str, expected: float | None) -> None:
    assert retry_after(value, NOW) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777.0),
        ("Sun Nov  6 08:49:37 1994", 784_111_777.0),
        ("Sun, 06 Nov 1994 08:49:37 +0100", 784_108_177.0),
        ("Sun, 99 Nov 1994 08:49:37 GMT", None),
        ("Sun, 06 Nov 1994 28:49:97 GMT", None),
        ("Sun, 06 Xyz 1994 08:49:37 GMT", None),
        ("yesterday", None),
        ("", None),
        ("0", None),
        ("-1", None),
    ],
)
def test_http_date(value: str, expected: float | None) -> None:
    assert http_date(value) == expected


@given(st.text(max_size=60))
def test_dates_never_raise(value: str) -> None:
    http_date(value)
    retry_after(value, NOW)
    content_type(value)


def test_typed_values() -> None:
    headers = Headers(
        b"Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nX-Robots-Tag: noindex\r\nX-Robots-Tag: a: nofollow\r\n"
        b"Content-Encoding: GZIP, br\r\nContent-Encoding: identity\r\n"
    )
    assert last_modified(headers) == 784_111_777.0
    assert robots_directives(headers) == ("noindex", "a: nofollow")
    assert codings(headers) == ("gzip", "br")
    assert last_modified(Headers(b"")) is None
    assert codings(Headers(b"")) == ()


@pytest.mark.parametrize(
    ("block", "kept"),
    [
        (b"A: 1\r\nSet-Cookie: sid=x\r\nB: 2\r\n", b"A: 1\r\nB: 2\r\n"),
        (b"set-cookie2:sid=x\nB: 2\n", b"B: 2\n"),
        (b"A: 1\r\nSET-COOKIE : sid=x;\r\n\tPath=/\r\n Secure\r\nB: 2\r\n c\r\n", b"A: 1\r\nB: 2\r\n c\r\n"),
        (b'Authentication-Info: nextnonce="n"\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d', b""),
        (b"\0Set-Cookie: sid=x\r\nB: 2\r\n", b"B: 2\r\n"),
        (b"X-Set-Cookie: 1\nSet-Cookies: 2\nA: Set-Cookie: 3\n",) * 2,
        (b"Set-Cookie without a colon\r\n", b"Set-Cookie without a colon\r\n"),
        (b"", b""),
    ],
)  # fmt: skip
def test_a_block_is_kept_without_what_the_crawler_is_known_by(block: bytes, kept: bytes) -> None:
    assert without_secrets(block) == kept


@given(st.lists(st.sampled_from(
    [b"Set-Cookie", b": ", b"\r\n", b"\n", b" ", b"\t", b"x", b"A: 1", b"\0", b"\r", b"\v", b"\xa0", b"\xc2\xa0"]
)))  # fmt: skip
@example([b"Set-Cookie", b"\r", b": "])
@example([b"\r", b" ", b"Set-Cookie", b": "])
@example([b"Set-Cookie", b"\xa0", b": "])
def test_no_shape_keeps_a_field_that_would_be_read_as_a_cookie(pieces: list[bytes]) -> None:
    kept = without_secrets(b"".join(pieces))
    assert not Headers(kept).all("set-cookie")
    assert without_secrets(kept) == kept


def test_a_long_block_is_searched_in_one_pass() -> None:
    block = b"Set-Cookie" * 20_000 + b"\n" + b" \n" * 20_000
    assert without_secrets(block) == block
