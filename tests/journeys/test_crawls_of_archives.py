"""Web archives pass the suite of whole crawls, and an archive that Cormorant wrote gives back what was crawled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cormorant.app.sample.site import SampleSite
from cormorant.testing import Commands, CrawlSuite
from tests.places.archives import WarcPlace

SAME = ("url", "title", "mime", "language", "size_bytes", "content_hash", "text_hash")


class TestArchives(WarcPlace, CrawlSuite):
    """A folder with an archive for each address, to which captures are appended."""


def test_an_archive_gives_back_what_was_crawled(tmp_path: Path) -> None:
    commands, archive = Commands(tmp_path / "data"), tmp_path / "archive"
    archive.mkdir()
    with SampleSite() as site:
        commands.add("web", "site", {"start": site.address})
        commands.run("receiver", "add", "warc", "archive", "--source", "site", "--set", f"folder={archive}")
        commands.crawl("site", fine=(0, 3))
    commands.add("warc", "again", {"path": archive})
    commands.crawl("again", fine=(0, 3))
    before, after = (_events(commands, name) for name in ("site", "again"))
    assert len(before) > 5
    assert {url: after.get(url) for url in before} == before
    beside = set(after) - set(before)
    assert all("?" in url for url in beside), "an archive keeps a page that is left for its canonical address later"


def _events(commands: Commands, name: str) -> dict[str, dict[str, Any]]:
    """The fields of a document that are equal from either source."""
    return {
        url: {field: value for field, value in each.items() if field in SAME}
        for url, each in commands.documents(name).items()
    }
