"""An installation in which most readers may see only a part, and beside it one that never had the rest.

A small folder is crawled once. For every round its documents are given random rights, as a source would have given
them, and the index is made anew of what is kept, by the product's own code. For each reader the whole is copied, what
that reader may not see is taken out of the store, sources of which nothing is left with it, and that index too is made
anew: what answers there cannot know of it.
"""

from __future__ import annotations

import shutil
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import sqlalchemy as sa

from cormorant.model.acl import ACL, ANYONE, EVERYONE, Reader
from cormorant.operate.installation import Installation
from cormorant.operate.search import reindex, search as searching
from cormorant.search.index.document import IndexedDocument
from cormorant.search.index.filter_fields import headings, url_text
from cormorant.search.index.query import Everything, Search
from cormorant.search.index.tokenizer import words
from cormorant.search.reader import Library
from cormorant.store.catalog.acls import ACLNumbers
from cormorant.store.schema import content, inlinks, outlinks, resource, source
from cormorant.web import app
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.web.visiting import Caller

SOURCES = ("papers", "letters", "minutes")
DOCUMENTS = 45
_USERS = tuple(f"user:u{number}" for number in range(6))
_GROUPS = tuple(f"group:g{number}" for number in range(6))
_FAMILIES = (
    "pump pumps pumped pumping", "valve valves", "harbour harbours harbor", "haus hauser hausern", "ferry ferries",
    "timetable timetables timetabel", "kelp kelps", "anchor anchors anchored", "budget budgets budgeted", "rope ropes",
)  # fmt: skip
KNOWN = tuple(word for family in _FAMILIES for word in family.split())
_LANGUAGES = ("en", "en", "de", "fi", "fi", "")
_LARGE = (
    "talo talon taloa talossa talosta taloon talolla talolta talolle talona taloksi talotta",
    "talojen taloja taloissa taloista taloihin taloilla taloilta taloille taloina taloiksi taloitta taloineen",
    "taloni talosi talonsa talomme talonne talossani talossasi talossaan taloissani taloistaan talollani talolleni",
)
FORMS = tuple(word for part in _LARGE for word in part.split())
"""More forms of one word than are asked for at once."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two installations, open: the library of every reader, and the pages as a stranger asks for them."""

    house: Installation
    library: Library
    pages: Caller


@dataclass(frozen=True, slots=True)
class Pair:
    """What one reader asks: the installation with everything, and the one without what that reader may not see.

    `slack` is by how much a score may differ, since the mean length of all documents counts in the length of each.
    """

    reader: Reader
    whole: Side
    allowed: Side
    slack: float


def rare(number: int) -> str:
    """A word that one document has, and few others one much like it."""
    return "q" + "".join("abdefghimn"[int(digit)] for digit in f"{number:02}") + "zel"


class World:
    """The crawled folder; every round gives its documents other rights."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = Random(seed)
        self.home = Home(folder / "data")
        self._folder = folder
        self.held: tuple[IndexedDocument, ...] = ()
        self.rights: dict[int, ACL] = {}

    def crawl(self, crawler: Crawler) -> None:
        """Write the documents, and crawl them."""
        texts = [_page(self.chance, number) for number in range(DOCUMENTS)]
        for number in range(DOCUMENTS):
            same = self.chance.randrange(DOCUMENTS) if number % 5 == 0 else number
            place = self._folder / SOURCES[number % len(SOURCES)]
            place.mkdir(exist_ok=True)
            (place / f"sheet-{number}.html").write_text(texts[same], encoding="utf-8")
        for name in SOURCES:
            self.home.add_source("files", name, {"path": str(self._folder / name)})
            assert crawler.crawl(self.home, name)["exit"] == 0
        with self.home.house() as house:
            self.held = _entries(house)
        assert len(self.held) == DOCUMENTS

    @contextmanager
    def round(self, readers: int) -> Iterator[Iterator[Pair]]:
        """New rights for all, and one pair after another, for everyone and some readers more."""
        with self.home.house() as house:
            self._give_rights(house)
            reindex.rebuild(house)
            with closing(self._pairs(_side(house), readers)) as pairs:
                yield pairs

    def _give_rights(self, house: Installation) -> None:
        """Random rights for every document; now and then for nobody of a source but one."""
        numbers, shut = ACLNumbers(), self.chance.choice((None, *SOURCES))
        with house.store.begin() as tx:
            sources = {row.id: row.name for row in tx.rows(sa.select(source.c.id, source.c.name))}
            rows = tx.rows(sa.select(content.c.id, content.c.source_id).order_by(content.c.id))
            for number, source_id in map(tuple, rows):
                acl = _rights(self.chance) if sources[source_id] != shut else ACL.of((_USERS[0],))
                self.rights[number] = acl
                tx.execute(sa.update(content).where(content.c.id == number).values(acl_id=numbers.of(tx, acl)))

    def _readers(self, count: int) -> Iterator[Reader]:
        """Everyone, then people, each with the groups they are in and those that these are in."""
        within = {group: tuple(self.chance.sample(_GROUPS[:place], min(place, self.chance.randrange(3))))
                  for place, group in enumerate(_GROUPS)}  # fmt: skip
        yield ANYONE
        for number in range(count - 1):
            groups = set(self.chance.sample(_GROUPS, self.chance.randrange(3)))
            for group in reversed(_GROUPS):  # a group is only in ones before it
                if group in groups:
                    groups.update(within[group])
            own = {self.chance.choice(_USERS), *groups, *((EVERYONE,) if self.chance.random() < 0.8 else ())}
            yield Reader(f"reader {number}", frozenset(own))

    def _pairs(self, whole: Side, readers: int) -> Generator[Pair, None, None]:
        reduced = Home(self._folder / "reduced")
        for reader in self._readers(readers):
            seen = [entry for entry in self.held if reader.may_read(self.rights[entry.id])]
            shutil.rmtree(reduced.folder, ignore_errors=True)
            shutil.copytree(self.home.folder, reduced.folder)
            with reduced.house() as house:
                _take_out(house, [entry.id for entry in self.held if entry not in seen])
                reindex.rebuild(house)
                yield Pair(reader, whole, _side(house), _slack(self.held, seen))


def _side(house: Installation) -> Side:
    return Side(house, searching.library(house), Caller(app.make(house)))


def _entries(house: Installation) -> tuple[IndexedDocument, ...]:
    """Everything that is in an index in which everything is for everyone."""
    search = Search(Everything(), ANYONE, limit=1_000, fold=False)
    return tuple(match.entry for match in house.index_reader().search(search).hits)


def _take_out(house: Installation, numbers: Sequence[int]) -> None:
    """Take documents out of the store, and sources of which nothing is left."""
    with house.store.begin() as tx:
        for table in (content, resource, inlinks, outlinks):
            tx.execute(sa.delete(table).where(table.c.id.in_(numbers)))
        left = {row.source_id for row in tx.rows(sa.select(content.c.source_id).distinct())}
        tx.execute(sa.delete(source).where(source.c.id.not_in(left)))


def _rights(chance: Random) -> ACL:
    """Random grants and denies: a document for everyone, for some, for some but others, or for nobody."""
    grants = chance.sample((EVERYONE, EVERYONE, *_GROUPS, *_USERS), chance.choice((0, 1, 1, 2, 3)))
    denies = chance.sample((*_GROUPS, *_USERS), chance.choice((0, 0, 0, 1, 2)))
    return ACL.of(grants, denies)


def _page(chance: Random, number: int) -> str:
    """A document of some words, one of them its own."""
    language = chance.choice(_LANGUAGES)
    said = " ".join(chance.choices(KNOWN, k=chance.randrange(4, 60)) + [rare(number)] * chance.randrange(1, 3))
    said += " " + " ".join(chance.sample(FORMS, chance.choice((1, 1, 25)))) if language == "fi" else ""
    title = " ".join(chance.choices(KNOWN, k=chance.randrange(1, 4)))
    marked = f' lang="{language}"' if language else ""
    return (
        f"<!doctype html><html{marked}><head><title>{title}</title></head>"
        f"<body><h1>{chance.choice(KNOWN)}</h1><p>{said}</p></body></html>"
    )


def _slack(held: Sequence[IndexedDocument], seen: Sequence[IndexedDocument]) -> float:
    """By what factor a score may differ at most, given what is held in all and what of it is seen.

    BM25 divides the length of a field by the mean length of all, which stands in a denominator whose other part is
    positive: another mean changes no summand by more than the means differ.
    """
    factors = [1.0]
    for length in (_title, _heading, _text, _address):
        means = [sum(map(length, each)) / (len(each) + 1) for each in (held, seen)]  # the mark is a document too
        if all(means):
            factors.append(max(means[0] / means[1], means[1] / means[0]))
    return max(factors)


def _title(entry: IndexedDocument) -> int:
    return len(words(entry.title))


def _heading(entry: IndexedDocument) -> int:
    return sum(len(words(each)) for each in headings(entry))


def _text(entry: IndexedDocument) -> int:
    return len(words(entry.text))


def _address(entry: IndexedDocument) -> int:
    return len(words(url_text(entry.url)))
