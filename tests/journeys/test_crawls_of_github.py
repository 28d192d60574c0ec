"""Issues of a fake of GitHub's documented interface pass the suite of whole crawls."""

from __future__ import annotations

from cormorant.testing import CrawlSuite
from tests.places.interfaces import GitHubPlace


class TestGitHub(GitHubPlace, CrawlSuite):
    """Issues of one repository."""
