"""How long will it still take, and what holds it up? Pure: from figures looked at now and then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cormorant.journal.measured import Sample

PIECES = 4
"""The time looked back on is cut into so many pieces; the fastest and the slowest give the interval."""
RECENT = 2
"""Of these so many are asked how fast new addresses are found: that falls as a site becomes known."""
LUCK, TAIL_S = 0.9, 10.0
"""How much sooner it may end, since a run also becomes faster; what comes behind the last visit: links are counted, the
index commits, receivers are waited for."""
LEAST_S = 4.0
"""With less to look back on nothing is said."""
BUSY = 0.8
"""Share of a processor from which on a process is as fast as it can be."""


class Ahead(NamedTuple):
    """Seconds still to go: at least, and at most; None when more is found than is visited."""

    least_s: float
    most_s: float | None


def rate(samples: Sequence[Sample]) -> float:
    """Documents a second over the samples."""
    if len(samples) < 2 or samples[-1].at <= samples[0].at:
        return 0.0
    return (samples[-1].fetched - samples[0].fetched) / (samples[-1].at - samples[0].at)


def ahead(samples: Sequence[Sample]) -> Ahead | None:
    """What is still to be expected, None while nobody can know."""
    if len(samples) < 2 or samples[-1].at - samples[0].at < LEAST_S or samples[-1].left <= 0:
        return None
    left = samples[-1].left
    pieces = _pieces(samples)
    fastest = max(rate(piece) for piece in pieces)
    if fastest <= 0:
        return None
    drains = [(piece[0].left - piece[-1].left) / (piece[-1].at - piece[0].at) for piece in pieces[-RECENT:]]
    least_s = LUCK * left / fastest
    if drains[-1] <= 0:
        return Ahead(least_s, None)
    slowest = min(each for each in (*drains, *map(rate, pieces)) if each > 0)
    return Ahead(least_s, left / slowest + TAIL_S)


def _pieces(samples: Sequence[Sample]) -> list[Sequence[Sample]]:
    """Cut the samples into stretches that follow one another, each of two samples at least."""
    step = max(1, (len(samples) - 1) // PIECES)
    starts = range(0, len(samples) - 1, step)
    return [samples[start : start + step + 1] for start in starts if len(samples[start : start + step + 1]) > 1]


class Circumstances(NamedTuple):
    """What there is to be seen of a run.

    `sites` have something left; `waits_for` says why, when none of them can be asked now. `pace_s` is the delay asked
    for at each of them; `busy` is the busiest retriever's share of a processor; `backlog` waits for receivers; `rate`
    is documents a second.
    """

    state: str
    sites: int
    waits_for: str
    pace_s: float
    busy: float
    backlog: int
    rate: float


def bottleneck(seen: Circumstances) -> str:
    """Name what holds a run up, "" when nothing can be said."""
    if seen.state == "delivering":
        return f"deliveries: {seen.backlog:,} wait for the index and receivers"
    if seen.state != "retrieving" or not seen.sites:
        return ""
    if seen.waits_for:
        return seen.waits_for
    if seen.busy >= BUSY:
        return "this machine's processors"
    hosts = "one host" if seen.sites == 1 else f"{seen.sites:,} hosts"
    if seen.pace_s and 0.7 <= seen.rate * seen.pace_s / seen.sites <= 1.15:
        return f"politeness: {hosts}, a request every {seen.pace_s:g} s each"
    return f"the servers: {hosts}"
