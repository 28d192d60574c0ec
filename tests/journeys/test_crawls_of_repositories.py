"""A git repository passes the suite of whole crawls."""

from __future__ import annotations

from cormorant.testing import CrawlSuite
from tests.places.archives import GitPlace


class TestRepository(GitPlace, CrawlSuite):
    """A repository of this machine, with a commit for each edit."""
