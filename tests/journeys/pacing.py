"""Was a host asked no faster than it may be? Read from its own log, with an eye on how late the machine was itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

SHARE = 0.99
"""Clocks of two processes and their rounding."""
PUT_ASIDE_S = 0.025
"""For so long a machine with more to do than processors puts aside who is about to send: no site sees that itself."""


class Stretch(NamedTuple):
    """Requests that came quicker than the delay lets them: the first, the last, the seconds too few."""

    first: int
    last: int
    missing_s: float


def too_soon(moments: Sequence[float], delay_s: float, late_s: float = 0.0) -> list[Stretch]:
    """Stretches of requests that came quicker than the delay lets them, by more than the machine was late.

    A request that was noted late makes the next look early, once. So every stretch is judged, not every gap: it may be
    shorter by no more than the machine was late with one request (`late_s`, at the worst; `PUT_ASIDE_S` where that is
    more), however many are in it.
    """
    late_s = max(late_s, PUT_ASIDE_S)
    at = sorted(moments)
    judged = (Stretch(i, j, (j - i) * delay_s * SHARE - (at[j] - at[i])) for i, j in combinations(range(len(at)), 2))
    return [each for each in judged if each.missing_s > late_s]
