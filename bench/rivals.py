"""The part of the report about other crawlers: a table of their abilities, and a drawing of their figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.crawlers import Observation
from bench.peers import Beside, Seen
from bench.plot import Bar, Panel, drawn

Crawls = Mapping[str, Sequence[Observation]]
"""Our crawls of one corpus, and Scrapy's, by the name of their phase."""

_FIRST, _AGAIN = "A first crawl", "A second crawl, nothing changed"
_SCRAPY = (
    ("scrapy", "plain", "less: text to one file, no originals, no index, no journal; killed, it starts over"),
    ("scrapy-recrawl", "recrawl", "one request a page with its time; reads every kept page again for its links"),
)
_OWN_PHASES = (("plain", _FIRST), ("indexed", _FIRST), ("recrawl", _AGAIN))


class Line(NamedTuple):
    """One crawl of another crawler: of which kind, what it did, and what ours of the same pages did."""

    label: str
    kind: str
    crawl: Observation
    ours: float | None
    does: str


def lines(found: Beside, whole: Crawls) -> Iterator[Line]:
    """Every crawl of the others that came to its end."""
    for phase, ours, does in _SCRAPY:
        if crawls := whole.get(phase):
            kind = _AGAIN if ours == "recrawl" else _FIRST
            yield Line("Scrapy", kind, sorted(crawls, key=_pace)[len(crawls) // 2], _median(whole, ours), does)
    for seen in found.seen:
        either = (whole, found.ours) if seen.peer.whole else (found.ours, whole)
        name = f"{seen.peer.name} {seen.version}".strip()
        if seen.first:
            yield Line(name, _FIRST, seen.first, _ours(either, seen.peer.beside, seen.first), seen.peer.does)
        if seen.again:
            yield Line(name, _AGAIN, seen.again, _ours(either, "recrawl", seen.again), seen.peer.does_again)


def _ours(either: Iterable[Crawls], phase: str, other: Observation) -> float | None:
    """Our crawls of the same phase and pages as those of another crawler; empty if there are none."""
    for crawls in either:
        if crawls.get(phase) and crawls[phase][0].verdict.known == other.verdict.known:
            return _median(crawls, phase)
    return None


def section(found: Beside, whole: Crawls, drawing: str) -> list[str]:
    """The lines of the report: a table each for first and second crawls, the drawing, and who is missing and why."""
    every = list(lines(found, whole))
    part = found.part
    said = [
        "## Beside other crawlers",
        "",
        f"The slow ones took a part of the corpus, {part.pages:,} pages of {len(part.hosts)} hosts, and Cormorant that "
        "part beside them, before and after. No delay, robots.txt obeyed, the same server. Cormorant keeps originals, "
        "text, links and a journal, syncs, and goes on where a kill left it; where the other indexes, so does it.",
        "",
        f"![Pages for each second of CPU time]({drawing})",
    ]
    for kind in (_FIRST, _AGAIN):
        said += ["", f"### {kind}", "", *_table([line for line in every if line.kind == kind])]
    missing = [_missing(seen) for seen in found.seen if seen.reason]
    return [*said, *(["", "Left out:", "", *missing] if missing else [])]


def _table(every: Iterable[Line]) -> Iterator[str]:
    yield (
        "| crawler | pages | pages/CPU-s | Cormorant, the same pages | | CPU s | wall s | peak PSS MB | coverage "
        "| forbidden | what it does less or more |"
    )
    yield f"|{'---|' * 11}"
    for line in every:
        used, did = line.crawl.usage, line.crawl.verdict
        pace = _pace(line.crawl)
        ours = f"{line.ours:,.1f} | {line.ours / pace:.1f} x" if line.ours and pace else "- | -"
        yield (
            f"| {line.label} | {did.pages:,} | {pace:,.1f} | {ours} | {used.cpu_s:.2f} | {used.wall_s:.1f} "
            f"| {used.peak_mb:.0f} | {did.coverage:.2%} | {did.forbidden} | {line.does} |"
        )


def _missing(seen: Seen) -> str:
    which = "the second crawl of " if seen.first else ""
    return f"- {which}{seen.peer.name}: {seen.reason}"


def draw(file: Path, found: Beside, whole: Crawls) -> None:
    """Draw what the tables say, ours of both corpora among the others."""
    every = list(lines(found, whole))
    panels = []
    for kind in (_FIRST, _AGAIN):
        bars = [Bar(f"{line.label}, {_pages(line.crawl)}", _pace(line.crawl)) for line in every if line.kind == kind]
        bars += [Bar(*bar, own=True) for crawls in (whole, found.ours) for bar in _own(crawls, kind)]
        longest_first = tuple(sorted(bars, key=lambda bar: -bar.figure))
        panels.append(Panel(f"{kind}: pages for each second of CPU time", longest_first))
    file.write_text(drawn("Cormorant beside other crawlers", panels), encoding="utf-8")


def _own(crawls: Crawls, kind: str) -> Iterator[tuple[str, float]]:
    for phase, of_kind in _OWN_PHASES:
        pace = _median(crawls, phase)
        if of_kind == kind and pace:
            indexed = ", indexed" if phase == "indexed" else ""
            yield f"Cormorant{indexed}, {_pages(crawls[phase][0])}", pace


def _pages(crawl: Observation) -> str:
    return f"{crawl.verdict.known:,} pages"


def _median(crawls: Crawls, phase: str) -> float | None:
    paces = [_pace(crawl) for crawl in crawls.get(phase, ())]
    return median(paces) if paces else None


def _pace(crawl: Observation) -> float:
    return crawl.pages_a_cpu_s
