"""Run ETA: the estimated time to the end, and the bottleneck.

Pure: from figures looked at now and then.

A run ends when all is visited and its receivers have been told of it, whichever is later. Both are foreseen alike: by
how fast that went in the pieces of the time looked back on, the fastest and the slowest of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

from cormorant.crawl.run.completion import TRIED_AGAIN_S
from cormorant.crawl.run.progress import BUSY, PROCESSORS
from cormorant.store.journal.progress_samples import ProgressSample

PIECES = 4
"""The time looked back on is cut into so many pieces; the fastest and the slowest give the interval."""
RECENT = 2
"""Of these so many are asked how fast new addresses are found: that falls as a site becomes known."""
LUCK, TAIL_S = 0.9, TRIED_AGAIN_S
"""How much sooner it may end, since a run also becomes faster; what comes behind the last visit: links are counted, the
index commits, receivers are waited for."""
LEAST_S = 4.0
"""With less to look back on nothing is said."""
SWEEPS = f"{PROCESSORS}: links are counted, and gone documents leave"
"""Holds a run up when all is visited: one process works, and asks nobody."""


class Ahead(NamedTuple):
    """Seconds still to go: at least, and at most; None when more is found than is visited."""

    least_s: float
    most_s: float | None


def rate(samples: Sequence[ProgressSample]) -> float:
    """Documents a second over the samples."""
    return _a_second(samples, samples[-1].fetched - samples[0].fetched) if samples else 0.0


def _a_second(samples: Sequence[ProgressSample], count: float) -> float:
    seconds = samples[-1].at - samples[0].at
    return count / seconds if seconds > 0 else 0.0


def ahead(samples: Sequence[ProgressSample], waits_s: float = inf) -> Ahead | None:
    """Return the estimate of what is still to be expected (ETA), None while it cannot be known.

    `waits_s` is how long the end of a run waits for its receivers at most.
    """
    if not _says_anything(samples):
        return None
    visits, told = _visits(samples), _deliveries(samples)
    if told is None or (visits is None and samples[-1].left > 0):
        return visits
    first = visits or Ahead(0.0, 0.0)
    least_s = max(first.least_s, min(told.least_s, first.least_s + waits_s))
    if first.most_s is None or told.most_s is None:
        return Ahead(least_s, None)
    return Ahead(least_s, max(first.most_s, min(told.most_s, first.most_s + waits_s)))


def is_outlasted(samples: Sequence[ProgressSample]) -> bool:
    """Return whether delivering to the receivers takes longer than finding the documents."""
    visits, told = (_visits(samples), _deliveries(samples)) if _says_anything(samples) else (None, None)
    return visits is not None and visits.most_s is not None and told is not None and told.least_s > visits.most_s


def _says_anything(samples: Sequence[ProgressSample]) -> bool:
    return len(samples) > 1 and samples[-1].at - samples[0].at >= LEAST_S


def _visits(samples: Sequence[ProgressSample]) -> Ahead | None:
    """Until when all is visited, None while nobody can know and when all is."""
    left = samples[-1].left
    pieces = _pieces(samples)
    fastest = max(rate(piece) for piece in pieces)
    if left <= 0 or fastest <= 0:
        return None
    drains = [_a_second(piece, piece[0].left - piece[-1].left) for piece in pieces[-RECENT:]]
    least_s = LUCK * left / fastest
    if drains[-1] <= 0:
        return Ahead(least_s, None)
    slowest = min(each for each in (*drains, *map(rate, pieces)) if each > 0)
    return Ahead(least_s, left / slowest + TAIL_S)


def _deliveries(samples: Sequence[ProgressSample]) -> Ahead | None:
    """Until when the slowest receiver gets all that is and will be found; None where nobody waits for that.

    It keeps up then, or it takes so long for a batch that runs end without it. Its speed is seen only
    while it is behind, and from one batch that it confirms to the next.
    """
    newest, late = samples[-1], [each for each in samples if each.behind > 0]
    moves = [then for before, then in pairwise(late) if then.told != before.told]
    speeds = [speed for piece in (*_pieces(moves), late) if (speed := _told_a_second(piece)) > 0]
    if not speeds or newest.behind <= (TAIL_S * max(speeds) if newest.left > 0 else 0):
        return None
    if max(then.at - before.at for before, then in pairwise([late[0], *moves, newest])) > TRIED_AGAIN_S:
        return None
    found = newest.told + newest.behind - samples[0].told - samples[0].behind
    fetched = newest.fetched - samples[0].fetched
    events = newest.behind + (newest.left * found / fetched if fetched else 0)
    since_s = newest.at - moves[-1].at
    return Ahead(max(0.0, LUCK * events / max(speeds) - since_s), max(0.0, events / min(speeds) - since_s) + TAIL_S)


def _told_a_second(samples: Sequence[ProgressSample]) -> float:
    """Events a second that the slowest receiver got."""
    return _a_second(samples, samples[-1].told - samples[0].told) if samples else 0.0


def _pieces(samples: Sequence[ProgressSample]) -> list[Sequence[ProgressSample]]:
    """Cut the samples into stretches that follow one another, each of two samples at least."""
    step = max(1, (len(samples) - 1) // PIECES)
    starts = range(0, len(samples) - 1, step)
    return [samples[start : start + step + 1] for start in starts if len(samples[start : start + step + 1]) > 1]


class RunConditions(NamedTuple):
    """Conditions of a run as observed.

    `sites` have something left; `waits_for` says why, when none of them can be asked now. `pace_s` is the delay asked
    for at each of them; `busy` is for what part of the time the busiest retriever had or wanted a processor; `backlog`
    waits for receivers, for `slowest` longest; `rate` is documents a second; `is_outlasted`: receivers will be told
    longer than visits are made.
    """

    state: str
    sites: int
    waits_for: str
    pace_s: float
    busy: float
    backlog: int
    rate: float
    slowest: str = ""
    is_outlasted: bool = False


def bottleneck(seen: RunConditions) -> str:
    """Name what holds a run up, "" when nothing can be said."""
    if seen.state == "delivering" or (seen.state == "retrieving" and seen.is_outlasted):
        return f"deliveries: {seen.backlog:,} wait for {seen.slowest or 'the index and receivers'}"
    if seen.state == "sweeping":
        return SWEEPS
    if seen.state != "retrieving" or not seen.sites:
        return ""
    if seen.waits_for:
        return seen.waits_for
    if seen.busy >= BUSY:
        return PROCESSORS
    hosts = "one host" if seen.sites == 1 else f"{seen.sites:,} hosts"
    if seen.pace_s and 0.7 <= seen.rate * seen.pace_s / seen.sites <= 1.15:
        return f"politeness: {hosts}, a request every {seen.pace_s:g} s each"
    return f"the servers: {hosts}"
