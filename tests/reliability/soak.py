"""Do the resources of `serve` grow with time? An hour of crawls, one after the other, beside people who search.

    python -m tests.reliability.soak [--minutes 60] [--pages 1500] [--store sqlite|postgresql]

`serve` is started by its command. A schedule crawls a site and a folder every minute, and the next crawl is ordered as
soon as none is open, so an hour has the runs of a year of nights. Meanwhile pages and files are edited, added and
removed, and a client searches all the time, on the page and by the API. Every few seconds the resources of the
processes are sampled: memory (anonymous PSS), open files, threads, and the size of the database's log. The result is
the slope of the memory in the last three quarters of the time, and the growth of the other figures. The exit code is 1
if a figure grows by more than LIMITS permits, a run did not finish, a search failed, or the index differs from the
sites.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import fmean, median
from threading import Event, Thread

import sqlalchemy as sa

from cormorant.base.clock import SystemClock, pause
from cormorant.model.schedule.schedule import Overrun
from cormorant.operate.installation import Installation
from cormorant.operate.runs import schedules, start
from cormorant.operate.runs.schedules import ScheduleChange
from tests.journeys import commands, processes
from tests.journeys.home import Home
from tests.journeys.kills import new_database
from tests.journeys.pages import SiteSettings
from tests.journeys.proofs import record
from tests.journeys.site import WebSite, website

CLOCK = SystemClock()
LOOK_S = 5.0
MINUTE_S = 60.0
SEARCH_S = 0.05
"""From one search to the next: what searches keep is full after some 20,000, most of which the first quarter sees."""
EDITED = 0.02
"""Of the pages, from one crawl to the next."""
FILES = 40
WARM = 0.25
"""Of the time: what is taken until then is not held to be growth."""
LIMITS = {"memory, MB an hour": 12.0, "more files open": 8.0, "more threads": 2.0, "log of the database, MB": 64.0}
SOURCES = ("site", "papers")
SCHEDULE = "minutely"
ENDS_S = 300.0
"""How long crawls under way may take to end when the time is over."""
WORDS = ("page", "which other", "about -paper", '"no other page"', "paper")


@dataclass(frozen=True, slots=True)
class Look:
    """A sample: PSS in MB by the name of the process, open files and threads of all, MB of the log."""

    at: float
    megabytes: Mapping[str, float]
    files: int
    threads: int
    log_mb: float


def look(home: Home, pid: int) -> Look:
    """Look at a process and all below it."""
    taken, files, threads = defaultdict[str, float](float), 0, 0
    for each in processes.below(pid):
        place = processes.PROC / str(each.pid)
        try:
            name = (place / "comm").read_text().strip()
            files += sum(1 for _ in (place / "fd").iterdir())
            threads += sum(1 for _ in (place / "task").iterdir())
        except OSError:
            continue
        # Pages of files are shared with whoever else on the machine has these open, and come and go with them.
        taken[name] += processes.pss_kb(each.pid, "Pss_Anon") / 1024
    log = home.folder / "cormorant.db-wal"
    return Look(CLOCK.monotonic(), taken, files, threads, log.stat().st_size / 1e6 if log.exists() else 0.0)


def slope(points: Sequence[tuple[float, float]]) -> float:
    """By how much the second goes up while the first does by one: least squares."""
    xs, ys = zip(*points, strict=True)
    x, y = fmean(xs), fmean(ys)
    spread = sum((each - x) ** 2 for each in xs)
    return sum((a - x) * (b - y) for a, b in points) / spread if spread else 0.0


def highest(looks: Sequence[Look], of: Callable[[Look], float]) -> list[tuple[float, float]]:
    """The most of each minute: a crawl takes more than the rest behind it."""
    most = dict[int, float]()
    for each in looks:
        minute = int((each.at - looks[0].at) // MINUTE_S)
        most[minute] = max(most.get(minute, 0.0), of(each))
    return sorted(most.items())


def growth(looks: Sequence[Look]) -> dict[str, float]:
    """Growth after the first quarter, named as in LIMITS."""
    warm = looks[int(len(looks) * WARM) :]
    memory = [
        (minute / 60, megabytes) for minute, megabytes in highest(warm, lambda each: sum(each.megabytes.values()))
    ]

    def more(of: Callable[[Look], float]) -> float:
        most = [value for _, value in highest(warm, of)]
        part = max(1, len(most) // 5)
        return median(most[-part:]) - median(most[:part])

    return {
        "memory, MB an hour": slope(memory),
        "more files open": more(lambda each: each.files),
        "more threads": more(lambda each: each.threads),
        "log of the database, MB": max(each.log_mb for each in warm),
    }


def beyond(grown: Mapping[str, float]) -> list[str]:
    """The figures that exceed their limit."""
    return [
        f"{name}: {value:.1f}, which may be {LIMITS[name]:g}" for name, value in grown.items() if value > LIMITS[name]
    ]


@dataclass(slots=True)
class Life:
    """Edits before each crawl: pages of a site, and files of a folder. `gone` are removed pages."""

    site: WebSite
    folder: Path
    chance: Random = field(default_factory=lambda: Random(5))
    gone: set[int] = field(default_factory=set)
    files: set[int] = field(default_factory=set)
    times: int = 0

    def begin(self) -> None:
        """Lay out the files."""
        self.folder.mkdir()
        for number in range(FILES):
            self._write(number)

    def _write(self, number: int) -> None:
        text = f"Paper {number} of edit {self.times}.\n" * self.chance.randint(1, 40)
        (self.folder / f"{number}.txt").write_text(text)
        self.files.add(number)

    def go_on(self) -> None:
        """Some pages say something else, one goes and another comes back; files likewise."""
        self.times += 1
        leaves = range(self.site.documents // 2, self.site.documents)
        for number in self.chance.sample(leaves, max(1, int(EDITED * self.site.documents))):
            if number not in self.gone:
                self.site.edit(number, text=f"edited for the {self.times}th time")
        if len(self.gone) > 5:
            back = self.gone.pop()
            self.site.edit(back, text="here again")
        lost = self.chance.choice(leaves)
        self.gone.add(lost)
        self.site.edit(lost, status=404)
        self._write(self.chance.randrange(FILES))
        old = self.chance.choice(sorted(self.files))
        self.files.discard(old)
        (self.folder / f"{old}.txt").unlink()
        self._write((old + 7) % FILES)


@dataclass(slots=True)
class Readers:
    """A client that searches all the time, on the page and by the API. `failed` are answers other than 200."""

    address: str
    answers: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    over: Event = field(default_factory=Event)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read for the length of a block."""
        thread = Thread(target=self._read)
        thread.start()
        try:
            yield
        finally:
            self.over.set()
            thread.join()

    def _read(self) -> None:
        number = 0
        while not self.over.wait(SEARCH_S):
            number += 1
            place = "/?q={}" if number % 2 else "/api/v1/search?q={}"
            status, said = commands.asked(self.address + place.format(WORDS[number % len(WORDS)].replace(" ", "%20")))
            self.answers[str(status)] += 1
            if status != 200:
                self.failed.append(f"{status}: {said[:200]}")


def truth(home: Home, life: Life) -> list[str]:
    """Documents that the index has too much or lacks."""
    wanted = {life.site.url(number) for number in range(life.site.documents) if number not in life.gone}
    wanted |= {(life.folder / f"{number}.txt").as_uri() for number in life.files}
    with home.rows() as tx:
        statement = (
            "SELECT resource.address FROM content JOIN resource ON resource.id = content.id WHERE content.indexed"
        )
        has = {row[0] for row in tx.execute(sa.text(statement))}
    odd = [f"not there: {each}" for each in sorted(wanted - has)] + [f"there: {each}" for each in sorted(has - wanted)]
    with home.house() as house:
        count = house.index_reader().count()
    return odd[:5] + ([f"{count} in the index, {len(wanted)} wanted"] if count != len(wanted) else [])


def unfinished(house: Installation, newest: int = 100_000) -> list[str]:
    """Of so many runs, those that did not end as they should, or have not yet."""
    found = start.listed(house, most=newest)
    return [f"run {each['run']}: {each['state']}" for each in found if each["state"] != "finished"]


def install(home: Home, site: WebSite, folder: Path) -> None:
    """Add the sources and the schedule."""
    home.add_source("web", "site", {**site.source, "delay_s": "0"})
    home.add_source("files", "papers", {"path": str(folder)})
    with home.house() as house:
        every_minute = ScheduleChange(sources=SOURCES, when="* * * * *", time_zone="UTC", overrun=Overrun.SKIP)
        schedules.add(house, SCHEDULE, every_minute)


def soak(home: Home, life: Life, minutes: float) -> tuple[list[Look], list[str]]:
    """Serve for so long; returns what was seen, and what went wrong."""
    with commands.begun(home, "serve", "--port", "0") as process:
        assert process.stdout is not None
        readers = Readers(process.stdout.readline().split()[2].rstrip("/"))
        with readers.reading():
            looks = list(_live(home, life, minutes, process.pid))
            _see_end(home)
        assert process.poll() is None, commands.complaints(home, "serve")
    return looks, readers.failed[:3] if readers.answers["200"] else ["nothing was searched"]


def _live(home: Home, life: Life, minutes: float, pid: int) -> Iterator[Look]:
    """Edit and order a crawl when none is under way, but not at the end, and look now and then."""
    began = CLOCK.monotonic()
    with home.house() as house:
        while (passed := CLOCK.monotonic() - began) < minutes * MINUTE_S:
            if passed < (minutes - 2.5) * MINUTE_S and not unfinished(house, len(SOURCES)):
                life.go_on()
                start.order(house, SOURCES)
            seen = look(home, pid)
            tell(seen, passed)
            yield seen
            pause(LOOK_S)


def _see_end(home: Home) -> None:
    """Order no more crawls, and wait until those under way have ended: other work on the machine may make them late."""
    with home.house() as house:
        schedules.set_enabled(house, SCHEDULE, enabled=False)
        ends_at = CLOCK.monotonic() + ENDS_S
        while unfinished(house) and CLOCK.monotonic() < ends_at:
            pause(LOOK_S)


def tell(seen: Look, passed: float) -> None:
    """A line a minute."""
    if passed % MINUTE_S < LOOK_S:
        parts = " ".join(f"{name} {megabytes:.0f}" for name, megabytes in sorted(seen.megabytes.items()))
        sys.stdout.write(
            f"{passed / MINUTE_S:4.0f} min: {sum(seen.megabytes.values()):.0f} MB ({parts}), {seen.files} files, "
            f"{seen.threads} threads, log {seen.log_mb:.1f} MB\n"
        )
        sys.stdout.flush()


def main() -> int:
    """Prove it, say how it went, return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--pages", type=int, default=1_500)
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="soak-")))
        url = stack.enter_context(new_database()) if given.store == "postgresql" else ""
        site = stack.enter_context(website(SiteSettings(pages=given.pages, hosts=3, delay_s=0.005), folder))
        home, life = Home(folder / "data", url), Life(site, folder / "papers")
        life.begin()
        install(home, site, life.folder)
        looks, wrong = soak(home, life, given.minutes)
        with home.house() as house:
            runs = len(start.listed(house, most=100_000))
            wrong += unfinished(house)
        wrong += truth(home, life) + commands.tracebacks(home)
        died = commands.ended(home)
    grown = growth(looks)
    wrong += beyond(grown)
    if runs < given.minutes:
        wrong.append(f"{runs} runs in {given.minutes:g} minutes of two sources")
    figures = {"minutes": given.minutes, "runs": runs, "pages": given.pages, "anything wrong": len(wrong)}
    measured = {name: f"{value:.1f}" for name, value in grown.items()}
    measured["most memory, MB"] = f"{max(sum(each.megabytes.values()) for each in looks):.0f}"
    sys.stdout.write(json.dumps({**figures, **measured, "ended": died, "wrong": wrong}, indent=1) + "\n")
    record("soak", figures, part=given.store, measured=measured)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
