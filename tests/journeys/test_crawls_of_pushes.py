"""A source that programs push to passes the suite of whole crawls, in full feeds and by single changes."""

from __future__ import annotations

from cormorant.testing import CrawlSuite
from tests.places.pushes import FullPushPlace, PushPlace
from tests.places.variants import VariantSuite


class TestSingleChanges(PushPlace, CrawlSuite):
    """Inserts and deletes, one by one."""


class TestFullFeeds(FullPushPlace, VariantSuite):
    """All there is each time, in batches of five."""
