"""Finders of e-mail addresses, telephone numbers and numbers of payment cards in a text.

    e-mail   RFC 5321 4.1.2 without quoted local parts; letters of all scripts (RFC 6531)
    phone    E.164 as it is written: +49 30 12345-0, 0049 ..., (030) 123 45 67, 415-555-2671; 7 to 15 digits
    card     ISO/IEC 7812-1: 12 to 19 digits, the last a check digit by Luhn's rule, in groups parted by blank or hyphen

Each takes time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final

import re2

Spans = Iterator[tuple[int, int]]
"""Half-open ranges of code points, in order, which do not overlap."""

_LOCAL: Final = re.compile(r"[^\W_][\w.%+'-]{0,63}\Z")
_DOMAIN: Final = re.compile(r"(?:[^\W_][^\W_-]{0,62}(?:-{1,4}[^\W_]{1,62}){0,8}\.){1,8}[^\W\d_]{2,24}(?![^\W_])")
_LONGEST_LOCAL: Final = 64
_LONGEST_DOMAIN: Final = 255
_DIGITS: Final = r"\d+(?:[ \-]\d+)*"
_PHONE: Final = r"(?:\+ ?|\(\+?)?\d[\d ()/.\x{2011}\x{2013}\-]{5,28}\d"
_DATE: Final = re.compile(r"\d{1,2}[./-]\d{1,2}[./-](?:\d{2}|\d{4})|\d{4}[./-]\d{1,2}[./-]\d{1,2}", re.ASCII)
_NORTH_AMERICAN: Final = re.compile(r"(?:1[ .-])?\(?\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4}", re.ASCII)
_NOT_DIGITS: Final = re.compile(r"\D+")
_JOINTS: Final = re.compile(r"[ ()/.\-\u2011\u2013]{2,}")
CARD_DIGITS: Final = range(12, 20)
PHONE_DIGITS: Final = range(7, 16)
"""E.164 6.2.1 allows 15; shorter ones than 7 are mostly no telephone numbers."""


def emails(text: str) -> Spans:
    """Find e-mail addresses: what stands around an @."""
    done, at = 0, text.find("@")
    while at >= 0:
        begin = max(done, at - _LONGEST_LOCAL)
        local = _LOCAL.search(text[begin:at])
        domain = _DOMAIN.match(text[at + 1 : at + 1 + _LONGEST_DOMAIN]) if local else None
        if local and domain:
            done = at + 1 + domain.end()
            yield begin + local.start(), done
        at = text.find("@", at + 1)


def cards(text: str) -> Spans:
    """Find numbers of payment cards, also beside other digits: any run of whole groups that passes Luhn's check."""
    for run in _compiled(_DIGITS).finditer(text):
        start, end = run.span()
        if end - start >= CARD_DIGITS.start:
            yield from _cards_within(text, start, end)


def _cards_within(text: str, start: int, end: int) -> Spans:
    groups = [(start + each.start(), start + each.end()) for each in _GROUP.finditer(text[start:end])]
    first = 0
    while first < len(groups):
        last = _card_from(text, groups, first)
        if last is None:
            first += 1
            continue
        yield groups[first][0], groups[last][1]
        first = last + 1


_GROUP: Final = re.compile(r"\d+", re.ASCII)


def _card_from(text: str, groups: list[tuple[int, int]], first: int) -> int | None:
    """Return the last group of the longest number that begins with a group and is that of a card, None for none."""
    digits, found = "", None
    for last in range(first, len(groups)):
        begin, end = groups[last]
        if len(digits) + end - begin >= CARD_DIGITS.stop:
            break
        digits += text[begin:end]
        if len(digits) in CARD_DIGITS and digits[0] in "23456" and is_luhn(digits):
            found = last
    return found


def is_luhn(digits: str) -> bool:
    """Return whether the last digit is the check digit of those before it (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (1 + place % 2)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


def phones(text: str) -> Spans:
    """Find telephone numbers by how they are written: with +, 00 or 0 in front, or as in North America."""
    for match in _compiled(_PHONE).finditer(text):
        start, end = match.span()
        before, behind = text[start - 1 : start], text[end : end + 1]
        if before.isalnum() or behind.isalnum():
            continue
        if _is_phone(text[start:end]):
            yield start, end


def _is_phone(written: str) -> bool:
    digits = _NOT_DIGITS.sub("", written)
    if len(digits) not in PHONE_DIGITS or _DATE.search(written):
        return False
    bare = written.lstrip("( ")
    if bare.startswith("+") or digits.startswith("00"):
        return len(digits) >= 8 and digits.strip("0") != ""
    if _NORTH_AMERICAN.fullmatch(written):
        return True
    parted = len(digits) < len(written)
    return bare.startswith("0") and len(digits) >= 8 - 2 * parted and not written.startswith("0.")


def own(expression: str) -> Callable[[str], Spans]:
    """Return a finder of what an expression of RE2 matches; an empty match is nothing."""

    def find(text: str) -> Spans:
        for match in _compiled(expression).finditer(text):
            start, end = match.span()
            if end > start:
                yield start, end

    return find


@lru_cache(256)
def _compiled(expression: str) -> Any:
    options = re2.Options()
    options.log_errors, options.max_mem = False, 8 << 20
    return re2.compile(expression, options)
