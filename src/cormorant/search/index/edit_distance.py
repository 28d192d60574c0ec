"""Edit distance of two words. In letters left out, put in, replaced, or changed with their neighbour."""

from __future__ import annotations

SHORT = 5
"""Letters of a word of which one may be wrong; of a longer one two."""


def allowed(word: str) -> int:
    """Return how many letters of a word may be wrong if nothing else is said."""
    return 1 + (len(word) > SHORT)


def misspelt(one: str, other: str) -> int:
    """Return how many letters of a word differ, an ending not counted that the other one has besides."""
    return edits(one, other[: len(one)], len(one))


def edits(one: str, other: str, most: int) -> int:
    """Return how many letters differ, or some number above `most` as soon as it is known to be.

    The distance of Damerau and Levenshtein, each letter touched once (optimal string alignment). No edit changes which
    letters there are by more than two, so most words are told apart without looking at where these stand.
    """
    if abs(len(one) - len(other)) > most or len({*one} ^ {*other}) > 2 * most:
        return most + 1
    before, last = list[int](), list(range(len(other) + 1))
    for i, mine in enumerate(one, 1):
        row = [i]
        for j, theirs in enumerate(other, 1):
            row.append(min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (mine != theirs)))
            if i > 1 and j > 1 and mine == other[j - 2] and one[i - 2] == theirs:
                row[j] = min(row[j], before[j - 2] + 1)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return last[-1]
