"""Issues of a fake of GitLab's documented interface pass the suite of whole crawls."""

from __future__ import annotations

from cormorant.testing import CrawlSuite
from tests.places.interfaces import GitLabPlace


class TestGitLab(GitLabPlace, CrawlSuite):
    """Issues of one project."""
