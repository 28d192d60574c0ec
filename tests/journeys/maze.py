"""A site whose pages are a function of their path, served by threads of the test, which keeps the paths asked for.

with serving(answer) as maze:
    crawls.crawl(...)
    maze.paths
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.threaded import Asked, Said, Server, running

Answer = Callable[[str], str | int]
"""A path with its query becomes a page in HTML, an absolute path to go to (beginning with a slash), or a status."""
UTF_8 = {"Content-Type": "text/html; charset=utf-8"}


class Maze(Server):
    """A running site."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(self._say)
        self._page = answer

    @property
    def home(self) -> str:
        """The address of its first page."""
        return self.url("/")

    @property
    def paths(self) -> list[str]:
        """The requested paths, without robots.txt."""
        return [path for path in super().paths if path != "/robots.txt"]

    def url(self, path: str) -> str:
        """The address of a path."""
        return self.origin + path

    def _say(self, asked: Asked) -> Said:
        said = 404 if asked.path == "/robots.txt" else self._page(asked.path)
        if isinstance(said, int):
            return Said(said, "no page")
        return Said(301, headers={"Location": said}) if said.startswith("/") else Said(200, said, UTF_8)


def page(title: str, text: str, *links: str) -> str:
    """A page with a title, a paragraph and links."""
    anchors = "".join(f'<a href="{link.replace("&", "&amp;")}">to</a> ' for link in links)
    return f"<!doctype html><title>{title}</title><h1>{title}</h1><p>{text}</p>{anchors}"


@contextmanager
def serving(answer: Answer) -> Iterator[Maze]:
    """Serve on a port of this machine until the block ends."""
    with running(Maze(answer)) as maze:
        yield maze
