"""``python -m bench.relevance``: measure the ranking of hits, and write docs/reference/relevance.md.

    CORMORANT_SUITES=folder python -m bench.relevance      the folder has cranfield in it

A collection with judgements is crawled as a folder, and three manuals as web sites; each is searched with the standard
weights, and with some of them taken away. 1 is returned when a floor is not met.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from bench import judged, peer
from bench.debian import Packages
from bench.known import AMONG, ENOUGH, KNOWN
from bench.places import CACHE, ROOT
from bench.server import free_port
from bench.sites import SITES, Site
from cormorant import Cormorant
from cormorant.base.clock import SystemClock, pause
from cormorant.model.acl import ANYONE
from cormorant.search.index.completion import Beginning
from cormorant.search.index.filter_fields import UNKNOWN
from cormorant.search.index.protocol import IndexReader
from cormorant.search.index.query import Everything, Key, Search, Weights
from cormorant.search.index.tantivy.folder import open_reader
from cormorant.search.query.parser import parse
from cormorant.search.reader import Library, Question
from cormorant.search.weights import DEFAULT

PAGE = ROOT / "docs" / "reference" / "relevance.md"
WORK = CACHE / "relevance"
_START_S = 10.0
SHORT = 150
"""Characters of an abstract that are too few, now and then, to tell their language."""
WELL = 0.97
"""The share of FTS5's mean average precision that has to be reached on these abstracts."""
ABLATED: dict[str, Weights] = {
    "standard": DEFAULT,
    "without texts of links": replace(DEFAULT, anchors=0.0),
    "without the number of links": replace(DEFAULT, links=0.0),
    "without both": replace(DEFAULT, anchors=0.0, links=0.0),
    "with headings": replace(DEFAULT, headings=1.0),
    "with addresses": replace(DEFAULT, address=0.5),
    "without depth": replace(DEFAULT, depth=0.0),
    "words of title and text alone": replace(DEFAULT, anchors=0.0, links=0.0, headings=0.0, address=0.0, depth=0.0),
    "text alone": replace(DEFAULT, anchors=0.0, links=0.0, headings=0.0, address=0.0, depth=0.0, title=0.0),
}
ABOUT = """\
# How well hits are ranked

`make relevance SUITES=folder` crawls and searches the collections of this page, and writes it. [How results are
ranked](../explanation/ranking.md) explains the order of hits.

"""


def main() -> int:
    """Measure everything; 1 when a floor is not met."""
    suites = os.environ.get("CORMORANT_SUITES", "")
    if not suites or not (Path(suites) / "cranfield").is_dir():
        sys.stderr.write("Set CORMORANT_SUITES to a folder that has cranfield in it.\n")
        return 2
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    about_cranfield, well = _cranfield(judged.cranfield(Path(suites) / "cranfield"))
    about_short, as_well = _short(judged.cranfield(Path(suites) / "cranfield"))
    about_known, enough = _known(Packages())
    parts = (ABOUT.rstrip() + "\n", about_cranfield, about_short, about_known)
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    sys.stdout.write(f"wrote {PAGE}\n")
    return 0 if well and as_well and enough else 1


# ------------------------------------------------------------------------------------------------------------ cranfield


def _cranfield(collection: judged.Collection) -> tuple[str, bool]:
    """Crawl and search the collection; return its section, and whether the ranking equals plain BM25 or is better."""
    judged.write(collection, WORK / "cranfield")
    with Cormorant.open(WORK / "judged") as c:
        c.sources.add("files", "cranfield", path=str(WORK / "cranfield"))
        report = c.crawl("cranfield")
    index = open_reader(WORK / "judged" / "index")
    rankings: dict[str, judged.Ranking] = {
        "Cormorant": partial(_asked, index, DEFAULT),
        "Cormorant, forms of words off": partial(_asked, index, replace(DEFAULT, form=0.0)),
        "Cormorant, title and text alike": partial(_asked, index, replace(DEFAULT, title=1.0)),
        "BM25, words as they are": peer.ranking(collection.documents, peer.plain),
        "BM25, stems, without stop words": peer.ranking(collection.documents, peer.stemmed),
        "SQLite FTS5, porter": peer.fts5(collection.documents),
    }
    found = {name: collection.measured(ranked) for name, ranked in rankings.items()}
    rows = [
        (name, *(f"{value:.3f}" for value in (every.precision, every.gain, every.right)),
         f"{odd.precision:.3f}", f"{even.precision:.3f}")
        for name, (every, odd, even) in found.items()
    ]  # fmt: skip
    ours, theirs = found["Cormorant"][0], found["BM25, words as they are"][0]
    said = (
        f"## Cranfield\n\n{len(collection.documents):,} abstracts of aerodynamics, {len(collection.questions)} "
        f"questions of some twenty words, and judgements of what answers them. The abstracts were crawled as a folder "
        f"of pages ({report.new:,} documents); the library beside is bm25s on the same texts.\n\n"
    )
    heads = ("", "MAP", "nDCG@10", "P@10", "MAP, odd questions", "MAP, even questions")
    gain = 100 * (ours.precision / theirs.precision - 1)
    more = (
        f"\nBeside plain BM25 that is {gain:+.1f} % of mean average precision; with stems and without stop words BM25 "
        "does as well as we do. Nothing was fitted to these questions: the weights are round figures, and what forms "
        "of words and titles bring shows in the odd questions as in the even ones.\n"
    )
    return said + _table(heads, rows) + more, ours.precision >= theirs.precision and ours.gain >= theirs.gain


def _short(collection: judged.Collection) -> tuple[str, bool]:
    """Crawl and search truncated documents; return the section, and whether the ranking comes close to FTS5."""
    collection = collection.cut(SHORT)
    judged.write(collection, WORK / "short", tag="")
    with Cormorant.open(WORK / "shortly") as c:
        c.sources.add("files", "short", path=str(WORK / "short"))
        c.crawl("short")
    index = open_reader(WORK / "shortly" / "index")
    rankings: dict[str, judged.Ranking] = {
        "Cormorant": partial(_asked, index, DEFAULT),
        "Cormorant, forms of words off": partial(_asked, index, replace(DEFAULT, form=0.0)),
        "SQLite FTS5, porter": peer.fts5(collection.documents),
    }
    found = {name: collection.measured(ranked)[0] for name, ranked in rankings.items()}
    languages = index.beginning(Beginning("", Search(Everything(), ANYONE, limit=0), Key.LANGUAGE, 100))
    unknown = next((each.documents for each in languages if each.text == UNKNOWN), 0)
    said = (
        f"## Short texts\n\nThe same questions to the first {SHORT} characters of each abstract, on pages without "
        f"title or language. Of {unknown:,} nobody knows it; they are taken to be in that of the others.\n\n"
    )
    rows = [(name, *(f"{value:.3f}" for value in (each.precision, each.gain))) for name, each in found.items()]
    least = WELL * found["SQLite FTS5, porter"].precision
    return said + _table(("", "MAP", "nDCG@10"), rows), found["Cormorant"].precision >= least


def _asked(index: IndexReader, weights: Weights, text: str) -> list[int]:
    search = Search(parse(text).query, ANYONE, limit=judged.MOST, weights=weights)
    return [judged.number_of(hit.entry.url) for hit in index.search(search).hits]


# ---------------------------------------------------------------------------------------------------------- known pages


def _known(packages: Packages) -> tuple[str, bool]:
    """Crawl the manuals and search for known pages; return the section, and whether enough of them were found."""
    sites = {site.name: site for site in SITES if site.name in KNOWN}
    with Cormorant.open(WORK / "known") as c:
        said = [_crawled(c, packages, sites[name]) for name in KNOWN]
    index = open_reader(WORK / "known" / "index")
    places = {name: _places(index, weights) for name, weights in ABLATED.items()}
    parts = [
        "## Known pages\n\nTwenty questions for each of three manuals of Debian, written before any of them was "
        f"searched, with the page that should come. A question is answered when the page is among the first {AMONG} "
        "hits.\n",
        _table(("manual", "package", "pages", "links updated", "answered"), [
            (name, package, pages, links, f"{_answered(places['standard'][name])} of {len(KNOWN[name])}")
            for name, package, pages, links in said
        ]),
        "### What helps\n\nQuestions answered, and the mean of one by the place of the page (mean reciprocal rank).\n",
        _table(("weights", *KNOWN, "mean reciprocal rank"), [
            (name, *(_answered(found[each]) for each in KNOWN), f"{_reciprocal(found):.3f}")
            for name, found in places.items()
        ]),
        *(_questions(name, places["standard"][name]) for name in KNOWN),
    ]  # fmt: skip
    return "\n".join(parts), all(_answered(found) >= ENOUGH for found in places["standard"].values())


def _crawled(c: Cormorant, packages: Packages, site: Site) -> tuple[str, str, str, str]:
    """Crawl a manual; its name, the package, how many pages it has and how many of them links say something of."""
    package = next((each for each in site.packages if packages.tree(each)), None)
    tree = packages.tree(package) if package else None
    if package is None or tree is None:
        raise SystemExit(f"The package {' or '.join(site.packages)} cannot be had here.")
    root = next(path for path in sorted(tree.glob(site.root)) if not path.is_symlink())
    with _served(root) as origin:
        c.sources.add("web", site.name, start=[f"{origin}/{entry}" for entry in site.entries], delay_s=0)
        report = c.crawl(site.name)
    return site.name, f"{package} {packages.version(package)}", f"{report.new:,}", f"{report.index_link_updates:,}"


@contextmanager
def _served(root: Path) -> Iterator[str]:
    """Serve a folder for the length of a block."""
    port, clock = free_port(), SystemClock()
    command = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "--directory", str(root), str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            until = clock.monotonic() + _START_S
            while clock.monotonic() < until and not _answers(port):
                pause(0.05)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


def _answers(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def _places(index: IndexReader, weights: Weights) -> dict[str, list[int | None]]:
    """The place of the first right page for every question of every manual, None beyond a hundred."""
    library = Library(index, SystemClock(), weights=lambda: weights)
    return {name: [_place(library, name, each.text, each.pages) for each in some] for name, some in KNOWN.items()}


def _place(library: Library, source: str, text: str, pages: Sequence[str]) -> int | None:
    hits = library.find(Question(text, (source,), 100), ANYONE).hits
    names = [hit.url.rpartition("/")[2] for hit in hits]
    return next((place for place, name in enumerate(names, 1) if name in pages), None)


def _answered(places: Sequence[int | None]) -> int:
    return sum(place is not None and place <= AMONG for place in places)


def _reciprocal(found: dict[str, list[int | None]]) -> float:
    places = [place for some in found.values() for place in some]
    return sum(1 / place for place in places if place) / len(places)


def _questions(name: str, places: Sequence[int | None]) -> str:
    rows = [
        (each.text, ", ".join(each.pages), place or "not among 100", "" if place and place <= AMONG else "missed")
        for each, place in zip(KNOWN[name], places, strict=True)
    ]
    return f"### {name}\n\n" + _table(("question", "right page", "place", ""), rows)


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines: list[Sequence[Any]] = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(str(each) for each in line)} |\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
