"""In which order does one round run?

    help -> [ours -> scrapy -> ours -> scrapy-recrawl -> ours] x rounds -> peers -> retrievers -> stores -> million ->
             |                                                             steps -> clone
             `-- plain -> indexed -> recrawl

Our crawls take a minute and the peer's ten, and the speed of a machine that others share changes within minutes: so
ours are made before, between and after the peer's, and their median counts. A calibration stands before every phase.
Ratios compare phases of one round; over rounds the median counts. A phase that fails is reported and leaves its figures
out; the others go on.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bench import fresh, steps
from bench.calibrate import calibrate
from bench.corpus import Corpus
from bench.crawlers import Cormorant, Observation, PhaseFailed, Scrapy, help_cpu_s
from bench.databases import databases
from bench.million import KNOWN, Million, million
from bench.pairs import Pairs, Show, retrievers, stores
from bench.peers import Beside, beside
from bench.places import RUN
from bench.server import NoServer

PHASES = (
    "help", "scrapy", "plain", "indexed", "recrawl", "scrapy-recrawl", "peers", "retrievers", "stores", "million",
    "steps", "clone",
)  # fmt: skip
Round = dict[str, list[Observation]]
"""The observations of each phase, one for every time it ran."""
_FAULTS = (PhaseFailed, NoServer, OSError, RuntimeError, ValueError)


@dataclass(slots=True)
class Outcome:
    """Everything a benchmark run has seen."""

    rounds: list[Round] = field(default_factory=list)
    calibrations: list[tuple[str, float]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    help_s: float | None = None
    first_hit_s: float | None = None
    beside: Beside | None = None
    pairs: list[Pairs] = field(default_factory=list)
    million: Million | None = None
    steps: list[steps.Step] = field(default_factory=list)

    @property
    def crawls(self) -> Round:
        """The observations of each phase in all rounds."""
        every: Round = {}
        for seen in self.rounds:
            for name, crawls in seen.items():
                every.setdefault(name, []).extend(crawls)
        return every


@dataclass(slots=True)
class Bench:
    """One run of the chosen phases over a corpus."""

    corpus: Corpus
    program: Path
    chosen: tuple[str, ...]
    query: str
    known: int = KNOWN
    on_postgresql: bool = False
    """Whether known addresses are put there."""
    outcome: Outcome = field(default_factory=Outcome)

    def run(self, rounds: int) -> Outcome:
        """Run everything that was chosen."""
        shutil.rmtree(RUN, ignore_errors=True)
        RUN.mkdir(parents=True)
        if "help" in self.chosen:
            self._guard("help", self._help)
        for _ in range(rounds):
            self.outcome.rounds.append({})
            self._round(self.outcome.rounds[-1])
        if "peers" in self.chosen:
            self._guard("peers", self._peers)
        for name, pairs in (("retrievers", retrievers), ("stores", stores)):
            if name in self.chosen:
                self._guard(name, partial(self._pairs, pairs))
        if "million" in self.chosen:
            self._guard("million", self._million)
        if "steps" in self.chosen:
            self._guard("steps", self._steps)
        if "clone" in self.chosen:
            self._guard("clone", self._clone)
        return self.outcome

    def _round(self, seen: Round) -> None:
        """The crawls whose figures are compared with each other."""
        scrapy = Scrapy(RUN / "httpcache")

        def peer_recrawl() -> Observation:
            try:
                scrapy.crawl("scrapy-fill", self.corpus, cached=True)
                return scrapy.crawl("scrapy-recrawl", self.corpus, cached=True, revalidate=True)
            finally:
                shutil.rmtree(scrapy.cache, ignore_errors=True)

        self._ours(seen)
        self._observe(seen, "scrapy", lambda: scrapy.crawl("scrapy", self.corpus))
        self._ours(seen)
        self._observe(seen, "scrapy-recrawl", peer_recrawl)
        self._ours(seen)

    def _ours(self, seen: Round) -> None:
        """Our own crawls, each first one in a new installation."""
        plain = Cormorant(self.program, RUN / "data-plain", index=False)
        indexed = Cormorant(self.program, RUN / "data-indexed", index=True)

        def first(crawler: Cormorant, name: str) -> Observation:
            crawler.create(self.corpus)
            return crawler.crawl(name, self.corpus)

        self._observe(seen, "plain", lambda: first(plain, "plain"))
        if self._observe(seen, "indexed", lambda: first(indexed, "indexed")):
            self._observe(seen, "recrawl", lambda: indexed.crawl("recrawl", self.corpus))

    def _observe(self, seen: Round, name: str, work: Callable[[], Observation]) -> bool:
        """Run a phase if it was chosen; was it seen to its end?"""
        if name not in self.chosen:
            return False
        return self._guard(name, lambda: seen.setdefault(name, []).append(self._show(work())))

    def _guard(self, name: str, work: Callable[[], None]) -> bool:
        """Run one phase; a fault is kept for the report."""
        took = calibrate()
        self.outcome.calibrations.append((name, took))
        print(f"{name} (calibration {took:.3f} s)", flush=True)
        try:
            work()
        except _FAULTS as fault:
            self.outcome.failures.append(f"{name}: {fault}")
            print(f"  failed: {fault}", flush=True)
            return False
        return True

    def _show(self, seen: Observation) -> Observation:
        """Print a phase's main figures."""
        usage, verdict = seen.usage, seen.verdict
        print(
            f"  {seen.pages_a_cpu_s:.1f} pages/CPU-s; {verdict.pages} pages ({verdict.coverage:.2%}), "
            f"{usage.cpu_s:.1f} s CPU, {usage.wall_s:.1f} s, {usage.peak_mb:.0f} MB, "
            f"{verdict.forbidden} forbidden, {verdict.requests} requests",
            flush=True,
        )
        return seen

    def _help(self) -> None:
        self.outcome.help_s = help_cpu_s(self.program)
        print(f"  {self.outcome.help_s:.3f} s CPU", flush=True)

    def _peers(self) -> None:
        self.outcome.beside = beside(self.program, self.corpus, self._show)

    def _pairs(self, pairs: Callable[[Path, Corpus, Show], Pairs]) -> None:
        self.outcome.pairs.append(pairs(self.program, self.corpus, self._show))

    def _million(self) -> None:
        with databases() if self.on_postgresql else nullcontext() as server:
            self.outcome.million = million(self.program, self.corpus, self.known, self._show, server)

    def _steps(self) -> None:
        crawler = Cormorant(self.program, RUN / "data-steps", index=True)
        crawler.create(self.corpus)
        seen = self._show(crawler.crawl("steps", self.corpus, steps=True))
        self.outcome.steps = steps.read(crawler.data, seen.verdict.pages)
        print("\n".join(steps.table(self.outcome.steps)), flush=True)

    def _clone(self) -> None:
        self.outcome.first_hit_s = fresh.first_hit_s(self.query)
        print(f"  {self.outcome.first_hit_s:.1f} s", flush=True)
