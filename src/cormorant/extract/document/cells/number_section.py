"""Numbers of cells: as General displays them, and by sections of format codes (ECMA-376-1 18.8.31).

Numbers are rounded as Excel does it: half away from zero, from the fifteen digits that it keeps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Final, Protocol

from cormorant.extract.document.cells.format_tokens import FormatMark, FormatSection, FormatToken
from cormorant.extract.document.cells.locale_data import LocaleData

_GENERAL_WIDTH: Final = 11
"""Characters that General fills before it rounds."""
_WHOLE: Final = 1e15
"""Below it, a number without decimals is exact."""
_MAX_PLACES: Final = 30
_MAX_DENOMINATOR: Final = 7
_MAX_PERCENTS: Final = 10
_WORDS: Final = (FormatMark.DATE, FormatMark.ELAPSED, FormatMark.SUBSECOND, FormatMark.AM_PM)
_CONTEXT: Final = Context(prec=700, rounding=ROUND_HALF_UP)
_PLACES: Final = tuple(Decimal(1).scaleb(-places) for places in range(_MAX_PLACES + 1))


def raw_number(value: float) -> str:
    """Return a number as stored: fifteen digits, no exponent unless it is very large or very small."""
    if value.is_integer() and -_WHOLE < value < _WHOLE:
        return str(int(value))
    text = f"{value:.15g}"
    if "e" in text and 1e-10 <= abs(value) < 1e21:
        return f"{Decimal(text):f}"
    return text.upper()


def general_number(value: float, raw: str) -> str:
    """Return a number as General shows it where there is room; `raw` is its `raw_number`."""
    size = abs(value)
    if len(raw) - (value < 0) <= _GENERAL_WIDTH or not math.isfinite(value):
        return raw
    if 1e-4 <= size < 1e10:
        return f"{value:.{9 if size < 1 else 10 - len(str(int(size)))}f}".rstrip("0").rstrip(".")
    if 1e10 <= size < 1e11:
        return f"{value:.0f}"
    mantissa, _, exponent = f"{value:.5E}".partition("E")
    return f"{mantissa.rstrip('0').rstrip('.')}E{exponent}"


class NumberSection:
    """A section of a format code that displays a number, or only its own text."""

    def __init__(self, section: FormatSection, locale: LocaleData) -> None:
        """Read a section."""
        tokens = [
            FormatToken(FormatMark.LITERAL, each.text) if each.kind in _WORDS else each for each in section.tokens
        ]
        percents = sum(token.text.count("%") for token in tokens if token.kind is FormatMark.LITERAL)
        first, last = _core(tokens)
        self._prefix, self._suffix = _literal(tokens[:first]), _literal(tokens[last:])
        self._shape = _shape(tokens[first:last], 2 * min(percents, _MAX_PERCENTS), locale)

    def display(self, size: float) -> str:
        """Return a non-negative number as displayed; the sign is no part of a section."""
        return self._prefix + self._shape.display(size) + self._suffix


def _core(tokens: Sequence[FormatToken]) -> tuple[int, int]:
    """Return where the number begins and ends: from its first place to its last, decimal point included."""
    places = [place for place, token in enumerate(tokens) if token.kind in (FormatMark.DIGIT, FormatMark.GENERAL)]
    if not places:
        return len(tokens), len(tokens)
    first, last = places[0], places[-1] + 1
    if first and tokens[first - 1].kind is FormatMark.POINT:
        first -= 1
    while last < len(tokens) and tokens[last].kind in (FormatMark.POINT, FormatMark.COMMA):
        last += 1
    if last + 1 < len(tokens) and tokens[last].kind is FormatMark.SLASH and tokens[last + 1].text[:1].isdecimal():
        last += 2
    return first, last


def _literal(tokens: Sequence[FormatToken]) -> str:
    return "".join(token.text for token in tokens)


class _Shape(Protocol):
    def display(self, size: float) -> str: ...


def _shape(tokens: Sequence[FormatToken], power: int, locale: LocaleData) -> _Shape:
    kinds = [token.kind for token in tokens]
    if FormatMark.GENERAL not in kinds and FormatMark.DIGIT not in kinds:
        return _Digits((), 0, locale)
    if FormatMark.DIGIT not in kinds:
        return _General(power, locale)
    if FormatMark.EXPONENT in kinds:
        place = kinds.index(FormatMark.EXPONENT)
        return _Scientific(_Digits(tokens[:place], power, locale), tokens[place:])
    if FormatMark.SLASH in kinds:
        return _Ratio(tokens, kinds.index(FormatMark.SLASH), power, locale)
    return _Digits(tokens, power, locale)


class _General:
    def __init__(self, power: int, locale: LocaleData) -> None:
        self._scale, self._locale = 10.0**power, locale

    def display(self, size: float) -> str:
        size *= self._scale
        return general_number(size, raw_number(size)).replace(".", self._locale.decimal)


class _Digits:
    """Places for digits before and after a decimal point: `#,##0.00`, `000-00-0000`, `0.0,,`."""

    def __init__(self, tokens: Sequence[FormatToken], power: int, locale: LocaleData) -> None:
        kinds = [token.kind for token in tokens]
        point = kinds.index(FormatMark.POINT) if FormatMark.POINT in kinds else len(tokens)
        whole, fraction = (
            list(tokens[:point]),
            [token for token in tokens[point:] if token.kind is not FormatMark.POINT],
        )
        self._power = power - 3 * (_trailing_commas(whole) + _trailing_commas(fraction))
        grouped = any(token.kind is FormatMark.COMMA for token in whole)
        self._group = locale.group if grouped else ""
        self._decimal = locale.decimal if point < len(tokens) else ""
        self.whole = _Places(whole)
        self._fraction = _Places(fraction)
        self._places = min(self._fraction.count, _MAX_PLACES)

    def display(self, size: float) -> str:
        if self._power == 0 and size < _WHOLE and size.is_integer():
            return self.text(str(int(size)), "0" * self._places)
        return self.text(*self.rounded(Decimal(f"{size:.15g}").scaleb(self._power)))

    def rounded(self, number: Decimal) -> tuple[str, str]:
        """Return the digits before the decimal point and after it."""
        whole, _, fraction = f"{number.quantize(_PLACES[self._places], context=_CONTEXT):f}".partition(".")
        return whole, fraction

    def text(self, whole: str, fraction: str) -> str:
        """Return digits in their places."""
        return self.whole.whole(whole, self._group) + self._decimal + self._fraction.fraction(fraction)


def _trailing_commas(tokens: list[FormatToken]) -> int:
    """Take the commas off the end of places: each divides by a thousand."""
    count = 0
    while tokens and tokens[-1].kind is FormatMark.COMMA:
        tokens.pop()
        count += 1
    return count


class _Places:
    """Places for digits, with words between them."""

    def __init__(self, tokens: Sequence[FormatToken]) -> None:
        self._items = [
            (each.kind is FormatMark.DIGIT, each.text) for each in tokens if each.kind is not FormatMark.COMMA
        ]
        marks = "".join(text for is_digit, text in self._items if is_digit)
        self.count = len(marks)
        self._plain = self.count == len(self._items)
        self._least = self.count - marks.index("0") if "0" in marks else 0
        self._kept = marks.rfind("0") + 1

    def whole(self, digits: str, group: str = "") -> str:
        """Return the digits before a decimal point, the first place taking those that are too many."""
        digits = ("" if digits == "0" else digits).zfill(self._least)
        if group and self._plain:
            first = len(digits) % 3
            groups = [digits[:first], *(digits[place : place + 3] for place in range(first, len(digits), 3))]
            return group.join(each for each in groups if each)
        if self._plain:
            return digits if self.count else ""
        pieces: list[str] = []
        left = self.count
        for is_digit, text in reversed(self._items):
            if is_digit:
                left -= 1
                text, digits = (digits[-1:], digits[:-1]) if left else (digits, "")
            pieces.append(text)
        return "".join(reversed(pieces))

    def fraction(self, digits: str) -> str:
        """Return the digits after a decimal point, without zeros that need not be there."""
        digits = digits[: self._kept] + digits[self._kept :].rstrip("0")
        if self._plain:
            return digits
        left = iter(digits)
        return "".join(next(left, "") if is_digit else text for is_digit, text in self._items)


class _Scientific:
    """A number with an exponent: `0.00E+00`; with several places before the point it is a multiple of their count."""

    def __init__(self, mantissa: _Digits, exponent: Sequence[FormatToken]) -> None:
        self._mantissa = mantissa
        self._plus = "+" if exponent[0].text.endswith("+") else ""
        self._places = _Places([token for token in exponent if token.kind is FormatMark.DIGIT])
        self._suffix = _literal([token for token in exponent[1:] if token.kind is not FormatMark.DIGIT])
        self._step = max(1, mantissa.whole.count)

    def display(self, size: float) -> str:
        number = Decimal(f"{size:.15g}")
        exponent = number.adjusted() // self._step * self._step if number else 0
        whole, fraction = self._mantissa.rounded(number.scaleb(-exponent))
        if len(whole) > self._step:
            exponent += self._step
            whole, fraction = self._mantissa.rounded(number.scaleb(-exponent))
        sign = "-" if exponent < 0 else self._plus
        power = self._places.whole(str(abs(exponent))) or "0"
        return f"{self._mantissa.text(whole, fraction)}E{sign}{power}{self._suffix}"


class _Ratio:
    """A number as a fraction: `# ?/?`, `# ??/16`, `?/8`."""

    def __init__(self, tokens: Sequence[FormatToken], slash: int, power: int, locale: LocaleData) -> None:
        start = slash
        while start and tokens[start - 1].kind is FormatMark.DIGIT:
            start -= 1
        below = _literal(tokens[slash + 1 :])
        fixed = below[: len(below) - len(below.lstrip("0123456789"))]
        self._fixed = int(fixed[:9]) if fixed.strip("0") else 0
        self._most = 10 ** min(max(1, sum(mark in "#?0" for mark in below)), _MAX_DENOMINATOR) - 1
        self._suffix = below[len(fixed) :].lstrip("#?0") if self._fixed else below.lstrip("#?0")
        places = [token for token in tokens[:start] if token.kind is FormatMark.DIGIT]
        self._whole = _Digits(places, 0, locale) if places else None
        self._power = power

    def display(self, size: float) -> str:
        number = Fraction(Decimal(f"{size:.15g}").scaleb(self._power))
        whole, rest = divmod(number, 1) if self._whole else (0, number)
        top, bottom = self._nearest(rest)
        if self._whole and top == bottom:
            whole, top = whole + 1, 0
        shown = self._whole.display(float(whole)) if self._whole else ""
        if self._whole and top == 0:
            return (shown or "0") + self._suffix
        return f"{shown} {top}/{bottom}{self._suffix}"

    def _nearest(self, rest: Fraction) -> tuple[int, int]:
        if self._fixed:
            return math.floor(rest * self._fixed + Fraction(1, 2)), self._fixed
        return rest.limit_denominator(self._most).as_integer_ratio()
