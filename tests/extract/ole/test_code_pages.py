"""Code pages of Windows as codecs."""

from __future__ import annotations

import pytest

from cormorant.extract.ole.code_pages import code_page_codec, decode_text, joined_units, language_codec, unit_text


@pytest.mark.parametrize(
    ("page", "codec"),
    [(1252, "cp1252"), (65001, "utf-8"), (1200, "utf-16-le"), (932, "cp932"), (-535, "utf-8"), (65000, "cp1252"),
     (4711, "cp1252"), (0, "cp1252"), (10000, "mac-roman")],
)  # fmt: skip
def test_a_code_page_is_a_codec(page: int, codec: str) -> None:
    assert code_page_codec(page) == codec


@pytest.mark.parametrize(
    ("language", "codec"),
    [
        (0x0407, "cp1252"),
        (0x0419, "cp1251"),
        (0x0404, "cp950"),
        (0x0804, "gb18030"),
        (0x0C1A, "cp1251"),
        (0x041A, "cp1250"),
    ],
)
def test_a_language_has_a_code_page(language: int, codec: str) -> None:
    assert language_codec(language) == codec


def test_text_ends_at_its_first_nul() -> None:
    assert decode_text(b"abc\0def", "cp1252") == "abc"
    assert decode_text("abc\0d".encode("utf-16-le") + b"x", "utf-16-le") == "abc"
    assert decode_text(b"\xff\xfe", "utf-8") == "\ufffd\ufffd"


def test_units_keep_their_places_until_they_are_joined() -> None:
    text = unit_text("a😀b".encode("utf-16-le"))
    assert len(text) == 4
    assert joined_units(text) == "a😀b"
    assert joined_units("a\ud83d") == "a"
