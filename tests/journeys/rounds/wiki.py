"""A web site that is edited at random, and what a crawl of it must find: worked out here, not by the product.

Wiki.edit(chance) -> Wiki.answer(request) ...     what the server says
Truth.crawl(wiki) -> entries, unsure              what the index must hold after the next run
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from tests.journeys.stand import Answer, Request, confirmed, tag_of

PAGES = 60
OK, MISSING, GONE, DENIED, MOVED, ELSEWHERE, REFRESH = "ok", "404", "410", "403", "moved", "elsewhere", "refresh"
TAGS = ("strong", "weak", "gzip", "date", "never the same", "none")
"""How a page can be confirmed. `weak` tags, those that a proxy has marked, dates alone, and tags that change always."""
WORDS = (
    "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "islet", "juniper", "kelp", "lichen",
    "marsh", "nectar", "osprey", "pebble",
)  # fmt: skip
PREFIXES = ("/w/1", "/w/2", "/w/3", "/w/4")


@dataclass
class Page:
    """One page. `links` lead to others, True: marked nofollow; `beside`: what it asks for stands in the header."""

    text: str
    title: str
    links: dict[str, bool] = field(default_factory=dict)
    metas: dict[str, str] = field(default_factory=dict)
    state: str = OK
    target: str = ""
    status: int = 301
    robots: str = ""
    canonical: str = ""
    beside: bool = False
    tag: str = "strong"
    version: int = 0
    lies: bool = False
    """Says 304 to every condition, whatever changed since."""

    @property
    def shown(self) -> str:
        """The text below the headline."""
        return " ".join([self.text, *(f"to {each}" for each in self.links)])

    def fields(self, at: str) -> Iterator[tuple[str, str]]:
        """Header fields that go with it."""
        if self.beside and self.robots:
            yield "X-Robots-Tag", self.robots
        if self.beside and self.canonical:
            yield "Link", f'<{at}{self.canonical}>; rel="canonical"'

    def body(self, at: str) -> bytes:
        """The page as HTML; `at` is the site's origin."""
        head = "".join(f'<meta name="{name}" content="{value}">' for name, value in sorted(self.metas.items()))
        if self.robots and not self.beside:
            head += f'<meta name="robots" content="{self.robots}">'
        if self.canonical and not self.beside:
            head += f'<link rel="canonical" href="{at}{self.canonical}">'
        if self.state == REFRESH:
            head += f'<meta http-equiv="refresh" content="0; url={at}{self.target}">'
        links = " ".join(f'<a href="{each}"{" rel=nofollow" * no}>to {each}</a>' for each, no in self.links.items())
        return (
            f"<!doctype html><html><head><title>{self.title}</title>{head}</head><body><main><h1>{self.title}</h1>"
            f"<p>{self.text}</p><p>{links}</p></main></body></html>\n"
        ).encode()


class Entry(NamedTuple):
    """The expected index entry of a page."""

    title: str
    text: str
    metas: tuple[tuple[str, str], ...]


class Wiki:
    """The site. `rules` are lines of its robots.txt, `mapped` what its sitemap names, with a date that may be a lie."""

    def __init__(self, chance: Random, *, lies: bool) -> None:
        self.chance, self.lies = chance, lies
        self.at, self.count, self.written = "", 0, 0
        self.pages: dict[str, Page] = {"/": Page("start", "Start", tag="strong")}
        self.rules: list[tuple[str, bool]] = []
        self.mapped: dict[str, str] = {}
        self.edited: set[str] = set()
        for _ in range(PAGES):
            self.add()
        self.edited.clear()

    # --- what the server says

    def answer(self, request: Request) -> Answer:
        """Answer a request."""
        if request.path == "/robots.txt":
            lines = [f"{'Allow' if allowed else 'Disallow'}: {prefix}" for prefix, allowed in self.rules]
            said = "\n".join(["User-agent: *", "Disallow: /never/", *lines, f"Sitemap: {self.at}/sitemap.xml", ""])
            return Answer(body=said.encode(), mime="text/plain")
        if request.path == "/sitemap.xml":
            said = "".join(
                f"<url><loc>{self.at}{each}</loc><lastmod>{date}</lastmod></url>" for each, date in self.mapped.items()
            )
            return confirmed(request, Answer(body=f"<urlset>{said}</urlset>".encode(), mime="application/xml"))
        page = self.pages.get(request.path)
        return Answer(404, b"<p>never was</p>") if page is None else self._said(page, request)

    def _said(self, page: Page, request: Request) -> Answer:
        fields = tuple(page.fields(self.at))
        if page.state in (MISSING, GONE, DENIED):
            return Answer(int(page.state), b"<p>no</p>")
        if page.state in (MOVED, ELSEWHERE):
            return Answer(page.status, fields=(("Location", page.target),))
        answer = Answer(body=page.body(self.at), fields=fields)
        return self._validated(page, request, answer)

    def _validated(self, page: Page, request: Request, answer: Answer) -> Answer:
        tag = tag_of(answer.body + repr(answer.fields).encode())
        if page.lies and request.fields.keys() & {"if-none-match", "if-modified-since"}:
            return answer._replace(status=304, body=b"")
        if page.tag == "never the same":
            self.written += 1
            return answer._replace(fields=(*answer.fields, ("ETag", f'"{self.written}"')))
        if page.tag == "date":
            date = f"Tue, 0{1 + page.version % 9} Sep {2000 + page.version // 9} 10:00:00 GMT"
            fields = (*answer.fields, ("Last-Modified", date))
            same = request.fields.get("if-modified-since") == date
            return answer._replace(status=304, body=b"", fields=fields) if same else answer._replace(fields=fields)
        if page.tag == "none":
            return answer
        marked = {"weak": f"W/{tag}", "gzip": f'{tag[:-1]}-gzip"'}.get(page.tag, tag)
        return confirmed(request, answer, marked)

    # --- edits

    def add(self) -> str:
        """A new page: linked from the start page or from another one, or named by the sitemap alone."""
        chance, name = self.chance, f"/w/{self.count}.html"
        self.count += 1
        others = [each for each in self.pages if each != "/"]
        page = Page(self.words(name), f"Page {name}", tag=chance.choice(TAGS))
        page.links = {each: chance.random() < 0.1 for each in chance.sample(others, min(len(others), 2))}
        if chance.random() < 0.5:
            page.metas = {"author": chance.choice(WORDS).title()}
        self.pages[name] = page
        self.lead_to(name)
        self.edited.add(name)
        return name

    def lead_to(self, name: str) -> None:
        """Have it found, by a link of the start page or by the sitemap."""
        if self.chance.random() < 0.7:
            self.pages["/"].links[name] = False
            self.changed("/")
        else:
            self.mapped[name] = self.date()

    def date(self) -> str:
        """When something is said to have been changed, mostly not so."""
        return f"20{self.chance.randrange(10, 40)}-0{self.chance.randrange(1, 10)}-11"

    def words(self, name: str) -> str:
        """A text that no page had before: its first word is its own."""
        self.written += 1
        own = f"own{name.strip('/').replace('/', '').replace('.html', '')}n{self.written}"
        return " ".join([own, *self.chance.choices(WORDS, k=30)])

    def changed(self, name: str) -> None:
        """It is another version from now on."""
        self.pages[name].version += 1
        self.pages[name].lies = False
        self.edited.add(name)

    def targets(self) -> set[str]:
        """Pages that others stand for: by a temporary redirect, or as copies."""
        return {page.target for page in self.pages.values() if page.state == ELSEWHERE} | {
            page.canonical for page in self.pages.values() if page.canonical
        }
