"""Query route: decides which queries are for a server, and what of them is sent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from cormorant.base.errors import BadRule
from cormorant.sources.rules.matching import compile_pattern

REGEX: Final = "regex:"
MAX_WORD: Final = 100
"""Characters of a word that stands in front of a query."""


class QueryRoute(NamedTuple):
    """Words that a query begins with, in small letters, and expressions that are found in it. None of either: all."""

    words: frozenset[str] = frozenset()
    patterns: tuple[Any, ...] = ()

    @classmethod
    def of(cls, rules: Iterable[str]) -> QueryRoute:
        """Compile rules as they are typed. Raises BadRule for one that is none."""
        words, patterns = set[str](), list[Any]()
        for rule in rules:
            if rule.startswith(REGEX):
                expression = rule.removeprefix(REGEX)
                if not expression:
                    raise BadRule(f"The rule {rule!r} has no expression. Write it like regex:^[A-Z]+-[0-9]+$.")
                patterns.append(compile_pattern(rule, expression))
                continue
            if not rule or len(rule.split()) != 1 or len(rule) > MAX_WORD:
                raise BadRule(
                    f"The rule {rule[:40]!r} is neither one word nor an expression. Write it like wiki or regex:^ISBN."
                )
            words.add(rule.strip().casefold())
        return cls(frozenset(words), tuple(patterns))

    def routed(self, text: str) -> str | None:
        """Return what is sent of a query: all of it, or what follows the word in front; None: it is not for here."""
        bare = text.strip()
        if not (self.words or self.patterns):
            return bare or None
        first, _, rest = bare.partition(" ")
        if first.casefold() in self.words:
            return rest.strip() or None
        return bare if bare and any(each.search(bare) for each in self.patterns) else None
