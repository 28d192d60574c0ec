"""The index is rebuilt while `serve` crawls, delivers and answers: no process stops, and no document is lost.

crawl under way, a search now and then -> `index rebuild` from another process, stopped midway -> it goes on
                                                                                             `-> it is killed
"""

from __future__ import annotations

import json
import signal
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from pysqlite3 import dbapi2 as sqlite

from cormorant.base.clock import pause
from cormorant.operate.runs import start as runs_of
from tests.cli import kept
from tests.cli.world import Done, InstalledCli, ended
from tests.clocks import HANG_S, until
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home, received
from tests.journeys.processes import ended as all_ended
from tests.threaded import Asked, Said, Server, running

PAPERS, PAGES, SLOW_S = 400, 150, 0.4
MEANWHILE = 8
"""Pages that are crawled and delivered to the other receiver while the index is lent."""
pytestmark = pytest.mark.timeout(900)


class Town(Server):
    """Pages with a word of their own each; the server is slow until it may hurry."""

    def __init__(self) -> None:
        super().__init__(self._says)
        self.slow_s = SLOW_S

    def _says(self, asked: Asked) -> Said:
        pause(self.slow_s)
        if asked.path == "/":
            return Said(body="<p>home</p>" + "".join(f'<a href="/{number}">{number}</a>' for number in range(PAGES)))
        number = asked.path[1:]
        return Said(body=f"<p>street {word(number)}") if number.isdecimal() else Said(404)


def word(number: object) -> str:
    """A word that only one page has."""
    return f"street{number}x"


class Searching:
    """Asks the search page of `serve` for what has been there from the beginning, again and again."""

    def __init__(self, address: str) -> None:
        self.totals: list[int] = []
        self._address, self._done = address, threading.Event()
        self._thread = threading.Thread(target=self._ask)

    def _ask(self) -> None:
        while not self._done.wait(0.3):
            try:
                self.totals.append(int(self.ask("search?q=paper&limit=1")["total"]))
            except OSError:
                self.totals.append(-1)

    def ask(self, what: str) -> Any:
        """The answer of the pages to a program."""
        with urllib.request.urlopen(f"{self._address}api/v1/{what}", timeout=HANG_S) as answer:
            return json.load(answer)

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Ask for the length of a block."""
        self._thread.start()
        try:
            yield
        finally:
            self._done.set()
            self._thread.join()


class World:
    """`serve` at work, with a crawl of a slow town under way, papers in the index and a receiver beside it."""

    def __init__(self, home: Home, town: Town, lines: Path, searching: Searching) -> None:
        self.home, self.town, self.searching = home, town, searching
        self._lines = lines
        self.commands = commands(home)

    @property
    def delivered(self) -> set[str]:
        """Addresses of pages that the other receiver has got."""
        return {each["url"].removeprefix(self.town.origin) for each in received(self._lines)}

    def index(self) -> dict[str, Any]:
        """The record of the index as a receiver."""
        (found,) = [each for each in self.searching.ask("receivers")["receivers"] if each["receiver"] == "index"]
        return dict(found)

    def stopped_midway(self) -> kept.Begun:
        """An `index rebuild` that was stopped while it fills the new index, and has no lock on the database."""
        process = self.commands.start("index", "rebuild", "--json")
        until(lambda: self._is_building() or process.poll() is not None)
        for _ in range(20):
            if process.poll() is not None:
                break
            process.send_signal(signal.SIGSTOP)
            until(lambda: state_of(process) in "TZ")
            if self._is_building() and is_writable(self.home):
                return process
            process.send_signal(signal.SIGCONT)
            pause(0.01)
        raise AssertionError(f"it was not stopped midway: {ended(process, HANG_S)}")

    def _is_building(self) -> bool:
        return any((self.home.folder / "index").glob("*.building"))

    def second(self) -> Done:
        """How another `index rebuild` ends meanwhile."""
        return self.commands.run("index", "rebuild", "--json")

    def crawled(self) -> int:
        """The number of the run under way, or of the last."""
        return int(self.home.value("SELECT max(id) FROM run"))

    def is_crawling(self) -> bool:
        """Is the run still fetching?"""
        return bool(self.home.value("SELECT count(*) FROM run WHERE state = 'retrieving'"))


def state_of(process: kept.Begun) -> str:
    """The state of a process, in the letter of the system."""
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]


def is_writable(home: Home) -> bool:
    """Does nobody keep others from writing to the database? A server locks rows alone."""
    if home.store:
        return True
    connection = sqlite.connect(home.folder / "cormorant.db", timeout=3)
    with closing(connection), suppress(sqlite.OperationalError):
        connection.execute("BEGIN IMMEDIATE")
        return True
    return False


def commands(home: Home) -> InstalledCli:
    """Commands on an installation."""
    return InstalledCli(home.folder, {"CORMORANT_STORE": home.store} if home.store else {})


@pytest.fixture
def world(home: Home, crawls: Crawler, tmp_path: Path) -> Iterator[World]:
    """All of it, with some of the town crawled."""
    (tmp_path / "papers").mkdir()
    for number in range(PAPERS):
        (tmp_path / "papers" / f"{number}.txt").write_text(f"paper {number}")
    home.add_source("files", "papers", {"path": str(tmp_path / "papers")})
    assert crawls.crawl(home, "papers")["indexed"] == PAPERS
    with running(Town()) as town:
        home.add_source("web", "town", {"start": [f"{town.origin}/"], "per_host": 1, "delay_s": 0})
        lines, process = home.add_receiver("lines", "town"), commands(home).start("serve", "--port", "0", "--json")
        with all_ended(process):
            assert process.stdout is not None
            searching = Searching(json.loads(process.stdout.readline())["address"])
            made = World(home, town, lines, searching)
            with searching.going_on():
                yield made


def ordered(world: World) -> kept.Begun:
    """A crawl of the town that has begun to be delivered."""
    process = world.commands.start("crawl", "town", "--json")
    until(lambda: len(world.delivered) > MEANWHILE)
    return process


def delivered_beside(world: World) -> None:
    """The other receiver gets new documents while the place of the index does not move, and no failure is reported."""
    place, before = world.index()["place"], len(world.delivered)
    until(lambda: len(world.delivered) >= before + MEANWHILE)
    index = world.index()
    assert (index["place"], index["made_anew"], index["error"]) == (place, True, None)
    assert index["backlog"] >= MEANWHILE


def everything_is_there(world: World, crawl: kept.Begun) -> None:
    """Once the town is quick, the run ends, and every receiver has got its events."""
    world.town.slow_s = 0.0
    done = ended(crawl, HANG_S)
    assert done.code == 0, done
    assert world.delivered == {f"/{number}" for number in range(PAGES)} | {"/"}
    found = world.home.found(*(word(number) for number in range(PAGES)))
    assert found == [[f"{world.town.origin}/{number}"] for number in range(PAGES)]
    assert len(world.home.found("paper")[0]) == PAPERS
    totals = world.searching.totals
    assert len(totals) > MEANWHILE
    assert set(totals) == {PAPERS}, "no search failed, or found less"
    index = world.index()
    assert (index["backlog"], index["made_anew"], index["error"]) == (0, False, None)


def test_the_index_is_rebuilt_while_a_crawl_goes_on(world: World) -> None:
    crawl = ordered(world)
    rebuilding = world.stopped_midway()
    delivered_beside(world)
    second = world.second()
    assert (second.code, second.problem["code"]) == (1, "conflict")
    assert "is rebuilding the index" in second.problem["detail"]
    rebuilding.send_signal(signal.SIGCONT)
    done = ended(rebuilding, HANG_S)
    assert done.code == 0, done
    assert done.object["documents"] > PAPERS
    assert world.is_crawling(), "nobody had to wait for the end of it"
    everything_is_there(world, crawl)
    with world.home.house() as house:
        report = runs_of.report(house, world.crawled())
    assert (report["indexed"], report["state"]) == (PAGES + 1, "finished")


def test_a_rebuild_that_is_killed_holds_nothing_up_for_long(world: World) -> None:
    crawl = ordered(world)
    rebuilding = world.stopped_midway()
    delivered_beside(world)
    place = world.index()["place"]
    rebuilding.kill()
    ended(rebuilding)
    until(lambda: world.index()["place"] > place)
    assert world.is_crawling()
    everything_is_there(world, crawl)
    world.commands.fine("index", "optimize")
    assert not list((world.home.folder / "index").glob("*.building"))
    assert len(world.home.found("paper")[0]) == PAPERS
