"""A program passes the suite of whole crawls, as a listing and as a feed."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import pytest

from cormorant.testing import CrawlSuite

DESK = Path(__file__).parents[1] / "sources" / "program" / "desk.py"


class TestProgram(CrawlSuite):
    """A program that lists everything."""

    kind = "program"
    model: ClassVar[str] = "listing"

    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        """Choose where the documents of the program are."""
        self.path = tmp_path / "place"

    def made(self) -> None:
        """Make the folder that the program reads."""
        self.path.mkdir()

    def settings(self) -> Mapping[str, object]:
        """Name the program and its folder."""
        return {
            "command": [sys.executable, str(DESK), self.model],
            "parameter": [f"folder={self.path}"],
            "change_model": self.model,
        }

    def put(self, name: str, word: str) -> None:
        """Write a document; its word is its version."""
        self._write(name, {"version": word, "text": f"The text has {word}.", "display": self.url(name)})

    def remove(self, name: str) -> None:
        """Delete a document."""
        (self.path / f"{name}.json").unlink()

    def url(self, name: str) -> str:
        """Return the address that readers see."""
        return f"https://desk.example/{name}"

    def take_away(self) -> None:
        """Rename the folder, so that the program reports an error."""
        self.path.rename(self.path.with_name("away"))

    def bring_back(self) -> None:
        """Rename it back."""
        self.path.with_name("away").rename(self.path)

    def _write(self, name: str, item: Mapping[str, object]) -> None:
        draft = self.path / f"{name}.draft"
        draft.write_text(json.dumps(item))
        draft.replace(self.path / f"{name}.json")


class TestFeed(TestProgram):
    """A program that names changes since its cursor."""

    model = "feed"

    def remove(self, name: str) -> None:
        """Have the program name it as removed."""
        self._write(name, {"removed": True})
