"""How often does a run end within its estimate, and does the estimate name the real bottleneck?

    python -m tests.reliability.eta [--seeds 5]

The processes are the product's own, with a simulated clock (`simulation`), so that other load on the machine delays no
run; only runs whose bottleneck is the machine itself are real (`busy`). A run is polled once a second, as the command
that follows a run does. The estimate at each tenth of the way is compared with the true end. The exit code is 1 if
fewer than ENOUGH of a hundred estimates contain the end, or fewer name the planted bottleneck.
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
from tests.reliability.foreseen import MOST_S, Estimate, EstimateScore, score
from tests.reliability.ground import fast
from tests.reliability.simulation import Simulation
from tests.reliability.world import World

RECEIVER = "notified"
BATCH = 100
"""Events that the receiver gets in one batch: a run does not wait for a receiver that is slow within a batch."""
ENOUGH = 80


class Shape(NamedTuple):
    """A kind of site: pages and latency of each host, the delay of requests, and the bottleneck of a run of it.

    With `received_a_second` there is a receiver that takes at most so many documents a second.
    """

    name: str
    hosts: tuple[tuple[int, float, float], ...]
    delay_s: float
    wide: bool
    holds: str
    received_a_second: float = 0.0


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
    """A run of one site, and all estimates of its end."""

    def __init__(self, seed: int, folder: Path, shape: Shape) -> None:
        super().__init__(seed, folder)
        self.shape, self.calm, self.long = shape, True, False
        self.farm = Site(self.world, Random(seed), shape)
        self.world.committed = lambda _: None
        self.world.threads = self._takes_s
        self.estimates: list[Estimate] = []
        self._samples: list[ProgressSample] = []
        self._ended_at = 0.0

    def _idle_until(self) -> float:
        return self.world.now  # no process is late, so the pace is the requested one

    def install(self) -> None:
        """Add the source."""
        starts = [f"http://{name}/" for name in self.farm.hosts]
        settings = {"start": starts, "delay_s": self.shape.delay_s, "per_host": 1 if self.shape.delay_s else 4}
        sources.add(self.mine, "web", "site", settings)
        if self.shape.received_a_second:
            receivers.add(self.mine, "jsonlines", RECEIVER, None, {"path": str(self.lines)})

    def _takes_s(self, threads: Executor | None, work: Any) -> float:
        """Seconds that the work of a thread takes: for the receiver, the time for its number of documents."""
        name = getattr(threads, "_thread_name_prefix", "")
        batch = work.args[0] if name.endswith(RECEIVER) and isinstance(work, partial) else ()
        return len(batch) / self.shape.received_a_second if batch else 0.0

    def watch_run(self) -> tuple[float, float]:
        """Crawl once and poll every second; return when the run began and ended."""
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
        ahead = live.ahead(seen, self._samples)
        if ahead is not None:
            self.estimates.append(Estimate(now, *ahead, live.bottleneck(seen, 0.0, self._samples)))
        self.world.call_at(now + 1.0, lambda: self._look(run))


def lived(seed: int, shape: Shape) -> EstimateScore:
    """Simulate one run."""
    random.seed(seed)
    with tempfile.TemporaryDirectory(prefix="eta-", dir=fast()) as folder:
        run = Foreseen(seed, Path(folder), shape)
        began, ended = run.watch_run()
        if run.watch.wrong:
            raise AssertionError(run.watch.wrong[:3])
        return score(run.estimates, began, ended, shape.holds)


def _print(total: Counter[str], name: str, found: Sequence[EstimateScore]) -> None:
    """Print the scores of the runs of a shape, and add them to the total."""
    given, inside, open_, named = (sum(each[place] for each in found) for place in range(4))
    sys.stdout.write(json.dumps({
        "shape": name, "estimates": given, "inside": inside, "without an end": open_, "named": named,
        "most to least": round(sum(each.width for each in found) / len(found), 2),
    }) + "\n")  # fmt: skip
    sys.stdout.flush()
    total.update({"runs": len(found), "estimates": given, "inside": inside, "without an end": open_, "named": named})


def main() -> int:
    """Simulate all shapes and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.eta")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--pages", type=int, default=8_000, help="of the site that keeps this machine busy")
    given = parser.parse_args()
    planned, real = Counter[str](), Counter[str]()
    for shape in SHAPES:
        _print(planned, shape.name, [lived(seed, shape) for seed in range(1, given.seeds + 1)])
    for _ in range(given.seeds):
        _print(real, "busy machine", [score(*busy.watched(given.pages), busy.HOLDS)])
    measured = {f"{name}, on a busy machine": count for name, count in _figures(real).items()}
    sys.stdout.write(json.dumps(_figures(planned) | measured) + "\n")
    record("eta", _figures(planned), measured=measured)
    return int(any(min(each["inside"], each["named"]) * 100 < ENOUGH * each["estimates"] for each in (planned, real)))


def _figures(total: Counter[str]) -> dict[str, int]:
    return {
        "runs": total["runs"], "estimates": total["estimates"], "the end lay inside": total["inside"],
        "estimates without an end": total["without an end"], "bottleneck named rightly": total["named"],
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
