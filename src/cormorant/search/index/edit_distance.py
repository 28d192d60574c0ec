"""Edit distance of two words: letters left out, put in, replaced, or swapped with their neighbour."""

from __future__ import annotations

SHORT = 5
"""Letters of a word in which one letter may be wrong; in a longer word two may be."""


def allowed(word: str) -> int:
    """Return the default number of letters of a word that may be wrong."""
    return 1 + (len(word) > SHORT)


def misspelt(one: str, other: str) -> int:
    """Return how many letters of a word differ, without counting an additional ending of the other word."""
    return edits(one, other[: len(one)], len(one))


def edits(one: str, other: str, most: int) -> int:
    """Return how many letters differ, or some number above `most` as soon as it is known to be.

    The distance of Damerau and Levenshtein, each letter touched once (optimal string alignment). No edit changes the
    set of letters by more than two, so most pairs of words are rejected without comparing positions.
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
