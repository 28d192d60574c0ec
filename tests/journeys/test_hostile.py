"""Hostile servers cost only their own slot: a dozen of them and what hangs beside a good host, in short."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.hostile.__main__ import Order, crawl, faults_of
from tests.journeys.hostile.behaviours import BEHAVIOURS

PAGES = 150
ORDER = Order(
    PAGES, ("delay_s=0.02", "idle_timeout_s=6", "connect_timeout_s=2", "timeout_s=15", "patience_s=2"), 4, limit_s=100
)
"""Short time-outs, and retrievers so narrow that what hangs would take every slot."""
HOSTS = (
    "drops connection requests", "never answers", "a header, a byte a second", "half a body, then silence",
    "an endless body", "a Content-Length that is too large", "300 header fields", "HTTP/0.9", "away for ten years",
    "a certificate of another host", "a reset within the body", "a deflate bomb", "redirects to ever other addresses",
    "moves to ever other addresses", "refreshes to ever other addresses",
)  # fmt: skip


@pytest.mark.timeout(900)
def test_every_host_ends_as_it_must_and_the_good_one_waits_for_none(tmp_path: Path) -> None:
    numbers = [n for n, each in enumerate(BEHAVIOURS) if each.name.partition(" (")[0] in HOSTS]
    assert len(numbers) >= len(HOSTS) + 8
    assert faults_of(crawl(tmp_path / "farm", numbers, ORDER), PAGES) == []
