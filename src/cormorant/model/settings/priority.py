"""Crawl priority of the pages of a site. Five levels, and how they share the visits of a site."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

Shares = tuple[int, ...]
"""How many visits in a turn go to each level, from the first to the last."""


class Level(IntEnum):
    """The priority level of a page, from the highest to the lowest."""

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
    """The priority level of a page, and the rule that sets it, "" for none."""

    level: Level
    rule: str = ""
