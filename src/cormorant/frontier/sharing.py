"""Who gets the next sites when sources want more of them than are leased at once? Pure.

Whoever has fewest at work gets one, and so on: a source with a million hosts keeps none with ten waiting (fault P17).
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping


def shares(held: Mapping[int, int], most: int) -> dict[int, int]:
    """How many more sites each source may have, of so many in all; `held` are those that each has at work."""
    given = dict.fromkeys(held, 0)
    line = [(count, source) for source, count in held.items()]
    heapq.heapify(line)
    for _ in range(most if line else 0):
        count, source = line[0]
        given[source] += 1
        heapq.heapreplace(line, (count + 1, source))
    return given
