"""Settings for the crawl priority of the pages of a site.

A line of `priority` is a level and a rule as in include, like ``high path:/news/*``; what no line speaks of is normal.
`levels` says how many visits of a site each level gets in turn, from the first to the last, or `strict`: a level waits
until nothing is left of those before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from pydantic import Field, field_validator

from cormorant.base.errors import BadRule
from cormorant.model.settings.priority import Level, PriorityRuling, Shares
from cormorant.model.settings.source import SourceSettings
from cormorant.sources.rules import Boundary, compile_rules

STRICT = "strict"
MOST = 1_000
"""The largest share."""
_SHARES = re.compile(r"\d{1,4}(?::\d{1,4}){4}", re.ASCII)
_NAMES = {level.label: level for level in Level if level is not Level.NORMAL}
_LIKE = "Write a level (highest, high, low, lowest) and a rule as in include, like 'high path:/news/*'."


class OrderSettings(SourceSettings):
    """Settings about the order of visits."""

    priority: tuple[str, ...] = Field(
        default=(),
        description=(
            "The order of the pages of a site: highest, high, low or lowest, and a rule written like include, like "
            "'high path:/news/*'; may repeat. If several match, the first level counts; all other pages are normal."
        ),
    )
    levels: str = Field(
        default="16:8:4:2:1",
        description="How the levels of priority share a site: so many visits each, from highest to lowest, "
        "or strict: a level waits for those before it.",
    )

    @field_validator("priority")
    @classmethod
    def _readable(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        """Refuse what is no level, or no rule."""
        _by_level(lines)
        return lines

    @field_validator("levels")
    @classmethod
    def _shares(cls, text: str) -> str:
        said = text.strip().lower().replace(" ", "")
        if said != STRICT and not (_SHARES.fullmatch(said) and all(0 < each <= MOST for each in _numbers(said))):
            raise ValueError(
                f"{text!r} is not understood: write strict, or five numbers from 1 to {MOST:,} for highest, high, "
                "normal, low and lowest, like 16:8:4:2:1."
            )
        return said

    @property
    def shares(self) -> Shares | None:
        """The visits of each level in turn; None without levels, or where each waits for those before it."""
        return _numbers(self.levels) if self.priority and self.levels != STRICT else None

    def level(self, address: str) -> Level:
        """Return the priority level of a page."""
        return self.wanted(address).level if self.priority else Level.NORMAL

    def wanted(self, address: str) -> PriorityRuling:
        """The same with the rule that says so."""
        for level, rules in self._rules:
            ruling = rules.ruling(address)
            if not ruling.admitted:
                return PriorityRuling(level, ruling.rule.removeprefix("exclude "))
        return PriorityRuling(Level.NORMAL)

    @cached_property
    def _rules(self) -> list[tuple[Level, Boundary]]:
        return _by_level(self.priority)


def _by_level(lines: Sequence[str]) -> list[tuple[Level, Boundary]]:
    """The rules of each level: a page is of the first that does not let it through. Raises ValueError naming a line."""
    given = [_read(line) for line in lines]
    found = [(level, [rule for at, rule in given if at is level]) for level in Level]
    try:
        return [(level, compile_rules([], rules, None)) for level, rules in found if rules]
    except BadRule as error:
        raise ValueError(error.sentence) from None


def _read(line: str) -> tuple[Level, str]:
    name, _, rule = line.strip().partition(" ")
    level = _NAMES.get(name.lower())
    if level is None or not rule.strip():
        raise ValueError(f"{line!r} is not understood. {_LIKE}")
    return level, rule.strip()


def _numbers(said: str) -> Shares:
    return tuple(map(int, said.split(":")))
