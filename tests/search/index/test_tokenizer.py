from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, strategies as st

from cormorant.search.index.tokenizer import LONGEST_WORD, clean, places, prepare, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Hello, World", ["hello", "world"]),
        ("Cr\u00e8me br\u00fbl\u00e9e", ["creme", "brulee"]),
        ("cafe\u0301", ["cafe"]),
        ("Stra\u00dfe \u0153uvre \ufb01n", ["strasse", "oeuvre", "fin"]),
        ("foo_bar foo-bar it's", ["foo", "bar", "foo", "bar", "it", "s"]),
        ("\u0130stanbul ISTANBUL \u0131l\u0131k", ["istanbul", "istanbul", "ilik"]),
        (
            "\u041c\u043e\u0441\u043a\u0432\u0430 \u0391\u0398\u0397\u039d\u0391",
            ["\u043c\u043e\u0441\u043a\u0432\u0430", "\u03b1\u03b8\u03b7\u03bd\u03b1"],
        ),
        ("\u6771\u4eac\u5927\u5b66abc", ["\u6771", "\u4eac", "\u5927", "\u5b66", "abc"]),
        ("\u304b\u306a\u30ab\u30ca\u3001\u6f22", ["\u304b", "\u306a", "\u30ab", "\u30ca", "\u6f22"]),
        ("\ud559\uad50\uc5d0\uc11c", ["\ud559", "\uad50", "\uc5d0", "\uc11c"]),
        ("\u0e44\u0e17\u0e22", ["\u0e44", "\u0e17", "\u0e22"]),
        ("\U00020000\U00020001", ["\U00020000", "\U00020001"]),
        ("3.14 10.0.0.1", ["3", "14", "10", "0", "0", "1"]),
        ("\U0001f426 !? --", []),
        ("a\ud800b", ["a", "b"]),
        ("", []),
        ("x" * LONGEST_WORD, ["x" * LONGEST_WORD]),
        ("a " + "x" * (LONGEST_WORD + 1) + " b", ["a", "b"]),
    ],
)
def test_words(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_places_count_what_is_no_word_too() -> None:
    assert places("a b a " + "x" * 300 + " \u6771\u4eac") == {"a": [0, 2], "b": [1], "\u6771": [4], "\u4eac": [5]}


@given(st.text())
def test_what_is_kept_is_clean_and_stays_so(text: str) -> None:
    kept, encoded, _ = prepare(text)
    assert kept.encode() == encoded
    assert clean(kept) == kept
    assert words(kept) == words(text)


@given(st.text(st.characters(codec="utf-8", max_codepoint=0x36F)))
def test_composed_and_decomposed_are_the_same_words(text: str) -> None:
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))


BRACKETED = "".join(map(chr, range(0x2474, 0x24B6)))
"""Figures and letters in brackets or with a point, which folding sets beside them: the word is `(1)`."""


@given(st.text(st.characters(codec="utf-8", exclude_characters=BRACKETED)))
@example("\u01e4")
def test_words_are_words_of_themselves(text: str) -> None:
    for word in words(text):
        assert words(word) == [word]
