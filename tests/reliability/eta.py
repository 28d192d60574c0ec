"""How often does the end of a run lie inside the time that is told, and is what holds it up named?

    python -m tests.reliability.eta [--seeds 5]

The processes are the product's own, in a world of its own time (`simulation`), so that no other load on the machine
makes a run end later. A run is looked at once a second, as the command does that follows it; what it is told at each
tenth of its way is held to its true end. Ends 1 when that lies inside in fewer than ENOUGH of a hundred, or what was
planted is named in fewer.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from cormorant.journal.measured import LOOK_BACK_S, Sample
from cormorant.operate import crawl, sources, watching
from cormorant.operate.estimate import Circumstances, ahead, bottleneck, rate
from tests.journeys.proofs import record
from tests.reliability.farm import Farm, Host
from tests.reliability.ground import fast
from tests.reliability.simulation import Simulation
from tests.reliability.world import World

ENOUGH = 80
MOST_S = 7_200.0
TENTHS = 9


class Shape(NamedTuple):
    """What a site is like: pages and latency of each host, the delay asked for, and what then holds a run up."""

    name: str
    hosts: tuple[tuple[int, float, float], ...]
    delay_s: float
    wide: bool
    holds: str


SHAPES = (
    Shape("fast", ((900, 0.05, 0.4),), 0.0, True, "the servers"),
    Shape("paced", ((150, 0.05, 0.2),), 1.0, True, "politeness"),
    Shape("slow host", ((200, 0.1, 0.3), (90, 1.0, 3.0)), 0.0, True, "the servers"),
    Shape("growing", ((300, 0.02, 0.1),), 0.5, False, "politeness"),
)


class Told(NamedTuple):
    """What was told at a moment: seconds to go, at least and at most, and what holds it up."""

    at: float
    least_s: float
    most_s: float | None
    holds: str


class Site(Farm):
    """Hosts of one shape. On a wide site the first pages lead to most others, else each leads to a few."""

    def __init__(self, world: World, chance: Random, shape: Shape) -> None:
        super().__init__(world, chance)
        self.hosts.clear()
        self.calm = True
        for number, (count, least, most) in enumerate(shape.hosts):
            host = Host(f"h{number}.example.org", f"20.0.0.{number + 2}", 0.0, (least, most))
            self.hosts[host.name] = host
            for _ in range(count):
                self.add(host)
            if shape.wide:
                host.pages["/"].links = [f"http://{host.name}{path}" for path in host.pages]


class Foreseen(Simulation):
    """A run of one site, and all that was told of its end."""

    def __init__(self, seed: int, folder: Path, shape: Shape) -> None:
        super().__init__(seed, folder)
        self.shape, self.calm, self.long = shape, True, False
        self.farm = Site(self.world, Random(seed), shape)
        self.world.committed = lambda _: None
        self.foreseen: list[Told] = []
        self._samples: list[Sample] = []
        self._ended_at = 0.0

    def _idle_until(self) -> float:
        return self.world.now  # nobody is late: pace is to be what was asked for

    def install(self) -> None:
        """Add the source."""
        starts = [f"http://{name}/" for name in self.farm.hosts]
        settings = {"start": starts, "delay_s": self.shape.delay_s, "per_host": 1 if self.shape.delay_s else 4}
        sources.add(self.mine, "web", "site", settings)

    def watch_run(self) -> tuple[float, float]:
        """Crawl once, and look every second; returns when it began and when it ended."""
        with self.wired():
            self.install()
            self.start()
            began = self.world.now
            (ordered,) = crawl.order(self.mine, ["site"])
            self.world.call_at(began + 1.0, lambda: self._look(ordered.run))
            if not self.world.run(lambda: self._is_wrong() or self._ended_at > 0, MOST_S):
                self.watch.note("the run does not end")
        return began, self._ended_at

    def _look(self, run: int) -> None:
        seen = watching.look(self.mine, run)
        now = self.world.now
        if seen.report["state"] == "finished":
            self._ended_at = now
            return
        self._samples.append(Sample(now, seen.report["fetched"], seen.report["to_fetch"]))
        while self._samples[0].at < now - LOOK_BACK_S:
            self._samples.pop(0)
        foreseen = ahead(self._samples)
        if foreseen is not None:
            state, lately = str(seen.report["state"]), rate(self._samples)
            holds = bottleneck(Circumstances(state, seen.site_count, "", seen.pace_s, 0.0, seen.backlog, lately))
            self.foreseen.append(Told(now, *foreseen, holds))
        self.world.call_at(now + 1.0, lambda: self._look(run))


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


def lived(seed: int, shape: Shape) -> Held:
    """Live through one run."""
    random.seed(seed)
    with tempfile.TemporaryDirectory(prefix="eta-", dir=fast()) as folder:
        run = Foreseen(seed, Path(folder), shape)
        began, ended = run.watch_run()
        if run.watch.wrong:
            raise AssertionError(run.watch.wrong[:3])
        return held(run.foreseen, began, ended, shape.holds)


def main() -> int:
    """Live through all and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.eta")
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    total: Counter[str] = Counter()
    for shape in SHAPES:
        found = [lived(seed, shape) for seed in range(1, given.seeds + 1)]
        told, inside, open_, named = (sum(each[place] for each in found) for place in range(4))
        sys.stdout.write(json.dumps({
            "shape": shape.name, "told": told, "inside": inside, "without an end": open_, "named": named,
            "most to least": round(sum(each.width for each in found) / len(found), 2),
        }) + "\n")  # fmt: skip
        sys.stdout.flush()
        total.update({"runs": len(found), "told": told, "inside": inside, "without an end": open_, "named": named})
    figures = {
        "runs": total["runs"], "times told": total["told"], "the end lay inside": total["inside"],
        "told without an end": total["without an end"], "held up by what was named": total["named"],
    }  # fmt: skip
    sys.stdout.write(json.dumps(figures) + "\n")
    record("eta", figures)
    return int(min(total["inside"], total["named"]) * 100 < ENOUGH * total["told"])


if __name__ == "__main__":
    sys.exit(main())
