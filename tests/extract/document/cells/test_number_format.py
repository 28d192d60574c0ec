from __future__ import annotations

import random

import pytest

from cormorant.extract.document.cells.cell_formats import MAX_FORMATS, CellFormats
from cormorant.extract.document.cells.locale_data import GERMAN, LocaleData
from cormorant.extract.document.cells.number_format import NumberFormat
from cormorant.extract.document.cells.number_section import raw_number
from tests.clocks import cpu_s

MARCH_14: float = 46_095
"""The serial number of 2026-03-14."""


def shown(code: str, value: float) -> str:
    return NumberFormat(code).words(value)[0]


@pytest.mark.parametrize(
    ("value", "displayed"),
    [
        (0, "0"), (12, "12"), (-1.5, "-1.5"), (1234.5, "1234.5"), (1 / 3, "0.333333333"), (-2 / 3, "-0.666666667"),
        (1234567.891, "1234567.891"), (12345.6789012, "12345.6789"), (1e10, "10000000000"),
        (4006381333931, "4.00638E+12"), (1e20, "1E+20"), (0.00001, "0.00001"), (1.234567e-7, "1.23457E-07"),
        (0.1 + 0.2, "0.3"),
    ],
)  # fmt: skip
def test_general_rounds_to_eleven_characters(value: float, displayed: str) -> None:
    assert shown("General", value) == displayed


def test_a_long_number_is_found_by_its_digits_too() -> None:
    assert NumberFormat("General").words(4006381333931) == ("4.00638E+12", "4006381333931")
    assert NumberFormat("General").words(1 / 3) == ("0.333333333", "0.333333333333333")


@pytest.mark.parametrize(
    ("code", "value", "displayed"),
    [
        ("0", 2.5, "3"), ("0", -2.5, "-3"), ("0.00", 1.005, "1.01"), ("0.00", 2.345, "2.35"), ("0.00", -0.001, "0.00"),
        ("#,##0", 1234567, "1,234,567"), ("#,##0.00", 0.5, "0.50"), ("0,000", 12, "0,012"), ("#", 0, "0"),
        ("#.##", 5, "5."), ("0.0##", 1.5, "1.5"), ("0.0?", 1.5, "1.5"), ("00000", 123, "00123"),
        ("000-00-0000", 123456789, "123-45-6789"), ("(000) 000-0000", 5551234567, "(555) 123-4567"),
        ("#,##0,", 1234567, "1,235"), ('0.0,,"M"', 1234567, "1.2M"), ("0%", 0.025, "3%"), ("0.00%", 0.025, "2.50%"),
        ("0.00\\ %", 0.025, "2.50 %"), ("0.00E+00", 12345.678, "1.23E+04"), ("##0.0E+0", 12345.678, "12.3E+3"),
        ("0.00E+00", 9.999, "1.00E+01"), ("0E-0", 0.00012, "1E-4"), ("# ?/?", 1.25, "1 1/4"), ("# ??/??", 0.5, "1/2"),
        ("# ?/8", 1.25, "1 2/8"), ("?/?", 1.25, "5/4"), ("# ??/100", 1.25, "1 25/100"), ("# ?/?", 2.999, "3"),
        ("0.00", 1e300, "1" + "0" * 300 + ".00"),
    ],
)  # fmt: skip
def test_numbers_are_displayed_by_their_code(code: str, value: float, displayed: str) -> None:
    assert shown(code, value) == displayed


@pytest.mark.parametrize(
    ("code", "value", "displayed"),
    [
        ("0;(0)", -5, "(5)"), ("0;-0;\"none\"", 0, "none"), ("0.00;;", -1, "-1"), (";;;", 7, "7"),
        ("[Red]0;[Color 12]-0", -3, "-3"), ("[>=1000]#,##0;0.0", 1500, "1,500"), ("[>=1000]#,##0;0.0", 2, "2.0"),
        ("[<50]\"low\";[>90]\"high\";\"middle\"", 70, "middle"), ("[<50]\"low\";[>90]\"high\";\"middle\"", 95, "high"),
        ("[>=1000]#,##0;0", -5, "-5"), ("[<0]\"minus \"0;0", -5, "minus 5"), ('"a;b"0', 1, "a;b1"),
        ("0\\;0", 12, "1;2"),
        ("0;0;0;@;0;0", 5, "5"),
    ],
)  # fmt: skip
def test_the_section_is_chosen_by_sign_or_condition(code: str, value: float, displayed: str) -> None:
    assert shown(code, value) == displayed


@pytest.mark.parametrize(
    ("code", "displayed"),
    [
        ("#,##0.00 [$€-407]", "-1,234.50 €"), ("[$£-809]#,##0.00", "-£1,234.50"), ('#,##0.00\\ "EUR"', "-1,234.50 EUR"),
        ('_-* #,##0.00\\ [$€-407]_-;-* #,##0.00\\ [$€-407]_-;_-* "-"??\\ [$€-407]_-', "-1,234.50 €"),
        ("[$USD] #,##0.00", "-USD 1,234.50"), ('_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)', "$(1,234.50)"),
        ('General" km"', "-1234.5 km"), ("0 km", "-1235 km"),
    ],
)  # fmt: skip
def test_currencies_and_units_stand_beside_the_number(code: str, displayed: str) -> None:
    words = shown(code, -1234.5)
    assert words.replace("$ (", "$(") == displayed


@pytest.mark.parametrize(
    ("code", "displayed"),
    [
        ("yyyy-mm-dd", "2026-03-14"), ("dd.mm.yyyy", "14.03.2026"), ("d/m/yy", "14/3/26"), ("m/d/yyyy", "3/14/2026"),
        ("d-mmm-yy", "14-Mar-26"), ("mmmm d, yyyy", "March 14, 2026"), ("dddd", "Saturday"), ("ddd", "Sat"),
        ("mmmmm", "M"), ("[$-407]dddd, d. mmmm yyyy", "Samstag, 14. März 2026"), ("[$-de-DE]d. mmm", "14. Mrz"),
        ("[$-40C]d mmmm yyyy", "14 mars 2026"), ("[$-C0A]dddd d", "sábado 14"), ("[$-410]d mmmm", "14 marzo"),
        ("[$-F800]dddd, mmmm dd, yyyy", "Saturday, March 14, 2026"), ("[$-409]mmm\\-yy;@", "Mar-26"),
        ('yyyy"年"m"月"d"日"', "2026年3月14日"), ("e", "2026"), ("bbbb", "2569"),
        ("mm/dd/yyyy\\ hh:mm", "03/14/2026 13:45"),
        ("yyyy-mm-dd\\Thh:mm:ss", "2026-03-14T13:45:07"), ("h:mm AM/PM", "1:45 PM"), ("hh:mm:ss.00", "13:45:07.20"),
        ("mm:ss.0", "45:07.2"), ("h:m", "13:45"), ("m", "3"), ("A/P", "P"), ("[$-F400]h:mm:ss AM/PM", "1:45:07 PM"),
        ('h "Uhr"', "13 Uhr"),
    ],
)  # fmt: skip
def test_dates_and_times_are_displayed_by_their_code(code: str, displayed: str) -> None:
    assert shown(code, MARCH_14 + (13 * 3600 + 45 * 60 + 7.2) / 86_400) == displayed


@pytest.mark.parametrize(
    ("code", "value", "displayed"),
    [
        ("[h]:mm:ss", 1.5, "36:00:00"), ("[hh]:mm", 0.25, "06:00"), ("[mm]:ss", 1 / 24, "60:00"),
        ("[ss]", 1 / 1440, "60"),
        ("hh:mm:ss", 0.99999999, "00:00:00"), ("hh:mm", 0.5 - 1e-9, "12:00"),
    ],
)  # fmt: skip
def test_spans_of_time_exceed_a_day(code: str, value: float, displayed: str) -> None:
    assert shown(code, value) == displayed


@pytest.mark.parametrize(
    ("serial", "displayed"),
    [(0, "1900-01-00"), (1, "1900-01-01"), (59, "1900-02-28"), (60, "1900-02-29"), (61, "1900-03-01"),
     (2_958_465, "9999-12-31"), (2_958_466, "2958466"), (-1, "-1")],
)  # fmt: skip
def test_the_year_1900_has_a_leap_day_that_never_was(serial: float, displayed: str) -> None:
    assert shown("yyyy-mm-dd", serial) == displayed


def test_the_1904_system_counts_from_another_day() -> None:
    assert NumberFormat("d.m.yyyy", from_1904=True).words(0) == ("1.1.1904", "1904-01-01")


@pytest.mark.parametrize(
    ("code", "value", "raw"),
    [
        ("0.00%", 0.025, "0.025"), ("#,##0.00", 1234.5, "1234.5"), ("0.0", 1.5, ""),
        ("dd.mm.yyyy", MARCH_14, "2026-03-14"),
        ("dd.mm.yyyy hh:mm", MARCH_14 + 0.5, "2026-03-14 12:00"), ("yyyy-mm-dd", MARCH_14, ""),
        ("h AM/PM", 0.5, "12:00"),
        ("[h]:mm", 1.5, ""), ("dd.mm.yyyy", MARCH_14 + 0.5, "2026-03-14"), (";;;", 5, ""), ("0", -5, ""),
        ("0;(0)", -5, "-5"),
    ],
)  # fmt: skip
def test_the_raw_form_is_there_where_it_is_another(code: str, value: float, raw: str) -> None:
    assert NumberFormat(code).words(value)[1] == raw


@pytest.mark.parametrize(
    ("code", "displayed"),
    [('"No. "@', "No. X1"), ("@", "X1"), ("0.00", "X1"), ("General", "X1"), ('0;0;0;"<"@">"', "<X1>"), (";;;", "X1"),
     ('0;0;0;"nothing"', "X1")],
)  # fmt: skip
def test_text_is_displayed_by_its_section(code: str, displayed: str) -> None:
    assert NumberFormat(code).display_text("X1") == displayed


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_shows_nothing(value: float) -> None:
    assert NumberFormat("0.00").words(value) == ("", "")


@pytest.mark.parametrize(
    ("value", "raw"),
    [
        (5.0, "5"),
        (-0.0, "0"),
        (1e21, "1E+21"),
        (123456789012345680.0, "123456789012346000"),
        (0.00000012, "0.00000012"),
    ],
)
def test_raw_numbers_avoid_exponents(value: float, raw: str) -> None:
    assert raw_number(value) == raw


@pytest.mark.parametrize(
    ("locale", "format_id", "value", "displayed"),
    [
        (None, 14, MARCH_14, "3/14/2026"), (GERMAN, 14, MARCH_14, "14.03.2026"),
        (GERMAN, 22, MARCH_14, "14.03.2026 0:00"),
        (GERMAN, 4, 1234.5, "1.234,50"), (GERMAN, 0, 0.5, "0,5"), (None, 9, 0.5, "50%"), (None, 49, 5, "5"),
        (None, 46, 1.5, "36:00:00"), (None, 12, 0.5, "1/2"), (None, 30, MARCH_14, "3/14/2026"), (None, 163, 7, "7"),
        (None, 48, 12345, "12.3E+3"), (None, 39, -2, "(2.00)"),
    ],
)  # fmt: skip
def test_built_in_formats_follow_the_language(
    locale: LocaleData | None, format_id: int, value: float, displayed: str
) -> None:
    formats = CellFormats()
    formats.locale = locale or formats.locale
    formats.format_ids = [format_id]
    assert formats.of_style(0).words(value)[0] == displayed


def test_a_style_that_does_not_exist_is_general() -> None:
    formats = CellFormats()
    assert [formats.of_style(style).words(1.5)[0] for style in (-1, 0, 10**9)] == ["1.5"] * 3


def test_formats_without_end_are_general() -> None:
    formats = CellFormats()
    formats.codes = dict.fromkeys(range(200, 200 + 2 * MAX_FORMATS), "0.00")
    found = [formats.of_id(number).words(1)[0] for number in formats.codes]
    assert found == ["1.00"] * MAX_FORMATS + ["1"] * MAX_FORMATS


def test_any_code_displays_any_number_or_hides_it() -> None:
    chance = random.Random(4)
    pieces = [
        *'0#?.,%/E+-;@*_"\\[]dmyhsgeba$',
        "General",
        "AM/PM",
        "[h]",
        "[$-407]",
        "[>=1]",
        "[$€-407]",
        "E+0",
        "[ss].0",
    ]
    values = (0, 1, -1, 0.5, 1234.567, -1e300, 5e-324, 46_095.5, 2_958_465.999999, float("nan"))
    for _ in range(3_000):
        code = "".join(chance.choices(pieces, k=chance.randint(0, 12)))
        made = NumberFormat(code)
        for value in values:
            displayed, raw = made.words(value)
            assert len(displayed) + len(raw) < 1_000, code
        assert "X1" in made.display_text("X1")


@pytest.mark.parametrize(
    "code", ["0" * 10**6, "[" * 10**6, ";" * 10**6, '"' * 10**6, "%" * 10**6, "0," * 10**5, "?/" * 10**5]
)
def test_a_code_without_end_takes_no_time(code: str) -> None:
    assert cpu_s(lambda: NumberFormat(code).words(1.5)) < 0.5
