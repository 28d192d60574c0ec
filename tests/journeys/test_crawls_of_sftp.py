"""A folder of an SSH server passes the suite of whole crawls."""

from __future__ import annotations

from cormorant.testing import CrawlSuite
from tests.places.folders import ParamikoPlace


class TestSftp(ParamikoPlace, CrawlSuite):
    """Files of paramiko's server."""
