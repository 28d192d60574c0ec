"""Content codings undone under their caps (faults B1, N25)."""

from __future__ import annotations

import gzip
import os
import tracemalloc
import zlib
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from cormorant.net.http import curl_errors
from cormorant.net.http.content_encoding import ACCEPT_ENCODING, MAX_RATIO, DecodedBody, DecodeError, decode, joined
from tests.net.http.servers import answered, failed, ok, saying, saying_then_silent

CAP = 10_000_000
ZSTD = b"(\xb5/\xfd\x04X\x11\0\0page\xf4\x8a\xc9\xd0"
BODY = b"".join(b"line %d of a page\n" % n for n in range(20_000))


def raw_deflate(data: bytes) -> bytes:
    engine = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return engine.compress(data) + engine.flush()


def pieces(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize("size", [1, 2, 1_000, 16_384, 10_000_000])
@pytest.mark.parametrize("label", ["gzip", "x-gzip", "deflate"])
@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, raw_deflate])
def test_every_wrapping_under_every_label(pack: object, label: str, size: int) -> None:
    packed = pack(BODY[:50_000])  # type: ignore[operator]
    chunks = pieces(packed, size)
    assert decode(chunks, (label,), CAP) == DecodedBody(BODY[:50_000])
    assert chunks == []


@given(st.lists(st.binary(max_size=3_000), min_size=1, max_size=4), st.integers(1, 500))
def test_members_of_gzip_follow_each_other(parts: list[bytes], size: int) -> None:
    packed = b"".join(map(gzip.compress, parts))
    assert decode(pieces(packed, size), ("gzip",), CAP) == DecodedBody(b"".join(parts))


@given(st.binary(max_size=4_000), st.sampled_from([("gzip", "deflate"), ("gzip", "gzip", "gzip"), ("deflate", "gzip")]))
def test_several_codings(data: bytes, codings: tuple[str, ...]) -> None:
    packed = data
    for name in codings:
        packed = gzip.compress(packed) if name == "gzip" else zlib.compress(packed)
    assert decode(pieces(packed, 100), codings, CAP) == DecodedBody(data)


@given(st.binary(max_size=2_000), st.integers(1, 300))
def test_garbage_never_raises(data: bytes, size: int) -> None:
    assert isinstance(decode(pieces(data, size), ("gzip", "deflate"), CAP), DecodedBody | DecodeError)


def test_too_many_and_unknown_codings() -> None:
    assert decode([b"x"], ("gzip",) * 4, CAP) is DecodeError.TOO_MANY
    for name in ("zstd", "utf-8", "compress"):
        assert decode([ZSTD], (name,), CAP) is DecodeError.UNKNOWN
        assert decode([gzip.compress(ZSTD)], (name, "gzip"), CAP) is DecodeError.UNKNOWN


PLAIN = {
    "page": b"<!doctype html><html>plain</html>" * 40,
    "short": b"<p>hi",
    "json": b'{"a": [1, 2, 3]}',
    "letters": b"Some words that begin no coding. " * 100,
    "one block": b"#" * 2_000,
    "x^": b"x^2 + y^2 = z^2",
    "hC": b"hC and more",
    "utf-8": "Ünïcödé und Größe. ".encode() * 30,
    "cut character": b"a" + "é".encode() * 400,
    "japanese": "吾輩は猫である。名前はまだ無い。".encode() * 20,
    "windows-1251": '<html lang="ru"><head><title>Поиск</title></head><p>мир'.encode("cp1251") * 9,
    "iso-2022-jp": "<p>こんにちは</p>".encode("iso2022_jp") * 30,
    "utf-16": "\ufeff<html>wide</html>".encode("utf-16-le"),
    "pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n\0\1\2" * 90,
    "docx": b"PK\x03\x04\x14\0\x06\0" * 90,
}


@pytest.mark.parametrize("size", [1, 700, 100_000])
@pytest.mark.parametrize("name", ["gzip", "x-gzip", "deflate", "br", "zstd", "utf-8"])
@pytest.mark.parametrize("kind", PLAIN)
def test_a_body_that_is_not_coded_is_passed_on(kind: str, name: str, size: int) -> None:
    body = PLAIN[kind]
    assert decode(pieces(body, size), (name,), CAP) == DecodedBody(body, absent=name)


def test_a_coding_that_is_missing_among_several() -> None:
    page = PLAIN["page"]
    assert decode([gzip.compress(page)], ("gzip", "gzip"), CAP) == DecodedBody(page, absent="gzip")
    assert decode([gzip.compress(page)], ("br", "gzip"), CAP) == DecodedBody(page, absent="br")
    assert decode([page], ("gzip", "deflate"), CAP) == DecodedBody(page, absent="deflate")


def test_a_plain_body_has_the_same_cap() -> None:
    assert decode([BODY], ("gzip",), 100_000) is DecodeError.TOO_BIG
    assert decode([BODY], ("gzip",), 100_000, cut=True) == DecodedBody(BODY[:100_000], cut=True)


def test_damage_is_none_of_that() -> None:
    packed = gzip.compress(BODY)
    assert decode([packed[:2_000] + bytes(50) + packed[2_050:]], ("gzip",), CAP) is DecodeError.CORRUPT
    assert decode([b"\xff" + packed[1:]], ("gzip",), CAP) is DecodeError.CORRUPT
    assert decode([zlib.compress(BODY)[:-1]], ("gzip",), CAP) is DecodeError.SHORT
    assert decode([raw_deflate(BODY)[:-1]], ("gzip",), CAP) is DecodeError.SHORT


@given(st.binary(min_size=1, max_size=200))
def test_few_bytes_that_are_coded_are_decoded(data: bytes) -> None:
    for pack in (gzip.compress, zlib.compress):
        assert decode([pack(data)], ("gzip",), CAP) == DecodedBody(data)


@pytest.mark.parametrize("missing", [1, 8, 9, 500])
def test_an_early_end_is_noticed(missing: int) -> None:
    assert decode([gzip.compress(BODY)[:-missing]], ("gzip",), CAP) is DecodeError.SHORT


def test_what_stands_behind_the_end_is_dropped() -> None:
    assert decode([gzip.compress(b"page") + b"\0\0\0junk"], ("gzip",), CAP) == DecodedBody(b"page")
    assert decode([gzip.compress(b"page") + b"\x1f"], ("gzip",), CAP) == DecodedBody(b"page")


def test_nothing_stays_nothing() -> None:
    assert decode([], ("gzip",), CAP) == DecodedBody(b"")
    assert decode([gzip.compress(b"")], ("gzip",), CAP) == DecodedBody(b"")


def test_the_cap_is_exact() -> None:
    noise = os.urandom(100_000)
    packed = gzip.compress(noise)
    assert decode([packed], ("gzip",), 100_000) == DecodedBody(noise)
    assert decode([packed], ("gzip",), 99_999) is DecodeError.TOO_BIG
    assert decode([packed], ("gzip",), 99_999, cut=True) == DecodedBody(noise[:99_999], cut=True)


def test_a_body_cut_as_sent_gives_what_it_has() -> None:
    packed = gzip.compress(os.urandom(100_000))
    assert decode([packed[:50_001]], ("gzip",), 50_000) in (DecodeError.SHORT, DecodeError.TOO_BIG)
    cut = decode([packed[:50_001]], ("gzip",), 50_000, cut=True)
    assert isinstance(cut, DecodedBody)
    assert cut.cut
    assert 49_000 < len(cut.body) <= 50_000


def test_a_bomb_ends_by_its_ratio_before_its_cap() -> None:
    bomb = gzip.compress(bytes(50_000_000))
    for cut in (False, True):
        assert decode([bomb[:500], *pieces(bomb[500:], 1_000)], ("gzip",), 64 << 20, cut=cut) is DecodeError.BOMB
    modest = gzip.compress(b"".join(b"%d " % n for n in range(1_000_000)))
    assert isinstance(decode([modest], ("gzip",), CAP), DecodedBody)


def test_what_is_thrown_away_between_codings_counts_too() -> None:
    inner = gzip.compress(b"small") + bytes(200_000_000)
    assert decode([gzip.compress(inner)], ("gzip", "gzip"), CAP) is DecodeError.TOO_BIG
    assert decode([gzip.compress(inner)], ("gzip", "gzip"), 1 << 30) is DecodeError.BOMB


@pytest.mark.parametrize("cap", [4 << 20, 16 << 20])
def test_memory_stays_near_the_cap(cap: int) -> None:
    packed = gzip.compress(os.urandom(1 << 16) * (64 << 4), 1)
    chunks = pieces(packed, 16_384)
    tracemalloc.start()
    assert decode(chunks, ("gzip",), cap) in (DecodeError.TOO_BIG, DecodeError.BOMB)
    assert tracemalloc.get_traced_memory()[1] < cap + (8 << 20)
    tracemalloc.stop()


def test_a_large_body_is_not_held_twice() -> None:
    chunks = [os.urandom(16_384) for _ in range(1_000)]
    whole = sum(map(len, chunks))
    tracemalloc.start()
    assert len(joined(chunks)) == whole
    assert tracemalloc.get_traced_memory()[1] < whole * 1.3
    tracemalloc.stop()
    assert chunks == []


def test_brotli_where_it_is_installed() -> None:
    brotli = pytest.importorskip("brotli")
    assert ACCEPT_ENCODING == "gzip, deflate, br"
    packed = brotli.compress(BODY)
    for size in (1, 100, len(packed)):
        assert decode(pieces(packed, size), ("br",), CAP) == DecodedBody(BODY)
    assert decode([packed[:-1]], ("br",), CAP) is DecodeError.SHORT
    assert decode([b"\xff" * 20], ("br",), CAP) is DecodeError.CORRUPT
    assert decode([brotli.compress(bytes(100_000_000))], ("br",), CAP) is DecodeError.BOMB


@pytest.mark.parametrize(
    ("fields", "body", "status", "retryable"),
    [
        (("Content-Encoding: gzip",), b"\xff" + gzip.compress(BODY)[1:], 1002, False),
        (("Content-Encoding: gzip",), gzip.compress(BODY)[:-9], 1002, True),
        (("Content-Encoding: zstd",), ZSTD, 1005, False),
        (("Content-Encoding: gzip", "content-encoding: gzip, gzip, gzip"), b"x", 1005, False),
        (("Content-Encoding: gzip",), gzip.compress(bytes(50_000_000)), 960, False),
        (("Content-Encoding: gzip",), gzip.compress(os.urandom(2_000_000)), 960, False),
    ],
)
def test_troubles_as_faults(fields: tuple[str, ...], body: bytes, status: int, retryable: bool) -> None:
    fault = failed(saying(ok(body, *fields)), max_bytes=1_500_000)
    assert (fault.status, fault.retryable, fault.requests) == (status, retryable, 1)
    assert fault.received > 0


@pytest.mark.parametrize(
    ("coding", "said"),
    [("zstd", "the content coding zstd"), ("<b>x</b>", "a content coding that is not registered")],
)
def test_a_coding_that_was_not_offered_is_named_if_it_is_one(coding: str, said: str) -> None:
    fault = failed(saying(ok(ZSTD, f"Content-Encoding: {coding}")))
    assert fault.status == 1005
    assert fault.reason == f"It came in {said}, which was not asked for; accepted are {ACCEPT_ENCODING}."


@pytest.mark.parametrize(
    ("coding", "said"),
    [("gzip", "the content coding gzip"), ("zstd", "the content coding zstd"), ("<b>", "a content coding that is not")],
)
def test_a_coding_that_is_not_there_is_remarked(coding: str, said: str) -> None:
    answer = answered(saying(ok(PLAIN["page"], f"Content-Encoding: {coding}")))
    assert answer.body == PLAIN["page"]
    assert said in answer.flaw
    assert answered(saying(ok(gzip.compress(BODY), "Content-Encoding: gzip"))).flaw == ""


PACKED = {"gzip": gzip.compress(BODY), "deflate": zlib.compress(BODY)} | (
    {"br": pytest.importorskip("brotli").compress(BODY)} if "br" in ACCEPT_ENCODING else {}
)


@pytest.mark.parametrize("coding", PACKED)
@pytest.mark.parametrize(
    "frame", [b"Content-Length: %d\r\n\r\n" % len(BODY), b"Transfer-Encoding: chunked\r\n\r\nfffff\r\n"]
)
def test_a_body_that_is_whole_by_itself_is_read_though_more_was_announced(coding: str, frame: bytes) -> None:
    packed = PACKED[coding]
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\n" % coding.encode() + frame
    answer = answered(saying(head + packed))
    assert answer.body == BODY
    assert answer.flaw == curl_errors.SHORTER
    for missing in (1, 4, 9, 500):
        fault = failed(saying(head + packed[:-missing]))
        assert (fault.status, fault.retryable, fault.reason) == (1002, True, "The document ended too early.")


def test_a_server_that_keeps_the_connection_open_is_not_waited_for_in_vain() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 999999\r\n\r\n"
    assert answered(saying_then_silent(head + PACKED["gzip"]), idle_timeout_s=0.5).body == BODY
    assert failed(saying_then_silent(head + PACKED["gzip"][:-1]), idle_timeout_s=0.5).status == 902


def test_what_is_not_coded_and_too_short_ended_too_early() -> None:
    for field in (
        b"",
        b"Content-Encoding: identity\r\n",
        b"X-Content-Encoding: gzip\r\n",
        b"Content-Encoding: gzip\r\n",
    ):
        head = b"HTTP/1.1 200 OK\r\n" + field + b"Content-Length: 9999\r\n\r\n"
        assert failed(saying(head + PLAIN["page"])).reason == "The document ended too early."


def test_coded_answers() -> None:
    for fields in (("Content-Encoding: gzip",), ("CONTENT-ENCODING:  GZip , identity",)):
        assert answered(saying(ok(gzip.compress(BODY), *fields))).body == BODY
    cut = answered(saying(ok(gzip.compress(BODY), "Content-Encoding: gzip")), max_bytes=1_000, cut=True)
    assert (cut.body, cut.truncated) == (BODY[:1_000], True)
    assert answered(saying(b"HTTP/1.1 304 Not Modified\r\nContent-Encoding: gzip\r\n\r\n")).body == b""


SUITE = Path(os.environ.get("CORMORANT_SUITES", "/nowhere")) / "scrapy-samples" / "compressed"
BOMBS = [("bomb-gzip.bin", "gzip"), ("bomb-deflate.bin", "deflate"), ("bomb-br.bin", "br"), ("bomb-zstd.bin", "zstd")]


@pytest.mark.skipif(not SUITE.is_dir(), reason="CORMORANT_SUITES does not name a folder with scrapy-samples")
def test_published_samples() -> None:
    for name, coding in BOMBS:
        body = (SUITE / name).read_bytes()
        tracemalloc.start()
        fault = failed(saying(ok(body, f"Content-Encoding: {coding}")), max_bytes=5_000_000)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000 + (8 << 20), name
        tracemalloc.stop()
        assert fault.status in (960, 1005), name
    for one, codings, other, others in (
        ("html-gzip.bin", ("gzip",), "html-gzip-deflate.bin", ("gzip", "deflate")),
        ("html-gzip.bin", ("gzip",), "html-gzip-deflate-gzip.bin", ("gzip", "deflate", "gzip")),
        ("html-zlibdeflate.bin", ("deflate",), "html-rawdeflate.bin", ("deflate",)),
    ):
        plain = decode([(SUITE / one).read_bytes()], codings, CAP)
        assert isinstance(plain, DecodedBody)
        assert decode([(SUITE / other).read_bytes()], others, CAP) == plain, other
    for name in ("unexpected-eof.gz", "truncated-crc-error.gz", "truncated-crc-error-short.gz"):
        assert decode([(SUITE / name).read_bytes()], ("gzip",), CAP) in (DecodeError.SHORT, DecodeError.CORRUPT), name


def test_the_ratio_is_what_is_promised() -> None:
    assert MAX_RATIO == 200
