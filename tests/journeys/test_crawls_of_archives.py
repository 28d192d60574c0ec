"""Web archives pass the suite of whole crawls, and an archive that Cormorant wrote gives back what was crawled."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cormorant.app.sample.site import SampleSite
from cormorant.testing import CrawlSuite
from cormorant.testing.crawls import Commands
from tests.sources.warc.written import response, zipped

SAME = ("url", "title", "mime", "language", "size_bytes", "content_hash", "text_hash")


class TestArchives(CrawlSuite):
    """A folder with an archive for each address, to which captures are appended."""

    kind = "warc"

    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        """Choose where the archive is."""
        self.path, self.turn = tmp_path / "place", 0

    def made(self) -> None:
        """Make the folder."""
        self.path.mkdir()

    def settings(self) -> Mapping[str, object]:
        """Name the folder."""
        return {"path": self.path}

    def put(self, name: str, word: str) -> None:
        """Write a newer capture."""
        self.turn += 1
        moment = f"2026-01-02T{self.turn // 3600:02}:{self.turn // 60 % 60:02}:{self.turn % 60:02}Z"
        with (self.path / f"{name}.warc.gz").open("ab") as file:
            file.write(zipped(response(self.url(name), f"The text has {word}.".encode(), moment)))

    def remove(self, name: str) -> None:
        """Delete an archive."""
        (self.path / f"{name}.warc.gz").unlink()

    def url(self, name: str) -> str:
        """Return the address that was captured."""
        return f"https://site.example/{name}"

    def take_away(self) -> None:
        """Rename the folder."""
        self.path.rename(self.path.with_name("away"))

    def bring_back(self) -> None:
        """Rename it back."""
        self.path.with_name("away").rename(self.path)


def test_an_archive_gives_back_what_was_crawled(tmp_path: Path) -> None:
    commands, archive = Commands(tmp_path / "data"), tmp_path / "archive"
    archive.mkdir()
    with SampleSite() as site:
        commands.add("web", "site", {"start": site.address})
        commands.run("receiver", "add", "warc", "archive", "--source", "site", "--set", f"folder={archive}")
        commands.crawl("site", fine=(0, 3))
    commands.add("warc", "again", {"path": archive})
    commands.crawl("again", fine=(0, 3))
    before, after = (_told(commands, name) for name in ("site", "again"))
    assert len(before) > 5
    assert {url: after.get(url) for url in before} == before
    beside = set(after) - set(before)
    assert all("?" in url for url in beside), "an archive keeps a page that is left for its canonical address later"


def _told(commands: Commands, name: str) -> dict[str, dict[str, Any]]:
    """What is the same of a document, whichever way it came."""
    return {
        url: {field: value for field, value in each.items() if field in SAME}
        for url, each in commands.documents(name).items()
    }
