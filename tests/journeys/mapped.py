"""A site whose pages lead nowhere: only its sitemaps, feeds and robots.txt name them. In a thread of the test."""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.clocks import HANG_S
from tests.threaded import Asked, Said, served


@dataclass
class Mapped:
    """The pages (`answers`: status and body by path), and the requests: path and status, in order."""

    host: str = "127.0.0.1"
    port: int = 0
    answers: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    asked: list[tuple[str, int]] = field(default_factory=list)
    wait: threading.Event | None = None

    @property
    def home(self) -> str:
        """The address of its first page."""
        return f"http://{self.host}:{self.port}/"

    def put(self, path: str, body: str | bytes = b"", status: int = 200) -> None:
        """Put something there."""
        self.answers[f"/{path}"] = status, body.encode() if isinstance(body, str) else body

    def pages(self, names: Iterable[str], more: str = "") -> list[str]:
        """Put pages there, each with a word of its own and no link; returns their addresses."""
        made = []
        for name in names:
            word = hashlib.blake2b(name.encode(), digest_size=5).hexdigest()
            self.put(name, f"<html><head><title>{name}</title></head><body><p>word{word} {more}</p></body></html>")
            made.append(self.home + name)
        return made

    def robots(self, *lines: str) -> None:
        """The content of robots.txt."""
        self.put("robots.txt", "\n".join(("User-agent: *", "Disallow: /private/", *lines, "")))

    def say(self, asked: Asked) -> Said:
        """Answer, once `wait` is set."""
        said = _said(asked, *self.answers.get(asked.path, (404, b"no such page")))
        self.asked.append((asked.path, said.status))
        if (wait := self.wait) is not None and asked.path != "/robots.txt":
            wait.wait(HANG_S)
        return said

    def paths(self, status: int | None = None) -> list[str]:
        """Which paths were asked for, all or those that were answered so."""
        return [path for path, said in self.asked if status in (None, said)]


def _said(asked: Asked, status: int, body: bytes) -> Said:
    """An answer with a validator, or that it holds."""
    tag = f'"{hashlib.blake2b(body, digest_size=8).hexdigest()}"'
    if status == 200 and asked.fields.get("if-none-match") == tag:
        status, body = 304, b""
    mime = "text/html" if body.startswith(b"<html") else "application/octet-stream"
    return Said(status, body, {"Content-Type": mime, "ETag": tag})


def urlset(addresses: Iterable[str], more: str = "") -> str:
    """A sitemap; `more` stands behind every address."""
    entries = "".join(f"<url><loc>{each.replace('&', '&amp;')}</loc>{more}</url>\n" for each in addresses)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</urlset>\n'


def index(addresses: Iterable[str]) -> str:
    """A sitemap of sitemaps."""
    return "<sitemapindex>" + "".join(f"<sitemap><loc>{e}</loc></sitemap>" for e in addresses) + "</sitemapindex>"


def zipped(text: str) -> bytes:
    """The same as gzip."""
    return gzip.compress(text.encode(), mtime=0)


@contextmanager
def mapped(host: str = "127.0.0.1") -> Iterator[Mapped]:
    """Serve a site for the length of a block."""
    site = Mapped(host)
    with served(site.say, host) as server:
        site.port = server.port
        site.put("", "<html><head><title>Home</title></head><body><p>homeword</p></body></html>")
        yield site
