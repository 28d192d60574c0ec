"""The number formats of a workbook: built-in ones (ECMA-376-1 18.8.30) and its own, by the styles of cells."""

from __future__ import annotations

from typing import Final

from cormorant.extract.document.cells.locale_data import ENGLISH, LocaleData
from cormorant.extract.document.cells.number_format import GENERAL, NumberFormat

MAX_STYLES: Final = 100_000
"""Styles and format codes of a workbook that are read; Excel takes 65,490."""
MAX_FORMATS: Final = 500
"""Number formats that are used; Excel takes 250. Values of further ones are shown as General."""

_BUILT_IN: Final = {
    0: GENERAL, 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00",
    5: '"$"#,##0_);("$"#,##0)', 6: '"$"#,##0_);[Red]("$"#,##0)',
    7: '"$"#,##0.00_);("$"#,##0.00)', 8: '"$"#,##0.00_);[Red]("$"#,##0.00)',
    9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
    15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
    32: "h:mm:ss", 33: "h:mm:ss", 34: "h:mm:ss", 35: "h:mm:ss",
    37: "#,##0_);(#,##0)", 38: "#,##0_);[Red](#,##0)", 39: "#,##0.00_);(#,##0.00)", 40: "#,##0.00_);[Red](#,##0.00)",
    41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)', 42: '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)',
    43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
    44: '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)',
    45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@", 55: "h:mm:ss", 56: "h:mm:ss",
}  # fmt: skip
# The short date of the language; those of East Asia and Thailand are dates too, in other calendars and scripts.
_SHORT_DATES: Final = frozenset((14, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58))
_DATE_AND_TIME: Final = 22


class CellFormats:
    """The number formats of a workbook.

    `codes` are its own format codes by id, `format_ids` the ids of its cell styles in their order, `locale` the
    language of the program that saved it, `from_1904` its date system.
    """

    def __init__(self) -> None:
        """Begin without styles, in English, with the 1900 date system."""
        self.codes: dict[int, str] = {}
        self.format_ids: list[int] = []
        self.locale: LocaleData = ENGLISH
        self.from_1904 = False
        self._made: dict[int, NumberFormat] = {}

    def clear(self) -> None:
        """Forget styles and format codes, before a sheet that has its own."""
        self.codes.clear()
        self.format_ids.clear()
        self._made.clear()

    def of_style(self, style: int) -> NumberFormat:
        """Return the number format of a cell style, General for a style that does not exist."""
        return self.of_id(self.format_ids[style] if 0 <= style < len(self.format_ids) else 0)

    def of_id(self, format_id: int) -> NumberFormat:
        """Return a number format by its id."""
        made = self._made.get(format_id)
        if made is None:
            code = self._code(format_id) if len(self._made) < MAX_FORMATS else GENERAL
            made = self._made[format_id] = NumberFormat(code, locale=self.locale, from_1904=self.from_1904)
        return made

    def _code(self, format_id: int) -> str:
        own = self.codes.get(format_id)
        if own:
            return own
        if format_id in _SHORT_DATES:
            return self.locale.short_date
        if format_id == _DATE_AND_TIME:
            return self.locale.short_date + " h:mm"
        return _BUILT_IN.get(format_id, GENERAL)
