"""A feed passes the suite of whole crawls, by its entries and by the pages that they link to."""

from __future__ import annotations

from cormorant.testing import CrawlSuite
from tests.places.feeds import FeedPlace, LinkedFeedPlace
from tests.places.variants import VariantSuite


class TestEntries(FeedPlace, CrawlSuite):
    """Entries are the documents."""


class TestLinkedPages(LinkedFeedPlace, VariantSuite):
    """Pages are the documents."""
