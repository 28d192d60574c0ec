"""Who gets the next sites, and who has too many? Pure.

Of sources that want more sites than are leased at once whoever has fewest at work gets one, and so on: a source with a
million hosts keeps none with ten waiting (fault P17). Of processes one that has more than its share lets go of some
when another has less and there is nothing else for it to take up.
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


def surplus(held: Mapping[str | None, int], owner: str, peers: int) -> int:
    """How many of its sites a process should let go of: `held` are those with something to do by who has leased them.

    None while some are free (None in `held`), which those that have too few take up themselves.
    """
    if held.get(None):
        return 0
    total = sum(held.values())
    others = [count for name, count in held.items() if name != owner]
    enough = total // peers
    lacking = sum(max(enough - count, 0) for count in others) + enough * max(peers - 1 - len(others), 0)
    return max(min(held.get(owner, 0) - -(-total // peers), lacking), 0)
