"""Two ways of crawling the same pages, in turns: one retriever or two, SQLite or PostgreSQL.

Nothing is indexed. Each crawl is a first one, in a new installation; the order changes from pair to pair, a ratio is
taken within a pair, and medians count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from bench.corpus import Corpus
from bench.crawlers import Cormorant, Observation
from bench.databases import Database, databases
from bench.places import RUN

_PAIRS = 3
_PAGES = 12_000
Show = Callable[[Observation], Observation]


@dataclass(frozen=True, slots=True)
class Pairs:
    """The crawls of one way and of the other, pair by pair."""

    names: tuple[str, str]
    corpus: Corpus
    crawls: tuple[list[Observation], list[Observation]] = field(default_factory=lambda: ([], []))

    @property
    def by_cpu(self) -> list[float]:
        """Pages for each second of CPU time of our processes, the second way's over the first's."""
        return [other.pages_a_cpu_s / one.pages_a_cpu_s for one, other in zip(*self.crawls, strict=True)]

    @property
    def by_time(self) -> list[float]:
        """Pages for each second that passes, the second way's over the first's."""
        return [other.pages_a_s / one.pages_a_s for one, other in zip(*self.crawls, strict=True)]

    def table(self) -> list[str]:
        """The table for the results."""
        figures: dict[str, Callable[[Observation], float]] = {
            "pages/CPU-s": lambda seen: seen.pages_a_cpu_s,
            "pages/s": lambda seen: seen.pages_a_s,
            "CPU s": lambda seen: seen.usage.cpu_s,
            "wall s": lambda seen: seen.usage.wall_s,
            "peak PSS MB": lambda seen: seen.usage.peak_mb,
            "coverage, %": lambda seen: 100 * seen.verdict.coverage,
            "forbidden requests": lambda seen: seen.verdict.forbidden,
        }
        rows = [
            f"| {name} | {' | '.join(f'{median(map(figure, side)):,.1f}' for side in self.crawls)} |"
            for name, figure in figures.items()
        ]
        head = f"| {self.corpus.pages:,} pages of {len(self.corpus.hosts)} hosts, medians of {len(self.by_cpu)} crawls "
        ratios = [", ".join(f"{each:.2f}" for each in some) for some in (self.by_cpu, self.by_time)]
        return [
            f"{head}| {' | '.join(self.names)} |", "|---|---|---|", *rows, "",
            f"By pairs, the second over the first: pages for each second of CPU time {ratios[0]}; "
            f"pages for each second {ratios[1]}.",
        ]  # fmt: skip


def retrievers(program: Path, whole: Corpus, show: Show) -> Pairs:
    """One retriever, and two."""
    two = Cormorant(program, RUN / "data-two", index=False)
    one = replace(two, data=RUN / "data-one", retrievers=1)
    return _pairs(("one retriever", "two"), (one, two), whole, show)


def stores(program: Path, whole: Corpus, show: Show) -> Pairs:
    """SQLite, and PostgreSQL, whose own processes are not counted."""
    with databases() as server:
        sqlite = Cormorant(program, RUN / "data-sqlite", index=False)
        postgresql = replace(sqlite, data=RUN / "data-postgresql", database=Database(server, "bench"))
        return _pairs(("SQLite", "PostgreSQL"), (sqlite, postgresql), whole.part(_PAGES), show)


def _pairs(names: tuple[str, str], ways: tuple[Cormorant, Cormorant], corpus: Corpus, show: Show) -> Pairs:
    seen = Pairs(names, corpus)
    for number in range(_PAIRS):
        for side in (1, 0) if number % 2 else (0, 1):
            ways[side].create(corpus)
            seen.crawls[side].append(show(ways[side].crawl(ways[side].data.name, corpus)))
    return seen
