"""Crawl delay of a host. The slowest of what the settings, this hour of the week and robots.txt ask for."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Final

from cormorant.model.pace import Pace
from cormorant.sources.web.settings.web import WebSettings

MAX_CRAWL_DELAY_S: Final = 60.0
CUT: Final = f", of which {MAX_CRAWL_DELAY_S:g} are obeyed"
"""How a rule ends that says of a Crawl-delay that not all of it is obeyed."""
PUBLIC_DELAY_S: Final = 1.0
PRIVATE_PARALLEL: Final = 4


def pace_of(settings: WebSettings, crawl_delays: Iterable[float | None], now: float, *, private: bool) -> Pace:
    """The pace of a host at a moment (epoch seconds); `crawl_delays` are what its robots.txt files ask for.

    Public hosts are spared unless the settings say otherwise. A window of `variable_delay` replaces the delay while it
    lasts; a Crawl-delay that is slower is obeyed in every case.
    """
    hour = settings.calendar.at(now)
    parallel = settings.per_host or (PRIVATE_PARALLEL if private else 1)
    delay, rule = _usual(settings, private=private)
    if hour.window is not None:
        rule = f"variable_delay {hour.window.text!r}"
        delay = hour.window.delay_s if hour.window.delay_s < inf else delay
    if settings.crawl_delay == "obey" and settings.robots == "obey":
        for asked in crawl_delays:
            if asked and min(asked, MAX_CRAWL_DELAY_S) > delay:
                delay = min(asked, MAX_CRAWL_DELAY_S)
                rule = f"Crawl-delay {asked:g} in robots.txt"
                rule += CUT if asked > delay else ""
    return Pace(delay, parallel, rule, hour.until)


def _usual(settings: WebSettings, *, private: bool) -> tuple[float, str]:
    if settings.delay_s is not None:
        return settings.delay_s, f"delay_s {settings.delay_s:g}"
    if private:
        return 0.0, "the default for private hosts"
    return PUBLIC_DELAY_S, "the default for public hosts"
