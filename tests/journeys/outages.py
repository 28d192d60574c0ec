"""A database that goes away is a pause: nothing is lost, nothing doubled, and it goes on by itself.

    python -m tests.journeys.outages --pages 5000 --storm 300 --away 60 --crowd 20

`serve` carries a crawl out on a PostgreSQL server of our own, and a `crawl` command follows it, while the server
crashes and is back at once every three seconds (`--storm` seconds long), then is away, then has no connection free. At
the end everything is looked over (`ledger`), and so are the logs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg

from cormorant.base.clock import SystemClock, pause
from cormorant.crawl.worker.housekeeping import BATCH
from tests.cli import kept
from tests.journeys import processes
from tests.journeys.commands import asked, begun, complaints, ended, run, serving, tracebacks
from tests.journeys.home import RETRIEVERS, Home
from tests.journeys.ledger import Ledger, audit
from tests.journeys.pages import SiteSettings
from tests.journeys.proofs import record
from tests.journeys.site import WebSite, website
from tests.stores import served

if TYPE_CHECKING:
    from collections import Counter

    from tests.stores import Postgres

EVERY_S = 3.0
MOST_S = 60.0
"""Seconds after the server's return until a batch must be committed, on a busy machine; the time is printed."""
SAID_S = 45.0
"""How long `status` and four pages may take to say that the database is away, on such a machine too."""
ONCE_MORE = 3
"""Restarts of a process that are permitted in one outage, however long: more is a crash loop."""
HOSTS, PARALLEL = 3, 4
CLOCK = SystemClock()


@dataclass(slots=True)
class Tally:
    """The outages of the server, the times until the program resumed, and its messages meanwhile.

    `between` is how long it took where something was settled before the next crash.
    """

    crashes: int = 0
    between: list[float] = field(default_factory=list)
    on_again: dict[str, list[float]] = field(default_factory=dict)
    started: dict[str, dict[str, int]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def times(self) -> list[float]:
        """All the times it took to go on."""
        return [each for times in self.on_again.values() for each in times]

    def must(self, fine: object, said: str) -> None:
        """Note what is not as it must be."""
        if not fine:
            self.wrong.append(said)


@dataclass(slots=True)
class Outages:
    """One installation at work on a server that fails. `address` is that of its pages."""

    home: Home
    server: Postgres
    site: WebSite
    address: str
    follower: kept.Begun
    tally: Tally = field(default_factory=Tally)

    def storm(self, seconds: float, pages: int) -> None:
        """The server crashes and is back at once, every EVERY_S, as long as there is most of a crawl to disturb.

        Between two crashes something may be settled or, on a busy machine, not; after the last one it has to be.
        """
        until, before = CLOCK.monotonic() + seconds, ended(self.home)
        while CLOCK.monotonic() < until and len(self.site.log()) < pages * 0.7:
            next_at = CLOCK.monotonic() + EVERY_S
            settled = self._settled()
            self.server.control("-m", "immediate", "restart")
            self.tally.crashes += 1
            since = CLOCK.monotonic()
            if self._goes_on(settled, next_at):
                self.tally.between.append(CLOCK.monotonic() - since)
                self._search()
            pause(max(next_at - CLOCK.monotonic(), 0.0))
        settled = self._settled()
        self.server.control("-m", "immediate", "restart")
        self.tally.crashes += 1
        self._back("the last crash", settled)
        self._judge("storm", before, most=self.tally.crashes + ONCE_MORE)

    def away(self, seconds: float) -> None:
        """The server is gone for so long; then it is back, and so must the crawl be."""
        before = ended(self.home)
        self.server.control("-m", "fast", "stop")
        until = CLOCK.monotonic() + seconds
        pause(min(1.0, seconds / 4))
        self._look_meanwhile("does not answer")
        pause(max(until - CLOCK.monotonic(), 0.0))
        self.server.control("start")
        self._back("being away", self._settled())
        self._judge("away", before, most=ONCE_MORE)

    def crowd(self, seconds: float) -> None:
        """Others have taken all connections; those of the program are ended, so that it needs new ones."""
        before = ended(self.home)
        with self._crowded() as own:
            until = CLOCK.monotonic() + seconds
            pause(min(1.0, seconds / 4))
            self._look_meanwhile("no connection free")
            pause(max(until - CLOCK.monotonic(), 0.0))
            settled = self._settled(own)
        self._back("others had all connections", settled)
        self._judge("crowd", before, most=ONCE_MORE)

    def finish(self) -> None:
        """Let the crawl come to its end. The command that followed it must have lasted, and end well."""
        self.site.tell(delay_s=0)
        try:
            self.follower.communicate(timeout=240)
        except subprocess.TimeoutExpired:
            processes.kill_group(self.follower.pid)
            self.follower.communicate()
            self.tally.wrong.append("the crawl does not end")
        complained = complaints(self.home, "crawl")
        self.tally.must(self.follower.returncode == 0, f"`crawl` ended {self.follower.returncode}: {complained}")
        self.tally.must("Waiting meanwhile" in complained, f"`crawl` did not say what it waited for: {complained}")
        self.tally.wrong += tracebacks(self.home)

    @contextmanager
    def _crowded(self) -> Iterator[psycopg.Connection]:
        """Hold every connection that the server has for the length of a block; gives one to the program's database."""
        with ExitStack() as held:
            own = held.enter_context(psycopg.connect(self.home.store, autocommit=True))
            ours = [own.info.backend_pid]
            for _ in range(5):  # whoever is sent away comes back at once, so it takes more than one turn
                own.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE backend_type = 'client backend' AND NOT pid = ANY(%s)", (ours,)
                )  # fmt: skip
                while idle := self._connected():
                    ours.append(held.enter_context(idle).info.backend_pid)
                pause(0.05)
            yield own

    def _connected(self) -> psycopg.Connection | None:
        """One more connection; None when the server has none."""
        with suppress(psycopg.OperationalError):
            return psycopg.connect(self.server.url("postgres"), autocommit=True)
        return None

    def _settled(self, own: psycopg.Connection | None = None) -> int:
        """Visits settled so far."""
        with nullcontext(own) if own else psycopg.connect(self.home.store, autocommit=True) as connection:
            assert connection is not None
            row = connection.execute("SELECT coalesce(sum(visits), 0) FROM resource").fetchone()
            assert row is not None
            return int(row[0])

    def _goes_on(self, settled: int, until: float) -> bool:
        """Wait for the next settled visit; False when there was none in time."""
        while CLOCK.monotonic() < until:
            with suppress(psycopg.OperationalError):
                if self._settled() != settled:
                    return True
            pause(0.02)
        return False

    def _search(self) -> None:
        """See that the pages answer, now that the database does."""
        got, _ = asked(f"{self.address}/search?q=page")
        self.tally.must(got == 200, f"the search page answered {got} although the database was back")

    def _back(self, after: str, settled: int) -> None:
        since = CLOCK.monotonic()
        self.tally.must(self._goes_on(settled, since + MOST_S), f"nothing was settled for a minute after {after}")
        self.tally.on_again.setdefault(after, []).append(CLOCK.monotonic() - since)
        self._search()

    def _look_meanwhile(self, wanted: str) -> None:
        """The output of `status` and of the pages while the database is down."""
        began = CLOCK.monotonic()
        done = run(self.home, "status")
        lines = done.stderr.splitlines()
        self.tally.must((done.returncode, len(lines)) == (6, 1), f"status ended {done.returncode}: {done.stderr}")
        self.tally.must(wanted in done.stderr, f"status does not say {wanted!r}: {done.stderr}")
        self.tally.must(self.follower.poll() is None, "`crawl` did not wait for the database")
        text = ""
        for path, status in (("/health/live", 200), ("/health/ready", 503), ("/search?q=page", 503)):
            got, text = asked(self.address + path)
            self.tally.must(got == status, f"{path} answered {got}, not {status}")
            self.tally.must("Traceback" not in text, f"{path} shows a traceback")
        self.tally.must("database" in text, f"the search page does not say that it is the database: {text}")
        took = CLOCK.monotonic() - began
        self.tally.must(took < SAID_S, f"status and pages took {took:.0f} s to say so")

    def _judge(self, phase: str, before: Counter[str], most: int) -> None:
        """How often processes were started again in a phase: no more than so often each."""
        again = dict(ended(self.home) - before)
        self.tally.started[phase] = again
        self.tally.must(max(again.values(), default=0) <= most, f"crash loop in {phase}: {again}, at most {most}")
        self.tally.must(not again.get("web"), f"the pages went away in {phase}")


def survive(server: Postgres, url: str, folder: Path, given: argparse.Namespace) -> tuple[Tally, Ledger]:
    """Crawl a site on a server that fails; returns what was done and what is wrong."""
    name = url.partition("@/")[2].partition("?")[0]
    server.run(f"ALTER DATABASE {name} SET synchronous_commit = on")  # a crash may lose nothing that was committed
    home = Home(folder / "data", url)
    settings = SiteSettings(pages=given.pages, seed=given.seed, hosts=HOSTS, delay_s=given.delay)
    with website(settings, folder) as site:
        home.add_source("web", "site", site.source)
        lines = home.add_receiver("lines", "site")
        with serving(home) as address, begun(home, "crawl", "site") as follower:
            site.wait_for(2 * HOSTS * PARALLEL)
            outages = Outages(home, server, site, address, follower)
            outages.storm(given.storm, given.pages)
            outages.away(given.away)
            outages.crowd(given.crowd)
            outages.finish()
        return outages.tally, audit(home, site, lines)


def bound(tally: Tally) -> int:
    """How many pages may be fetched again: what was not settled when a process lost the database."""
    return (tally.crashes + 2) * RETRIEVERS * (BATCH + HOSTS * PARALLEL)


def figures(tally: Tally, ledger: Ledger) -> dict[str, Any]:
    """For people and programs."""
    return {
        "crashes": tally.crashes,
        "on_again": {
            after: {"median_s": round(statistics.median(each), 2), "max_s": round(max(each), 2), "times": len(each)}
            for after, each in tally.on_again.items()
        },
        "settled_between_crashes": len(tally.between),
        "settled_between_crashes_s": [round(each, 2) for each in sorted(tally.between)],
        "started_again": tally.started, "wrong": tally.wrong, **ledger.figures(),
    }  # fmt: skip


def main() -> int:
    """Have the server fail and print the figures; 1 when anything is not as it must be."""
    parser = argparse.ArgumentParser(prog="python -m tests.journeys.outages")
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--storm", type=float, default=300.0)
    parser.add_argument("--away", type=float, default=60.0)
    parser.add_argument("--crowd", type=float, default=20.0)
    parser.add_argument("--delay", type=float, default=0.4)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with served() as server, server.database() as url, tempfile.TemporaryDirectory(prefix="outages-") as folder:
        tally, ledger = survive(server, url, Path(folder), given)
    said, times = figures(tally, ledger), tally.times()
    sys.stdout.write(json.dumps(said, indent=1) + "\n")
    wrong = {kind: count for kind, count in ledger.figures().items() if kind != "fetched_again"}
    record(
        "outages",
        {"pages": given.pages, "not as it must be": len(tally.wrong), **wrong},
        measured={
            "crashes": tally.crashes, "crashes before the next of which something was settled": len(tally.between),
            "on again after, median": f"{statistics.median([*tally.between, *times]):.2f} s",
            "on again after, max": f"{max([*tally.between, *times]):.2f} s", "fetched again": ledger.fetched_again,
        },
    )  # fmt: skip
    return int(bool(tally.wrong or ledger.faults()) or ledger.fetched_again > bound(tally))


if __name__ == "__main__":
    sys.exit(main())
