"""Priority queue order of the resources of a site.

Priority, then depth, then age, within a generation.

`due` is one number: generation << 40 | priority << 32 | depth << 16. A resource visited in generation g gets a due in g
+ 1, so a full refresh only increments the source's generation and touches no row.

Priorities: 0 comes before all documents, 255 is for retries; between them each level has its own.

    0 | highest 4..52 | high 54..102 | normal 104..152 | low 154..202 | lowest 204..252 | 255
"""

from __future__ import annotations

from typing import NamedTuple

from cormorant.model.settings.priority import Level

_GENERATION = 40
_PRIORITY = 32
_DEPTH = 16
_BAND = 50
NARROW = 24
"""The largest distance of a priority from the middle of its level."""
USUAL = 128
"""The priority of a page without known properties: the middle of the normal level."""
LAST = 255
"""The priority of a retry: behind all other resources of its generation."""


class Span(NamedTuple):
    """A range of `due`: from `since` on, and below `until`."""

    since: int
    until: int


def due(generation: int, priority: int = USUAL, depth: int = 0) -> int:
    """Return the order key of a visit in this generation."""
    return generation << _GENERATION | min(max(priority, 0), LAST) << _PRIORITY | min(depth, 0xFFFF) << _DEPTH


def limit(generation: int) -> int:
    """Return the `due` below which resources belong to this generation or are left over from an earlier one."""
    return (generation + 1) << _GENERATION


def at_level(priority: int, level: Level) -> int:
    """Return the same position in another level; a priority outside all levels stays the same."""
    if not 0 < priority < LAST:
        return priority
    return (priority - _first(Level.HIGHEST)) % _BAND + _first(level)


def usual(level: Level) -> int:
    """Return the priority of a page of which only the level is known."""
    return _MIDDLES[level]


def level_of(due: int) -> Level | None:
    """Return the level of a `due`; None if it lies before or behind all levels."""
    priority = due >> _PRIORITY & LAST
    band = (priority - _first(Level.HIGHEST)) // _BAND
    return Level(min(max(band, Level.HIGHEST), Level.LOWEST)) if 0 < priority < LAST else None


def moved(before: int, level: Level) -> int:
    """Return the same `due` in another level."""
    priority = before >> _PRIORITY & LAST
    return before + (at_level(priority, level) - priority << _PRIORITY)


def spans(generation: int) -> list[Span]:
    """Return the parts of a generation's dues: before all levels with leftovers, each level, and behind."""
    starts = [due(generation, _first(level)) for level in Level] + [due(generation, LAST)]
    return [Span(since, until) for since, until in zip([0, *starts], [*starts, limit(generation)], strict=True)]


def _first(level: Level) -> int:
    return _MIDDLES[level] - NARROW


_MIDDLES = tuple(USUAL + _BAND * (level - Level.NORMAL) for level in Level)
