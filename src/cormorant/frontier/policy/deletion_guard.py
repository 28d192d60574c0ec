"""Deletion guard: decides whether a run would delete or overwrite too many documents.

Pure.

Held when more than 20 % and more than 50 documents of a source would go, or more than 80 % of a source with at least 5
documents. No peer stops a mass deletion; an unmounted share or a wrong filter is found before it empties an index.

Held as well when more than 60 % of the documents that a run visited, and at least 5, come to say one and the same
though they said different things before: a site that is being maintained answers so (fault W15).
"""

from __future__ import annotations

from collections.abc import Mapping

SHARE = 0.20
COUNT = 50
LARGE_SHARE = 0.80
SMALLEST = 5
ONE_TEXT_SHARE = 0.60
FEWEST = 5
"""Fewer never trip it: more than the large share of the smallest source."""


def trips(going: int, documents: int) -> bool:
    """Say whether `going` of `documents` (what search could find before this run) is too many."""
    if documents <= 0:
        return False
    share = going / documents
    return (share > SHARE and going > COUNT) or (share > LARGE_SHARE and documents >= SMALLEST)


def most(going: int) -> int:
    """Up to how many documents must be counted to tell whether `going` of them trip it: of more it never would."""
    return max(int(going / (SHARE if going > COUNT else LARGE_SHARE)), 0) + 1


def expected(going: Mapping[str, int], agreed: Mapping[str, int]) -> int:
    """Return how many deletions, by rule and up to its number, a person agreed to when the rules were made."""
    return sum(min(count, agreed.get(rule, 0)) for rule, count in going.items())


def is_mass_change(same: int, visited: int) -> bool:
    """Say whether so many of the documents that were visited, all with one text now, are too many."""
    return same >= SMALLEST and same > ONE_TEXT_SHARE * visited
