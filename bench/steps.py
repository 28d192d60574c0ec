"""Where does the time of a page go?

With ``CORMORANT_STEPS=1`` every retriever and the provider writes ``logs/steps-PID.json`` into the data folder:
``{step: [calls, ns]}`` or ``{step: {"calls": n, "ns": n}}``. They are added up here and shown as microseconds a page
beside the design's figures.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

# Measurements of the design, in microseconds a page of 41 kB: durable crawl with text, and the index of the provider.
DESIGN: dict[str, float] = {
    "parse": 223,
    "zstd": 110,
    "text": 93,
    "links_title": 52,
    "join": 32,
    "http": 32,
    "pack_write": 26,
    "loop": 16 + 8,  # with the headers of answers; ours has all in it that is no other step
    "settle": 15,
    "gates": 10,
    "lease": 1.4,
    "index": 232,
}

# Why a step takes more than a third above what the design measured on a machine about 1.5 times as fast.
MORE: dict[str, str] = {
    "parse": "the slower machine, and large pages made harmless before they are parsed",
    "text": "the slower machine; tables, forms, lists and hidden parts keep every word",
    "links_title": "five times as much is read: metas, headings, canonical, refresh, frames, forms, base",
    "join": "texts and rel of links, which the design did not keep",
    "http": "cookies, credentials, redirects, caps while inflating, addresses checked at the socket",
    "loop": "what no other step names: outcomes, soft 404, login pages, languages, journal, hashes, traps",
    "settle": "journal, stream, exclusions, rights, links and counts beside the rows",
    "gates": "rules with names, robots.txt, budgets, levels, renaming",
    "lease": "sites that share an address, queues by level, runs that are asked for by other processes",
    "index": "headings, anchors, words of addresses and fifteen columns; a fifth is written again once links are known",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the page path over a whole crawl."""

    name: str
    calls: int
    us_a_page: float
    design_us: float | None


def read(data: Path, pages: int) -> list[Step]:
    """The steps that a crawl into ``data`` wrote; empty when it wrote none."""
    sums: dict[str, tuple[int, int]] = {}
    for file in sorted((data / "logs").glob("steps-*.json")):
        for name, counts in json.loads(file.read_text(encoding="utf-8")).items():
            calls, ns = sums.get(name, (0, 0))
            more_calls, more_ns = (counts["calls"], counts["ns"]) if isinstance(counts, dict) else counts
            sums[name] = (calls + int(more_calls), ns + int(more_ns))
    order = {name: place for place, name in enumerate(DESIGN)}
    return [
        Step(name, sums[name][0], sums[name][1] / 1_000 / max(1, pages), DESIGN.get(name))
        for name in sorted(sums, key=lambda name: (order.get(name, len(order)), name))
    ]


def table(steps: Iterable[Step]) -> list[str]:
    """The steps as lines of a Markdown table; missing ones of the design stand in it too."""
    measured = {step.name: step for step in steps}
    lines = ["| step | us a page | the design's | ratio | calls | what it does more |", "|---|---|---|---|---|---|"]
    for name in [*DESIGN, *(name for name in measured if name not in DESIGN)]:
        step, design = measured.get(name), DESIGN.get(name)
        took = f"{step.us_a_page:.1f}" if step else "not recorded"
        ratio = f"{step.us_a_page / design:.2f}" if step and design else ""
        calls, more = step.calls if step else "", MORE.get(name, "")
        lines.append(f"| {name} | {took} | {design or ''} | {ratio} | {calls} | {more} |")
    design_sum = sum(DESIGN.values())
    took_sum = sum(step.us_a_page for step in measured.values())
    lines.append(f"| **sum** | {took_sum:.1f} | {design_sum:.1f} | {took_sum / design_sum:.2f} | | |")
    return lines
