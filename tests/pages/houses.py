"""Installations to look at: real crawls, served by a real process each. Every command is a process of its own."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote

from cormorant.app.sample.pages import documents_folder
from cormorant.app.sample.site import SampleSite
from tests.cli.world import InstalledCli, ended
from tests.pages.pages import EMPTY, FEDERATED, SAMPLE, UNSHOWN
from tests.threaded import Asked, Said, served as serving_answers

WELL = (0, 3)
"""How a crawl ends; 3 when a document could not be read, of which the sample has one."""


@dataclass(frozen=True)
class Served:
    """An installation that is served, without a slash at the end of its `origin`."""

    home: InstalledCli
    origin: str

    def get(self, path: str) -> tuple[int, bytes]:
        """Ask once, without a browser; returns the status and the body."""
        connection = HTTPConnection(self.origin.removeprefix("http://"), timeout=60)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def number(self, words: str) -> int:
        """The number of the document that these words find first."""
        return int(self._first(words)["id"])

    def told(self, place: str) -> str:
        """What stands for a place in a listed address: the number of a document, or after `url of` its address."""
        words = place.removeprefix("url of ")
        return str(self.number(words)) if words == place else quote(self._first(words)["url"], safe="")

    def _first(self, words: str) -> dict[str, Any]:
        hits: list[dict[str, Any]] = json.loads(self.get(f"/api/v1/search?q={quote(words)}&limit=1")[1])["hits"]
        assert hits, f"{words} finds nothing"
        return hits[0]


def command(home: InstalledCli, *words: str) -> None:
    """Run a command that must end well."""
    done = ended(home.start(*words))
    assert done.code in WELL, f"cormorant {' '.join(words)} ended {done.code}\n{done.out}{done.err}"


@contextmanager
def served(home: InstalledCli) -> Iterator[Served]:
    """Serve an installation for the length of a block."""
    with (home.folder.parent / "serve.log").open("w") as log:
        process = home.start("serve", "--port", "0", "--json", stderr=log)
        try:
            assert process.stdout is not None
            made = Served(home, json.loads(process.stdout.readline())["address"].rstrip("/"))
            made.get("/search?q=island")  # what is opened and compiled for the first page is no part of what one costs
            yield made
        finally:
            process.send_signal(signal.SIGTERM)
            ended(process)


@contextmanager
def sample(folder: Path) -> Iterator[Served]:
    """The sample, its site as `observatory` and its folder as `office`."""
    home = InstalledCli(folder / "data")
    with SampleSite() as site:
        command(home, "source", "add", "web", "observatory", "--set", f"start={site.address}")
        command(home, "source", "add", "files", "office", "--set", f"path={documents_folder()}")
        command(home, "crawl")
        with served(home) as made:
            yield made


@contextmanager
def empty(folder: Path) -> Iterator[Served]:
    """Nothing yet."""
    with served(InstalledCli(folder / "data")) as made:
        yield made


@contextmanager
def unshown(folder: Path) -> Iterator[Served]:
    """A page that asks that no copy of it be shown."""
    home = InstalledCli(folder / "data")
    (folder / "pages").mkdir()
    (folder / "pages" / "lantern.html").write_text(
        '<title>The lantern</title><meta name="robots" content="noarchive"><p>A lantern of which no copy is shown.'
    )
    command(home, "source", "add", "files", "pages", "--set", f"path={folder / 'pages'}")
    command(home, "crawl")
    with served(home) as made:
        yield made


ITEM = (
    "<item><title>Lantern no. {0} &lt;b&gt;of the pier&lt;/b&gt;</title><link>http://127.0.0.1:9/lantern/{0}</link>"
    "<description>A lantern of brass, &lt;script&gt;alert(1)&lt;/script&gt;lit since 18{0}0.</description>"
    "<pubDate>Mon, 06 Sep 2021 16:20:00 +0000</pubDate></item>"
)


@contextmanager
def federated(folder: Path) -> Iterator[Served]:
    """A few documents, a search server that answers, and one that is away."""
    home = InstalledCli(folder / "data")
    (folder / "pages").mkdir()
    for number in range(4):
        (folder / "pages" / f"lantern-{number}.txt").write_text(
            f"Lantern {number} of the light house.\n" * (number + 1)
        )
    command(home, "source", "add", "files", "pages", "--set", f"path={folder / 'pages'}")
    command(home, "crawl")

    def say(asked: Asked) -> Said:
        if asked.path == "/os.xml":
            url = f'<Url type="application/rss+xml" template="{server.origin}/rss?q={{searchTerms}}"/>'
            return Said(200, f"<OpenSearchDescription>{url}</OpenSearchDescription>")
        return Said(200, f"<rss><channel>{''.join(map(ITEM.format, range(5)))}</channel></rss>")

    with serving_answers(say) as server:
        command(home, "source", "add", "federated", "catalogue", "--set", f"url={server.origin}/os.xml")
        command(home, "source", "add", "federated", "harbour-office", "--set", "url=http://127.0.0.1:9/os.xml")
        with served(home) as made:
            yield made


HOUSES = {SAMPLE: sample, EMPTY: empty, UNSHOWN: unshown, FEDERATED: federated}
