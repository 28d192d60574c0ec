"""Where accidents happen: a web site or a folder that is crawled, and a folder beside it to which nothing happens.

Half of the site's pages are linked, the other half only its sitemap names. Every document has a word no other has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import sqlalchemy as sa

from cormorant.operate.runs import start
from cormorant.store.schema import resource, site, site_fact, site_source
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.stand import Answer, Answers, Request, Served, confirmed, stand

BESIDE = 12
"""Documents of the source beside."""
_LETTERS = str.maketrans("0123456789abcdef", "bcdfghjklmnpqrtv")
_PER_LIST = 25


def word(name: str) -> str:
    """The word only this document has: ten consonants."""
    return hashlib.blake2b(name.encode(), digest_size=5).hexdigest().translate(_LETTERS)


def text_of(name: str) -> str:
    """The text of a document: its own word among others that all documents have."""
    chance = Random(name)
    others = " ".join(f"{chance.randbytes(4).hex().translate(_LETTERS)}" for _ in range(40))
    return f"{word(name)} is what {name.replace('/', ' ')} tells, beside {others}."


class Site:
    """A site of so many pages. `gone` are those that are not there any more, `more` is what pages say besides."""

    def __init__(self, pages: int) -> None:
        self.names = [f"p/{number}.html" for number in range(pages)]
        self.gone: set[str] = set()
        self.more: dict[str, str] = {}
        self.linked, self.mapped = self.names[: pages // 2], self.names[pages // 2 :]
        self.host = ""

    def answer(self, request: Request) -> Answer:
        """As it should be."""
        name = request.path.lstrip("/")
        if name == "robots.txt":
            said = f"User-agent: *\nDisallow: /private/\nSitemap: {self.host}/sitemap.xml\n"
            return Answer(body=said.encode(), mime="text/plain")
        if name == "sitemap.xml":
            return confirmed(request, Answer(body=self.sitemap(), mime="application/xml"))
        body = self._page(name)
        return confirmed(request, Answer(body=body)) if body else Answer(404, b"<p>no such page</p>")

    def _page(self, name: str) -> bytes:
        if name in self.gone:
            return b""
        if name == "":
            lists = range(0, len(self.linked), _PER_LIST)
            return _html("Start", "".join(f"<a href=/list/{each}>{each}</a> " for each in lists))
        if name.startswith("list/"):
            first = int(name.removeprefix("list/"))
            some = self.linked[first : first + _PER_LIST]
            return _html(f"List {first}", "".join(f"<a href=/{each}>{each}</a> " for each in some))
        return _html(f"Page {name}", f"{text_of(name)} {self.more.get(name, '')}") if name in self.names else b""

    def sitemap(self) -> bytes:
        """Names the pages that no page leads to."""
        entries = "".join(f"<url><loc>{self.host}/{each}</loc></url>" for each in self.mapped)
        return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'.encode()


def _html(title: str, text: str) -> bytes:
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title></head><body><main><h1>{title}</h1>"
        f"<p>{text}</p></main></body></html>\n"
    ).encode()


class Stage:
    """The sources `hit` and `beside`, crawled together. `documents` are the names of all that `hit` must keep."""

    def __init__(self, home: Home, crawls: Crawler, folder: Path, documents: int) -> None:
        self.home, self.crawls, self.folder = home, crawls, folder
        self.site, self.share, self.beside = Site(documents), folder / "share", folder / "beside"
        self.served = Served(self.site.answer)
        self.documents = list(self.site.names)
        for number in range(BESIDE):
            self._write(self.beside, f"b{number}.txt")
        home.add_source("files", "beside", {"path": str(self.beside)})

    @property
    def url(self) -> str:
        """The address of the site."""
        return f"http://127.0.0.1:{self.served.port}"

    @contextmanager
    def web(self, host: str = "", **settings: object) -> Iterator[None]:
        """Serve the site, and have it as the source `hit`."""
        with stand(self.site.answer) as self.served:
            self.site.host = f"http://{host}:{self.served.port}" if host else self.url
            given = {"start": [f"{self.site.host}/"], "delay_s": 0, "patience_s": 3, "network": ["loopback"]}
            self.home.add_source("web", "hit", given | settings)
            yield

    def shared(self) -> None:
        """Have a folder as the source `hit`, with some of its files further down."""
        self.documents = [f"{'sub/' * (number % 3)}f{number}.txt" for number in range(len(self.documents))]
        for name in self.documents:
            self._write(self.share, name)
        self.home.add_source("files", "hit", {"path": str(self.share)})

    @staticmethod
    def _write(folder: Path, name: str) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text_of(name))

    def says(self, answers: Answers) -> None:
        """The site's server answers otherwise from now on."""
        self.served.answers = answers

    def a_day_passes(self) -> None:
        """Expire facts about sites, such as robots.txt, and all waiting times."""
        with self.home.house() as house, house.store.begin() as tx:
            tx.execute(sa.update(site_fact).values(valid_until=0.0))
            for table in (resource, site, site_source):
                tx.execute(sa.update(table).values(not_before=0.0))

    def crawl(self) -> dict[str, Any]:
        """Crawl both; returns the report of `hit`. A run of `beside` that does not finish is a fault."""
        self.crawls.begin(self.home, "hit", "beside")
        said = self.crawls.end()
        assert "reports" in said, said
        hit, beside = sorted(said["reports"], key=lambda each: str(each["source"]) != "hit")
        assert beside["state"] == "finished", beside
        return dict(hit)

    def answer(self, run: int, *, accept: bool) -> dict[str, Any]:
        """Answer the brake, and have the run come to its end."""
        with self.home.house() as house:
            start.answer(house, run, accept=accept)
        self.crawls.begin(self.home, runs=(run,))
        report: dict[str, Any] = self.crawls.end()["reports"][0]
        return report

    def lost(self, names: list[str] | None = None) -> list[str]:
        """Those of these documents (none named: of `hit`) that search does not find by their word."""
        wanted = self.documents if names is None else names
        found = self.home.found(*map(word, wanted))
        assert all(len(each) <= 1 for each in found)
        return [name for name, each in zip(wanted, found, strict=True) if not (each and each[0].endswith(name))]

    def lose_one(self, number: int) -> bool:
        """Rightly delete a document of the source beside."""
        (self.beside / f"b{number}.txt").unlink()
        return True

    def kept_beside(self, deleted: int) -> bool:
        """Are the first so many documents beside gone from search, and the others there?"""
        names = [f"b{number}.txt" for number in range(BESIDE)]
        return self.lost(names) == names[:deleted]
