"""A crawl that is held up by nothing but this machine: what is told of its end by the real processes, on the way."""

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
from tests.reliability.foreseen import Told

HOLDS = "this machine's processors"
LOOK_S = 0.5
_CLOCK = SystemClock()


def watched(pages: int) -> tuple[list[Told], float, float]:
    """Crawl a site of so many pages that answers at once; returns what was told, when it began and when it ended."""
    told: list[Told] = []
    with tempfile.TemporaryDirectory(prefix="busy-") as folder:
        path = Path(folder)
        with website(SiteSettings(pages=pages, hosts=4), path) as site:
            home = Home(path / "data")
            home.add_source("web", "site", {**site.source, "delay_s": "0", "per_host": "8"})
            process = begin(home, "site")
            while process.poll() is None:
                pause(LOOK_S)
                told += _told(home)
        with home.house() as house:
            ended: Mapping[str, Any] = start.report(house)
    return told, _epoch(ended["started_at"]), _epoch(ended["finished_at"])


def _told(home: Home) -> list[Told]:
    """What is told now, as a program is told it; nothing where nothing can be said yet."""
    try:
        with home.house() as house:
            said = eta_summary.shown(house)
    except CormorantError:  # there is no run yet
        return []
    eta = said["eta_s"]
    return [Told(_CLOCK.now(), eta["least"], eta["most"], said["bottleneck"] or "")] if eta else []


def _epoch(said: str) -> float:
    return datetime.fromisoformat(said).timestamp()
