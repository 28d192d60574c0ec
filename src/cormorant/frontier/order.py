"""In which order are a site's resources visited? Priority, then depth, then age, within a generation.

`due` is one number: generation << 40 | priority << 32 | depth << 16. What is visited in generation g gets a due in
g + 1, so a full refresh begins by counting the source's generation up and touches no row.
"""

from __future__ import annotations

_GENERATION = 40
_PRIORITY = 32
_DEPTH = 16
LAST = 255
"""The priority of what is tried again: behind everything else of its generation."""


def due(generation: int, priority: int = 128, depth: int = 0) -> int:
    """The order key of a visit in this generation."""
    return generation << _GENERATION | min(max(priority, 0), LAST) << _PRIORITY | min(depth, 0xFFFF) << _DEPTH


def limit(generation: int) -> int:
    """Everything below this is to be visited in this generation or was left over from an earlier one."""
    return (generation + 1) << _GENERATION
