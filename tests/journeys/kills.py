"""Nothing is lost and nothing doubled, whatever is killed when.

    python -m tests.journeys.kills --kills 500 --pages 5000 --store sqlite|postgresql

A crawl of a site is killed (kill -9) at random instants: single processes, which the supervisor starts again, or all
of them at once, after which the same command goes on. Now and then a retriever is stopped until its lease has run out
and another has its sites, and then goes on. At the end everything is looked over (`ledger`).
"""

from __future__ import annotations

import argparse
import json
import signal
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from cormorant.base.clock import SystemClock, pause
from cormorant.base.errors import CormorantError
from cormorant.crawl.worker.housekeeping import BATCH
from cormorant.operate.installation import Installation
from cormorant.store.schema import process, receiver, resource, site
from tests.journeys import processes
from tests.journeys.crawling import Started, begin
from tests.journeys.home import RETRIEVERS, Home
from tests.journeys.ledger import Ledger, audit
from tests.journeys.pages import SiteSettings
from tests.journeys.processes import Process
from tests.journeys.proofs import record
from tests.journeys.site import WebSite, website

HOSTS = 3
"""Two for one retriever and one for the other: so there is always one that may have more."""
PARALLEL = 4
BETWEEN_S = 1.5
"""Seconds between kills on average; the site answers so slowly that the crawl takes about as long as all of them."""
RESUME_S = 60.0
WIDTH = 32


@dataclass(slots=True)
class Tally:
    """The kills in a crawl, and the times it took to resume."""

    struck: Counter[str] = field(default_factory=Counter)
    resumed: dict[str, list[float]] = field(default_factory=dict)
    runs: int = 0
    pauses: int = 0

    @property
    def kills(self) -> int:
        """How many kills there were."""
        return sum(self.struck.values())

    def times(self) -> list[float]:
        """All the times it took to go on."""
        return [each for times in self.resumed.values() for each in times]


class Storm:
    """One crawl, and everything that is done to it."""

    def __init__(self, home: Home, house: Installation, chance: Random) -> None:
        self._home, self._house, self._chance = home, house, chance
        self._clock = SystemClock()
        self.tally = Tally()
        self._crawl: Started | None = None

    def rage(self, kills: int, pauses: int) -> None:
        """Strike that often, then let it come to its end."""
        when = sorted(self._chance.sample(range(kills), min(pauses, kills)))
        while self.tally.kills < kills:
            self._have_crawl(force=self.tally.runs > 0)
            pause(self._chance.uniform(0.0, BETWEEN_S))
            if when and self.tally.kills >= when[0]:
                self.tally.pauses += self._pause_retriever()
                when = when[1:]
            self._strike()
        self._have_crawl(force=False, restart=False)
        self.finish()

    def finish(self) -> None:
        """Go on until the run has ended."""
        until = self._clock.monotonic() + 300
        while self._is_open():
            assert self._clock.monotonic() < until, f"the crawl does not end: {self._state()}"
            if self._crawl is None or self._crawl.poll() is not None:
                self._start(force=False)
            pause(0.05)
        self.end()

    def end(self) -> None:
        """Let the command end, or make it."""
        if self._crawl is not None:
            try:
                self._crawl.wait(45)
            except subprocess.TimeoutExpired:
                processes.kill_group(self._crawl.pid)
            self._forget()

    def _forget(self) -> None:
        if self._crawl is not None:
            self._crawl.wait()
            if self._crawl.stdout is not None:
                self._crawl.stdout.close()
        self._crawl = None

    def _have_crawl(self, *, force: bool, restart: bool = True) -> None:
        """See that a crawl is under way: go on with the run that is, or begin one more."""
        if self._crawl is not None and self._crawl.poll() is None:
            return
        if self._is_open():
            self._start(force=False)
        elif restart:
            self.tally.runs += 1
            self._start(force=force)

    def _start(self, *, force: bool) -> None:
        self._forget()
        self._crawl = begin(self._home, "site", force=force)
        assert self._crawl.stdout is not None
        assert self._crawl.stdout.readline(), "the crawl did not begin"

    def _state(self) -> str:
        with self._house.store.read() as tx:
            return str(tx.execute(sa.text("SELECT state FROM run ORDER BY id DESC LIMIT 1")).scalar())

    def _is_open(self) -> bool:
        return self._state() in ("waiting", "discovering", "retrieving", "sweeping", "delivering")

    def _settled(self) -> tuple[int, int]:
        """Visits settled so far, and what the receivers have confirmed."""
        with self._house.store.read() as tx:
            visits = tx.execute(sa.select(sa.func.coalesce(sa.func.sum(resource.c.visits), 0))).scalar_one()
            return int(visits), int(tx.execute(sa.select(sa.func.sum(receiver.c.place))).scalar_one())

    def _tree(self) -> list[Process]:
        return processes.below(self._crawl.pid) if self._crawl is not None else []

    def _retrievers(self) -> frozenset[int]:
        with self._house.store.read() as tx:
            return frozenset(row[0] for row in tx.rows(sa.select(process.c.pid)))

    def _strike(self) -> None:
        """Kill everything or one process, see how long it takes to go on, or strike again before it has."""
        tree = self._tree()
        if not tree or self._crawl is None:
            return
        if self._chance.random() < 0.4:
            role = "group"
            processes.kill_group(self._crawl.pid)
        else:
            victim = self._chance.choice(tree)
            role = processes.role_of(victim.pid, self._retrievers(), tree)
            processes.send(victim, signal.SIGKILL)
        self.tally.struck[role] += 1
        if role in ("group", "command", "supervisor"):
            left = processes.wait_gone(tree, 45.0)
            assert not left, f"still there after {role} was killed: {[*map(processes.describe, left)]}"
            self._forget()
        before, at = self._settled(), self._clock.monotonic()
        self._have_crawl(force=False, restart=False)
        if self._chance.random() < 0.8:
            self._resumption(role, before, at)

    def _resumption(self, role: str, before: tuple[int, int], at: float) -> None:
        """Wait for the next settled visit (for the provider: the next confirmed delivery)."""
        which = int(role == "provider")
        while self._settled()[which] == before[which]:
            if not self._is_open() or (which == 0 and self._state() != "retrieving"):
                return
            if self._crawl is not None and self._crawl.poll() is not None:
                self._start(force=False)
            assert self._clock.monotonic() - at < RESUME_S, f"nothing settled {RESUME_S:g} s after {role} was killed"
            pause(0.01)
        self.tally.resumed.setdefault(role, []).append(self._clock.monotonic() - at)

    def _pause_retriever(self) -> bool:
        """Stop a retriever until others have its sites, and let it go on: it must not write what it has visited."""
        alive = [each for each in self._tree() if each.pid in self._retrievers()]
        busiest = self._busiest()
        victim = next((each for each in alive if each.pid == busiest), None)
        if len(alive) < RETRIEVERS or victim is None:
            return False
        processes.send(victim, signal.SIGSTOP)
        try:
            if not self._run_out(victim.pid):
                return False
            pause(2.5)
        finally:
            processes.send(victim, signal.SIGCONT)
        return True

    def _busiest(self) -> int:
        """The process that has the most sites leased; 0 when nobody has any."""
        with self._house.store.read() as tx:
            statement = (
                sa.select(process.c.pid)
                .join(site, site.c.owner == process.c.name)
                .group_by(process.c.pid)
                .order_by(sa.func.count().desc())
            )
            return int(tx.execute(statement.limit(1)).scalar() or 0)

    def _run_out(self, pid: int) -> bool:
        """Let the leases of a retriever run out. False when it was stopped inside a transaction, or has no lease."""
        try:
            with self._house.store.begin() as tx:
                tx.execute(sa.text("PRAGMA busy_timeout=300" if tx.sqlite else "SET LOCAL lock_timeout='300ms'"))
                names = sa.select(process.c.name).where(process.c.pid == pid)
                done = tx.execute(sa.update(site).where(site.c.owner.in_(names)).values(lease_until=0.0))
                return done.rowcount > 0
        except (CormorantError, DBAPIError):
            return False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a crawl that was killed again and again."""

    tally: Tally
    ledger: Ledger
    pages: int

    @property
    def bound(self) -> int:
        """Pages that may be fetched again: what was not settled when something was killed."""
        return (self.tally.kills + self.tally.pauses) * RETRIEVERS * (BATCH + WIDTH) + (
            self.tally.runs - 1
        ) * self.pages

    def figures(self) -> dict[str, Any]:
        """For people and programs."""
        times = self.tally.times()
        return {
            "kills": self.tally.kills, "struck": dict(self.tally.struck), "pauses": self.tally.pauses,
            "runs": self.tally.runs, "pages": self.pages, "resumes_measured": len(times),
            "resume_median_s": round(statistics.median(times), 3) if times else None,
            "resume_max_s": round(max(times), 3) if times else None,
            "resume_by_role_s": {
                role: [round(statistics.median(each), 3), round(max(each), 3)]
                for role, each in sorted(self.tally.resumed.items())
            },
            "fetched_again_bound": self.bound, **self.ledger.figures(),
        }  # fmt: skip


def survive(home: Home, folder: Path, pages: int, kills: int, seed: int) -> Outcome:
    """Crawl a site while it is killed; returns what was done and what is wrong."""
    delay = HOSTS * PARALLEL * BETWEEN_S * 1.3 * kills / pages
    settings = SiteSettings(pages=pages, seed=seed, hosts=HOSTS, delay_s=min(delay, 1.0), pdf=40)
    with website(settings, folder) as served:
        home.add_source("web", "site", served.source)
        lines = home.add_receiver("lines", "site")
        tally = _storm(home, served, kills, seed)
        return Outcome(tally, audit(home, served, lines), pages)


def _storm(home: Home, served: WebSite, kills: int, seed: int) -> Tally:
    with home.house() as house:
        storm = Storm(home, house, Random(seed))
        try:
            storm.rage(kills, pauses=max(1, kills // 6))
        finally:
            served.tell(delay_s=0)
            storm.end()
        return storm.tally


@contextmanager
def place(kind: str) -> Iterator[tuple[Home, Path]]:
    """A new installation on a store of this kind, and the folder beside it."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kills-")))
        url = stack.enter_context(new_database()) if kind == "postgresql" else ""
        yield Home(folder / "data", url), folder


@contextmanager
def new_database() -> Iterator[str]:
    """An empty database of a PostgreSQL server of our own."""
    from tests.stores import served

    with served() as server, server.database() as url:
        yield url


def main() -> int:
    """Kill a crawl and print the figures; 1 when anything was lost, doubled or missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with place(given.store) as (home, folder):
        outcome = survive(home, folder, given.pages, given.kills, given.seed)
    figures = outcome.figures()
    sys.stdout.write(json.dumps({"store": given.store, **figures}, indent=1) + "\n")
    faults = outcome.ledger.faults()
    wrong = {kind: count for kind, count in outcome.ledger.figures().items() if kind != "fetched_again"}
    resumed = {f"on again after, {kind}": f"{figures[f'resume_{kind}_s']} s" for kind in ("median", "max")}
    record("kills", {"kills": given.kills, "pages": given.pages} | wrong, part=given.store, measured=resumed)
    if faults:
        sys.stderr.write(json.dumps(faults, indent=1) + "\n")
    return int(bool(faults) or outcome.ledger.fetched_again > outcome.bound)


if __name__ == "__main__":
    sys.exit(main())
