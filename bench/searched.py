"""The report about searches of a million documents: bench/SEARCHING.md, always from one run."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from bench import results
from bench.askers import Asked
from bench.figures import Row
from bench.prose import RIGHTS, SIZES, SOURCES
from cormorant.search.index.protocol import Stats

HTTP = "`cormorant serve`, over HTTP"
LIBRARY = "Cormorant's library, in one process"
ALONE = "the engine by itself"
OURS = "the engine on our query"
_ORDER = (HTTP, LIBRARY, OURS, ALONE)


@dataclass(frozen=True, slots=True)
class Filled:
    """The resources that filling took."""

    wall_s: float
    cpu_s: float
    peak_mb: float


@dataclass(slots=True)
class Report:
    """Everything that was seen; `asked` by who answered and how many asked at once."""

    began: datetime
    documents: int
    clients: int
    seconds: float
    questions: int
    filled: Filled | None = None
    index: Stats | None = None
    asked: dict[tuple[str, int], Asked] = field(default_factory=dict)
    calibrations: list[float] = field(default_factory=list)

    def add(self, name: str, clients: int, asked: Asked) -> None:
        """Add one more round of asking to what is known."""
        known = self.asked.setdefault((name, clients), Asked())
        known.took_s += asked.took_s
        known.cpu_s += asked.cpu_s
        known.wall_s += asked.wall_s

    def ratio(self, ours: str, theirs: str) -> float | None:
        """Questions for each CPU-second of one over those of another, both asked by many."""
        mine, yours = self.asked.get((ours, self.clients)), self.asked.get((theirs, self.clients))
        return mine.per_cpu_s / yours.per_cpu_s if mine and yours and yours.per_cpu_s else None


def text(report: Report) -> str:
    """The page."""
    sections = [_head(report), _promises(report), _figures(report), _meaning(), _corpus()]
    return "\n\n".join("\n".join(section) for section in sections) + "\n"


def _head(report: Report) -> list[str]:
    lines = [
        "# Searching a million documents",
        "",
        "Written by `python -m bench.searching`; what each figure means stands below.",
        "",
        "| | |",
        "|---|---|",
        f"| date | {report.began:%Y-%m-%d %H:%M} UTC |",
        f"| machine | {results.machine()} |",
        f"| system | {results.system()}, Python {platform.python_version()} |",
        f"| versions | {', '.join(results.versions('cormorant', 'tantivy', 'fastapi', 'uvicorn'))} |",
        f"| asked | {report.questions:,} different questions, each way for {report.seconds:.0f} s, by {report.clients} "
        "at once and by one |",
        f"| calibration | {', '.join(f'{each:.3f} s' for each in report.calibrations)} (see README.md) |",
    ]
    if report.index:
        size = f"{report.index.size_bytes / 1e9:.2f} GB in {report.index.segments} segments"
        lines.append(f"| index | {report.index.documents:,} documents, {size} |")
    if report.filled:
        filled = report.filled
        lines.append(
            f"| filled in | {filled.wall_s:.0f} s, {filled.cpu_s:.0f} s CPU, {filled.peak_mb:.0f} MB at its peak |"
        )
    return lines


def _promises(report: Report) -> list[str]:
    rows = [
        Row("the served interface beside the engine by itself", report.ratio(HTTP, ALONE), 0.5, 0.8, "x", "more"),
        Row("the library beside the engine by itself", report.ratio(LIBRARY, ALONE), 0.5, 0.8, "x", "more"),
        Row("the library beside the engine on our query", report.ratio(LIBRARY, OURS), 0.5, 0.8, "x", "more"),
    ]
    head = ("| | figure | floor | aim | met |", "|---|---|---|---|---|")
    lines = ["## Questions for each second of CPU time", "", *head]
    for row in rows:
        figure = "-" if row.figure is None else f"{row.figure:.2f} x"
        lines.append(f"| {row.work} | {figure} | {row.floor} x | {row.aim} x | {row.met} |")
    return lines


def _figures(report: Report) -> list[str]:
    lines = [
        "## Figures",
        "",
        "| who answers | at once | questions/CPU-s | a second | p50 ms | p95 ms | p99 ms | questions | PSS MB |",
        f"|{'---|' * 9}",
    ]
    places = {name: place for place, name in enumerate(_ORDER)}
    for (name, clients), asked in sorted(report.asked.items(), key=lambda each: (places[each[0][0]], -each[0][1])):
        times = " | ".join(f"{asked.percentile(share):.1f}" for share in (0.5, 0.95, 0.99))
        peak = f"{asked.peak_mb:.0f}" if asked.peak_mb else ""
        lines.append(
            f"| {name} | {clients} | {asked.per_cpu_s:,.0f} | {asked.per_s:,.0f} | {times} "
            f"| {len(asked.took_s):,} | {peak} |"
        )
    return lines


def _meaning() -> list[str]:
    return [
        "- Over HTTP: kept connections, each with one request under way; CPU time and PSS are those of `serve` and all "
        "its processes, mapped files of the index included, not those of the askers. They share the machine, so the "
        "times are longer than where they do not.",
        "- By itself, the engine parses the words with its own parser, filters by rights and reads the ten best: no "
        "forms of words, no pairs, no counting of words among what the reader sees, no folding of equal documents, no "
        "snippets, no spelling, nothing hidden is left out.",
        "- On our query, it ranks as many as Cormorant does to fold equal documents and to page, of what Cormorant "
        "makes of the words: what is between that and the library is Cormorant's own doing.",
    ]


def _corpus() -> list[str]:
    def shares() -> Iterator[str]:
        for share, grants, denies in RIGHTS:
            yield f"{share} % {' and '.join(grants)}" + (f" but {', '.join(denies)}" if denies else "")

    sizes = ", ".join(f"{share} % of {words:,} words" for share, words in SIZES)
    return [
        f"The documents are generated ([prose.py](prose.py)): words by Zipf's law in their forms, {sizes}; for "
        f"{'; '.join(shares())}; from {len(SOURCES)} sources. Everybody who asks is `everyone`.",
    ]
