"""What does a crawl cost beside ten million addresses that are known already, or beside as many as are asked for?

Two installations crawl the same few hosts: one knows nothing, in the other's frontier the generated addresses have been
visited already, half of them on the very hosts that are crawled. The second is filled once and copied for every crawl.
Three pairs of crawls, the order changing from pair to pair; a ratio is taken within a pair, and medians count. Then
each is killed in the midst of a crawl and begins again, and sites of the second are leased as a retriever leases them.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench import addresses
from bench.corpus import Corpus
from bench.crawlers import RETRIEVERS, Cormorant, Observation
from bench.databases import Database
from bench.measure import Usage, megabytes
from bench.places import RUN
from tests.stores import Postgres

KNOWN = 10_000_000
_PAGES = 2_000
_PAIRS = 3
_ASKED = 5
_LEASED = 200
_PLAIN = re.compile(r"[\w/.-]*", re.ASCII)


@dataclass(slots=True)
class Side:
    """One of the two installations: its crawls, its database before and after one, and what ``explain`` took there."""

    crawls: list[Observation] = field(default_factory=list)
    before_mb: float = 0.0
    after_mb: float = 0.0
    pages: list[Usage] = field(default_factory=list)  # explain, of pages the crawl fetched
    known: list[Usage] = field(default_factory=list)  # explain, of generated addresses
    answers_s: list[float] = field(default_factory=list)  # explain without the start of Python
    again_s: float = 0.0  # from the start of a crawl that was killed to its first request

    @property
    def peaks_mb(self) -> list[float]:
        """The peak of the summed PSS of every crawl."""
        return [crawl.usage.peak_mb for crawl in self.crawls]

    @property
    def retrievers_mb(self) -> list[float]:
        """The PSS of one retriever at the peak of every crawl."""
        return [megabytes(crawl.usage.peak.by_name.get("retriever", 0)) / RETRIEVERS for crawl in self.crawls]


@dataclass(frozen=True, slots=True)
class Million:
    """The observations of the phase."""

    corpus: Corpus
    known: int
    fill: Usage
    empty: Side
    full: Side
    leases: list[dict[str, float]] = field(default_factory=list)  # seconds by step

    @property
    def ratios(self) -> list[float]:
        """The cost of a page beside the known addresses, divided by its cost without, for every pair."""
        pairs = zip(self.empty.crawls, self.full.crawls, strict=True)
        return [empty.pages_a_cpu_s / full.pages_a_cpu_s for empty, full in pairs if full.pages_a_cpu_s]


def million(
    program: Path, whole: Corpus, known: int, show: Callable[[Observation], Observation], server: Postgres | None = None
) -> Million:
    """Fill, crawl in pairs, ask about addresses, kill, lease; ``show`` prints each. ``server`` None: on SQLite."""
    corpus = whole.part(_PAGES)
    filled, empty, full = (
        Cormorant(
            program, RUN / f"data-million-{name}", index=True, database=Database(server, name) if server else None
        )
        for name in ("filled", "empty", "full")
    )
    filled.create(corpus)
    seen = Million(corpus, known, filled.fill(known, corpus), Side(), Side())
    print(f"  {known:,} addresses in {seen.fill.wall_s:.1f} s, {filled.database_mb:.0f} MB", flush=True)

    def crawl_empty(name: str) -> None:
        empty.create(corpus)
        _crawl(empty, seen.empty, f"million-empty-{name}", corpus, show)

    def crawl_full(name: str) -> None:
        full.copy(filled)
        _crawl(full, seen.full, f"million-full-{name}", corpus, show)

    for number in range(_PAIRS):
        for crawl in (crawl_full, crawl_empty) if number % 2 else (crawl_empty, crawl_full):
            crawl(str(number + 1))
    _ask(empty, full, seen)
    empty.create(corpus)
    full.copy(filled)
    seen.empty.again_s, seen.full.again_s = empty.starts_again_s(corpus), full.starts_again_s(corpus)
    seen.leases.extend(filled.leases(_LEASED))
    shutil.rmtree(filled.data)
    return seen


def _crawl(
    crawler: Cormorant, side: Side, name: str, corpus: Corpus, show: Callable[[Observation], Observation]
) -> None:
    """One crawl of one installation."""
    side.before_mb = crawler.database_mb
    side.crawls.append(show(crawler.crawl(name, corpus)))
    side.after_mb = crawler.database_mb


def _ask(empty: Cormorant, full: Cormorant, seen: Million) -> None:
    """Explain the same pages in both, then some of the generated addresses."""
    pages = list(_pages(seen.corpus))
    seen.empty.pages = [empty.explain(page) for page in pages]
    seen.full.pages = [full.explain(page) for page in pages]
    known = addresses.sample(seen.known, seen.corpus.sites, _ASKED)
    seen.full.known = [full.explain(address) for address in known]
    seen.empty.answers_s, seen.full.answers_s = empty.answers(pages), full.answers([*pages, *known])


def _pages(corpus: Corpus) -> Iterator[str]:
    """Pages from the middle of different hosts, whose addresses have but one spelling."""
    for number in range(_ASKED):
        place = number % len(corpus.hosts)
        paths = sorted(path for path in corpus.hosts[place].reach.pages if _PLAIN.fullmatch(path))
        yield f"http://{corpus.sites[place]}{paths[(len(paths) // 2 + number) % len(paths)]}"
