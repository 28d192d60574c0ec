"""Crawls that are killed, and counterparts that are restarted in the midst of one: is anything lost or doubled?"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final

from bench.kinds import sender
from bench.kinds.forked import ForkedCommands
from bench.kinds.truth import Comparison, Truth, compare
from cormorant.testing import CrawlPlace
from tests.places.pushes import PushPlace

DOCUMENTS: Final = 200
POINTS: Final = 5
"""Kills, and as many restarts."""
_AWAY_S: Final = 3.0
_END_S: Final = 600.0


def measure(place: CrawlPlace, folder: Path, seed: int) -> dict[str, Any]:
    """Break crawls off at random points, each of an installation of its own, and compare after the next crawl.

    Where a program pushes, the server that it pushes to is broken off.
    """
    place.made()
    truth, chance = Truth(place), Random(seed)
    truth.fill(DOCUMENTS)
    took, found = (0.0, []) if isinstance(place, PushPlace) else _whole(place, truth, folder / "whole")
    in_midst = 0
    for number in range(2 * POINTS):
        restarts, data = number >= POINTS, folder / f"data{number}"
        if isinstance(place, PushPlace):
            was_at_work, compared = sender.broken_off(place, truth, data, chance, restarts=restarts)
        else:
            commands = _installed(place, data)
            was_at_work = _broken(place, commands, chance.uniform(0.1, 0.9) * took, restarts=restarts)
            commands.crawl("place", fine=(0, 3))
            compared = compare(commands, truth)
        in_midst += was_at_work
        found.append(compared)
        if compared.faults:
            print(f"  {'restart' if restarts else 'kill'} {number}: {compared.faults[:5]}", flush=True)
    return {
        "documents": DOCUMENTS, "seed": seed, "kills": POINTS, "restarts": POINTS, "in_midst": in_midst,
        "lost": sum(each.lost for each in found), "doubled": sum(each.doubled for each in found),
        "faults": [fault for each in found for fault in each.faults][:20],
    }  # fmt: skip


def _whole(place: CrawlPlace, truth: Truth, folder: Path) -> tuple[float, list[Comparison]]:
    """Crawl without a fault; returns the seconds that it takes, and a comparison."""
    commands = _installed(place, folder)
    began = time.monotonic()
    commands.begin("crawl", "place").wait()
    return time.monotonic() - began, [compare(commands, truth)]


def _installed(place: CrawlPlace, folder: Path) -> ForkedCommands:
    commands = ForkedCommands(folder)
    place.prepare(commands)
    commands.add(place.kind, "place", place.settings())
    place.deliver(commands)
    return commands


def _broken(place: CrawlPlace, commands: ForkedCommands, after_s: float, *, restarts: bool) -> bool:
    """Begin a crawl and break it off; returns whether it was still at work then."""
    crawling = commands.begin("crawl", "place")
    time.sleep(after_s)
    at_work = crawling.poll() is None
    if restarts:
        place.stop()
        time.sleep(_AWAY_S)
        place.start()
    else:
        with suppress(ProcessLookupError):
            os.killpg(crawling.pid, signal.SIGKILL)
    crawling.wait(_END_S)
    return at_work
