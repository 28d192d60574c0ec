"""A wiki passes the suite of whole crawls: a fake of the documented API, and a real one of Debian's package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from cormorant.testing import CrawlSuite
from tests.sources.mediawiki.fake_wiki import FakeWiki
from tests.sources.mediawiki.real_wiki import RealWiki, found


class TestFakeWiki(CrawlSuite):
    """Pages of a fake."""

    kind = "mediawiki"

    @pytest.fixture(autouse=True)
    def server(self) -> Iterator[None]:
        """Run a wiki for each test."""
        self.wiki = FakeWiki(at_once=20)
        yield
        self.wiki.stop()

    def made(self) -> None:
        """Begin with nothing."""

    def settings(self) -> Mapping[str, object]:
        """Name its API."""
        return {"url": f"{self.wiki.url}/w/api.php"}

    def put(self, name: str, word: str) -> None:
        """Edit a page."""
        self.wiki.put(name.capitalize(), f"The page has {word}.")

    def remove(self, name: str) -> None:
        """Delete it."""
        self.wiki.delete(name.capitalize())

    def url(self, name: str) -> str:
        """Return where people read it."""
        return f"{self.wiki.url}/wiki/{name.capitalize()}"

    def take_away(self) -> None:
        """End the server."""
        self.wiki.stop()

    def bring_back(self) -> None:
        """Start it again."""
        self.wiki.start()


@pytest.mark.server
class TestRealWiki(CrawlSuite):
    """Pages of a real wiki."""

    kind = "mediawiki"
    killed_at = 30

    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> Iterator[None]:
        """Run a wiki for each test."""
        self.wiki = RealWiki(tmp_path, found())
        yield
        self.wiki.stop()

    def made(self) -> None:
        """Install it, and take its main page away."""
        self.wiki.install()
        self.wiki.start()
        self.wiki.act(action="delete", title="Main Page")

    def settings(self) -> Mapping[str, object]:
        """Name its address; the API is found."""
        return {"url": self.wiki.url + "/index.php"}

    def put(self, name: str, word: str) -> None:
        """Edit a page."""
        self.wiki.edit(name.capitalize(), f"The page has {word}.")

    def remove(self, name: str) -> None:
        """Delete it."""
        self.wiki.act(action="delete", title=name.capitalize())

    def url(self, name: str) -> str:
        """Return where people read it."""
        return f"{self.wiki.url}/index.php/{name.capitalize()}"

    def take_away(self) -> None:
        """End the server."""
        self.wiki.stop()

    def bring_back(self) -> None:
        """Start it again."""
        self.wiki.start()
