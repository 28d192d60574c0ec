"""Near copies: shown as one, to each reader those that may be read, and apart again when they are no longer alike."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cormorant.model.acl import ANYONE, Reader
from cormorant.operate import indexing
from cormorant.search.reader import Hit, Question
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.stand import Answer, Request, confirmed, stand

STAFF = Reader("ada", frozenset(("everyone", "group:staff")))
PARTS = tuple(
    f"{verb} the {thing} {when}, and note {what} in the log before you leave the quarry at {place}."
    for verb, thing, when, what, place in zip(
        ("Open", "Check", "Clean", "Grease", "Measure", "Replace", "Empty", "Turn", "Lower", "Weigh", "Drain", "Mark"),
        ("gate", "pump", "filter", "winch", "gauge", "belt", "sump", "crank", "boom", "ballast", "boiler", "face"),
        ("at dawn", "after rain", "on Mondays", "twice a month", "when it is cold", "before noon") * 2,
        ("the hour", "the pressure", "what came out", "who was there", "the depth", "its length") * 2,
        ("the mill", "the ford", "the chapel", "the upper road", "the lime kiln", "the ferry") * 2,
        strict=True,
    )
)  # fmt: skip
OTHER = tuple(f"Chapter {n}: {part[::-1]}" for n, part in enumerate(PARTS))
MENU = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in ("manual", "mirror/of/the/manual", "dated", "other"))


class Site:
    """A manual, copies of it, and another page; what stands on each can be changed."""

    def __init__(self) -> None:
        dated = (*PARTS, "Last changed on 3 May 2026 by the warden.")
        self.pages = {"/manual": PARTS, "/mirror/of/the/manual": PARTS[:11], "/dated": dated, "/other": OTHER}

    def answer(self, request: Request) -> Answer:
        if request.path == "/":
            return confirmed(request, Answer(body=f"<title>Start</title>{MENU}".encode()))
        if request.path not in self.pages:
            return Answer(404)
        said = "".join(f"<p>{part}</p>" for part in self.pages[request.path])
        body = f"<html><head><title>Quarry manual</title></head><body><ul>{MENU}</ul>{said}</body></html>".encode()
        return confirmed(request, Answer(body=body), f'"{hash(body)}"')


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def at(site: Site) -> Iterator[str]:
    with stand(site.answer) as served:
        yield f"http://127.0.0.1:{served.port}"


def hits(home: Home, reader: Reader = ANYONE, words: str = "ballast") -> dict[str, Hit]:
    with home.library() as library:
        return {
            hit.url.partition("/")[2].partition("/")[2].partition("/")[2]: hit
            for hit in library.find(Question(words), reader).hits
        }


def test_near_copies_are_one_until_they_are_not(home: Home, crawls: Crawler, site: Site, at: str) -> None:
    home.add_source("web", "site", {"start": [f"{at}/"], "patience_s": 0})
    crawls.crawl(home, "site")
    found = hits(home)
    assert {name: (hit.duplicates, hit.near_duplicates) for name, hit in found.items()} == {"manual": (0, 2)}
    assert home.explained(f"{at}/manual")["near_duplicates"] == [f"{at}/mirror/of/the/manual", f"{at}/dated"]
    with home.library() as library:
        equals = library.equals(found["manual"].id, ANYONE)
        assert (equals.hits[0].url, equals.total, len(equals.near)) == (f"{at}/dated", 3, 2)
        assert len(library.find(Question("ballast", fold=False), ANYONE).hits) == 3

    report = crawls.crawl(home, "site")
    assert (report["unchanged"], report["index_writes"], report["index_link_updates"]) == (5, 0, 0)

    site.pages["/dated"] = tuple(part.replace("the", "no") for part in OTHER)
    crawls.crawl(home, "site")
    assert {name: hit.near_duplicates for name, hit in hits(home).items()} == {"manual": 1}
    del site.pages["/manual"]
    crawls.crawl(home, "site")
    assert {name: hit.near_duplicates for name, hit in hits(home).items()} == {"mirror/of/the/manual": 0}
    assert home.explained(f"{at}/mirror/of/the/manual")["near_duplicates"] == []


def test_who_may_not_read_a_copy_is_not_told_of_it(file_home: Home, crawls: Crawler, at: str) -> None:
    start, off = [f"{at}/mirror/of/the/manual", f"{at}/dated"], {"patience_s": 0, "depth": 0}
    file_home.add_source("web", "open", {"start": start, **off})
    file_home.add_source("web", "staff", {"start": [f"{at}/manual"], "grants": ["group:staff"], **off})
    crawls.crawl(file_home, "open", "staff")
    assert {name: hit.near_duplicates for name, hit in hits(file_home).items()} == {"dated": 1}
    assert sum(1 + hit.near_duplicates for hit in hits(file_home, STAFF).values()) == 3
    number = hits(file_home)["dated"].id
    with file_home.library() as library:
        assert library.equals(number, ANYONE).total == 2


def test_the_setting_and_a_rebuild(file_home: Home, crawls: Crawler, at: str) -> None:
    file_home.add_source("web", "site", {"start": [f"{at}/"], "patience_s": 0, "near_duplicates": False})
    crawls.crawl(file_home, "site")
    assert len(hits(file_home)) == 3
    assert file_home.value("SELECT count(*) FROM near") == 0
    for wanted, shown, kept in ((True, 1, 4), (False, 3, 0)):
        file_home.edit_source("site", {"near_duplicates": wanted})
        with file_home.house() as house:
            indexing.rebuild(house)
        assert (len(hits(file_home)), file_home.value("SELECT count(*) FROM near")) == (shown, kept)
