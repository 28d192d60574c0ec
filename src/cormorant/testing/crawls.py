"""The suite that crawls with a kind of source: rounds of edits, a place that is away, a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar
from zlib import crc32

from cormorant.base.clock import SystemClock, pause
from cormorant.testing.commands import COMMAND_S, Commands
from cormorant.testing.places import CrawlPlace

POLL_S = 0.02


class CrawlSuite(CrawlPlace):
    """Conformance suite of whole crawls. A subclass gives the place and changes it; the suite crawls and compares.

    Documents of the place have names chosen by the tests, and a text of one word. Each test enters `opened`, then calls
    `made` for an empty place.
    """

    rounds: ClassVar[int] = 3
    first: ClassVar[int] = 12
    """Documents of the first round."""
    killed_at: ClassVar[int] = 60
    """Documents of the place whose crawl is killed."""

    def test_rounds_of_edits(self) -> None:
        """After each crawl the index has the documents of the place; only new or changed ones were read."""
        with self._started() as commands:
            words = dict[str, str]()
            for turn in range(self.rounds):
                changed, gone = self._edit(words, turn)
                report = self._crawled(commands, fine=(0, 3))
                self._compare(commands, words, gone)
                assert report["fetched"] == changed, (
                    f"round {turn}: {changed} are new or changed, {report['fetched']} read"
                )
                assert report["state"] == "finished", report["state"]

    def test_an_unchanged_place_is_not_read(self) -> None:
        """A second crawl of the same place fetches and converts nothing."""
        with self._started() as commands:
            words = dict[str, str]()
            self._edit(words, 0)
            self._crawled(commands)
            report = self._crawled(commands)
            assert (report["fetched"], report["conversions"], report["changed"]) == (0, 0, 0)
            self._compare(commands, words, [])

    def test_a_place_that_is_away_loses_nothing(self) -> None:
        """While the place cannot be listed, every document stays indexed; crawls continue when the place is back."""
        with self._started() as commands:
            words = dict[str, str]()
            self._edit(words, 0)
            self._crawled(commands)
            self.take_away()
            try:
                self._crawled(commands, fine=(0,) if self.sends else (1, 3, 6))
                self._compare(commands, words, [])
            finally:
                self.bring_back()
            self.put("late", "lateword")
            words["late"] = "lateword"
            self._crawled(commands)
            self._compare(commands, words, [])

    def test_a_killed_crawl_goes_on(self) -> None:
        """A crawl whose processes are killed is resumed: every document is indexed, and only once."""
        with self._started() as commands:
            words = {f"doc{number}": f"killword{number}" for number in range(self.killed_at)}
            self.put_all(words)
            self.deliver(commands)
            crawling = commands.begin("crawl", "place")
            self._wait_for_some(commands, crawling)
            with suppress(ProcessLookupError):  # a quick crawl has ended
                os.killpg(crawling.pid, signal.SIGKILL)
            crawling.wait()
            self._crawled(commands)
            self._compare(commands, words, [])

    @contextmanager
    def _started(self) -> Iterator[Commands]:
        with tempfile.TemporaryDirectory() as folder, self.opened(Path(folder)):
            self.made()
            commands = Commands(Path(folder) / "data")
            self.prepare(commands)
            commands.add(self.kind, "place", self.settings())
            yield commands

    def _crawled(self, commands: Commands, fine: Sequence[int] = (0,)) -> dict[str, Any]:
        self.deliver(commands)
        return commands.crawl("place", fine=fine)

    def _edit(self, words: dict[str, str], turn: int) -> tuple[int, list[str]]:
        """Change the place; returns the number of new or changed documents, and the words that are gone."""
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
        """Assert that the index has the documents of the place and no others, each with its own text."""
        documents = commands.documents("place")
        assert len(documents) == len(words), f"{len(words)} documents are there, {len(documents)} are indexed"
        found = commands.found([*words.values(), *gone])
        for name, word in words.items():
            addresses = [hit.url for hit in found[word]]
            assert len(addresses) == 1, f"{word} of {name} is found at {sorted(addresses) or 'no address'}"
            if self.url(name):
                assert addresses == [self.url(name)]
            attributes = found[word][0].attributes
            wanted = self.attributes(name, word)
            assert {each: attributes.get(each) for each in wanted} == wanted
        for word in gone:
            assert not found[word], f"{word} is gone from the place and still found"

    def _wait_for_some(self, commands: Commands, crawling: subprocess.Popen[str]) -> None:
        """Wait until some documents were visited, or the crawl has ended.

        Each check starts a process, so it rests as long as one takes: the crawl needs the processor, too.
        """
        clock = SystemClock()
        until = clock.monotonic() + COMMAND_S
        while (began := clock.monotonic()) < until and crawling.poll() is None:
            rows = commands.run("document", "list", "--source", "place", fine=(0, 1, 4, 6))
            if sum(1 for each in rows if each["status"]) >= self.killed_at // 6:
                return
            pause(max(POLL_S, clock.monotonic() - began))
