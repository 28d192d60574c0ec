"""Which figures are promised, and are they kept?

Each row of the table has a floor, which must be kept, and an aim. A ratio is one of medians within a round, and the
median is taken over rounds; coverage, forbidden requests and the like take the worst crawl.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Literal

from bench.crawlers import Observation
from bench.measure import Usage
from bench.million import Million
from bench.pairs import Pairs
from bench.phases import Outcome, Round

_OURS = ("plain", "indexed", "recrawl")
_EXACT = 0.000_5


@dataclass(frozen=True, slots=True)
class Row:
    """One promised figure."""

    work: str
    figure: float | None
    floor: float
    aim: float
    unit: str
    better: Literal["more", "less", "equal"] = "less"

    @property
    def met(self) -> str:
        """Whether the aim, the floor or neither is kept."""
        if self.figure is None:
            return "not measured"
        for name, bound in (("aim", self.aim), ("floor", self.floor)):
            if self._keeps(self.figure, bound):
                return name
        return "no"

    def _keeps(self, figure: float, bound: float) -> bool:
        match self.better:
            case "more":
                return figure >= bound
            case "less":
                return figure <= bound
            case "equal":
                return abs(figure - bound) < _EXACT

    def formatted(self, value: float | None) -> str:
        """A value in the row's unit."""
        if value is None:
            return "-"
        digits = {
            "x": 1 if self.floor > 2 else 2,
            "ms": 1,
            "s": 2 if self.floor < 10 else 0,
            "MB": 0,
            "%": 2,
            "a page": 3,
        }.get(self.unit, 0)
        return f"{value:.{digits}f} {self.unit}".strip()


def rows(outcome: Outcome) -> list[Row]:
    """The table of promises, in its order."""
    rounds = outcome.rounds
    return [
        Row("text, cached, durable, no index", _ratio(rounds, "plain", "scrapy"), 13, 20, "x", "more"),
        Row("the same and indexed", _ratio(rounds, "indexed", "scrapy"), 9, 14, "x", "more"),
        Row(
            "second crawl, nothing changed",
            _ratio(rounds, "recrawl", "scrapy-recrawl"),
            50,
            100,
            "x",
            "more",
        ),
        Row(
            "memory, two retrievers, the provider and all beside them",
            _memory(rounds, lambda used: used.peak_mb),
            300,
            200,
            "MB",
        ),
        Row("two retrievers and the provider alone", _memory(rounds, lambda used: used.workers_mb), 300, 200, "MB"),
        Row("coverage", _worst(rounds, lambda seen: seen.verdict.coverage * 100, min), 100, 100, "%", "more"),
        Row("forbidden requests", _worst(rounds, lambda seen: seen.verdict.forbidden, max), 0, 0, ""),
        Row("index writes of the second crawl", _reported(rounds, ("index_writes", "index_deletes")), 0, 0, ""),
        Row("cache writes of the second crawl", _reported(rounds, ("cache_writes",)), 0, 0, ""),
        Row("conditional requests then", _conditional(rounds), 1, 1, "a page", "equal"),
        *_pairs(outcome.pairs),
        *(_known(outcome.million) if outcome.million else ()),
        Row("`cormorant --help`, CPU", outcome.help_s, 0.3, 0.2, "s"),
        Row("fresh clone to first hit, packages cached", outcome.first_hit_s, 90, 45, "s"),
    ]


def _pairs(seen: Sequence[Pairs]) -> Iterator[Row]:
    """Two ways of crawling, the second over the first."""
    for pairs in seen:
        if "PostgreSQL" in pairs.names:
            yield Row("PostgreSQL instead of SQLite, pages/CPU-s", median(pairs.by_cpu), 0.8, 0.95, "x", "more")
        else:
            yield Row("two retrievers instead of one, pages/s", median(pairs.by_time), 1.5, 1.8, "x", "more")


def _known(seen: Million) -> Iterator[Row]:
    """Figures of a crawl beside addresses that are known already."""
    beside = f"beside {seen.known:,} known"
    yield Row(f"pages/CPU-s {beside}, over none", 1 / median(seen.ratios), 0.8, 0.95, "x", "more")
    yield Row(f"a retriever, {beside}", median(seen.full.retrievers_mb), 400, 300, "MB")
    if seen.leases:
        lease_ms = [1_000 * each["lease"] for each in seen.leases]
        yield Row(f"a lease {beside}, p95", quantiles(lease_ms, n=20)[-1], 20, 5, "ms")
    yield Row(f"killed, {beside}: to the first request", seen.full.again_s, 8, 3, "s")


def _ratio(rounds: Iterable[Round], ours: str, theirs: str) -> float | None:
    """Our pages per CPU-second over the peer's, the median of the rounds that have both."""
    paces = [(_pace(seen, ours), _pace(seen, theirs)) for seen in rounds]
    ratios = [mine / yours for mine, yours in paces if mine and yours]
    return median(ratios) if ratios else None


def _pace(seen: Round, name: str) -> float:
    """Pages per CPU-second of a phase in a round, the median; 0 when it was not seen."""
    return median(each.pages_a_cpu_s for each in seen[name]) if name in seen else 0.0


def _every(rounds: Iterable[Round], *names: str) -> Iterator[Observation]:
    """Each time that one of these phases was seen."""
    for seen in rounds:
        for name in names:
            yield from seen.get(name, ())


def _memory(rounds: Iterable[Round], peak: Callable[[Usage], float]) -> float | None:
    """The peak of the summed PSS of an indexed crawl, in MB of 10^6 bytes, the median of all."""
    peaks = [peak(each.usage) for each in _every(rounds, "indexed")]
    return median(peaks) if peaks else None


def _worst(
    rounds: Iterable[Round], figure: Callable[[Observation], float], worst: Callable[[list[float]], float]
) -> float | None:
    """A figure of all our crawls in all rounds, at its worst."""
    seen = [figure(each) for each in _every(rounds, *_OURS)]
    return worst(seen) if seen else None


def _reported(rounds: Iterable[Round], fields: tuple[str, ...]) -> float | None:
    """The sum of some fields of our second crawl's run report, at its worst; None if the report lacks them."""
    reports = [each.report for each in _every(rounds, "recrawl")]
    sums = [sum(float(report[name]) for name in fields) for report in reports if all(name in report for name in fields)]
    return max(sums) if sums else None


def _conditional(rounds: Iterable[Round]) -> float | None:
    """Conditional requests a page of our second crawl: exactly one is the promise, so the farthest from it counts."""
    seen = [each.verdict.conditional_a_page for each in _every(rounds, "recrawl")]
    return max(seen, key=lambda value: abs(value - 1)) if seen else None
