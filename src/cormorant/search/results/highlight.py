"""Where in a text do the words of a query stand, and what are they called?"""

from __future__ import annotations

from collections.abc import Sequence

from cormorant.search.index import query as ask
from cormorant.search.query.parser import parse
from cormorant.search.results.match_positions import Needles


class Marking:
    """What is marked for a query in a text of a language. Not for several threads."""

    def __init__(self, query: str, language: str = "") -> None:
        self._needles = Needles(ask.leaves(parse(query).query), language)

    @property
    def words(self) -> tuple[str, ...]:
        """What is looked for, by number: words, or several side by side."""
        return self._needles.words

    def __call__(self, text: str) -> Sequence[tuple[int, int, int]]:
        """Return where (half-open) which of the words stand, in order."""
        return self._needles.places(text, 0, len(text))
