"""Compare the estimates that a run gave of its end with its real end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

MOST_S = 7_200.0
TENTHS = 9


class Estimate(NamedTuple):
    """An estimate at a moment: seconds to go, at least and at most, and the named bottleneck."""

    at: float
    least_s: float
    most_s: float | None
    holds: str


class EstimateScore(NamedTuple):
    """At how many moments there was an estimate, the end lay inside it, and it named the right bottleneck."""

    given: int
    inside: int
    open_: int
    named: int
    width: float


def score(estimates: Sequence[Estimate], began: float, ended: float, holds: str) -> EstimateScore:
    """Compare the estimate at each tenth of the way with the real end."""
    moments = [began + (ended - began) * number / (TENTHS + 1) for number in range(1, TENTHS + 1)]
    chosen = [next((one for one in reversed(estimates) if at - 2.0 <= one.at <= at), None) for at in moments]
    given = [each for each in chosen if each is not None]
    bounded = [each for each in given if each.most_s is not None]
    inside = [each for each in given if each.at + each.least_s <= ended <= each.at + (each.most_s or MOST_S)]
    widths = [(each.most_s or 0.0) / max(each.least_s, 1.0) for each in bounded]
    named = sum(holds in each.holds for each in given)
    return EstimateScore(len(given), len(inside), len(given) - len(bounded), named, sum(widths) / max(len(widths), 1))
