"""Issues of a fake of GitLab's documented interface pass the suite of whole crawls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from cormorant.testing import CrawlSuite
from cormorant.testing.crawls import Commands
from tests.sources.gitlab.fake_gitlab import TOKEN, FakeGitLab


class TestGitLab(CrawlSuite):
    """Issues of one project."""

    kind = "gitlab"

    @pytest.fixture(autouse=True)
    def server(self) -> Iterator[None]:
        """Run it for each test."""
        self.gitlab = FakeGitLab(per_page=20)
        self.gitlab.token = TOKEN
        yield
        self.gitlab.stop()

    def made(self) -> None:
        """Begin with nothing."""

    def prepare(self, commands: Commands) -> None:
        """Keep the token."""
        commands.run("secret", "add", "gitlab", given=TOKEN)

    def settings(self) -> Mapping[str, object]:
        """Name the project."""
        return {"url": f"{self.gitlab.url}", "token": "secret:gitlab", "project": "bay/birds"}

    def put(self, name: str, word: str) -> None:
        """Open or edit an issue."""
        self.gitlab.put(name, f"The issue has {word}.")

    def remove(self, name: str) -> None:
        """Delete it."""
        self.gitlab.remove(name)

    def take_away(self) -> None:
        """End the server."""
        self.gitlab.stop()

    def bring_back(self) -> None:
        """Start it again."""
        self.gitlab.start()
