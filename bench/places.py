"""Where does the benchmark keep its files?

Everything that is downloaded, unpacked, generated or written by a crawl lies under ``bench/.cache`` (ignored by
git); only ``bench/RESULTS.md`` is meant to be kept.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "bench"
CACHE = BENCH / ".cache"
DEBS = CACHE / "debs"
TREES = CACHE / "trees"
FRONTS = CACHE / "fronts"
REACH = CACHE / "reach"
GENERATED = CACHE / "generated"
RUN = CACHE / "run"
REAPER = BENCH / "reaper.py"
RESULTS = BENCH / "RESULTS.md"
