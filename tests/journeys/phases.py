"""Killed at each step of a document's way, again and again: nothing is lost, nothing is doubled.

    python -m tests.journeys.phases --kills 25 --pages 400 --store sqlite|postgresql [--part N/M] [STEP ...]

For each step of `points` a crawl of its own is killed (kill -9) the moment it is reached: the process that has come
there, which the supervisor starts again, or all of them, after which the same order is given again. At the end
everything is looked over (`ledger`), as for `kills`, which strikes at random.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from random import Random

from cormorant.base.clock import pause
from cormorant.crawl.worker.housekeeping import BATCH
from cormorant.operate.installation import Installation
from tests.journeys import processes
from tests.journeys.crawling import COMMAND, begin
from tests.journeys.home import RETRIEVERS, Home
from tests.journeys.kills import RESUME_S, WIDTH, Outcome, Storm, place as new_place
from tests.journeys.ledger import audit
from tests.journeys.pages import SiteSettings
from tests.journeys.points import GROUP, POINTS, PROCESS, Point
from tests.journeys.processes import Process
from tests.journeys.proofs import record
from tests.journeys.site import website

PLAN = (PROCESS, PROCESS, GROUP)
"""Whom the kills of one command strike."""
LIMIT_S = 300.0
"""How long one command may take."""
IN_VAIN = 4
"""Commands in a row that may end without a kill: then the step is not reached any more."""


class Siege(Storm):
    """One crawl that is killed at one step."""

    def __init__(self, home: Home, house: Installation, chance: Random, point: Point) -> None:
        super().__init__(home, house, chance)
        self._point, self._log = point, home.folder.parent / "kills.log"
        self._kills, self._seen = 0, list[Process]()

    def lay(self, kills: int) -> None:
        """Strike that often, or until the step is not reached any more, then let it come to its end."""
        self._kills, in_vain = kills, 0
        while self.tally.kills < kills and in_vain < IN_VAIN:
            before = self.tally.kills
            self._have_crawl(force=self.tally.runs > 0)
            self._watch()
            in_vain = in_vain + 1 if self.tally.kills == before else 0
        self._kills = 0
        self._have_crawl(force=False, restart=False)
        self.finish()

    def _start(self, *, force: bool) -> None:
        left = self._kills - self.tally.kills
        plan = ",".join(f"{self._chance.randint(1, self._point.often)}:{whom}" for whom in PLAN[:left])
        self._forget()
        here = [sys.executable, "-m", "tests.journeys.points", self._point.name, plan, str(self._log)]
        self._crawl = begin(self._home, "site", force=force, command=here if left > 0 else COMMAND)

    def _watch(self) -> None:
        """Follow one command to its end, and see how long it takes to go on behind each kill."""
        struck, until = self.tally.kills, self._clock.monotonic() + LIMIT_S
        while self._crawl is not None and self._crawl.poll() is None:
            assert self._clock.monotonic() < until, f"the crawl does not end: {self._state()}"
            self._seen = self._tree() or self._seen
            self._note()
            pause(0.02)
        self._all_gone()
        self._note()
        assert self.tally.kills > struck or not self._is_open(), f"the crawl ended: {self._state()}"

    def _all_gone(self) -> None:
        left = processes.wait_gone(self._seen, 45.0)
        assert not left, f"still there: {[*map(processes.describe, left)]}"

    def _note(self) -> None:
        """Take note of kills, and of how long it then takes to go on."""
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        new = lines[self.tally.kills :]
        for line in new:
            self.tally.struck[line.split()[0]] += 1
        if not new:
            return
        whom, at = new[-1].split()
        if whom == GROUP:
            self._all_gone()
            self._forget()
        before = self._settled()
        if whom == GROUP and (self.tally.kills < self._kills or self._is_open()):
            self._have_crawl(force=False, restart=False)
        self._goes_on(whom, before, float(at))

    def _goes_on(self, whom: str, before: tuple[int, int], at: float) -> None:
        """Wait until something more is settled or confirmed, or it is struck again, or is over."""
        which, lines = int(self._point.delivers), self.tally.kills
        while self._settled()[which] == before[which]:
            ended = self._crawl is None or self._crawl.poll() is not None
            again = self._log.read_text().count("\n") > lines
            if ended or again or not self._is_open() or (which == 0 and self._state() != "retrieving"):
                return
            assert self._clock.monotonic() - at < RESUME_S, f"nothing settled {RESUME_S:g} s after {whom} was killed"
            pause(0.02)
        self.tally.resumed.setdefault(whom, []).append(self._clock.monotonic() - at)


def survive(home: Home, folder: Path, point: Point, pages: int, kills: int, seed: int = 1) -> Outcome:
    """Crawl a site while it is killed at a step; returns what was done and what is wrong."""
    with website(SiteSettings(pages=pages, seed=seed, hosts=3, delay_s=0.01, pdf=20), folder) as served:
        home.add_source("web", "site", served.source)
        lines = home.add_receiver("lines", "site")
        with home.house() as house:
            siege = Siege(home, house, Random(seed), point)
            try:
                siege.lay(kills)
            finally:
                served.tell(delay_s=0)
                siege.end()
        return Outcome(siege.tally, audit(home, served, lines), pages)


def most_again(point: Point, outcome: Outcome) -> int:
    """How many pages may be fetched again: what a killed retriever had not settled, and all in each further run."""
    struck = outcome.tally.struck
    retrievers = struck[GROUP] * RETRIEVERS + (0 if point.delivers else struck[PROCESS])
    return retrievers * min(BATCH + WIDTH, outcome.pages) + (outcome.tally.runs - 1) * outcome.pages


def main() -> int:
    """Kill at each step and print the figures; 1 when anything was lost, doubled or missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("steps", nargs="*", metavar="STEP")
    parser.add_argument("--kills", type=int, default=25, help="at each step")
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--part", default="1/1", metavar="N/M", help="every M-th step, from the N-th on")
    given = parser.parse_args()
    number, _, every = given.part.partition("/")
    points = [each for each in POINTS if not given.steps or each.name in given.steps][int(number) - 1 :: int(every)]
    wrong, resumed, kills, missed = dict[str, object](), list[float](), 0, 0
    for point in points:
        with new_place(given.store) as (home, folder):
            outcome = survive(home, folder, point, given.pages, given.kills)
        figures = outcome.figures()
        resumed += outcome.tally.times()
        kills += outcome.tally.kills
        missed += given.kills - outcome.tally.kills
        faults: dict[str, object] = dict(outcome.ledger.faults())
        if outcome.ledger.fetched_again > (most := most_again(point, outcome)):
            faults["fetched_again"] = f"more than {most}"
        if faults:
            wrong[point.name] = faults
        line = {"step": point.name, "store": given.store, "wrong": faults, **figures, "fetched_again_bound": most}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
    times = {"median": statistics.median(resumed), "max": max(resumed)} if resumed else {}
    record(
        "kills at steps", {"steps": len(points), "kills": kills, "steps with anything wrong": len(wrong)},
        part=f"{given.store} {given.part}".removesuffix(" 1/1"),
        measured={f"on again after, {kind}": f"{seconds:.3f} s" for kind, seconds in times.items()},
    )  # fmt: skip
    if missed:
        sys.stderr.write(f"{missed} kills were not made, since the step was not reached any more\n")
    if wrong:
        sys.stderr.write(json.dumps(wrong, indent=1) + "\n")
    return int(bool(wrong) or missed > 0)


if __name__ == "__main__":
    sys.exit(main())
