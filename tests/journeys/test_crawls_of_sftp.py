"""A folder of an SSH server passes the suite of whole crawls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from cormorant.testing import CrawlSuite
from cormorant.testing.crawls import Commands
from tests.sources.sftp.ssh_server import PASSWORD, SshServer


class TestSftp(CrawlSuite):
    """Files of paramiko's server."""

    kind = "sftp"

    @pytest.fixture(autouse=True)
    def server(self, tmp_path: Path) -> Iterator[None]:
        """Serve a folder."""
        self.path = tmp_path / "place"
        self.path.mkdir()
        self.ssh = SshServer(tmp_path)
        yield
        self.ssh.close()

    def made(self) -> None:
        """It is served already."""

    def prepare(self, commands: Commands) -> None:
        """Keep the password."""
        commands.run("secret", "add", "p", given=PASSWORD)

    def settings(self) -> Mapping[str, object]:
        """Name the folder."""
        return self.ssh.settings(url=f"{self.ssh.url}place")

    def put(self, name: str, word: str) -> None:
        """Write a file, in a folder of its own."""
        (self.path / name).mkdir(exist_ok=True)
        (self.path / name / "text.txt").write_text(f"The text has {word}.")

    def remove(self, name: str) -> None:
        """Delete a file."""
        (self.path / name / "text.txt").unlink()

    def url(self, name: str) -> str:
        """Return its address."""
        return f"{self.ssh.url}place/{name}/text.txt"

    def take_away(self) -> None:
        """Rename the folder."""
        self.path.rename(self.path.with_name("away"))

    def bring_back(self) -> None:
        """Rename it back."""
        self.path.with_name("away").rename(self.path)
