"""The published maze of links: how much of it a crawl finds, as sources are by default and with every kind of link.

Every page of the maze is a start address; what counts is which of the addresses hidden in them a server is asked for.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.suites.record import record
from tests.threaded import Asked, Said, Server, running

SUITE = Path(os.environ.get("CORMORANT_SUITES", "/nowhere")) / "security-crawl-maze"
NO_PAGES = {
    "/test/headers/content-location": {"Content-Location": "/test/headers/content-location.found"},
    "/test/headers/link": {"Link": "</test/headers/link.found>; rel=next"},
    "/test/headers/refresh": {"Refresh": "999; url=/test/headers/refresh.found"},
}
TEXTS = {
    "/robots.txt": ("text/plain", "User-agent: *\nDisallow: /test/misc/known-files/robots.txt.found\n"),
    "/sitemap.xml": (
        "text/plain", "<urlset><url><loc>{url}/test/misc/known-files/sitemap.xml.found</loc></url></urlset>",
    ),
    "/css/font-face.css": ("text/css", "@font-face { font-family: x; src: url('/test/css/font-face.found'); }"),
    "/test/html/misc/string/url-string": ("text/html", "<p>It is {url}/test/html/misc/string/url-string.found here"),
    "/test/html/misc/url/protocol-relative-url": (
        "text/html", "<a href='//{host}/test/html/misc/url/protocol-relative-url.found'></a>",
    ),
    "/test/html/misc/url/full-url": ("text/html", "<a href='{url}/test/html/misc/url/full-url.found'></a>"),
    "/test/html/misc/url/path-relative-url": ("text/html", "<a href='path-relative-url.found'></a>"),
}  # fmt: skip
"""Names of the maze's program for the things that it makes."""


class Published(Server):
    """The pages of the suite."""

    def __init__(self) -> None:
        super().__init__(self.say)

    def say(self, asked: Asked) -> Said:
        """The output of the maze's program."""
        path = asked.path
        if path == "/test/headers/location":
            return Said(302, headers={"Location": "/test/headers/location.found"})
        if path in NO_PAGES:
            return Said(200, "<p>A page.", NO_PAGES[path])
        if path in TEXTS:
            mime, text = TEXTS[path]
            said = text.replace("{url}", self.origin).replace("{host}", self.origin.removeprefix("http://"))
            return Said(200, said, {"Content-Type": mime})
        file = SUITE / "test-cases" / path.removeprefix("/test/")
        return Said(200, file.read_bytes()) if path.endswith(".html") and file.is_file() else Said(404, "<p>Not here.")


@pytest.fixture
def maze() -> Iterator[Published]:
    with running(Published()) as server:
        yield server


def pages() -> list[str]:
    """Where the maze begins: its index, of pages that need no script."""
    files = [file.relative_to(SUITE / "test-cases") for file in sorted((SUITE / "test-cases").rglob("*.html"))]
    static = [f"/test/{file}" for file in files if file.parts[0] != "javascript"]
    made = [path for path in TEXTS if path.startswith("/test/")]
    return [*static, *made, *NO_PAGES, "/test/headers/location", "/sitemap.xml"]


@pytest.mark.skipif(not SUITE.is_dir(), reason="CORMORANT_SUITES does not name a folder with security-crawl-maze")
@pytest.mark.parametrize(("links", "robots", "wanted"), [((), "obey", 10), (("all",), "ignore", 64)])
def test_the_published_maze(
    file_home: Home, crawls: Crawler, maze: Published, links: tuple[str, ...], robots: str, wanted: int
) -> None:
    results = json.loads((SUITE / "blueprints" / "utils" / "resources" / "expected-results.json").read_text())
    hidden = {path for path in results if "/javascript/" not in path}
    assert len(hidden) == 64
    start = [maze.origin + page for page in pages() + (["/robots.txt"] if links else [])]
    file_home.add_source(
        "web", "maze", {"start": start, "network": ["loopback"], "links": list(links), "robots": robots}
    )
    crawls.crawl(file_home, "maze")
    missing = sorted(hidden - {path.partition("?")[0] for path in maze.paths})
    reason = "found only when the setting links asks for such references"
    name = "security-crawl-maze" + ("" if links else "-defaults")
    scripts = {"written by a script, and none is run": len(results) - len(hidden)}
    record(name, 64 - len(missing), 64, dict.fromkeys(missing, reason), scripts)
    assert 64 - len(missing) == wanted, missing
