"""Attributes of documents as an index keeps them: as words, as whole values, and as numbers.

    Department "Human Resources"   words    department|human department|resources, side by side
                                   value    department|Human Resources
    Price 10.5                     number   price|c, price|c0, price|c02 ... 16 beginnings of its order
                                   value    price|10.5
    Due_at 1773446400              number   as above; every number that can be a moment has a month too
                                   month    due_at month|2026-03

A number is written as 16 hexadecimal digits in the order of numbers. A range is covered by few beginnings of such
digits, 480 at the most, as Lucene's numeric fields do (Schindler and Diepenbroek, 2008).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from cormorant.base.clock import rfc3339
from cormorant.model.attribute import DATE_ENDING, MOST_VALUES, each_value, is_attribute_name, written
from cormorant.model.text import display_directives
from cormorant.search.index.document import IndexedDocument
from cormorant.search.index.query import AttributeMatch, AttributeRange
from cormorant.search.index.tokenizer import clean, words

SEPARATOR: Final = "\x1f"
"""Separates the name of an attribute from its value: a character that no word and no kept value has."""
LONGEST_VALUE: Final = 200
"""Characters of a value that can be chosen as a whole."""
MOST_WORDS: Final = 5_000
"""Words of all attributes of a document that can be found by the attribute's name."""
MOST_NUMBERS: Final = 500
"""Numbers of all attributes of a document, likewise."""
_PROSE: Final = frozenset(("Comments", "Description", "Headline1", "Headline2"))
"""Attributes of prose, whose values are not offered in a list."""
_MARKS: Final = frozenset((display_directives.ATTRIBUTE, display_directives.CANONICAL))
_DIGITS: Final = 16
_MONTH: Final = len("2026-03")
_LAST: Final = (1 << 64) - 1
_SIGN: Final = 1 << 63


def named(name: str, value: str) -> str:
    """Return the term for a value of an attribute; names are compared without regard to case."""
    return f"{name.lower()}{SEPARATOR}{value}"


def _attributes(entry: IndexedDocument) -> Iterator[tuple[str, str | float]]:
    for name, value in entry.attributes.items():
        if name not in _MARKS and is_attribute_name(name):
            for each in each_value(value)[:MOST_VALUES]:
                yield name, each


def word_terms(entry: IndexedDocument) -> list[list[str]]:
    """Return the words of each value, as terms in their order."""
    found: list[list[str]] = []
    left = MOST_WORDS
    for name, value in _attributes(entry):
        if isinstance(value, str) and left > 0:
            terms = [named(name, word) for word in words(value)[:left]]
            left -= len(terms)
            found.append(terms)
    return [each for each in found if each]


def months_of(name: str) -> str:
    """Return the name for the months of a date attribute; no attribute has a blank in its name."""
    return f"{name} month"


def value_terms(entry: IndexedDocument) -> list[str]:
    """Return values that can be chosen as a whole: short ones, numbers, and the months of numbers as moments."""
    found: dict[str, None] = {}
    for name, value in _attributes(entry):
        month = "" if isinstance(value, str) else (rfc3339(value) or "")[:_MONTH]
        if month:
            found[named(months_of(name), month)] = None
        if name in _PROSE or name.endswith(DATE_ENDING):
            continue
        text = clean(value) if isinstance(value, str) else written(value)
        if text and len(text) <= LONGEST_VALUE:
            found[named(name, text)] = None
    return [*found]


def values_of(entry: IndexedDocument, name: str) -> tuple[str, ...]:
    """Return the values of one attribute that can be chosen."""
    start = named(name, "")
    return tuple(term.removeprefix(start) for term in value_terms(entry) if term.startswith(start))


def number_terms(entry: IndexedDocument) -> list[str]:
    """Return all beginnings of the numbers of an entry."""
    found: dict[str, None] = {}
    numbers = [each for each in _attributes(entry) if not isinstance(each[1], str)][:MOST_NUMBERS]
    for name, value in numbers:
        digits = f"{_ordered(float(value)):0{_DIGITS}x}"
        found.update(dict.fromkeys(named(name, digits[:length]) for length in range(1, _DIGITS + 1)))
    return [*found]


def range_terms(asked: AttributeRange) -> list[str]:
    """Return the beginnings that cover a range, both ends included."""
    low = 0 if asked.low is None else _ordered(asked.low)
    high = _LAST if asked.high is None else _ordered(asked.high)
    return [named(asked.name, digits) for digits in _cover(low, high)]


def _ordered(value: float) -> int:
    """Return a number of 64 bits in the order of floating-point numbers; both zeros are the same."""
    bits = int(struct.unpack(">Q", struct.pack(">d", value + 0.0))[0])
    return bits ^ (_LAST if bits & _SIGN else _SIGN)


def _cover(low: int, high: int) -> Iterator[str]:
    """Yield the beginnings of the digits of all numbers from one to another, as few as there can be."""
    for length in range(_DIGITS, 0, -1):
        if low > high:
            return
        if length == 1 or low >> 4 == high >> 4:
            yield from (f"{each:0{length}x}" for each in range(low, high + 1))
            return
        if low & 0xF:
            yield from (f"{each:0{length}x}" for each in range(low, (low | 0xF) + 1))
            low = (low | 0xF) + 1
        if high & 0xF != 0xF:
            yield from (f"{each:0{length}x}" for each in range(high & ~0xF, high + 1))
            high = (high & ~0xF) - 1
        low, high = low >> 4, high >> 4


def has_match(entry: IndexedDocument, asked: AttributeMatch) -> bool:
    """Say whether an entry has one of the values, or one with the words of any of the texts side by side.

    Without texts, say whether it has any value with words or that can be chosen.
    """
    if not asked.texts:
        held = (*value_terms(entry), *(terms[0] for terms in word_terms(entry)))
        return any(each.startswith(named(asked.name, "")) for each in held)
    if asked.whole:
        return not {named(asked.name, text) for text in asked.texts}.isdisjoint(value_terms(entry))
    wanted = [[named(asked.name, word) for word in words(text)] for text in asked.texts]
    values = word_terms(entry)
    return any(terms and _stand(terms, value) for terms in wanted for value in values)


def _stand(terms: list[str], value: list[str]) -> bool:
    return any(value[at : at + len(terms)] == terms for at in range(len(value) - len(terms) + 1))


def lies_within(entry: IndexedDocument, asked: AttributeRange) -> bool:
    """Say whether an entry has a number of the attribute in the range."""
    name, numbers = asked.name.lower(), [each for each in _attributes(entry) if not isinstance(each[1], str)]
    return any(
        each.lower() == name
        and (asked.low is None or float(value) >= asked.low)
        and (asked.high is None or float(value) <= asked.high)
        for each, value in numbers[:MOST_NUMBERS]
    )
