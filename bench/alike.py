"""Pairs of pages, made from the manual in `docs`, each known to be near duplicates or not.

Every page of the manual gets the frame of a site, and is changed: in ways that leave it the same page for a reader, and
in ways that make another page of it. The pairs are equal in every run. `bench.likeness` measures how well near
duplicates among them are detected.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

MANUAL = Path(__file__).parent.parent / "docs"
NEAR, OTHER = True, False


class Page(NamedTuple):
    """A page as converters read it: its title, and its text with its frame."""

    title: str
    text: str


class Pair(NamedTuple):
    """Two pages, what was done to the second, and whether they are near duplicates."""

    kind: str
    near: bool
    one: Page
    other: Page


class Manual(NamedTuple):
    """A page of the manual: its title, and its paragraphs."""

    title: str
    paragraphs: tuple[str, ...]


_MENU = (
    "Home",
    "Products",
    "Support",
    "Downloads",
    "News",
    "About us",
    "Contact",
    "Sign in",
    "Search",
    "Help",
    "English",
)
_OTHER_MENU = (
    "Start",
    "Knowledge base",
    "Tickets",
    "Teams",
    "Calendar",
    "Directory",
    "Wiki",
    "Profile",
    "Log out",
    "Apps",
)
_FOOT = (
    "Northern Office Supplies, 12 Harbour Road. All prices include tax; errors and omissions are excepted.",
    "This site uses cookies so that it works, and to count visits. By going on you agree to that.",
    "Copyright 2019-2026. Privacy. Terms of use. Imprint.",
)  # fmt: skip
_OTHER_FOOT = (
    "For use within the company only. What is written here may not be passed on without leave of its author.",
    "Questions about this page go to the service desk, extension 4711, from nine to five.",
)
_MORE = (
    "The works council has agreed to the publication of these data within the house; who does not wish it may object.",
    "Rooms may change at short notice, so ask at the gate before you set out for a building you have not been to.",
    "Nothing on this page is an offer, and nothing of what it says binds the company without a signature in writing.",
)
_NAMES = ("Anna Berger", "Tom Iversen", "Li Wei", "Carla Souza", "Ben Okafor", "Mira Novak", "Jon Doyle", "Eva Lindt")


def manuals() -> list[Manual]:
    """Return the pages of the manual that are long enough, their prose without code."""
    found = []
    for path in sorted([*(MANUAL / "how-to").glob("*.md"), *(MANUAL / "explanation").glob("*.md")]):
        prose = re.sub(r"(?s)```.*?```|<!--.*?-->", "", path.read_text())
        title = prose.partition("\n")[0].lstrip("# ").strip()
        parts = [" ".join(part.split()) for part in re.split(r"\n\s*\n", prose) if not part.startswith("#")]
        parts = [part for part in parts if len(part) > 80 and not part.startswith("|")]
        if len(parts) >= 4:
            found.append(Manual(title, tuple(parts)))
    return found


def framed(
    title: str, paragraphs: tuple[str, ...], menu: tuple[str, ...] = _MENU, foot: tuple[str, ...] = _FOOT
) -> Page:
    """Return a page of a site with this menu and foot."""
    return Page(title, "\n".join((*menu, title, *paragraphs, *foot)))


def _words(text: str, chance: random.Random, share: float) -> str:
    """Change so many of the words."""
    return " ".join(
        chance.choice(("also", "often", "every", "given")) if chance.random() < share else word
        for word in text.split(" ")
    )


def _translated(text: str) -> str:
    """Stand in for a translation: every word becomes another, the same one each time."""
    return re.sub(
        r"[^\W\d_]+",
        lambda found: "".join(chr(97 + (ord(each) * 7 + len(found[0]) * 5) % 26) for each in found[0]),
        text,
    )


def _sentences(text: str, chance: random.Random) -> str:
    parts = re.split(r"(?<=[.!?]) ", text)
    chance.shuffle(parts)
    return " ".join(parts)


Change = Callable[[Manual, Manual, random.Random], Page]
"""Makes the second page of a pair from that of the first and another of the manual."""


def _dated(page: Manual, _: Manual, __: random.Random) -> Page:
    return framed(page.title, (*page.paragraphs, "Last changed on 14 May 2026, 09:31, by the editors of this manual."))


def _boilerplate(page: Manual, _: Manual, __: random.Random) -> Page:
    return framed(page.title, page.paragraphs, _OTHER_MENU, _OTHER_FOOT)


def _added(page: Manual, other: Manual, __: random.Random) -> Page:
    middle = len(page.paragraphs) // 2
    return framed(page.title, (*page.paragraphs[:middle], other.paragraphs[1], *page.paragraphs[middle:]))


def _cut(page: Manual, _: Manual, __: random.Random) -> Page:
    return framed(page.title, page.paragraphs[:-1])


def _order(page: Manual, _: Manual, chance: random.Random) -> Page:
    return framed(page.title, tuple(_sentences(each, chance) for each in page.paragraphs))


def _turned(page: Manual, _: Manual, chance: random.Random) -> Page:
    paragraphs = list(page.paragraphs)
    chance.shuffle(paragraphs)
    return framed(page.title, tuple(paragraphs))


def _version(page: Manual, _: Manual, chance: random.Random) -> Page:
    return framed(f"{page.title} (2.1)", tuple(_words(each, chance, 0.01) for each in page.paragraphs))


def _named(page: Manual, _: Manual, __: random.Random) -> Page:
    return framed(f"{page.title} | Mirror of the manual", page.paragraphs)


def _template(_: Manual, other: Manual, __: random.Random) -> Page:
    return framed(other.title, other.paragraphs)


def _rewritten(page: Manual, other: Manual, __: random.Random) -> Page:
    half = len(page.paragraphs) // 2
    return framed(page.title, (*page.paragraphs[:half], *other.paragraphs[:half]))


def _in_words(page: Manual, _: Manual, chance: random.Random) -> Page:
    return framed(page.title, tuple(_words(each, chance, 0.2) for each in page.paragraphs))


def _abroad(page: Manual, _: Manual, __: random.Random) -> Page:
    return framed(_translated(page.title), tuple(map(_translated, page.paragraphs)))


CHANGES: tuple[tuple[str, bool, Change], ...] = (
    ("other menu and foot", NEAR, _boilerplate),
    ("date of change added", NEAR, _dated),
    ("a paragraph added", NEAR, _added),
    ("the last paragraph cut", NEAR, _cut),
    ("sentences in another order", NEAR, _order),
    ("paragraphs in another order", NEAR, _turned),
    ("another version: 1 % of the words, the title", NEAR, _version),
    ("under the title of another site", NEAR, _named),
    ("same frame, other content", OTHER, _template),
    ("half of it another page's", OTHER, _rewritten),
    ("every fifth word another", OTHER, _in_words),
    ("translated", OTHER, _abroad),
)


def pairs() -> Iterator[Pair]:
    """Yield all pairs."""
    every = manuals()
    for number, page in enumerate(every):
        other = every[(number + 1) % len(every)]
        one = framed(page.title, page.paragraphs)
        for kind, near, change in CHANGES:
            yield Pair(kind, near, one, change(page, other, random.Random(f"{kind} {number}")))
    yield from _reports(every)
    yield from _cards()


def _reports(every: list[Manual]) -> Iterator[Pair]:
    """Yield pages of one skeleton that differ in the figures of their titles and texts: of two years, of two models."""
    for number, page in enumerate(every):
        years = (2019 + number % 3, 2022 + number % 3)
        yield Pair("other figures: the report of another year", OTHER, *(_report(page, each) for each in years))
        models = (100 + 100 * (number % 8), 150 + 100 * (number % 8))
        yield Pair("other figures: the data sheet of another model", OTHER, *(_data(page, each) for each in models))


def _report(page: Manual, year: int) -> Page:
    said = (f"In {year} the turnover was {year * 7 % 911} million euros, {year % 13} percent more than in {year - 1}.",)
    return framed(f"{page.title}: report of {year}", (*said, *_numbered(page, year)))


def _data(page: Manual, model: int) -> Page:
    said = (
        f"Its power is {model // 9} kW at {model * 3} turns a minute; it weighs {model + 35} kg and lifts {model * 4}."
    )
    return framed(f"{page.title}, model X{model}", (said, *_numbered(page, model)))


def _numbered(page: Manual, seed: int) -> tuple[str, ...]:
    """Return its paragraphs with other figures, and one more in each."""
    changed = (re.sub(r"\d+", lambda found: str(int(found[0]) + seed % 97), each) for each in page.paragraphs)
    return tuple(f"{each} See number {seed * (at + 3) % 1009}." for at, each in enumerate(changed))


def _cards() -> Iterator[Pair]:
    """Yield pages of people and of things: all frame, little content."""
    wordy = tuple(f"{each} {_MORE[at % 3]}" for at, each in enumerate((*_FOOT, *_OTHER_FOOT, *_MORE)))
    for number in range(40):
        one, other = _NAMES[number % 8], _NAMES[(number + 1 + number // 8) % 8]
        kind = "card of another person"
        yield Pair(kind, OTHER, _card(one, number, _OTHER_FOOT), _card(other, number + 41, _OTHER_FOOT))
        yield Pair(f"{kind}, wordy frame", OTHER, _card(one, number, wordy), _card(other, number + 41, wordy))


def _card(name: str, at: int, foot: tuple[str, ...]) -> Page:
    rows = (f"Room {100 + at}", f"Extension {4000 + 7 * at}", f"Department {at % 5}", f"{name} looks after order {at}.")
    return framed(f"{name} - Staff directory", rows, _MENU, foot)
