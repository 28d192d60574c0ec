"""Nothing grows with the number of runs: a year of nightly crawls, in a world of its own time.

    python -m tests.reliability.year [--nights 365] [--documents 300]

The processes are the product's own, on a SQLite store, with its cache and its index (`simulation`); a schedule has them
crawl two sources every night. By day pages are edited, come and go; links lead to addresses that a rule excludes, to
others each night; people search. Once a week everything is stopped and started again. On some days it is counted what
there is: rows of every table, files and bytes. Ends 1 when something is more than what is kept of it by its limit, as
LIMITS has it, or when the documents are not the truth.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import NamedTuple
from unittest import mock

from cormorant.app.build import BuildPlan
from cormorant.app.logs import process_log
from cormorant.app.settings import InstallationSettings
from cormorant.base.clock import SystemClock
from cormorant.frontier.queue.request_log import KEPT_HOURS
from cormorant.operate.delivery import receivers
from cormorant.operate.installation import Installation
from cormorant.operate.runs import schedules
from cormorant.operate.runs.schedules import ScheduleChange
from cormorant.operate.search import query_log
from cormorant.operate.search.query_log import ClickRow, QueryRow
from cormorant.operate.sources import sources
from cormorant.operate.storage import compact, retention
from cormorant.search.index.tantivy import folder as index_folder
from cormorant.store.catalog import receivers as catalog_receivers
from cormorant.store.db.database import Store
from cormorant.store.journal import schedule_firings, visits
from cormorant.store.journal.runs import KEPT_PER_SOURCE
from cormorant.store.schema import metadata
from tests.journeys.proofs import record
from tests.reliability import world
from tests.reliability.farm import Farm, Host, body_of
from tests.reliability.ground import fast
from tests.reliability.simulation import Simulation
from tests.reliability.world import BEGAN, LATE_S, Process, World

DAY_S = 86_400.0
HOUR = 2
DAYS = (30, 90, 180, 365)
SEARCHES = 20
EDITS = 5
RESTARTED = 7
"""Every how many nights."""
ROOM = 200_000
INSTALLATION = InstallationSettings(index="embedded", retrievers=1, width=8, excluded_days=30, old_copies_bytes=ROOM)
"""With less room than by default, so that a year fills it."""
SOURCES = ("large", "small")
OTHER = 30
"""Documents of the second source."""


class Found(NamedTuple):
    """The sizes on a day: rows by table, files and bytes on the disk."""

    day: int
    rows: Mapping[str, int]
    disk: Mapping[str, int]


def _documents(times: float) -> Callable[[Mapping[str, int]], float]:
    return lambda rows: times * rows["resource"]


def _most(number: float) -> Callable[[Mapping[str, int]], float]:
    return lambda _: number


LIMITS: dict[str, Callable[[Mapping[str, int]], float]] = {
    "resource": _most(0), "visit": _documents(visits.KEPT_PER_RESOURCE),
    "run": _most(KEPT_PER_SOURCE * len(SOURCES)), "run_count": _most(KEPT_PER_SOURCE * len(SOURCES) * 8),
    "launch": _most(schedule_firings.KEPT), "query": _most((INSTALLATION.query_days + 2) * SEARCHES),
    "click": _most((INSTALLATION.query_days + 2) * SEARCHES),
    "exclusion": _most((INSTALLATION.excluded_days + 2 + retention.EVERY) * SEARCHES),
    "site_hour": _most(2 * (KEPT_HOURS + 48)), "content": _documents(1), "outlinks": _documents(1),
    "inlinks": _documents(1), "near": _documents(1), "near_band": _documents(64), "hidden": _documents(1),
}  # fmt: skip
"""How many rows of a table there may be, by what there is of others; of all that are not named here, FEW.

Of addresses as many as there are documents, and those that are gone and not forgotten yet.
"""
FEW = 16
LATELY_GONE = 10
FILES = {"cache": compact.MANY + 3 * retention.EVERY, "logs": 150, "index": 300, "cormorant": 3}
"""How many files there may be of each part of the data folder."""
LOGS_KB = 7 * 2 * 1_000
SOON_KB = 100
"""Growth that is permitted until the next cleanup."""


class Sites(Farm):
    """Two sites: one of many pages, whose first page leads to other excluded addresses each night, and a small one."""

    def __init__(self, world: World, chance: Random, documents: int) -> None:
        super().__init__(world, chance)
        self.hosts.clear()
        self.calm, self._documents = True, {"large": documents, "small": OTHER}
        for number, (name, count) in enumerate(self._documents.items()):
            host = Host(f"{name}.example.org", f"20.0.0.{number}", 0.0, (0.01, 0.05))
            self.hosts[host.name] = host
            for _ in range(count):
                self.add(host)

    def day(self, number: int) -> None:
        """A few pages say something else, one goes and one comes; the first page leads to days that nobody wants."""
        host = self.hosts["large.example.org"]
        paths = sorted(set(host.pages) - {"/"})
        for path in self._chance.sample(paths, EDITS):
            host.pages[path].version += 1
        gone = self._chance.choice([path for path in paths if not self._inner(host, path)] or paths)
        del host.pages[gone]
        for page in host.pages.values():
            if f"http://{host.name}{gone}" in page.links:
                page.links = [each for each in page.links if each != f"http://{host.name}{gone}"]
                page.version += 1
        self.add(host)
        first = host.pages["/"]
        first.links = [each for each in first.links if "/days/" not in each]
        first.links += [f"http://{host.name}/days/{number}-{each}" for each in range(SEARCHES)]
        first.version += 1

    @staticmethod
    def _inner(host: Host, path: str) -> bool:
        """Does a page lead to others?"""
        return bool(host.pages[path].links)


def beyond(found: Found, documents: int) -> Iterator[str]:
    """The sizes of a day that exceed their limit."""
    for name, count in found.rows.items():
        limit = LIMITS.get(name, _most(FEW))(found.rows) if name != "resource" else documents + LATELY_GONE
        if count > limit:
            yield f"day {found.day}: {count} rows of {name}, which may be {limit:g}"
    for part, most in FILES.items():
        if (count := found.disk.get(f"{part} files", 0)) > most:
            yield f"day {found.day}: {count} files of {part}, which may be {most}"
    used = found.disk["copies kB"]
    for part, most in (("cache", used + max(ROOM // 1000, used) + SOON_KB), ("logs", LOGS_KB), ("index", 10 * used)):
        if (size := found.disk.get(f"{part} kB", 0)) > most:
            yield f"day {found.day}: {size} kB of {part}, which may be {most}"


class Year(Simulation):
    """An installation that lives for so many nights. `found` is what there was on some days."""

    def __init__(self, folder: Path, documents: int) -> None:
        super().__init__(1, folder)
        self.farm = self.sites = Sites(self.world, Random(3), documents)
        self.plan = BuildPlan(self.folder, INSTALLATION)
        self.calm, self.long = True, True
        self.mine = self._house(Store.open(self.plan.store_url, self.clock))
        self.world.committed = lambda _: None
        self.found: list[Found] = []
        self.documents = documents + OTHER

    def _house(self, store: Store, process: Process | None = None) -> Installation:
        house, index = super()._house(store, process), self.folder / "index"
        return replace(
            house, index_reader=lambda: index_folder.open_reader(index),
            index_writer=lambda: index_folder.open_writer(index),
            index_rebuild=lambda _: index_folder.rebuild(index), index_forget=lambda: index_folder.forget(index),
            searchable=True, excluded_days=INSTALLATION.excluded_days, old_copies_bytes=ROOM,
        )  # fmt: skip

    def install(self) -> None:
        """Add the sources, the index, a receiver, and the schedule."""
        for name in SOURCES:
            settings = {
                "start": [f"http://{name}.example.org/"],
                "exclude": ["path:/days/*"],
                "delay_s": 0,
                "per_host": 8,
            }
            sources.add(self.mine, "web", name, settings)
        with self.mine.store.begin() as tx:
            catalog_receivers.add(tx, catalog_receivers.INDEX, catalog_receivers.INDEX, None, {}, 0)
        receivers.add(self.mine, "jsonlines", "lines", None, {"path": str(self.lines)})
        schedules.add(self.mine, "nightly", ScheduleChange(sources=SOURCES, when=f"0 {HOUR} * * *", time_zone="UTC"))

    def pass_by(self, nights: int, days: tuple[int, ...]) -> None:
        """Live for so many nights, and count on these days."""
        process_log.keep(self.plan, "installation")
        with self.wired(), mock.patch.object(world, "SWITCH", 0.0):  # nothing is to come between transactions here
            self.install()
            self.start()
            for number in range(1, nights + 1):
                self.sites.day(number)
                self._search(number)
                self._night(number)
                if self.watch.wrong:
                    return
                if number % RESTARTED == 0:
                    self._restart()
                if number in days:
                    self.found.append(self._count(number))
                    self.watch.wrong += beyond(self.found[-1], self.documents)
                    sys.stdout.write(json.dumps(self.found[-1]._asdict()) + "\n")
                    sys.stdout.flush()
        self._compare_documents()

    def _compare_documents(self) -> None:
        """Check that the index is equal to the sites, including pages that nothing links to any more."""
        rows = self.watch.ask("SELECT url, content_hash FROM content WHERE indexed")
        wanted = {
            f"http://{host.name}{path}": hashlib.sha256(body_of(path, page)).digest()
            for host in self.farm.hosts.values() for path, page in host.pages.items()
        }  # fmt: skip
        if dict(rows) != wanted:
            self.watch.note(f"{len(dict(rows).items() ^ wanted.items())} documents are not what the sites say")
        if (count := index_folder.open_reader(self.folder / "index").count()) != len(wanted):
            self.watch.note(f"the index has {count} documents of {len(wanted)}")

    def _night(self, number: int) -> None:
        """Run until the launch of the night has ended and receivers have got every event."""

        def over() -> bool:
            newest, going = self.watch.ask("SELECT max(id), sum(state != 'finished') FROM run")[0]
            return self._is_wrong() or ((newest or 0) >= number * len(SOURCES) and not going and self._is_delivered())

        if not self.world.run(over, 3 * DAY_S):
            self.watch.note(f"night {number} does not end")

    def _search(self, number: int) -> None:
        """People search, which is written as the page does it."""
        now = self.clock.now()
        asked = [
            QueryRow(now, f"{number}-{each}", f"page {each}", f"page {each}", "page", 3, 1.0, 1, "local", "[]", "page")
            for each in range(SEARCHES)
        ]
        clicks = [ClickRow(now, each.token, 1, 1) for each in asked[::4]]
        query_log.write(self.mine, asked, clicks)
        query_log.trim(self.mine)

    def _restart(self) -> None:
        """Stop every process in the regular way, and start them again."""
        going = [each for each in self.world.processes if each.alive]
        for each in going:
            each.stop.set()
        if not self.world.run(lambda: self._is_wrong() or not any(each.alive for each in going), 3_600.0):
            self.watch.note("the processes do not end")
        self.world.processes.clear()
        self.start()

    def _idle_until(self) -> float:
        going = "EXISTS (SELECT 1 FROM launch WHERE finished_at IS NULL)"
        (open_,) = self.watch.ask(f"SELECT {going} OR EXISTS (SELECT 1 FROM run WHERE state != 'finished')")[0]
        (next_at,) = self.watch.ask("SELECT min(next_at) FROM schedule WHERE enabled")[0]
        if open_ or next_at is None:
            return self.world.now + LATE_S
        return max(float(next_at) - BEGAN, self.world.now + LATE_S)

    def _count(self, number: int) -> Found:
        rows = {name: int(self.watch.ask(f"SELECT count(*) FROM {name}")[0][0]) for name in metadata.tables}
        (used,) = self.watch.ask("SELECT sum(pack_length) FROM content")[0]
        disk = {"copies kB": used // 1000}
        for path in (each for each in self.folder.rglob("*") if each.is_file()):
            part = path.relative_to(self.folder).parts[0].partition(".db")[0]
            disk[f"{part} files"] = disk.get(f"{part} files", 0) + 1
            disk[f"{part} kB"] = disk.get(f"{part} kB", 0) + path.stat().st_size // 1000
        return Found(number, rows, disk)


def main() -> int:
    """Live for a year and print what there is; 1 when something grows beyond its limit."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.year")
    parser.add_argument("--nights", type=int, default=365)
    parser.add_argument("--documents", type=int, default=300)
    given = parser.parse_args()
    began = SystemClock().monotonic()
    random.seed(1)
    with tempfile.TemporaryDirectory(prefix="year-", dir=fast()) as folder:
        year = Year(Path(folder), given.documents)
        days = (*(each for each in DAYS if each < given.nights), given.nights)
        year.pass_by(given.nights, days)
        wrong = list(year.watch.wrong)
    sys.stdout.write("".join(f"- {each}\n" for each in wrong))
    took = {"seconds": f"{SystemClock().monotonic() - began:.0f}"}
    figures = {
        "nights": given.nights, "runs": given.nights * len(SOURCES), "tables": len(metadata.tables),
        "documents": given.documents + OTHER, "wrong": len(wrong),
    }  # fmt: skip
    record("year", figures, measured=grown(year.found) | took)
    return int(bool(wrong))


def grown(found: list[Found]) -> dict[str, str]:
    """Of all that is more than a few: how much there was on each of the days."""
    days = " / ".join(str(each.day) for each in found)
    parts: dict[str, list[int]] = {}
    for each in found:
        for name, count in {**{f"rows of {table}": count for table, count in each.rows.items()}, **each.disk}.items():
            parts.setdefault(name, []).append(count)
    many = {name: counts for name, counts in parts.items() if max(counts) > FEW}
    return {f"{name}, day {days}": " / ".join(f"{count:,}" for count in counts) for name, counts in many.items()}


if __name__ == "__main__":
    sys.exit(main())
