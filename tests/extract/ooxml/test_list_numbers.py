from __future__ import annotations

import pytest

from cormorant.extract.ooxml.list_numbers import drawing_number, format_number


@pytest.mark.parametrize(
    ("number", "number_format", "shown"),
    [
        (7, "decimal", "7"), (7, "decimalZero", "07"), (4, "lowerRoman", "iv"), (1994, "upperRoman", "MCMXCIV"),
        (5_000, "upperRoman", "5000"), (0, "lowerRoman", "0"), (1, "lowerLetter", "a"), (28, "lowerLetter", "bb"),
        (26, "upperLetter", "Z"), (0, "lowerLetter", "0"), (3, "bullet", ""), (3, "none", ""), (3, "ordinal", "3"),
        (12, "chineseCounting", "十二"), (30, "chineseCounting", "三十"),
    ],
)  # fmt: skip
def test_numbers_are_shown_in_their_format(number: int, number_format: str, shown: str) -> None:
    assert format_number(number, number_format) == shown


@pytest.mark.parametrize(
    ("scheme", "shown"),
    [
        ("arabicPeriod", "3."), ("arabicParenR", "3)"), ("arabicParenBoth", "(3)"), ("arabicPlain", "3"),
        ("alphaLcParenR", "c)"), ("alphaUcPeriod", "C."), ("romanLcPeriod", "iii."), ("romanUcParenBoth", "(III)"),
        ("", "3"),
    ],
)  # fmt: skip
def test_numbers_of_drawings_come_with_their_punctuation(scheme: str, shown: str) -> None:
    assert drawing_number(3, scheme) == shown


def test_letters_are_repeated_within_bounds() -> None:
    assert len(format_number(10**8, "lowerLetter")) == 30
