"""How often does the end of a run lie inside the time that is told, and is what holds it up named?

    python -m tests.reliability.eta [--seeds 5]

The processes are the product's own, in a world of its own time (`simulation`), so that no other load on the machine
makes a run end later; only runs that are held up by the machine itself are real ones (`busy`). A run is looked at once
a second, as the command does that follows it; what it is told at each tenth of its way is held to its true end. Ends 1
when that lies inside in fewer than ENOUGH of a hundred, or what was planted is named in fewer.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from unittest import mock

from cormorant.crawl.deliver import loop
from cormorant.operate.delivery import receivers
from cormorant.operate.runs import live, start
from cormorant.operate.sources import sources
from cormorant.store.journal.progress_samples import LOOK_BACK_S, ProgressSample
from tests.journeys.proofs import record
from tests.reliability import busy
from tests.reliability.farm import Farm, Host
from tests.reliability.foreseen import MOST_S, Held, Told, held
from tests.reliability.ground import fast
from tests.reliability.simulation import Simulation
from tests.reliability.world import World

RECEIVER = "told"
BATCH = 100
"""Events that it is given at once: a run does not wait for one that takes long for a batch."""
ENOUGH = 80


class Shape(NamedTuple):
    """What a site is like: pages and latency of each host, the delay asked for, and what then holds a run up.

    With `told_a_second` there is a receiver that takes no more documents than that.
    """

    name: str
    hosts: tuple[tuple[int, float, float], ...]
    delay_s: float
    wide: bool
    holds: str
    told_a_second: float = 0.0


SHAPES = (
    Shape("fast", ((900, 0.05, 0.4),), 0.0, True, "the servers"),
    Shape("paced", ((150, 0.05, 0.2),), 1.0, True, "politeness"),
    Shape("slow host", ((200, 0.1, 0.3), (90, 1.0, 3.0)), 0.0, True, "the servers"),
    Shape("growing", ((300, 0.02, 0.1),), 0.5, False, "politeness"),
    Shape("slow receiver", ((1_500, 0.02, 0.1),), 0.0, True, "deliveries", 11.0),
    Shape("receiver that keeps up", ((600, 0.05, 0.4),), 0.0, True, "the servers", 60.0),
)


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
        self.world.threads = self._takes_s
        self.foreseen: list[Told] = []
        self._samples: list[ProgressSample] = []
        self._ended_at = 0.0

    def _idle_until(self) -> float:
        return self.world.now  # nobody is late: pace is to be what was asked for

    def install(self) -> None:
        """Add the source."""
        starts = [f"http://{name}/" for name in self.farm.hosts]
        settings = {"start": starts, "delay_s": self.shape.delay_s, "per_host": 1 if self.shape.delay_s else 4}
        sources.add(self.mine, "web", "site", settings)
        if self.shape.told_a_second:
            receivers.add(self.mine, "jsonlines", RECEIVER, None, {"path": str(self.told)})

    def _takes_s(self, threads: Executor | None, work: Any) -> float:
        """How long what a thread does takes: the receiver as long as it needs for so many documents."""
        name = getattr(threads, "_thread_name_prefix", "")
        batch = work.args[0] if name.endswith(RECEIVER) and isinstance(work, partial) else ()
        return len(batch) / self.shape.told_a_second if batch else 0.0

    def watch_run(self) -> tuple[float, float]:
        """Crawl once, and look every second; returns when it began and when it ended."""
        with self.wired(), mock.patch.object(loop, "READ", BATCH):
            self.install()
            self.start()
            began = self.world.now
            (ordered,) = start.order(self.mine, ["site"])
            self.world.call_at(began + 1.0, lambda: self._look(ordered.run))
            if not self.world.run(lambda: self._is_wrong() or self._ended_at > 0, MOST_S):
                self.watch.note("the run does not end")
        return began, self._ended_at

    def _look(self, run: int) -> None:
        seen = live.look(self.mine, run)
        now = self.world.now
        if seen.report["state"] == "finished":
            self._ended_at = now
            return
        self._samples.append(live.sample(seen, now))
        while self._samples[0].at < now - LOOK_BACK_S:
            self._samples.pop(0)
        foreseen = live.ahead(seen, self._samples)
        if foreseen is not None:
            self.foreseen.append(Told(now, *foreseen, live.bottleneck(seen, 0.0, self._samples)))
        self.world.call_at(now + 1.0, lambda: self._look(run))


def lived(seed: int, shape: Shape) -> Held:
    """Live through one run."""
    random.seed(seed)
    with tempfile.TemporaryDirectory(prefix="eta-", dir=fast()) as folder:
        run = Foreseen(seed, Path(folder), shape)
        began, ended = run.watch_run()
        if run.watch.wrong:
            raise AssertionError(run.watch.wrong[:3])
        return held(run.foreseen, began, ended, shape.holds)


def _tell(total: Counter[str], name: str, found: Sequence[Held]) -> None:
    """Print how runs of a shape went, and count them in."""
    told, inside, open_, named = (sum(each[place] for each in found) for place in range(4))
    sys.stdout.write(json.dumps({
        "shape": name, "told": told, "inside": inside, "without an end": open_, "named": named,
        "most to least": round(sum(each.width for each in found) / len(found), 2),
    }) + "\n")  # fmt: skip
    sys.stdout.flush()
    total.update({"runs": len(found), "told": told, "inside": inside, "without an end": open_, "named": named})


def main() -> int:
    """Live through all and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.eta")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--pages", type=int, default=8_000, help="of the site that keeps this machine busy")
    given = parser.parse_args()
    planned, real = Counter[str](), Counter[str]()
    for shape in SHAPES:
        _tell(planned, shape.name, [lived(seed, shape) for seed in range(1, given.seeds + 1)])
    for _ in range(given.seeds):
        _tell(real, "busy machine", [held(*busy.watched(given.pages), busy.HOLDS)])
    measured = {f"{name}, on a busy machine": count for name, count in _figures(real).items()}
    sys.stdout.write(json.dumps(_figures(planned) | measured) + "\n")
    record("eta", _figures(planned), measured=measured)
    return int(any(min(each["inside"], each["named"]) * 100 < ENOUGH * each["told"] for each in (planned, real)))


def _figures(total: Counter[str]) -> dict[str, int]:
    return {
        "runs": total["runs"], "times told": total["told"], "the end lay inside": total["inside"],
        "told without an end": total["without an end"], "held up by what was named": total["named"],
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
