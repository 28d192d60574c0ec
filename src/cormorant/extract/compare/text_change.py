"""Detection of new content in the text of a page.

With `change_by = main` a date in the footer is no change, a sentence in the middle is one.

The main text is the page's own by its structure; without such a part, all of the text counts. The time of a page's
generation stands at its edges, so dates and times do not count in the first and last lines of the main text, nor in a
text without a main part.
"""

from __future__ import annotations

import re
from typing import Final

from cormorant.extract.sanitize import text_hash
from cormorant.model.content import Extraction

_FIRST_LINES: Final = 3
_LAST_LINES: Final = 5
_HEADLINE: Final = "Headline"
_EDGE_LINE: Final = 200
"""Characters: a longer line is a paragraph, not a footer."""

_MONTH: Final = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"  # English, and the stem of most others
    r"|mär|mrz|mai|okt|dez|fév|fev|avr|mai|juin|juil|aoû|aou|déc|ene|abr|ago|dic|gen|mag|giu|lug|set|ott|mrt|mei)"
    r"[^\W\d_]{0,7}\.?"
)
_DAY: Final = r"\d{1,2}(?:st|nd|rd|th|\.|º|er)?"
_YEAR: Final = r"(?:19|20)\d\d"
_DATE: Final = re.compile(
    rf"\b{_YEAR}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?"
    rf"|\b\d{{1,2}}[-/.]\d{{1,2}}[-/.](?:{_YEAR}|\d\d)\b"
    rf"|\b{_DAY}(?: of| de)? {_MONTH}(?: de)?,? {_YEAR}\b"
    rf"|\b{_MONTH} {_DAY},? {_YEAR}\b"
    rf"|\b{_MONTH} {_YEAR}\b"
    r"|\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?[ap]\.?m\b\.?)?"
    r"(?: ?(?:utc|gmt|ce?s?t|e[sd]t|p[sd]t)\b)?(?: ?[+-]\d\d:?\d\d)?",
    re.IGNORECASE,
)
_YEARS: Final = re.compile(rf"\b{_YEAR}\b")
_WEEKDAYS: Final = re.compile(
    r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b,?"
    r"|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)\b,?"
    r"|\b(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)\b,?",
    re.IGNORECASE,
)


def attributes_said(extraction: Extraction) -> bytes:
    """Return the attributes that the text does not contain, in a fixed order; b"" if there are none."""
    said = [each for each in sorted(extraction.attributes.items()) if not each[0].startswith(_HEADLINE)]
    return repr(said).encode(errors="replace") if said else b""


def main_text_hash(extraction: Extraction) -> bytes:
    """Return the SHA-256 of the page's main text, 32 bytes.

    The extraction must have been made with a manner that requests the main text.
    """
    if extraction.main_text:
        return text_hash(_without_edge_dates(extraction.main_text))
    return text_hash(_WEEKDAYS.sub("", _DATE.sub("", extraction.text)))


def _without_edge_dates(text: str) -> str:
    lines = [line for line in text.split("\n") if line.strip()]
    last = max(_FIRST_LINES, len(lines) - _LAST_LINES)
    for place in (*range(min(_FIRST_LINES, len(lines))), *range(last, len(lines))):
        line = lines[place]
        if len(line) <= _EDGE_LINE:
            lines[place] = " ".join(_YEARS.sub("", _WEEKDAYS.sub("", _DATE.sub("", line))).split())
    return "\n".join(lines)
