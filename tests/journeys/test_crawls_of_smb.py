"""A share of Samba passes the suite of whole crawls."""

from __future__ import annotations

import pytest

from cormorant.testing import CrawlSuite
from tests.places.folders import SmbPlace

pytestmark = pytest.mark.server


class TestSmb(SmbPlace, CrawlSuite):
    """Files of Samba."""
