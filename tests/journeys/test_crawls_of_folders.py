"""A folder passes the suite of whole crawls."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from cormorant.testing import CrawlSuite


class TestFolder(CrawlSuite):
    """Files of a folder."""

    kind = "files"

    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        """Choose where the folder is."""
        self.path = tmp_path / "place"

    def made(self) -> None:
        """Make the folder."""
        self.path.mkdir()

    def settings(self) -> Mapping[str, object]:
        """Name the folder."""
        return {"path": self.path}

    def put(self, name: str, word: str) -> None:
        """Write a file."""
        (self.path / f"{name}.txt").write_text(f"The text has {word}.")

    def remove(self, name: str) -> None:
        """Delete a file."""
        (self.path / f"{name}.txt").unlink()

    def url(self, name: str) -> str:
        """Return its address."""
        return f"file://{self.path}/{name}.txt"

    def take_away(self) -> None:
        """Rename the folder."""
        self.path.rename(self.path.with_name("away"))

    def bring_back(self) -> None:
        """Rename it back."""
        self.path.with_name("away").rename(self.path)
