"""Issues of a fake of GitHub's documented interface pass the suite of whole crawls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from cormorant.testing import CrawlSuite
from cormorant.testing.crawls import Commands
from tests.sources.github.fake_github import TOKEN, FakeGitHub


class TestGitHub(CrawlSuite):
    """Issues of one repository."""

    kind = "github"

    @pytest.fixture(autouse=True)
    def server(self) -> Iterator[None]:
        """Run it for each test."""
        self.github = FakeGitHub(per_page=20)
        self.github.token = TOKEN
        yield
        self.github.stop()

    def made(self) -> None:
        """Begin with nothing."""

    def prepare(self, commands: Commands) -> None:
        """Keep the token."""
        commands.run("secret", "add", "github", given=TOKEN)

    def settings(self) -> Mapping[str, object]:
        """Name the repository."""
        return {"url": f"{self.github.url}/api/v3", "token": "secret:github", "repository": "bay/birds"}

    def put(self, name: str, word: str) -> None:
        """Open or edit an issue."""
        self.github.put(name, f"The issue has {word}.")

    def remove(self, name: str) -> None:
        """Delete it."""
        self.github.remove(name)

    def take_away(self) -> None:
        """End the server."""
        self.github.stop()

    def bring_back(self) -> None:
        """Start it again."""
        self.github.start()
