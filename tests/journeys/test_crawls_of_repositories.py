"""A git repository passes the suite of whole crawls."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from cormorant.testing import CrawlSuite
from tests.sources.git.repositories import Repository


class TestRepository(CrawlSuite):
    """A repository of this machine, with a commit for each edit."""

    kind = "git"

    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        """Choose where the repository is."""
        self.path, self.mirrors = tmp_path / "place", tmp_path / "mirrors"

    def made(self) -> None:
        """Make the repository."""
        self.repository = Repository(self.path)

    def settings(self) -> Mapping[str, object]:
        """Name the repository."""
        return {
            "url": self.path, "mirror_folder": self.mirrors, "display_url": "https://git.example/r/{branch}/{path}",
        }  # fmt: skip

    def put(self, name: str, word: str) -> None:
        """Commit a file."""
        self.repository.put(f"{name}.txt", f"The text has {word}.")
        self._commit()

    def remove(self, name: str) -> None:
        """Commit that a file is gone."""
        (self.path / f"{name}.txt").unlink()
        self._commit()

    def url(self, name: str) -> str:
        """Return the page of a file."""
        return f"https://git.example/r/main/{name}.txt"

    def take_away(self) -> None:
        """Rename the repository."""
        self.path.rename(self.path.with_name("away"))

    def bring_back(self) -> None:
        """Rename it back."""
        self.path.with_name("away").rename(self.path)

    def _commit(self) -> None:
        self.repository.git("add", "--all")
        self.repository.git("commit", "--quiet", "-m", "Change")
