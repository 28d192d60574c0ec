"""Near copies: shown as one, to each reader those that may be read, and apart again when they are no longer alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.model.acl import ANYONE, Reader
from cormorant.operate.search import reindex
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


def test_a_copy_is_not_revealed_to_readers_who_may_not_read_it(file_home: Home, crawls: Crawler, at: str) -> None:
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
            reindex.rebuild(house)
        assert (len(hits(file_home)), file_home.value("SELECT count(*) FROM near")) == (shown, kept)


def names(home: Home, words: str, reader: Reader = ANYONE) -> dict[str, tuple[int, int]]:
    """The hits by file name, with the numbers of duplicates and of near duplicates."""
    found = hits(home, reader, words)
    return {name.rpartition("/")[2]: (hit.duplicates, hit.near_duplicates) for name, hit in found.items()}


def test_equal_files_are_one_whatever_they_are_called_and_wherever_they_are(
    home: Home, crawls: Crawler, tmp_path: Path
) -> None:
    said, like = "\n".join(PARTS), "\n".join(PARTS[:11])
    files = {"one/offer.txt": said, "one/offer copy.txt": said, "one/contract.txt": said, "two/e.txt": said}
    for name, text in (files | {"one/offer - draft.txt": like, "two/e draft.txt": like + "\nBy hand."}).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for folder in ("one", "two"):
        home.add_source("files", folder, {"path": str(tmp_path / folder)})
    crawls.crawl(home, "one", "two")
    (counts,) = names(home, "ballast").values()
    assert sum(counts) == 5, "near copies join equal files as wholes"
    with home.library() as library:
        number = next(iter(hits(home, words="title:contract").values())).id
        equals = library.equals(number, ANYONE)
        assert (equals.total, len(equals.hits), len(equals.near)) == (6, 6, 2)
        assert library.find(Question("ballast", facets=True), ANYONE).total == 1
    explained = home.explained(f"file://{tmp_path}/one/contract.txt")
    assert (len(explained["duplicates"]), len(explained["near_duplicates"])) == (3, 2)

    (tmp_path / "one/contract.txt").write_text("The ballast is sold.")
    (tmp_path / "two/e.txt").write_text("No ballast was found here.")
    crawls.crawl(home, "one", "two")
    assert sorted(map(sum, names(home, "ballast").values())) == [0, 0, 0, 2], "each by itself when it differs"


def test_equal_files_for_others_are_one_to_those_who_may_read_both(
    file_home: Home, crawls: Crawler, tmp_path: Path
) -> None:
    for name in ("open", "staff"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.txt").write_text("\n".join(PARTS))
    (tmp_path / "staff" / "staff, a draft.txt").write_text("\n".join(PARTS[:11]))
    file_home.add_source("files", "staff", {"path": str(tmp_path / "staff"), "grants": ["group:staff"]})
    crawls.crawl(file_home, "staff")
    file_home.add_source("files", "open", {"path": str(tmp_path / "open")})
    crawls.crawl(file_home, "open")
    assert names(file_home, "ballast") == {"open.txt": (0, 0)}
    assert [sum(counts) for counts in names(file_home, "ballast", STAFF).values()] == [2]


def test_titles_that_differ_in_their_figures_tell_pages_apart(file_home: Home, crawls: Crawler, tmp_path: Path) -> None:
    said = "".join(f"<p>{part}</p>" for part in PARTS)
    for year in (2021, 2022, 2023):
        text = f"<title>Annual report {year}</title><h1>Annual report {year}</h1><p>We sold {year // 7} tons.</p>{said}"
        (tmp_path / f"{year}.html").write_text(f"<html>{text}")
        (tmp_path / "mirror-of-2023.html").write_text(f"<html>{text}<p>Mirrored by night.</p>")
    for model in range(100, 130):
        sheet = f"<title>Winch X{model}</title><p>It draws {model // 9} kW, and {model} kg.</p>{said}"
        (tmp_path / f"x{model}.html").write_text(f"<html>{sheet}")
    file_home.add_source("files", "papers", {"path": str(tmp_path)})
    crawls.crawl(file_home, "papers")
    found = names(file_home, '"annual report"')
    assert sorted(found.values()) == [(0, 0), (0, 0), (0, 1)]
    assert next(iter(names(file_home, "annual report 2021"))) == "2021.html"
    assert len(hits(file_home, words="title:winch")) >= 10
    assert set(names(file_home, "title:winch").values()) == {(0, 0)}


def test_of_near_copies_the_one_that_fits_best_is_shown(file_home: Home, crawls: Crawler, tmp_path: Path) -> None:
    for name, more in (("manual", ""), ("manual by the warden", "The heron nests beside the sump, and is left alone.")):
        (tmp_path / f"{name}.txt").write_text("\n".join((*PARTS, more)))
    file_home.add_source("files", "papers", {"path": str(tmp_path)})
    crawls.crawl(file_home, "papers")
    assert len(names(file_home, "ballast")) == 1
    assert names(file_home, "ballast heron") == {"manual%20by%20the%20warden.txt": (0, 1)}
    assert names(file_home, "ballast manual") == {"manual.txt": (0, 1)}
