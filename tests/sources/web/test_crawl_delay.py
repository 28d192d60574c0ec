from __future__ import annotations

from datetime import UTC, datetime
from math import inf

import pytest
from pydantic import ValidationError

from cormorant.base.clock import SystemClock
from cormorant.model.pace import Pace
from cormorant.model.url import origin_of
from cormorant.net.egress.guard import Egress
from cormorant.net.egress.resolver import Resolver
from cormorant.net.http.client import Fetcher
from cormorant.sources.web.crawl_delay import pace_of
from cormorant.sources.web.settings.web import WebSettings
from cormorant.sources.web.source import WebSource
from tests.net.http.servers import run

WEDNESDAY_NOON = datetime(2026, 11, 18, 12, tzinfo=UTC).timestamp()
HOUR = 3600


def settings(**given: object) -> WebSettings:
    return WebSettings.model_validate({"start": ["https://a.example/"], "time_zone": "UTC", **given})


def pace(*crawl_delays: float | None, private: bool = False, **given: object) -> Pace:
    return pace_of(settings(**given), crawl_delays, WEDNESDAY_NOON, private=private)


def test_public_hosts_are_spared_and_private_ones_are_not() -> None:
    assert pace() == (1.0, 1, "the default for public hosts", inf)
    assert pace(private=True) == (0.0, 4, "the default for private hosts", inf)
    assert pace(delay_s=0, per_host=9) == (0.0, 9, "delay_s 0", inf)


def test_a_crawl_delay_counts_when_it_is_slower_and_obeyed() -> None:
    assert pace(0.5, None)[0] == 1.0
    assert pace(5.0) == (5.0, 1, "Crawl-delay 5 in robots.txt", inf)
    assert pace(86_400.0) == (60.0, 1, "Crawl-delay 86400 in robots.txt, of which 60 are obeyed", inf)
    assert pace(2.0, 7.0, private=True).delay_s == 7.0
    assert pace(5.0, crawl_delay="ignore").delay_s == 1.0
    assert pace(5.0, robots="ignore").delay_s == 1.0


def test_a_window_of_the_week_replaces_the_delay_while_it_lasts() -> None:
    window = "Wed 10-13 0.25"
    assert pace(variable_delay=[window]) == (0.25, 1, f"variable_delay {window!r}", WEDNESDAY_NOON + HOUR)
    assert pace(variable_delay=[window], delay_s=9).delay_s == 0.25
    assert pace(4.0, variable_delay=[window]).delay_s == 4.0, "robots.txt is the owner's word"
    assert pace(variable_delay=["Thu 10-13 9"]).delay_s == 1.0


def test_suspension_ends_when_the_last_of_its_windows_does() -> None:
    several = settings(variable_delay=["Wed 08-14 suspend", "Wed 14-15 suspend"])
    assert several.suspended_until(WEDNESDAY_NOON) == WEDNESDAY_NOON + 3 * HOUR
    assert several.suspended_until(WEDNESDAY_NOON + 4 * HOUR) == 0.0
    assert settings().suspended_until(WEDNESDAY_NOON) == 0.0


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("variable_delay", ["Mon-Sun 00-24 suspend"], "suspend the whole week"),
        ("variable_delay", ["at night"], "no window of the week"),
        ("time_zone", "Berlin", "no time zone"),
        ("time_zone", "../../etc/passwd", "no time zone"),
        ("hosts_at_once", 0, "greater than or equal to 1"),
    ],
)
def test_what_makes_no_sense_is_refused(name: str, value: object, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        settings(**{name: value})


@pytest.mark.parametrize("start", ["http://a.intra.test/", "https://a.intra.test/", "http://a.intra.test:8080/"])
def test_an_intranet_host_is_found_at_the_port_that_was_named(start: str) -> None:
    """Whoever names http consents to that port, so that the other one tells nothing of where the host is."""

    async def work() -> str | None:
        clock = SystemClock()
        egress = Egress(clock, resolver=Resolver(clock, lambda _: ("10.0.0.5",)))
        fetcher = Fetcher(egress, width=1)
        source = WebSource(1, WebSettings(start=(start,), pace_by="address"), fetcher, clock)
        site = origin_of(start).site
        assert source.lane(site) is None
        await source.look_up(site)
        await fetcher.close()
        await egress.close()
        return source.lane(site)

    assert run(work()) == "10.0.0.5"
