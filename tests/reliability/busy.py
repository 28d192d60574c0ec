"""Estimates that real processes give of the end of a crawl whose only bottleneck is this machine."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from cormorant.base.clock import SystemClock, pause
from cormorant.base.errors import CormorantError
from cormorant.operate.runs import eta_summary, start
from tests.journeys.crawling import begin
from tests.journeys.home import Home
from tests.journeys.pages import SiteSettings
from tests.journeys.site import website
from tests.reliability.foreseen import Estimate

HOLDS = "this machine's processors"
LOOK_S = 0.5
_CLOCK = SystemClock()


def watched(pages: int) -> tuple[list[Estimate], float, float]:
    """Crawl a site of so many pages that answers at once; return the estimates, the begin and the end of the run."""
    estimates: list[Estimate] = []
    with tempfile.TemporaryDirectory(prefix="busy-") as folder:
        path = Path(folder)
        with website(SiteSettings(pages=pages, hosts=4), path) as site:
            home = Home(path / "data")
            home.add_source("web", "site", {**site.source, "delay_s": "0", "per_host": "8"})
            process = begin(home, "site")
            while process.poll() is None:
                pause(LOOK_S)
                estimates += _estimate(home)
        with home.house() as house:
            ended: Mapping[str, Any] = start.report(house)
    return estimates, _epoch(ended["started_at"]), _epoch(ended["finished_at"])


def _estimate(home: Home) -> list[Estimate]:
    """The present estimate, as programs get it; an empty list if there is none yet."""
    try:
        with home.house() as house:
            summary = eta_summary.shown(house)
    except CormorantError:  # there is no run yet
        return []
    eta = summary["eta_s"]
    return [Estimate(_CLOCK.now(), eta["least"], eta["most"], summary["bottleneck"] or "")] if eta else []


def _epoch(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
