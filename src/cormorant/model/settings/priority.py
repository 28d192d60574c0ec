"""Crawl priority of the pages of a site: five levels, and their shares of the visits."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

Shares = tuple[int, ...]
"""The visits of each level in a turn, from the first level to the last."""


class Level(IntEnum):
    """The priority level of a page, from the highest to the lowest."""

    HIGHEST = 0
    HIGH = 1
    NORMAL = 2
    LOW = 3
    LOWEST = 4

    @property
    def label(self) -> str:
        """The name of the level in settings."""
        return self.name.lower()


class PriorityRuling(NamedTuple):
    """The priority level of a page, and the rule that sets it, "" for none."""

    level: Level
    rule: str = ""
