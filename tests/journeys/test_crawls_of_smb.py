"""A share of Samba passes the suite of whole crawls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from cormorant.testing import CrawlSuite
from cormorant.testing.crawls import Commands
from tests.sources.smb.samba import PASSWORD, samba

pytestmark = pytest.mark.server


class TestSmb(CrawlSuite):
    """Files of Samba."""

    kind = "smb"

    @pytest.fixture(autouse=True)
    def server(self, tmp_path: Path) -> Iterator[None]:
        """Serve a folder."""
        self.path = tmp_path / "share" / "place"
        self.path.mkdir(parents=True)
        with samba(self.path.parent, tmp_path / "state") as self.samba:
            yield

    def made(self) -> None:
        """It is served already."""

    def prepare(self, commands: Commands) -> None:
        """Keep the password."""
        commands.run("secret", "add", "p", given=PASSWORD)

    def settings(self) -> Mapping[str, object]:
        """Name the folder."""
        return self.samba.settings(url=f"{self.samba.url}/place")

    def put(self, name: str, word: str) -> None:
        """Write a file."""
        (self.path / f"{name}.txt").write_text(f"The text has {word}.")

    def remove(self, name: str) -> None:
        """Delete a file."""
        (self.path / f"{name}.txt").unlink()

    def url(self, name: str) -> str:
        """Return its address."""
        return f"{self.samba.url}/place/{name}.txt"

    def take_away(self) -> None:
        """Rename the folder."""
        self.path.rename(self.path.with_name("away"))

    def bring_back(self) -> None:
        """Rename it back."""
        self.path.with_name("away").rename(self.path)
