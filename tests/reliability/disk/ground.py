"""The sources and installations for failing disks: a small site, a folder of files, an installation for each.

All is below one folder, which the proofs put back as it was, or as it could be, before each crawl.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.journeys.home import Home
from tests.journeys.ledger import Truth
from tests.journeys.pages import SiteSettings, word
from tests.journeys.site import Logged, website
from tests.reliability.disk.gate import Gate, gate

LINES = "lines.jsonl"


@dataclass(frozen=True, slots=True)
class Shelf:
    """A folder of small files, each with its own word."""

    folder: Path
    documents: int

    def fill(self) -> None:
        """Write them."""
        self.folder.mkdir()
        for number in range(self.documents):
            (self.folder / f"{number}.txt").write_text(f"This file is about {self.word(number)} and nothing else.\n")

    def url(self, number: int) -> str:
        """The address of a file."""
        return f"file://{self.folder}/{number}.txt"

    def word(self, number: int) -> str:
        """The word only this file has."""
        return word(0, number)

    def log(self) -> list[Logged]:
        """Nobody notes who reads files."""
        return []


@dataclass(frozen=True, slots=True)
class World:
    """An installation that may fail: `here` holds its data folder and the file of its receiver, and nothing else."""

    here: Path
    beside: Path
    gate: Gate
    truth: Truth
    name: str
    settings: Mapping[str, object]

    @property
    def home(self) -> Home:
        """The installation."""
        return Home(self.here / "data", retrievers=1)

    @property
    def lines(self) -> Path:
        """The events that the receiver has got."""
        return self.here / LINES

    def words(self, *words: str) -> list[str]:
        """A command on it."""
        return ["--data", str(self.here / "data"), *words]

    def empty(self) -> None:
        """Have nothing."""
        shutil.rmtree(self.here, ignore_errors=True)
        self.here.mkdir()

    def install(self) -> None:
        """Have an installation with its source and its receiver, which has crawled nothing."""
        self.empty()
        self.home.add_source("web" if self.name == "site" else "files", self.name, self.settings)
        made = self.home.add_receiver("lines", self.name)
        assert made == self.lines

    def keep(self, name: str) -> None:
        """Remember how all is now."""
        shutil.copytree(self.here, self.beside / name)

    def put_back(self, name: str) -> None:
        """Have all as it was."""
        shutil.rmtree(self.here, ignore_errors=True)
        shutil.copytree(self.beside / name, self.here)


@contextmanager
def world(name: str, documents: int, delay_s: float = 0.0) -> Iterator[World]:
    """A world around a site ("site") or a folder ("shelf") of so many documents."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="disk-"))).resolve()
        here = folder / "here"
        here.mkdir()
        if name == "site":
            site = stack.enter_context(website(SiteSettings(pages=documents, delay_s=delay_s), folder))
            truth: Truth = site
            settings: Mapping[str, object] = site.source
        else:
            shelf = Shelf(folder / "shelf", documents)
            shelf.fill()
            truth, settings = shelf, {"path": str(shelf.folder)}
        yield World(here, folder, stack.enter_context(gate(here)), truth, name, settings)
