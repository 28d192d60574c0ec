"""Values of cells as a spreadsheet displays them, by number format codes: ECMA-376-1 18.8.30 and 18.8.31.

A code has up to four sections separated by ";": for positive numbers, negative ones, zero, and text.

    0.00%;[Red]-0.00%      [>=1000]#,##0;0      [$-407]dddd, d. mmmm yyyy      "No. "@

Colours, widths and fillers add no searchable text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import islice
from typing import Final

from cormorant.extract.document.cells.date_format import DateSection
from cormorant.extract.document.cells.format_tokens import FormatMark, FormatSection, format_sections
from cormorant.extract.document.cells.locale_data import ENGLISH, LocaleData
from cormorant.extract.document.cells.number_section import NumberSection, general_number, raw_number

GENERAL: Final = "General"
MAX_CODE: Final = 1_000
"""Characters of a format code that are read; Excel takes 255."""

_SECTIONS: Final = 4
_MEMORY: Final = 2_000
_NOUGHT: Final = re.compile(r"[^1-9]*")


class NumberFormat:
    """A format code, ready to show values."""

    def __init__(self, code: str, *, locale: LocaleData = ENGLISH, from_1904: bool = False) -> None:
        """Read a code. `locale` has the separators, and the names where the code names no language."""
        sections = list(islice(format_sections(code[:MAX_CODE]), _SECTIONS))
        has_text = len(sections) == _SECTIONS or sections[-1].is_text
        self._text = sections.pop() if has_text else None
        self._sections = [(each, _compiled(each, locale, from_1904)) for each in sections]
        self._conditions = [_condition(sections, place) for place in range(len(sections))]
        self._locale = locale
        self._is_general = not sections or code.lower() == "general"
        self._known: dict[float, tuple[str, str]] = {}

    def words(self, value: float) -> tuple[str, str]:
        """Return a number as displayed, and its raw or ISO 8601 form, "" if both are equal."""
        words = self._known.get(value)
        if words is None:
            words = self._words(float(value))
            if len(self._known) < _MEMORY:
                self._known[value] = words
        return words

    def display_text(self, text: str) -> str:
        """Return text as displayed; text that is hidden is returned as it is."""
        if self._text is None:
            return text
        shown = "".join(text if each.kind is FormatMark.TEXT else each.text for each in self._text.tokens)
        return shown.strip() if text in shown else text

    def _words(self, value: float) -> tuple[str, str]:
        if not math.isfinite(value):
            return "", ""
        raw = raw_number(value)
        if self._is_general:
            shown = general_number(value, raw).replace(".", self._locale.decimal)
            return shown, raw if raw != shown else ""
        place = next(place for place, holds in enumerate(self._conditions) if holds(value))
        section, shape = self._sections[place]
        if isinstance(shape, DateSection):
            shown, iso_form = shape.words(value)
            shown, raw = _in_line(shown), iso_form if shown else raw
        else:
            shown = _in_line(shape.display(abs(value)))
            if value < 0 and not _NOUGHT.fullmatch(shown) and not self._has_own_sign(place, section):
                shown = "-" + shown
        return (shown, raw if raw != shown else "") if shown else (raw, "")

    def _has_own_sign(self, place: int, section: FormatSection) -> bool:
        """Return whether a section is for negative numbers only, which it displays without a sign."""
        if section.condition is not None:
            return section.below_zero
        return place == 1 and self._sections[0][0].condition is None


def _compiled(section: FormatSection, locale: LocaleData, from_1904: bool) -> NumberSection | DateSection:
    return DateSection(section, locale, from_1904=from_1904) if section.is_date else NumberSection(section, locale)


def _condition(sections: list[FormatSection], place: int) -> Callable[[float], bool]:
    """Return the rule by which a number belongs to a section: its own, else that of its place."""
    own = sections[place].condition
    if place == len(sections) - 1:
        return lambda _: True
    if own is not None:
        return own
    if place == 0:
        return (lambda value: value > 0) if len(sections) > 2 else (lambda value: value >= 0)
    return lambda value: value < 0


def _in_line(text: str) -> str:
    return " ".join(text.split())
