"""Completion of words and values: those with a given prefix, while a user types and for the lists of a form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import nsmallest
from typing import Final, NamedTuple

from cormorant.search.index.query import Field, Key, Search

FIELDS: Final = (Field.TEXT, Field.TITLE)
"""Where words are looked up."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """The query for words that begin with these letters, in documents that `within` finds.

    The letters are those of a word as the index has it, one at least. With a `key`, its values are returned instead,
    all of them if there are no letters. Words of documents that ask not to be quoted are left out.
    """

    letters: str
    within: Search
    key: Key | None = None
    most: int = 10


class Begun(NamedTuple):
    """A word or a value, and how many documents hold it; a word in the field in which more do."""

    text: str
    documents: int


def most_held(counts: Mapping[str, int], most: int) -> tuple[Begun, ...]:
    """Return the words or values that most documents hold; equal counts are in alphabetical order."""
    held = ((text, count) for text, count in counts.items() if count > 0)
    return tuple(Begun(*each) for each in nsmallest(most, held, key=lambda each: (-each[1], each[0])))
