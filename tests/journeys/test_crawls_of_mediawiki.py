"""A wiki passes the suite of whole crawls: a fake of the documented API, and a real one of Debian's package."""

from __future__ import annotations

import pytest

from cormorant.testing import CrawlSuite
from tests.places.interfaces import FakeWikiPlace, RealWikiPlace


class TestFakeWiki(FakeWikiPlace, CrawlSuite):
    """Pages of a fake."""


@pytest.mark.server
class TestRealWiki(RealWikiPlace, CrawlSuite):
    """Pages of a real wiki."""

    killed_at = 30
