"""The published maze of links: how much of it a crawl finds, as sources are by default and with every kind of link.

Every page of the maze is a start address; what counts is which of the addresses hidden in them a server is asked for.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.suites.record import record

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
"""What the maze's own program makes, in its words."""


class Maze(ThreadingHTTPServer):
    """The pages of the suite, and the paths that were asked for."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.asked: set[str] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        self.asked.add(path.partition("?")[0])
        if path == "/test/headers/location":
            return 302, {"Location": "/test/headers/location.found"}, b""
        if path in NO_PAGES:
            return 200, {"Content-Type": "text/html", **NO_PAGES[path]}, b"<p>A page."
        if path in TEXTS:
            mime, text = TEXTS[path]
            said = text.replace("{url}", self.url).replace("{host}", self.url.removeprefix("http://"))
            return 200, {"Content-Type": mime}, said.encode()
        file = SUITE / "test-cases" / path.removeprefix("/test/")
        if path.endswith(".html") and file.is_file():
            return 200, {"Content-Type": "text/html"}, file.read_bytes()
        return 404, {"Content-Type": "text/html"}, b"<p>Not here."


class _Connection(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Maze)
        status, fields, body = self.server.answer(self.path)
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is called
        """Say nothing."""


@pytest.fixture
def maze() -> Iterator[Maze]:
    with Maze() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server
        server.shutdown()


def pages() -> list[str]:
    """Where the maze begins: its index, of pages that need no script."""
    files = [file.relative_to(SUITE / "test-cases") for file in sorted((SUITE / "test-cases").rglob("*.html"))]
    static = [f"/test/{file}" for file in files if file.parts[0] != "javascript"]
    made = [path for path in TEXTS if path.startswith("/test/")]
    return [*static, *made, *NO_PAGES, "/test/headers/location", "/sitemap.xml"]


@pytest.mark.skipif(not SUITE.is_dir(), reason="CORMORANT_SUITES does not name a folder with security-crawl-maze")
@pytest.mark.parametrize(("links", "robots", "wanted"), [((), "obey", 10), (("all",), "ignore", 64)])
def test_the_published_maze(
    file_home: Home, crawls: Crawler, maze: Maze, links: tuple[str, ...], robots: str, wanted: int
) -> None:
    results = json.loads((SUITE / "blueprints" / "utils" / "resources" / "expected-results.json").read_text())
    hidden = {path for path in results if "/javascript/" not in path}
    assert len(hidden) == 64
    start = [maze.url + page for page in pages() + (["/robots.txt"] if links else [])]
    file_home.add_source(
        "web", "maze", {"start": start, "network": ["loopback"], "links": list(links), "robots": robots}
    )
    crawls.crawl(file_home, "maze")
    missing = sorted(hidden - maze.asked)
    reason = "found only when the setting links asks for such references"
    record(
        "security-crawl-maze" + ("" if links else "-defaults"), 64 - len(missing), 64, dict.fromkeys(missing, reason)
    )
    assert 64 - len(missing) == wanted, missing
