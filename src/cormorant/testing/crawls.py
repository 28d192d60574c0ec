"""The suite that crawls with a kind of source: rounds of edits, a place that is away, a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar
from zlib import crc32

from cormorant.app.client import Cormorant
from cormorant.base.clock import SystemClock, pause

COMMAND_S = 180.0
"""Seconds that one command may take."""
POLL_S = 0.02


class Commands:
    """An installation in a folder of its own, used by the command line as a person would."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self._environment = {**os.environ, **(environment or {})}

    def run(self, *words: str, fine: Sequence[int] = (0,), given: str = "") -> list[dict[str, Any]]:
        """Run a command with `--json`; returns the objects it prints. Asserts that it ends with one of `fine`."""
        ended = subprocess.run(  # noqa: S603 - our own command
            self._words(words), input=given, capture_output=True, text=True, timeout=COMMAND_S, check=False,
            env=self._environment,
        )  # fmt: skip
        assert ended.returncode in fine, f"{' '.join(words)}: {ended.returncode}\n{ended.stdout}\n{ended.stderr}"
        return [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]

    def add(self, kind: str, name: str, settings: Mapping[str, object]) -> None:
        """Add a source."""
        pairs = [(key, each) for key, value in settings.items() for each in _values(value)]
        self.run("source", "add", kind, name, *(word for key, value in pairs for word in ("--set", f"{key}={value}")))

    def crawl(self, name: str, *words: str, fine: Sequence[int] = (0,)) -> dict[str, Any]:
        """Crawl a source; returns the run's report."""
        return self.run("crawl", name, *words, fine=fine)[-1]

    def documents(self, name: str) -> dict[str, dict[str, Any]]:
        """Return the indexed documents of a source, by the address that readers see."""
        rows = [each for each in self.run("document", "list", "--source", name) if each["indexed"]]
        found = {each["url"]: each for each in rows}
        assert len(found) == len(rows), "two documents have one address"
        return found

    def found(self, texts: Iterable[str]) -> dict[str, set[str]]:
        """Return for each text the addresses of the documents that a search finds."""
        with Cormorant.open(self.folder) as opened:
            return {each: {hit.url for hit in opened.search(each, limit=1000)} for each in texts}

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """Start a command in a session of its own, to be killed."""
        return subprocess.Popen(  # noqa: S603 - our own command
            self._words(words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True, start_new_session=True,
            env=self._environment,
        )  # fmt: skip

    def _words(self, words: Sequence[str]) -> list[str]:
        return [sys.executable, "-m", "cormorant", "--data", str(self.folder), "--json", *words]


def _values(value: object) -> Sequence[object]:
    """The values of a setting as `--set` takes them: one for each of a list."""
    if isinstance(value, list | tuple):
        return value
    return [str(value).lower()] if isinstance(value, bool) else [value]


class CrawlSuite:
    """Conformance suite of whole crawls. A subclass gives the place and changes it; the suite crawls and compares.

    Documents of the place have names that its tests choose, and a text of one word. `made` is called before each test
    and sets up an empty place.
    """

    kind: ClassVar[str]
    rounds: ClassVar[int] = 4
    first: ClassVar[int] = 12
    """Documents of the first round."""
    killed_at: ClassVar[int] = 60
    """Documents of the place whose crawl is killed."""

    def made(self) -> None:
        """Set up the place, without documents."""
        raise NotImplementedError

    def settings(self) -> Mapping[str, object]:
        """Return the settings of a source of the place."""
        raise NotImplementedError

    def prepare(self, commands: Commands) -> None:
        """Keep secrets, or whatever else the source needs, before it is added."""

    def put(self, name: str, word: str) -> None:
        """Make a document whose text has this word, or replace the text of the one with that name."""
        raise NotImplementedError

    def remove(self, name: str) -> None:
        """Take a document away."""
        raise NotImplementedError

    def url(self, name: str) -> str:  # noqa: ARG002 - a subclass may know it
        """Return the address that readers see of a document; "" where the place chooses it."""
        return ""

    def take_away(self) -> None:
        """Have the place as a whole not answer, or not be there."""
        raise NotImplementedError

    def bring_back(self) -> None:
        """Have it be there as before."""
        raise NotImplementedError

    def test_rounds_of_edits(self) -> None:
        """After each crawl the index holds what the place holds; only what is new or changed was read."""
        with tempfile.TemporaryDirectory() as folder:
            commands, words = self._started(Path(folder)), dict[str, str]()
            for turn in range(self.rounds):
                changed, gone = self._edit(words, turn)
                report = commands.crawl("place", fine=(0, 3))
                self._compare(commands, words, gone)
                assert report["fetched"] == changed, (
                    f"round {turn}: {changed} are new or changed, {report['fetched']} read"
                )
                assert report["state"] == "finished", report["state"]

    def test_an_unchanged_place_is_not_read(self) -> None:
        """A second crawl of the same place fetches and converts nothing."""
        with tempfile.TemporaryDirectory() as folder:
            commands, words = self._started(Path(folder)), dict[str, str]()
            self._edit(words, 0)
            commands.crawl("place")
            report = commands.crawl("place")
            assert (report["fetched"], report["conversions"], report["changed"]) == (0, 0, 0)
            self._compare(commands, words, [])

    def test_a_place_that_is_away_loses_nothing(self) -> None:
        """While the place cannot be listed, every document stays found; it goes on when the place is back."""
        with tempfile.TemporaryDirectory() as folder:
            commands, words = self._started(Path(folder)), dict[str, str]()
            self._edit(words, 0)
            commands.crawl("place")
            self.take_away()
            try:
                commands.crawl("place", fine=(1, 3, 6))
                self._compare(commands, words, [])
            finally:
                self.bring_back()
            self.put("late", "lateword")
            words["late"] = "lateword"
            commands.crawl("place")
            self._compare(commands, words, [])

    def test_a_killed_crawl_goes_on(self) -> None:
        """A crawl whose processes are killed is gone on with: every document is found, and found once."""
        with tempfile.TemporaryDirectory() as folder:
            commands, words = self._started(Path(folder)), dict[str, str]()
            for number in range(self.killed_at):
                words[f"doc{number}"] = f"killword{number}"
                self.put(f"doc{number}", f"killword{number}")
            crawling = commands.begin("crawl", "place")
            self._wait_for_some(commands, crawling)
            os.killpg(crawling.pid, signal.SIGKILL)
            crawling.wait()
            commands.crawl("place")
            self._compare(commands, words, [])

    def _started(self, folder: Path) -> Commands:
        self.made()
        commands = Commands(folder / "data")
        self.prepare(commands)
        commands.add(self.kind, "place", self.settings())
        return commands

    def _edit(self, words: dict[str, str], turn: int) -> tuple[int, list[str]]:
        """Change the place; returns how many documents are new or changed, and the words that are gone."""
        if turn == 0:
            fresh = {f"doc{number}": f"word{number}x0" for number in range(self.first)}
            gone = list[str]()
        else:
            names = sorted(words, key=lambda name: crc32(f"{turn} {name}".encode()))
            edited, removed = names[:3], names[3:4]
            gone = [words[each] for each in (*edited, *removed)]
            for name in removed:
                self.remove(name)
                del words[name]
            fresh = {each: f"{each}x{turn}" for each in (*edited, f"new{turn}a", f"new{turn}b")}
        for name, word in fresh.items():
            self.put(name, word)
        words.update(fresh)
        return len(fresh), gone

    def _compare(self, commands: Commands, words: Mapping[str, str], gone: Sequence[str]) -> None:
        """Assert that the index holds the documents of the place and no others, each with its own text."""
        documents = commands.documents("place")
        assert len(documents) == len(words), f"{len(words)} documents are there, {len(documents)} are indexed"
        found = commands.found([*words.values(), *gone])
        for name, word in words.items():
            assert len(found[word]) == 1, f"{word} of {name} is found at {sorted(found[word]) or 'no address'}"
            if self.url(name):
                assert found[word] == {self.url(name)}
        for word in gone:
            assert not found[word], f"{word} is gone from the place and still found"

    def _wait_for_some(self, commands: Commands, crawling: subprocess.Popen[str]) -> None:
        """Wait until some documents were visited, or the crawl has ended.

        Each look starts a process, so it rests as long as one takes: a busy machine has to get on with the crawl.
        """
        clock = SystemClock()
        until = clock.monotonic() + COMMAND_S
        while (began := clock.monotonic()) < until and crawling.poll() is None:
            rows = commands.run("document", "list", "--source", "place", fine=(0, 1, 4, 6))
            if sum(1 for each in rows if each["status"]) >= self.killed_at // 6:
                return
            pause(max(POLL_S, clock.monotonic() - began))
