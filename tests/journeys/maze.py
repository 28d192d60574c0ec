"""A site whose pages are a function of their path, served by threads of the test, which keeps the paths asked for.

with serving(answer) as maze:
    crawls.crawl(...)
    maze.paths
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[[str], str | int]
"""A path with its query becomes a page in HTML, an absolute path to go to (beginning with a slash), or a status."""


class Maze:
    """A running site."""

    def __init__(self, port: int) -> None:
        self.port, self.asked = port, list[str]()

    @property
    def home(self) -> str:
        """The address of its first page."""
        return self.url("/")

    @property
    def paths(self) -> list[str]:
        """What was asked for, robots.txt left out."""
        return [path for path in self.asked if path != "/robots.txt"]

    def url(self, path: str) -> str:
        """The address of a path."""
        return f"http://127.0.0.1:{self.port}{path}"


def page(title: str, text: str, *links: str) -> str:
    """A page with a title, a paragraph and links."""
    anchors = "".join(f'<a href="{link.replace("&", "&amp;")}">to</a> ' for link in links)
    return f"<!doctype html><title>{title}</title><h1>{title}</h1><p>{text}</p>{anchors}"


@contextmanager
def serving(answer: Answer) -> Iterator[Maze]:
    """Serve on a port of this machine until the block ends."""

    class Asked(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            maze.asked.append(self.path)
            said = 404 if self.path == "/robots.txt" else answer(self.path)
            status = said if isinstance(said, int) else 301 if said.startswith("/") else 200
            body = said.encode() if isinstance(said, str) and status == 200 else b"no page"
            lines = [f"HTTP/1.1 {status} Said", "Content-Type: text/html; charset=utf-8"]
            lines += [f"Location: {said}"] if status == 301 else []
            head = "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""])
            self.wfile.write(head.encode() + body)

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Asked)
    server.daemon_threads = True
    maze = Maze(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield maze
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
