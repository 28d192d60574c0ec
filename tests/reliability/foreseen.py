"""What was told of the end of a run on its way, held to how it went."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

MOST_S = 7_200.0
TENTHS = 9


class Told(NamedTuple):
    """What was told at a moment: seconds to go, at least and at most, and what holds it up."""

    at: float
    least_s: float
    most_s: float | None
    holds: str


class Held(NamedTuple):
    """How a run went: at how many of the moments something was told, the end was inside, and the right thing named."""

    told: int
    inside: int
    open_: int
    named: int
    width: float


def held(told: Sequence[Told], began: float, ended: float, holds: str) -> Held:
    """Hold what was told at each tenth of the way to how it was."""
    moments = [began + (ended - began) * number / (TENTHS + 1) for number in range(1, TENTHS + 1)]
    chosen = [next((each for each in reversed(told) if moment - 2.0 <= each.at <= moment), None) for moment in moments]
    said = [each for each in chosen if each is not None]
    bounded = [each for each in said if each.most_s is not None]
    inside = [each for each in said if each.at + each.least_s <= ended <= each.at + (each.most_s or MOST_S)]
    widths = [(each.most_s or 0.0) / max(each.least_s, 1.0) for each in bounded]
    named = sum(holds in each.holds for each in said)
    return Held(len(said), len(inside), len(said) - len(bounded), named, sum(widths) / max(len(widths), 1))
