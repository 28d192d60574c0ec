"""Sections and tokens of number format codes: ECMA-376-1 18.8.31."""

from __future__ import annotations

import enum
import operator
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from cormorant.extract.document.cells.locale_data import LocaleData, locale_of_language, locale_of_tag


class FormatMark(enum.Enum):
    """The parts that a section of a format code is made of."""

    LITERAL = enum.auto()
    DIGIT = enum.auto()
    POINT = enum.auto()
    COMMA = enum.auto()
    EXPONENT = enum.auto()
    SLASH = enum.auto()
    GENERAL = enum.auto()
    TEXT = enum.auto()
    DATE = enum.auto()
    ELAPSED = enum.auto()
    SUBSECOND = enum.auto()
    AM_PM = enum.auto()


class FormatToken(NamedTuple):
    """A part of a section: the text that it shows, or the letters that stand for it."""

    kind: FormatMark
    text: str


class FormatSection(NamedTuple):
    """A section of a format code. `system`: "date" or "time" for the long form of the system, else ""."""

    tokens: tuple[FormatToken, ...]
    condition: Callable[[float], bool] | None
    below_zero: bool
    """The condition holds for negative numbers only."""
    locale: LocaleData | None
    system: str

    @property
    def is_date(self) -> bool:
        """Return whether it shows a date or a time: it has letters for one, and no digits for a number."""
        kinds = {token.kind for token in self.tokens}
        dated = bool(self.system) or not kinds.isdisjoint((FormatMark.DATE, FormatMark.ELAPSED, FormatMark.AM_PM))
        return dated and FormatMark.DIGIT not in kinds and FormatMark.GENERAL not in kinds

    @property
    def is_text(self) -> bool:
        """Return whether it shows text."""
        return any(token.kind is FormatMark.TEXT for token in self.tokens)


_TOKEN: Final = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.?)|(?P<space>_.?)|(?P<fill>\*.?)|\[(?P<bracket>[^\]]*)\]|(?P<end>;)'
    r"|(?P<general>general)|(?P<am_pm>am/pm|a/p|上午/下午)|(?P<exponent>e[+-])|(?P<fraction>[.,]0+)"
    r"|(?P<date>y+|m+|d+|h+|s+|e+|g+|b+|a{3,})|(?P<digit>[0#?])|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_OTHER: Final = {
    ".": FormatMark.POINT,
    ",": FormatMark.COMMA,
    "/": FormatMark.SLASH,
    "@": FormatMark.TEXT,
}
_ELAPSED: Final = re.compile(r"h+|m+|s+", re.IGNORECASE)
_CONDITION: Final = re.compile(r"(<=|>=|<>|<|>|=)\s*([-+]?\d{1,300}(?:\.\d{1,300})?)")
_OPERATORS: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": operator.lt, "<=": operator.le, "=": operator.eq, "<>": operator.ne, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_SYSTEM: Final = {
    "f800": "date", "x-sysdate": "date", "f400": "time", "x-systime": "time",
}  # fmt: skip
_NUMBER: Final = re.compile(r"[0-9a-f]{1,8}")


class _Draft:
    """A section that is being read."""

    def __init__(self) -> None:
        self.tokens: list[FormatToken] = []
        self.condition: Callable[[float], bool] | None = None
        self.below_zero = False
        self.locale: LocaleData | None = None
        self.system = ""

    def add(self, kind: FormatMark, text: str) -> None:
        if kind is FormatMark.LITERAL and self.tokens and self.tokens[-1].kind is kind:
            text = self.tokens.pop().text + text
        self.tokens.append(FormatToken(kind, text))

    def add_bracket(self, text: str) -> None:
        """Read the text in brackets: elapsed time, a condition, a currency with its language; colours are skipped."""
        if _ELAPSED.fullmatch(text):
            self.add(FormatMark.ELAPSED, text.lower())
        elif text.startswith("$"):
            currency, _, language = text[1:].partition("-")
            if currency:
                self.add(FormatMark.LITERAL, currency)
            self._set_language(language.partition(",")[0].lower())
        elif found := _CONDITION.fullmatch(text):
            sign, limit = found[1], float(found[2])
            compare = _OPERATORS[sign]
            self.condition = lambda value: compare(value, limit)
            self.below_zero = (sign == "<" and limit <= 0) or (sign in ("<=", "=") and limit < 0)

    def _set_language(self, language: str) -> None:
        self.system = _SYSTEM.get(language, self.system)
        if _NUMBER.fullmatch(language):
            self.locale = locale_of_language(int(language, 16))
        elif language:
            self.locale = locale_of_tag(language)

    def add_fraction(self, text: str) -> None:
        """Read ".00": parts of a second after seconds, decimals elsewhere."""
        last = self.tokens[-1] if self.tokens else None
        if last and last.kind in (FormatMark.DATE, FormatMark.ELAPSED) and last.text[0] == "s":
            self.add(FormatMark.SUBSECOND, text)
            return
        self.add(_OTHER[text[0]], text[0])
        for digit in text[1:]:
            self.add(FormatMark.DIGIT, digit)

    def finished(self) -> FormatSection:
        return FormatSection(tuple(self.tokens), self.condition, self.below_zero, self.locale, self.system)


def format_sections(code: str) -> Iterator[FormatSection]:
    """Yield the sections of a format code."""
    draft = _Draft()
    for found in _TOKEN.finditer(code):
        kind, text = found.lastgroup, found[found.lastgroup or 0]
        if kind == "end":
            yield draft.finished()
            draft = _Draft()
        elif kind in ("quoted", "escaped"):
            draft.add(FormatMark.LITERAL, text)
        elif kind == "space":
            draft.add(FormatMark.LITERAL, " ")
        elif kind == "bracket":
            draft.add_bracket(text)
        elif kind == "fraction":
            draft.add_fraction(text)
        elif kind == "other":
            draft.add(_OTHER.get(text, FormatMark.LITERAL), text)
        elif kind is not None and kind != "fill":
            draft.add(FormatMark[kind.upper()], text if kind == "am_pm" else text.lower())
    yield draft.finished()
