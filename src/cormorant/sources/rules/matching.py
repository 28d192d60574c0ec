"""Matching of a text against many rules at once. In time linear in the text, whatever the rules are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import re2

from cormorant.base.errors import BadRule
from cormorant.model.ruling import Ruling

MAX_PATTERN = 1_000
"""Characters of a regular expression."""

_RE2 = "Expressions are written for RE2."
_LOOKS = "RE2 has no look-around: write an include and an exclude rule instead."
_MEANT = {
    "*": "For any characters write '.*' here, or use the type 'path' or 'contains', where * stands for any characters.",
    "(?=": _LOOKS,
    "(?!": _LOOKS,
    "(?<": _LOOKS,
    "\\1": "RE2 has no back-references: they could take time without end.",
}
"""Advice on pieces that other engines take, or that mean something else in simple rules."""
_PATTERN_MEMORY = 1 << 20
_ALL_MEMORY = 8 << 20

TextTest = Callable[[str], bool]


def in_order(text: str, pieces: tuple[str, ...], anchored: bool) -> bool:
    """Say whether `text` begins with the first piece and has the others after it in order, with anything between.

    `anchored`: it ends with the last one. Taking the leftmost place of each piece is exact, and linear.
    """
    first, last = pieces[0], pieces[-1]
    if len(pieces) == 1:
        return text == first if anchored else text.startswith(first)
    if not text.startswith(first):
        return False
    at = len(first)
    for piece in pieces[1:-1]:
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    if anchored:
        return len(text) - len(last) >= at and text.endswith(last)
    return text.find(last, at) >= 0


def compile_pattern(text: str, pattern: str, *, captures: bool = False) -> Any:
    """Compile a regular expression for RE2, which never backtracks. Raises BadRule that quotes the piece RE2 names.

    `text` is the rule as typed. `captures`: what its groups match is wanted. Length and memory are bounded, so that
    even the worst expression takes some ten milliseconds for the longest address.
    """
    if len(pattern) > MAX_PATTERN:
        raise BadRule(
            f"The rule {text[:40]!r}... is longer than {MAX_PATTERN} characters. Split it into several rules."
        )
    try:
        return _compile(pattern, _PATTERN_MEMORY, captures=captures)
    except re2.error as error:
        what, _, piece = error.args[0].decode("utf-8", "replace").partition(": ")
        at = text.find(piece) + 1 if piece else 0
        place = (f" at {piece!r}" if piece else "") + (f" (character {at})" if at else "")
        hint = next((said for mark, said in _MEANT.items() if piece.startswith(mark)), _RE2)
        raise BadRule(f"The rule {text!r} cannot be read{place}: {what}. {hint}") from None


def _compile(pattern: str, memory: int, *, captures: bool = False) -> Any:
    """Compile, where only whether it is found matters without captures."""
    options = re2.Options()
    options.never_capture, options.log_errors, options.max_mem = not captures, False, memory
    return re2.compile(pattern, options)


class Tried(NamedTuple):
    """A compiled rule with what it leads to. One of the middle three says what it matches.

    `prefix` is the beginning of a lower-case text; `test` judges a lower-case text; `pattern` is a regular expression
    for the text as it is.
    """

    ruling: Ruling
    prefix: str = ""
    test: TextTest | None = None
    pattern: str = ""


class AnyOf:
    """Rules of which one is enough. All prefixes are compared at once, and so are all expressions."""

    __slots__ = ("_all", "_expressions", "_prefixes", "_rulings", "_tests")

    def __init__(self, rules: Sequence[Tried]) -> None:
        self._prefixes, self._rulings = _broadest([rule for rule in rules if rule.prefix])
        self._tests = [(rule.test, rule.ruling) for rule in rules if rule.test is not None]
        patterns = [rule for rule in rules if rule.pattern]
        self._expressions = [(_compile(rule.pattern, _PATTERN_MEMORY), rule.ruling) for rule in patterns]
        self._all = _alternatives([rule.pattern for rule in patterns])

    def __bool__(self) -> bool:
        return bool(self._prefixes or self._tests or self._expressions)

    def first(self, text: str, lower: str) -> Ruling | None:
        """Return the ruling of a rule that matches `text`, which is `lower` in small letters; None when none does."""
        if self._prefixes:
            place = bisect_right(self._prefixes, lower) - 1
            if place >= 0 and lower.startswith(self._prefixes[place]):
                return self._rulings[place]
        for test, ruling in self._tests:
            if test(lower):
                return ruling
        if self._expressions:
            octets = text.encode("utf-8", "replace")
            if self._all is None or self._all.search(octets):
                return next((ruling for found, ruling in self._expressions if found.search(octets)), None)
        return None


def _broadest(rules: Sequence[Tried]) -> tuple[list[str], list[Ruling]]:
    """The prefixes in order with their rulings, less those that begin with another one.

    So only the last one that is not behind a text in order can begin it: what lies between a text and a beginning of
    it begins so too.
    """
    kept: dict[str, Ruling] = {}
    last = ""
    for rule in sorted(rules, key=lambda each: each.prefix):
        if not last or not rule.prefix.startswith(last):
            last = rule.prefix
            kept[last] = rule.ruling
    return list(kept), list(kept.values())


def _alternatives(patterns: list[str]) -> Any:
    """Compile several expressions into one that is found when any of them is; None where that cannot be done."""
    if not patterns or any("\\Q" in pattern for pattern in patterns):
        return None
    try:
        return _compile("|".join(f"(?:{pattern})" for pattern in patterns), _ALL_MEMORY)
    except re2.error:
        return None
