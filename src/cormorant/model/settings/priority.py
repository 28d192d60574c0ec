"""Which pages of a site come before which? Five levels, and how they share the visits of a site."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

Shares = tuple[int, ...]
"""How many visits in a turn go to each level, from the first to the last."""


class Level(IntEnum):
    """How soon a page is wanted, the first first."""

    HIGHEST = 0
    HIGH = 1
    NORMAL = 2
    LOW = 3
    LOWEST = 4

    @property
    def label(self) -> str:
        """As settings name it."""
        return self.name.lower()


class PriorityRuling(NamedTuple):
    """How soon a page is wanted, and the rule that says so, "" for none."""

    level: Level
    rule: str = ""
