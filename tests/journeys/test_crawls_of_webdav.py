"""A folder of a WebDAV server passes the suite of whole crawls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from cormorant.testing import CrawlSuite
from cormorant.testing.crawls import Commands
from tests.sources.webdav.dav_server import PASSWORD, USER, dav_server


class TestWebDav(CrawlSuite):
    """Files of WsgiDAV."""

    kind = "webdav"

    @pytest.fixture(autouse=True)
    def server(self, tmp_path: Path) -> Iterator[None]:
        """Serve a folder."""
        self.path = tmp_path / "place"
        self.path.mkdir()
        with dav_server(tmp_path) as self.dav:
            yield

    def made(self) -> None:
        """It is served already."""

    def prepare(self, commands: Commands) -> None:
        """Keep the password."""
        commands.run("secret", "add", "p", given=PASSWORD)

    def settings(self) -> Mapping[str, object]:
        """Name the folder."""
        return {"url": f"{self.dav.url}/place/", "user": USER, "password": "secret:p"}

    def put(self, name: str, word: str) -> None:
        """Write a file."""
        (self.path / f"{name}.txt").write_text(f"The text has {word}.")

    def remove(self, name: str) -> None:
        """Delete a file."""
        (self.path / f"{name}.txt").unlink()

    def url(self, name: str) -> str:
        """Return its address."""
        return f"{self.dav.url}/place/{name}.txt"

    def take_away(self) -> None:
        """Have the server answer 503."""
        self.dav.away = True

    def bring_back(self) -> None:
        """Have it answer again."""
        self.dav.away = False
