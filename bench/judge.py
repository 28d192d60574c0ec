"""What did a crawl do, according to the server's own log?

Reports of crawlers are not used: pages, coverage, forbidden and conditional requests are counted from nginx's log of
the phase and compared with the reference crawl (:mod:`bench.reference`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.corpus import Corpus
from bench.reference import FORBIDDEN, address_key

_ROBOTS = "/robots.txt"
_ANSWERED = (200, 304)


@dataclass(slots=True)
class Verdict:
    """One phase in figures. A *page* is an address of the reference crawl that answered 200 or 304."""

    known: int  # pages the reference crawl found
    requests: int = 0
    robots: int = 0  # requests for robots.txt
    forbidden: int = 0  # requests robots.txt forbids
    conditional: int = 0  # requests for pages that carried a validator
    conditional_most: int = 0  # the most such requests for one page
    not_modified: int = 0
    bytes: int = 0  # bodies, as sent
    pages: int = 0  # different known pages that were answered
    repeated: int = 0  # answers 200 or 304 beyond the first for one address
    beyond: int = 0  # answered HTML addresses that the reference crawl does not know
    others: int = 0  # answered addresses that are no HTML: text, images, archives
    errors: int = 0  # answers of 400 and above
    server_errors: int = 0  # answers of 500 and above: the benchmark's own server broke down
    strangers: int = 0  # requests of other clients, in no other figure
    smallest_gap_s: float | None = None  # between the starts of two requests to one host
    missed: list[str] = field(default_factory=list)  # a few pages that were never answered

    @property
    def coverage(self) -> float:
        """The share of known pages that were answered."""
        return self.pages / self.known if self.known else 0.0

    @property
    def conditional_a_page(self) -> float:
        """Conditional requests for pages, divided by the pages that were answered."""
        return self.conditional / self.pages if self.pages else 0.0

    @property
    def requests_a_page(self) -> float:
        """All requests, robots.txt and errors included, divided by the pages that were answered."""
        return self.requests / self.pages if self.pages else 0.0


def judge(log: Path, corpus: Corpus, agent: str) -> Verdict:
    """Read the log of one phase of the crawler whose User-Agent has ``agent`` in it, whatever the case."""
    known = {host.address: host.reach.pages for host in corpus.hosts}
    verdict = Verdict(known=corpus.pages)
    answered: Counter[tuple[str, str]] = Counter()
    conditional: Counter[tuple[str, str]] = Counter()
    starts: dict[str, list[float]] = {}
    html: set[tuple[str, str]] = set()
    for line in _lines(log):
        if agent not in line["agent"].lower():
            verdict.strangers += 1
            continue
        host, key = line["host"], address_key(line["target"])
        starts.setdefault(host, []).append(line["at"] - line["took"])
        _count(verdict, line, key)
        if line["status"] in _ANSWERED and key != _ROBOTS:
            answered[host, key] += 1
            if line["status"] == 304 or line["type"].startswith("text/html"):
                html.add((host, key))
        if (line["etag"] or line["since"]) and key in known.get(host, ()):
            conditional[host, key] += 1
    pages = {(host, key) for host, keys in known.items() for key in keys}
    verdict.pages = len(pages & answered.keys())
    verdict.repeated = answered.total() - len(answered)
    verdict.beyond = len(html - pages)
    verdict.others = len(answered.keys() - html - pages)
    verdict.conditional = conditional.total()
    verdict.conditional_most = max(conditional.values(), default=0)
    verdict.missed = [f"{host}{key}" for host, key in sorted(pages - answered.keys())[:20]]
    verdict.smallest_gap_s = _smallest_gap(starts)
    return verdict


def _count(verdict: Verdict, line: dict[str, Any], key: str) -> None:
    """Add one request to the plain counters."""
    verdict.requests += 1
    verdict.robots += key == _ROBOTS
    verdict.forbidden += key.startswith(FORBIDDEN)
    verdict.not_modified += line["status"] == 304
    verdict.bytes += line["bytes"]
    verdict.errors += line["status"] >= 400
    verdict.server_errors += line["status"] >= 500


def _lines(log: Path) -> Iterator[dict[str, Any]]:
    """The requests of a log, in its order."""
    with log.open(encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            yield json.loads(line)


def _smallest_gap(starts: dict[str, list[float]]) -> float | None:
    """The shortest time between two request starts at one host, in seconds; the log's clock counts milliseconds."""
    gaps = [
        later - earlier
        for moments in starts.values()
        for earlier, later in zip(sorted(moments), sorted(moments)[1:], strict=False)
    ]
    return max(0.0, min(gaps)) if gaps else None
