from __future__ import annotations

import pytest

from cormorant.extract.mail.charset import page_charset, text_of_bytes
from tests.extract.mail.reading import HEAD, body_of


@pytest.mark.parametrize(
    ("label", "raw"),
    [
        ("utf-8", "Grüße".encode()),
        ("ISO-8859-1", "Grüße".encode("latin-1")),
        ("us-ascii", "Grüße".encode()),
        ("x-unknown", "Grüße".encode()),
        ("no such charset", "Grüße".encode()),
        ("", "Grüße".encode("latin-1")),
        ("utf-7", b"Gr+APwA3w-e"),
        ("cp850", "Grüße".encode("cp850")),
        ("windows-1252", "Grüße".encode("cp1252")),
    ],
)
def test_text_is_decoded_by_its_label_or_by_itself(label: str, raw: bytes) -> None:
    assert text_of_bytes(raw, label) == "Grüße"
    assert body_of(f"{HEAD}Content-Type: text/plain; charset={label!r}\n\n".replace("'", '"').encode() + raw) == "Grüße"


@pytest.mark.parametrize(
    ("label", "text", "codec"),
    [
        ("iso-2022-jp", "日本語", "iso2022_jp"), ("iso-2022-kr", "한국어", "iso2022_kr"), ("hz-gb-2312", "中国", "hz"),
        ("koi8-r", "Привет", "koi8-r"), ("big5", "中國", "big5"), ("shift_jis", "日本", "shift_jis"),
    ],
)  # fmt: skip
def test_charsets_of_other_scripts_are_decoded(label: str, text: str, codec: str) -> None:
    assert text_of_bytes(text.encode(codec), label) == text


def test_a_default_counts_where_nothing_is_declared() -> None:
    assert text_of_bytes("Привет".encode("koi8-r"), "", "koi8-r") == "Привет"


def test_a_page_in_a_charset_without_a_parser_is_decoded_first() -> None:
    assert page_charset(b"<p>Gr+APwA3w-e", "utf-7") == ("<p>Grüße".encode(), "utf-8")
    assert page_charset(b"x", "us-ascii") == (b"x", "")
    assert body_of(f"{HEAD}Content-Type: text/html; charset=utf-7\n\n<p>Gr+APwA3w-e") == "Grüße"
