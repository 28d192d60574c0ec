"""A folder of a WebDAV server passes the suite of whole crawls."""

from __future__ import annotations

from cormorant.testing import CrawlSuite
from tests.places.folders import WebDavPlace


class TestWebDav(WebDavPlace, CrawlSuite):
    """Files of WsgiDAV."""
