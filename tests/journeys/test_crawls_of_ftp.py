"""A folder of an FTP server passes the suite of whole crawls."""

from __future__ import annotations

from cormorant.testing import CrawlSuite
from tests.places.folders import FtpPlace


class TestFtp(FtpPlace, CrawlSuite):
    """Files of pyftpdlib."""
