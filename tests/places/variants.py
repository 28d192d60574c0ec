"""Whole crawls of a place that differs little from another one."""

from __future__ import annotations

from cormorant.testing import CrawlSuite


class VariantSuite(CrawlSuite):
    """Rounds of edits. A kill, an unchanged place and one that is away are tried with the place it resembles."""

    test_an_unchanged_place_is_not_read = None  # type: ignore[assignment]
    test_a_place_that_is_away_loses_nothing = None  # type: ignore[assignment]
    test_a_killed_crawl_goes_on = None  # type: ignore[assignment]
