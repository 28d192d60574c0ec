"""A folder passes the suite of whole crawls."""

from __future__ import annotations

from cormorant.testing import CrawlSuite
from tests.places.folders import FolderPlace


class TestFolder(FolderPlace, CrawlSuite):
    """Files of a folder."""
