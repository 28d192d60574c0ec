"""Numbers of list items as they are displayed: ECMA-376-1 17.18.59 (text documents) and 20.1.10.61 (drawings)."""

from __future__ import annotations

from typing import Final

_ROMAN: Final = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MAX_ROMAN: Final = 4_000
_MAX_LETTERS: Final = 30
"""The most repetitions of a letter: aaa is 53."""
_IDEOGRAPHS: Final = "〇一二三四五六七八九"
_IDEOGRAPHIC: Final = frozenset(
    (
        "chineseCounting", "chineseCountingThousand", "ideographDigital", "japaneseCounting",
        "japaneseDigitalTenThousand", "taiwaneseCounting", "taiwaneseCountingThousand", "taiwaneseDigital",
        "koreanDigital2",
    )
)  # fmt: skip
_ALPHABETS: Final = {
    "lowerLetter": "abcdefghijklmnopqrstuvwxyz",
    "upperLetter": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "russianLower": "абвгдежзиклмнопрстуфхцчшщыэюя",
    "russianUpper": "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ",
}
_UNNUMBERED: Final = frozenset(("bullet", "none"))
_DRAWING_FORMATS: Final = {
    "alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman",
}  # fmt: skip


def format_number(number: int, number_format: str) -> str:
    """Return a number in a format of text documents, "" for bullets; formats of few languages become digits."""
    if number_format in _UNNUMBERED:
        return ""
    if number_format in ("lowerRoman", "upperRoman"):
        roman = _roman(number)
        return roman.upper() if number_format == "upperRoman" else roman
    alphabet = _ALPHABETS.get(number_format)
    if alphabet and number > 0:
        times, place = divmod(number - 1, len(alphabet))
        return alphabet[place] * min(times + 1, _MAX_LETTERS)
    if number_format == "decimalZero":
        return f"{number:02}"
    if number_format in _IDEOGRAPHIC and 0 < number < 100:
        return _ideographs(number)
    return str(number)


def drawing_number(number: int, scheme: str) -> str:
    """Return a number in a scheme of drawings (`arabicPeriod`, `alphaLcParenBoth`), with its punctuation."""
    digits = format_number(number, next((to for name, to in _DRAWING_FORMATS.items() if scheme.startswith(name)), ""))
    if scheme.endswith("ParenBoth"):
        return f"({digits})"
    if scheme.endswith("ParenR"):
        return f"{digits})"
    return f"{digits}." if scheme.endswith("Period") else digits


def _roman(number: int) -> str:
    if not 0 < number < _MAX_ROMAN:
        return str(number)
    pieces = []
    for value, letters in _ROMAN:
        times, number = divmod(number, value)
        pieces.append(letters * times)
    return "".join(pieces)


def _ideographs(number: int) -> str:
    tens, ones = divmod(number, 10)
    head = ("" if tens == 1 else _IDEOGRAPHS[tens]) + "十" if tens else ""
    return head + (_IDEOGRAPHS[ones] if ones else "")
