"""Names of months and days, separators and dates of the languages that spreadsheets are most often made in.

A number format may name its language ([MS-LCID]); the language of a workbook follows from words of the program that
saved it. Unknown languages are displayed as English.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class LocaleData(NamedTuple):
    """Dates and numbers as people of one language write them. `days` begin with Sunday."""

    months: tuple[str, ...]
    short_months: tuple[str, ...]
    days: tuple[str, ...]
    short_days: tuple[str, ...]
    decimal: str
    group: str
    short_date: str
    """The format code of built-in format 14, as Windows has it for the language."""
    long_date: str
    time: str


def _locale(months: str, short_months: str, days: str, short_days: str, separators: str, codes: str) -> LocaleData:
    short_date, long_date, time = codes.split("|")
    return LocaleData(
        months=tuple(months.split()),
        short_months=tuple(short_months.split()),
        days=tuple(days.split()),
        short_days=tuple(short_days.split()),
        decimal=separators[0],
        group=separators[1],
        short_date=short_date,
        long_date=long_date,
        time=time,
    )


ENGLISH: Final = _locale(
    "January February March April May June July August September October November December",
    "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "Sunday Monday Tuesday Wednesday Thursday Friday Saturday",
    "Sun Mon Tue Wed Thu Fri Sat",
    ".,",
    "m/d/yyyy|dddd, mmmm d, yyyy|h:mm:ss AM/PM",
)
GERMAN: Final = _locale(
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    "Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag",
    "So Mo Di Mi Do Fr Sa",
    ",.",
    "dd.mm.yyyy|dddd, d. mmmm yyyy|hh:mm:ss",
)
FRENCH: Final = _locale(
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
    "dimanche lundi mardi mercredi jeudi vendredi samedi",
    "dim. lun. mar. mer. jeu. ven. sam.",
    ", ",
    "dd/mm/yyyy|dddd d mmmm yyyy|hh:mm:ss",
)
SPANISH: Final = _locale(
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "ene feb mar abr may jun jul ago sep oct nov dic",
    "domingo lunes martes miércoles jueves viernes sábado",
    "dom lun mar mié jue vie sáb",
    ",.",
    'dd/mm/yyyy|dddd, d "de" mmmm "de" yyyy|h:mm:ss',
)
ITALIAN: Final = _locale(
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "gen feb mar apr mag giu lug ago set ott nov dic",
    "domenica lunedì martedì mercoledì giovedì venerdì sabato",
    "dom lun mar mer gio ven sab",
    ",.",
    "dd/mm/yyyy|dddd d mmmm yyyy|hh:mm:ss",
)
DUTCH: Final = _locale(
    "januari februari maart april mei juni juli augustus september oktober november december",
    "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "zondag maandag dinsdag woensdag donderdag vrijdag zaterdag",
    "zo ma di wo do vr za",
    ",.",
    "d-m-yyyy|dddd d mmmm yyyy|hh:mm:ss",
)
PORTUGUESE: Final = _locale(
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "jan fev mar abr mai jun jul ago set out nov dez",
    "domingo segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado",
    "dom seg ter qua qui sex sáb",
    ",.",
    'dd/mm/yyyy|dddd, d "de" mmmm "de" yyyy|hh:mm:ss',
)

# The lowest ten bits of a language number ([MS-LCID] 2.1).
_BY_NUMBER: Final = {
    0x07: GERMAN, 0x09: ENGLISH, 0x0A: SPANISH, 0x0C: FRENCH, 0x10: ITALIAN, 0x13: DUTCH, 0x16: PORTUGUESE,
}  # fmt: skip
_BY_TAG: Final = {
    "de": GERMAN, "en": ENGLISH, "es": SPANISH, "fr": FRENCH, "it": ITALIAN, "nl": DUTCH, "pt": PORTUGUESE,
}  # fmt: skip
# Country calling codes, as in the COUNTRY record of an XLS file ([MS-XLS] 2.4.63).
_BY_COUNTRY: Final = {
    31: DUTCH, 33: FRENCH, 34: SPANISH, 39: ITALIAN, 43: GERMAN, 49: GERMAN, 52: SPANISH, 55: PORTUGUESE,
    351: PORTUGUESE,
}  # fmt: skip
# The heading of the list of sheets that Excel writes into the extended properties (ECMA-376-1 22.2.2.8).
_BY_HEADING: Final = {
    "worksheets": ENGLISH,
    "arbeitsblätter": GERMAN,
    "tabellenblätter": GERMAN,
    "feuilles de calcul": FRENCH,
    "hojas de cálculo": SPANISH,
    "fogli di lavoro": ITALIAN,
    "werkbladen": DUTCH,
    "planilhas": PORTUGUESE,
    "folhas de cálculo": PORTUGUESE,
}


def locale_of_language(number: int) -> LocaleData | None:
    """Return the locale of a language number (LCID), None for one that is not known."""
    return _BY_NUMBER.get(number & 0x3FF)


def locale_of_tag(tag: str) -> LocaleData | None:
    """Return the locale of a language tag ("de-AT"), None for one that is not known."""
    return _BY_TAG.get(tag.partition("-")[0].lower())


def locale_of_country(number: int) -> LocaleData:
    """Return the locale of a country by its calling code."""
    return _BY_COUNTRY.get(number, ENGLISH)


def locale_of_heading(heading: str) -> LocaleData | None:
    """Return the locale in which Excel uses this heading for worksheets, None for an unknown heading."""
    return _BY_HEADING.get(heading.strip().lower())
