"""A bucket passes the suite of whole crawls."""

from __future__ import annotations

from cormorant.testing import CrawlSuite
from tests.places.interfaces import S3Place


class TestS3(S3Place, CrawlSuite):
    """Objects of a store."""
