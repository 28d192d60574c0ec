"""What is written down after a run?

``bench/RESULTS.md``, always whole and from one run: when, on what machine, by which command; the promised figures; what
every phase used and did; the corpus; the step table. Small or partial runs go into the cache folder instead.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median, quantiles

from bench import figures, rivals, server, steps
from bench.corpus import Corpus
from bench.measure import Peak, Usage, megabytes
from bench.million import Million, Side
from bench.pairs import Pairs
from bench.phases import Outcome

_LIBRARIES = ("cormorant", "scrapy", "crawlee", "twisted", "lxml", "pycurl", "turbohtml", "tantivy", "uvloop")


@dataclass(frozen=True, slots=True)
class Run:
    """The identity of a run."""

    command: str
    began: datetime
    took_s: float


def write(file: Path, run: Run, corpus: Corpus, outcome: Outcome) -> str:
    """Write the results and give them back as text."""
    sections = [_head(run, corpus), _promises(outcome), _phases(outcome), _calibration(outcome)]
    if outcome.beside:
        drawing = file.with_suffix(".svg")
        sections.insert(2, rivals.section(outcome.beside, outcome.crawls, drawing.name))
        file.parent.mkdir(parents=True, exist_ok=True)
        rivals.draw(drawing, outcome.beside, outcome.crawls)
    sections.extend(_pairs(pairs) for pairs in outcome.pairs)
    if outcome.million:
        sections.append(_million(outcome.million))
    if outcome.steps:
        sections.append(_steps(outcome))
    sections.append(_corpus(corpus))
    if outcome.failures:
        sections.append(["## Not measured", "", *(f"- {failure}" for failure in outcome.failures)])
    text = "\n\n".join("\n".join(section) for section in sections) + "\n"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return text


def _head(run: Run, corpus: Corpus) -> list[str]:
    return [
        "# Benchmark results",
        "",
        "Written by `make bench`; `bench/README.md` says what each figure means and where it ends.",
        "",
        "| | |",
        "|---|---|",
        f"| date | {run.began:%Y-%m-%d %H:%M} UTC, {run.took_s / 60:.0f} minutes |",
        f"| machine | {machine()} |",
        f"| system | {system()}, Python {platform.python_version()} |",
        f"| command | `{run.command}` |",
        f"| versions | {', '.join([*versions(*_LIBRARIES), server.version()])} |",
        f"| corpus | {corpus.pages:,} pages of {corpus.page_bytes / 1_000:.1f} kB, {corpus.links:.0f} links a page, "
        f"{len(corpus.hosts)} hosts |",
    ]


def _promises(outcome: Outcome) -> list[str]:
    lines = ["## Figures", "", "| work | figure | floor | aim | met |", "|---|---|---|---|---|"]
    for row in figures.rows(outcome):
        values = [row.formatted(value) for value in (row.figure, row.floor, row.aim)]
        lines.append(f"| {row.work} | {' | '.join(values)} | {row.met} |")
    return lines


def _phases(outcome: Outcome) -> list[str]:
    lines = [
        "## Phases",
        "",
        "| round | phase | pages/CPU-s | CPU s | wall s | peak PSS MB | pages | coverage | requests | forbidden "
        "| conditional | 304 | errors | repeated | beyond |",
        f"|{'---|' * 15}",
    ]
    for number, seen in enumerate(outcome.rounds, 1):
        for name, phase in ((name, phase) for name, phases in seen.items() for phase in phases):
            used, did = phase.usage, phase.verdict
            lines.append(
                f"| {number} | {name} | {phase.pages_a_cpu_s:,.1f} | {used.cpu_s:.2f} | {used.wall_s:.1f} "
                f"| {used.peak_mb:.0f} | {did.pages:,} | {did.coverage:.2%} | {did.requests:,} | {did.forbidden} "
                f"| {did.conditional:,} | {did.not_modified:,} | {did.errors} | {did.repeated} | {did.beyond} |"
            )
    highest = {
        name: max((phase.usage for phase in phases), key=lambda used: used.peak_mb)
        for name, phases in outcome.rounds[-1].items()
    }
    lines += ["", *(_peak(name, used.peak) for name, used in highest.items())]
    return [*lines, *_missed(outcome)]


def _missed(outcome: Outcome) -> list[str]:
    """Pages that a phase did not fetch, some of them."""
    missed: dict[str, dict[str, None]] = {}
    for seen in outcome.rounds:
        for name, phases in seen.items():
            missed.setdefault(name, {}).update((page, None) for phase in phases for page in phase.verdict.missed)
    some = {name: [f"`{page}`" for page in pages][:8] for name, pages in missed.items() if pages}
    return ["", *(f"- not fetched in {name}, for example: {', '.join(pages)}" for name, pages in some.items())]


def _peak(phase: str, peak: Peak) -> str:
    """Memory by kind of process at the peak of a phase, of the crawl with the highest peak."""
    parts = sorted(peak.by_name.items(), key=lambda part: -part[1])
    sizes = ", ".join(f"{name} {megabytes(size):.0f}" for name, size in parts if megabytes(size) >= 1)
    return f"- {phase}, at its peak, MB: {sizes}; of all that, mapped files {megabytes(peak.files_kb):.0f}"


def _pairs(pairs: Pairs) -> list[str]:
    first, second = pairs.names
    return [f"## {first[0].upper()}{first[1:]} and {second}", "", *pairs.table()]


def _million(seen: Million) -> list[str]:
    columns = zip(_beside(seen.empty), _beside(seen.full), strict=True)
    ratios = ", ".join(f"{ratio:.2f}" for ratio in seen.ratios)
    dearer = median(seen.full.peaks_mb) - median(seen.empty.peaks_mb)
    return [
        f"## Beside {seen.known:,} known addresses",
        "",
        f"| {seen.corpus.pages:,} pages of {len(seen.corpus.hosts)} hosts, medians of {len(seen.ratios)} crawls "
        f"| empty frontier | {seen.known:,} known |",
        "|---|---|---|",
        *(f"| {name} | {empty} | {full} |" for (name, empty), (_, full) in columns),
        "",
        f"A page costs {median(seen.ratios):.2f} times as much beside them (by pairs: {ratios}), and the crawl "
        f"{dearer:+.0f} MB. They were put there in {seen.fill.wall_s:.1f} s, {seen.fill.cpu_s:.1f} s CPU.",
        "",
        *(_leases(seen) if seen.leases else ()),
    ]


def _leases(seen: Million) -> list[str]:
    """Times of the steps of a lease when all known addresses are due."""
    names = {"lease": "the lease", "read": "the first to visit there", "known": "the first that are known of the site"}
    return [
        f"| a site is taken up, {len(seen.leases):,} times | median | p95 |",
        "|---|---|---|",
        *(
            f"| {label} | {1_000 * median(times):.1f} ms | {1_000 * quantiles(times, n=20)[-1]:.1f} ms |"
            for name, label in names.items()
            if (times := [each[name] for each in seen.leases])
        ),
    ]


def _beside(side: Side) -> list[tuple[str, str]]:
    """The rows of one installation: name and figure."""
    verdicts = [crawl.verdict for crawl in side.crawls]
    return [
        ("pages/CPU-s", f"{median(crawl.pages_a_cpu_s for crawl in side.crawls):,.1f}"),
        ("CPU s", f"{median(crawl.usage.cpu_s for crawl in side.crawls):.2f}"),
        ("wall s", f"{median(crawl.usage.wall_s for crawl in side.crawls):.1f}"),
        ("peak PSS MB", f"{median(side.peaks_mb):.0f}"),
        ("PSS of a retriever then, MB", f"{median(side.retrievers_mb):.0f}"),
        ("killed, and begun again: seconds to the first request", f"{side.again_s:.1f}"),
        ("database before and after, MB", f"{side.before_mb:,.1f}, {side.after_mb:,.1f}"),
        ("requests", f"{median(verdict.requests for verdict in verdicts):,.0f}"),
        ("coverage, the least", f"{min(verdict.coverage for verdict in verdicts):.2%}"),
        ("forbidden requests, the most", f"{max(verdict.forbidden for verdict in verdicts)}"),
        ("`explain` of a page, CPU and wall", _took(side.pages)),
        ("`explain` of one of the known, CPU and wall", _took(side.known)),
        ("the answer of `explain` alone, the slowest", f"{1_000 * max(side.answers_s, default=0.0):.1f} ms"),
    ]


def _took(asked: list[Usage]) -> str:
    """CPU and wall time of commands, the medians."""
    if not asked:
        return "-"
    return f"{median(used.cpu_s for used in asked):.2f} s, {median(used.wall_s for used in asked):.2f} s"


def _calibration(outcome: Outcome) -> list[str]:
    times = [took for _, took in outcome.calibrations]
    if not times:
        return ["## Calibration", "", "No phase was run."]
    calibrated = ", ".join(f"{name} {took:.3f}" for name, took in outcome.calibrations)
    return [
        "## Calibration",
        "",
        f"CPU seconds of the fixed loop before each phase: {calibrated}.",
        f"The slowest moment was {max(times) / min(times) - 1:.0%} above the fastest.",
    ]


def _steps(outcome: Outcome) -> list[str]:
    times = dict(outcome.calibrations)
    return [
        "## Where a page's time goes",
        "",
        f"One indexed crawl with the step clock on, which costs time itself; calibration loop {times['steps']:.3f} s.",
        "",
        *steps.table(outcome.steps),
    ]


def _corpus(corpus: Corpus) -> list[str]:
    lines = [
        "## Corpus",
        "",
        "| address | site | from | pages | kB a page | links a page |",
        "|---|---|---|---|---|---|",
    ]
    for host in corpus.hosts:
        count = max(1, len(host.reach.pages))
        lines.append(
            f"| {host.address} | {host.name} | {host.origin} | {len(host.reach.pages):,} "
            f"| {host.reach.page_bytes / count / 1_000:.1f} | {host.reach.links / count:.0f} |"
        )
    return lines


def versions(*names: str) -> Iterable[str]:
    """The versions of packages, as far as they are installed here."""
    for name in names:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            continue


def machine() -> str:
    """Processor, cores and memory."""
    model = platform.machine()
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GiB"


def system() -> str:
    """The distribution and its kernel."""
    try:
        name = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    except OSError:
        name = platform.system()
    return f"{name}, Linux {platform.release()}"


def now() -> datetime:
    """This moment."""
    return datetime.now(UTC)
