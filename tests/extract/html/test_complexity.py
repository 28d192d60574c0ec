from __future__ import annotations

import pytest

from cormorant.extract.html.complexity import MAX_TAGS, SMALL, defused, utf16_of


def test_small_pages_are_taken_as_they_are() -> None:
    body = b"<b q=1><p>" * 6_000
    assert len(body) < SMALL
    assert defused(body, "")[0] is body


def test_large_ordinary_pages_are_taken_as_they_are() -> None:
    body = b"<html><body>" + b"<p>a <b>word</b> of it" * 200 + b"x" * SMALL
    assert defused(body, "") == (body, False)


def test_formatting_that_would_be_rebuilt_for_ever_becomes_plain() -> None:
    body, truncated = defused(b"<I a=1>x</I ><font/y><br><img>" * 5_000, "")
    assert body == b"<span a=1>x</span ><span/y><br><img>" * 5_000
    assert not truncated


def test_only_the_first_root_stays() -> None:
    body, _ = defused(b"<html lang=de>" + b"<BODY a><html b>" * 5_000, "")
    assert body.startswith(b"<html lang=de><span a><span b>")
    assert body.count(b"<span") == 10_000


def test_wide_pages_are_defused_too() -> None:
    body, _ = defused(("<b q=1>x" * 20_000).encode("utf-16"), "")
    assert body.startswith(b"\xef\xbb\xbf<span q=1>x<span")


def test_tags_beyond_the_cap_are_cut_off() -> None:
    body, truncated = defused(b"<p>" * (MAX_TAGS + 1), "")
    assert truncated
    assert body == b"<p>" * (MAX_TAGS - 1)


@pytest.mark.parametrize(
    ("body", "charset", "wanted"),
    [
        (b"\xff\xfe<\0", "utf-8", "utf-16le"),
        (b"\xfe\xff\0<", "", "utf-16be"),
        (b"\xef\xbb\xbf<", "utf-16", ""),
        (b"<p>", "UTF-16", "utf-16le"),
        (b"<p>", "utf-16be", "utf-16be"),
        (b"<\0p\0", "", "utf-16le"),
        (b"\0<\0p", "", "utf-16be"),
        (b"<\0p\0", "utf-8", ""),
        (b"<\0", "", ""),
        (b"<p>\0", "", ""),
        (b"", "", ""),
    ],
)
def test_utf_16_is_known_by_mark_declaration_or_first_tag(body: bytes, charset: str, wanted: str) -> None:
    assert utf16_of(body, charset) == wanted
