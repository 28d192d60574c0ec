"""Two sites to tell apart: a large shop, and a real site with a dozen traps around it. Pure functions of a path."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlencode

from tests.journeys.maze import page

COLOURS = ("red", "green", "blue", "black", "white", "grey")
SIZES = ("small", "medium", "large")
MAKERS = ("acme", "globex", "initech", "umbrella", "hooli")
FACETS = {"colour": COLOURS, "size": SIZES, "maker": MAKERS}
PER_LIST = 20
WORDS = ("lamp", "chair", "table", "shelf", "clock", "vase", "rug", "stool", "bench", "mirror", "basket", "frame")


class Shop:
    """Products behind `?id=`, lists of twenty by page, three facets that combine."""

    def __init__(self, products: int) -> None:
        self.products = products

    def __call__(self, path: str) -> str | int:
        """Its pages."""
        where, _, query = path.partition("?")
        given = dict(parse_qsl(query))
        if where == "/":
            return page("Shop", "all that a house needs", "/list")
        if where == "/product":
            return self._product(int(given.get("id", -1)))
        return self._list(given) if where == "/list" else 404

    def has(self, number: int, wanted: dict[str, str]) -> bool:
        """Is a product of these facets?"""
        return all(
            values[number * (place + 7) // 3 % len(values)]
            == wanted.get(name, values[number * (place + 7) // 3 % len(values)])
            for place, (name, values) in enumerate(FACETS.items())
        )

    def _product(self, number: int) -> str | int:
        if not 0 <= number < self.products:
            return 404
        return page(
            f"Product {number}", f"A {WORDS[number % len(WORDS)]}. It costs {number * 37 % 9973} crowns.", "/list"
        )

    def _list(self, given: dict[str, str]) -> str:
        wanted = {name: value for name, value in given.items() if name in FACETS}
        found = [number for number in range(self.products) if self.has(number, wanted)]
        at = int(given.get("page", 1))
        shown = found[(at - 1) * PER_LIST : at * PER_LIST]
        links = [f"/product?id={number}" for number in shown]
        if at * PER_LIST < len(found):
            links.append(f"/list?{urlencode(wanted | {'page': str(at + 1)})}")
        for name, values in FACETS.items():
            links += [f"/list?{urlencode(wanted | {name: value})}" for value in values]
        tiles = "".join(f"<p>Product {number}, a {WORDS[number % len(WORDS)]}</p>" for number in shown)
        return page("List", tiles, *links)


REAL = 1_000
_TRAPS = (
    "/cal/2030/1", "/day?date=2030-01-01", "/search?a=1", "/pages?p=1", "/x/00000000", "/loop/", "/deep/a/", "/s/1",
    "/slash/", "/perm?a=1&b=1&c=1&d=1", "/gone/1", "/long/",
)  # fmt: skip


def real(path: str, pages: int = REAL) -> str | None:
    """A page of the real site: a tree, each with a text of its own."""
    found = re.fullmatch(r"/(?:real/(\d+)\.html)?", path)
    if found is None or int(found[1] or 0) >= pages:
        return None
    number = int(found[1] or 0)
    words = hashlib.blake2b(str(number).encode()).hexdigest().translate(str.maketrans("0123456789", "ghijklmnop"))
    below = [f"/real/{each}.html" for each in range(number * 5 + 1, number * 5 + 6) if each < pages]
    return page(f"Real {words[:9]}", f"{words[9:20]} {words[20:40]}", *below, *(_TRAPS if number % 50 == 0 else ()))


def labyrinth(path: str, pages: int = REAL) -> str | int:
    """A page of the real site, or of one of the traps around it."""
    found = real(path, pages)
    return found if found is not None else next(_traps(path), 404)


def _traps(path: str) -> Iterator[str]:
    """Pages without end: by numbers, by names, by spellings of an address."""
    yield from _numbered(path)
    yield from _filtered(path)
    yield from _spelled(path)


def _numbered(path: str) -> Iterator[str]:
    if month := re.fullmatch(r"/cal/(\d+)/(\d+)", path):
        at = int(month[1]) * 12 + int(month[2]) - 1
        yield page(
            f"{at // 12}-{at % 12 + 1}",
            "No events this month.",
            *(f"/cal/{n // 12}/{n % 12 + 1}" for n in (at + 1, at - 1)),
        )
    if day := re.fullmatch(r"/day\?date=(\d+)-(\d+)-(\d+)", path):
        y, m, d = (int(each) for each in day.groups())
        after = (y, m, d + 1) if d < 28 else (y, m + 1, 1) if m < 12 else (y + 1, 1, 1)
        yield page(f"Day {y}-{m:02}-{d:02}", "Nothing planned.", "/day?date={}-{:02}-{:02}".format(*after))
    if number := re.fullmatch(r"/pages\?p=(\d+)", path):
        yield page(f"Page {number[1]}", "No more results.", f"/pages?p={int(number[1]) + 1}")
    if number := re.fullmatch(r"/gone/(\d+)", path):
        yield page(
            "Not found",
            "This page does not exist.",
            f"/gone/{int(number[1]) * 7 % 1000003}",
            f"/gone/{int(number[1]) + 1}",
        )


def _filtered(path: str) -> Iterator[str]:
    if path.startswith("/search?"):
        given = dict(parse_qsl(path.partition("?")[2]))
        links = [
            f"/search?{urlencode(sorted((given | {name: value}).items()))}" for name in "abcdef" for value in "1234"
        ]
        yield page("Results", f"Filters: {' '.join(given)}", *links)
    if token := re.fullmatch(r"/x/([0-9a-f]{8})", path):
        made = [hashlib.blake2b(f"{token[1]}{n}".encode(), digest_size=4).hexdigest() for n in range(30)]
        yield page(f"You found {token[1]}", "Go on.", *(f"/x/{each}" for each in made))


def _spelled(path: str) -> Iterator[str]:
    if path.startswith("/loop/"):
        yield page("Loop", "Round and round.", "loop/")
    if path.startswith("/deep/"):
        yield page("Deep", "Further down.", "a/")
    if path.startswith("/s/"):
        made = hashlib.blake2b(path.encode(), digest_size=10).hexdigest()
        yield page("Session", "Welcome.", f"/s/1;jsessionid=1{made}", f"/s/1?PHPSESSID=1{made}", f"/(S(1{made}))/s/1")
    if path.startswith("/slash/"):
        yield page("Slash", "Slower.", f"{path}/")
    if path.startswith("/perm?"):
        pairs = parse_qsl(path.partition("?")[2])
        yield page("Order", "Any order.", *(f"/perm?{urlencode(pairs[n:] + pairs[:n][::-1])}" for n in range(1, 4)))
    if path.startswith("/long/"):
        yield page("Long", "Longer.", f"{path}{'y' * 500}")
