"""Feeds whose entries, or the pages that they link to, are documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from cormorant.testing import CrawlPlace
from tests.cli.world import Answer, Site, serving


class FeedPlace(CrawlPlace):
    """A feed whose entries are the documents."""

    kind = "feed"
    content = "entry"

    @contextmanager
    def opened(self, folder: Path) -> Iterator[None]:
        """Serve a feed."""
        with serving(Site(confirms=True)) as self.site:
            yield

    def made(self) -> None:
        """Begin with no entries."""
        self.words: dict[str, str] = {}
        self._write()

    def counterpart(self) -> str:
        """Name the format."""
        return "RSS 2.0, written by its rules"

    def settings(self) -> Mapping[str, object]:
        """Name the feed."""
        return {"feeds": [f"{self.site.address}feed"], "content": self.content, "keep": "feed"}

    def put(self, name: str, word: str) -> None:
        """Write an entry, and its page."""
        self.put_all({name: word})

    def put_all(self, words: Mapping[str, str]) -> None:
        """Write entries."""
        self.words.update(words)
        for name, word in words.items():
            self.site.page(f"/{name}", name, f"The text has {word}.")
        self._write()

    def remove(self, name: str) -> None:
        """Take an entry out of the feed."""
        del self.words[name]
        self._write()

    def url(self, name: str) -> str:
        """Return the address that it links to."""
        return f"{self.site.address}{name}"

    def take_away(self) -> None:
        """Have the server fail."""
        self.site.answers["/feed"] = Answer("", 503)

    def bring_back(self) -> None:
        """Have it answer."""
        self._write()

    def _write(self) -> None:
        items = "".join(
            f"<item><guid isPermaLink='false'>{name}</guid><title>{name}</title><link>/{name}</link>"
            f"<description>The text has {word}.</description></item>" for name, word in self.words.items()
        )  # fmt: skip
        feed = f"<rss version='2.0'><channel><title>Place</title>{items}</channel></rss>"
        self.site.answers["/feed"] = Answer(feed, mime="application/rss+xml")


class LinkedFeedPlace(FeedPlace):
    """A feed whose linked pages are the documents."""

    content = "link"
