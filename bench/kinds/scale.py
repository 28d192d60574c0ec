"""Many small documents: CPU and memory of the first crawl, and what a second one of the same place costs."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any, Final

from bench.kinds.forked import ForkedCommands
from bench.kinds.truth import Truth
from bench.measure import Usage, megabytes, run
from cormorant.testing import CrawlPlace

_NOTE: Final = re.compile(rb"([\d,]+) documents? fetched")
_TAIL: Final = 4_096
_LIMIT_S: Final = 7_200.0
SHARES: Final = (0.25, 0.5, 0.75, 1.0)


class MemoryCourse:
    """The peak of the memory up to each share of the documents, by the notes that a crawl writes."""

    def __init__(self, notes: Path, items: int) -> None:
        self._notes, self._items = notes, items
        self._at, self._peak_kb = 0, 0
        self.peaks_mb: dict[float, float] = {}

    def note(self, pss_kb: int) -> None:
        """Take a sample, with the documents that were fetched by then."""
        self._peak_kb = max(self._peak_kb, pss_kb)
        self._at = max(self._at, _fetched(self._notes))
        for share in SHARES[:-1]:
            if self._at >= share * self._items and share not in self.peaks_mb:
                self.peaks_mb[share] = megabytes(self._peak_kb)

    def end(self) -> list[float | None]:
        """Return the peaks in MB of 10^6 bytes, None for a share between two notes."""
        self.peaks_mb[1.0] = megabytes(self._peak_kb)
        return [round(self.peaks_mb[share]) if share in self.peaks_mb else None for share in SHARES]


def measure(place: CrawlPlace, folder: Path, items: int) -> dict[str, Any]:
    """Fill the place, crawl it twice. Raises AssertionError where documents are missing."""
    place.made()
    began = time.monotonic()
    Truth(place).fill(items, "many")
    print(f"  {items} documents made in {time.monotonic() - began:.0f} s", flush=True)
    commands = ForkedCommands(folder / "data")
    place.prepare(commands)
    commands.add(place.kind, "place", place.settings())
    place.deliver(commands)
    course = MemoryCourse(folder / "first.err", items)
    first, report = _crawled(commands, folder / "first.json", course)
    assert report["new"] == items, f"{report['new']} of {items} documents: {report}"
    place.deliver(commands)
    second, again = _crawled(commands, folder / "second.json", MemoryCourse(folder / "second.err", items))
    return {
        "items": items, "seconds": round(first.wall_s, 1), "cpu_s": round(first.cpu_s, 1),
        "per_cpu_s": round(items / first.cpu_s), "memory_mb": course.end(), "read_again": again["fetched"],
        "second_seconds": round(second.wall_s, 1), "second_cpu_s": round(second.cpu_s, 1),
        "cpu_share": second.cpu_s / first.cpu_s, "wall_share": second.wall_s / first.wall_s,
    }  # fmt: skip


def widen(place: CrawlPlace) -> None:
    """Have a fake answer with as many records at once as the service does by default."""
    if hasattr(place, "at_once"):
        place.at_once = {"s3": 1_000, "mediawiki": 500}.get(place.kind, 100)


def _crawled(commands: ForkedCommands, report: Path, course: MemoryCourse) -> tuple[Usage, dict[str, Any]]:
    """Crawl by the command, measured; returns what it used and what it reports."""
    words = [sys.executable, "-m", "cormorant", "--data", str(commands.folder), "--json", "crawl", "place"]
    used = run(words, report, environment=dict(os.environ), timeout_s=_LIMIT_S, noting=course.note)
    said = report.with_suffix(".out").read_text().splitlines()
    assert used.exit_code == 0, f"it ended with {used.exit_code}: {said[-3:]}"
    result: dict[str, Any] = json.loads(said[-1])
    return used, result


def _fetched(notes: Path) -> int:
    """Return how many documents the last note counts."""
    try:
        with notes.open("rb") as file:
            file.seek(max(0, notes.stat().st_size - _TAIL))
            found = _NOTE.findall(file.read())
    except OSError:
        return 0
    return int(found[-1].replace(b",", b"")) if found else 0
