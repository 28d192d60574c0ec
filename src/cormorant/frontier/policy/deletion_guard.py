"""Deletion guard: decides whether a run would delete or overwrite too many documents.

Pure.

A run is held if it would delete more than 20 % and more than 50 documents of a source, or more than 80 % of a source
with at least 5 documents. So an unmounted share or a wrong filter is noticed before it empties an index.

A run is also held if more than 60 % of its visited documents, and at least 5, now have one and the same text though
their texts differed before: a site under maintenance answers so.
"""

from __future__ import annotations

from collections.abc import Mapping

SHARE = 0.20
COUNT = 50
LARGE_SHARE = 0.80
SMALLEST = 5
ONE_TEXT_SHARE = 0.60
FEWEST = 5
"""The guard never trips on fewer deletions: more than the large share of the smallest source."""


def trips(going: int, documents: int) -> bool:
    """Return whether `going` deletions are too many of `documents` (those that search could find before this run)."""
    if documents <= 0:
        return False
    share = going / documents
    return (share > SHARE and going > COUNT) or (share > LARGE_SHARE and documents >= SMALLEST)


def most(going: int) -> int:
    """Return the number of documents up to which `going` deletions trip the guard; counting can stop there."""
    return max(int(going / (SHARE if going > COUNT else LARGE_SHARE)), 0) + 1


def expected(going: Mapping[str, int], agreed: Mapping[str, int]) -> int:
    """Return the number of deletions, by rule, that an administrator approved when the rules were made."""
    return sum(min(count, agreed.get(rule, 0)) for rule, count in going.items())


def is_mass_change(same: int, visited: int) -> bool:
    """Return whether `same` of the `visited` documents, all with one text now, are too many."""
    return same >= SMALLEST and same > ONE_TEXT_SHARE * visited
