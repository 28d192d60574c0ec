"""What stands on the pages of a test site? Pure: the same seed gives the same site.

Page 0 leads to all others, three a page; further links lead across. Every page has a word that no other has.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from random import Random

_LETTERS = str.maketrans("0123456789abcdef", "bcdfghjklmnpqrtv")
BRANCHES = 3
CROSSINGS = 3
SECRET = "/private/secret.html"
ROBOTS = "User-agent: *\nDisallow: /private/\n"


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """Settings of a site. Pages are spread over `hosts` addresses of this machine; every `pdf`-th leaf is a PDF.

    Every page has `weight` letters that make no words. `missing` is the page, with status 200, for unknown paths;
    {path} in it is the requested path.
    """

    pages: int
    seed: int = 1
    hosts: int = 1
    delay_s: float = 0.0
    validators: bool = True
    dated: bool = False
    pdf: int = 0
    robots: str = ROBOTS
    log: str = ""
    missing: str = ""
    weight: int = 0


@dataclass(slots=True)
class Edit:
    """A change of a page by a test: None and empty leave it as it was. `confirms`: it still answers 304.

    `whole` stands instead of the page, with its own address for `{path}`.
    """

    status: int | None = None
    location: str = ""
    text: str = ""
    head: str = ""
    links: list[int] = field(default_factory=list)
    confirms: bool = False
    whole: str = ""


def word(seed: int, number: int) -> str:
    """The word only this page has: twelve consonants."""
    return hashlib.blake2b(f"{seed}/{number}".encode(), digest_size=6).hexdigest().translate(_LETTERS)


def is_pdf(site: SiteSettings, number: int) -> bool:
    """Whether a page is a PDF: only those that no others are reached by."""
    return bool(site.pdf) and BRANCHES * number + 1 >= site.pages and number % site.pdf == 0


def path(site: SiteSettings, number: int) -> str:
    """Where a page is, below its host."""
    return f"/p/{number}.{'pdf' if is_pdf(site, number) else 'html'}"


def host(site: SiteSettings, number: int) -> str:
    """Which address of this machine a page is at."""
    return f"127.0.0.{1 + number % site.hosts}"


def links(site: SiteSettings, number: int) -> list[int]:
    """The pages a page leads to."""
    first = BRANCHES * number + 1
    onward = list(range(first, min(first + BRANCHES, site.pages)))
    chance = Random(site.seed * 1_000_003 + number)
    return onward + [chance.randrange(site.pages) for _ in range(CROSSINGS)]


def body(site: SiteSettings, number: int, port: int, edit: Edit, date: str = "") -> bytes:
    """The bytes of a page; `date` is what its footer says."""
    if edit.whole:
        return edit.whole.replace("{path}", path(site, number)).encode()
    text = f"{word(site.seed, number)} {edit.text}"
    if is_pdf(site, number):
        return _pdf(text)
    leads = [
        f'<a href="http://{host(site, each)}:{port}{path(site, each)}">page {each}</a>'
        for each in links(site, number) + edit.links
    ]
    if number == 0:
        leads.append(f'<a href="{SECRET}">secret</a>')
    return (
        f"<!doctype html><html><head><title>Page {number}</title>{edit.head}</head><body><main><h1>Page {number}</h1>"
        f"<p>This page is about {text}, which no other page says.</p><p>{' '.join(leads)}</p>"
        f"{_heavy(site, number)}</main>"
        f"<footer>Printed {date}</footer></body></html>\n"
    ).encode()


def _heavy(site: SiteSettings, number: int) -> str:
    """Filler that makes a page large and can be compressed to half its size at best."""
    drawn = Random(site.seed * 7_000_003 + number).randbytes(site.weight // 2).hex()
    return f"<p>{' '.join(drawn[at : at + 9] for at in range(0, len(drawn), 9))}</p>" if drawn else ""


def _pdf(text: str) -> bytes:
    """A PDF of one line."""
    drawn = f"BT /F1 12 Tf 40 100 Td ({text.strip()}) Tj ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(drawn), drawn),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, each in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table)
    return bytes(out)
