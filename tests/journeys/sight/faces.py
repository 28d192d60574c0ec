"""Every interface that readers use, one function each, which returns the answer as values that can be compared.

A new face needs a function, and its name in FACES (used by any reader) or in STRANGERS (the pages, which are for the
reader `everyone`). Fields with durations are left out. Hits are separate from their order, so that `same` can permit
the small changes of order and score that the mean length of documents causes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from cormorant.base.errors import NotFoundError
from cormorant.model.acl import Reader
from cormorant.operate.documents import cached_copy
from cormorant.operate.search import search
from cormorant.search.reader import Answer, GroupBy, Question, Sort
from tests.journeys.sight.world import Side
from tests.web.asking import Got

_TIME = re.compile(r"\d+ ms|/clicked/[0-9a-f]+/")
"""How long it took, and by what clicks are known."""
_HIT = re.compile(r'<li class="hit".*?</li>', re.DOTALL)
_PAGES = re.compile(r'<nav class="pages".*?</nav>', re.DOTALL)
VISITED: set[str] = set()
"""Paths that were asked for over HTTP."""
_SAFE_FIELDS = ("content-type", "content-security-policy", "cache-control", "location")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: a query, in these sources; the number of a document, existing or not; the address of one."""

    text: str
    sources: tuple[str, ...]
    number: int
    address: str


class Ranked(NamedTuple):
    """Hits in their order with their scores, and what is said of each but its score."""

    order: tuple[tuple[int, float], ...]
    hits: dict[int, dict[str, Any]]


class FaceAnswer(NamedTuple):
    """The answer of a face: everything except the hits, and the hits."""

    said: Any
    ranked: Ranked = Ranked((), {})


Face = Callable[[Side, Reader, Asked], FaceAnswer]


def _ask(side: Side, question: Question, reader: Reader) -> FaceAnswer:
    """Ask as commands and pages do; for sources by name as pages do once they know that there are such."""
    if question.sources:
        return _answered(side.library.find(question, reader))
    return _answered(search.search(side.house, question, reader, shelf=side.library))


def _answered(answer: Answer) -> FaceAnswer:
    said: dict[str, Any] = {**search.answer_record(answer)}
    del said["took_ms"]
    hits: list[dict[str, Any]] = said.pop("hits")
    order = tuple((hit["id"], hit.pop("score")) for hit in hits)
    return FaceAnswer(said, Ranked(order, {hit["id"]: hit for hit in hits}))


def found(side: Side, reader: Reader, asked: Asked) -> FaceAnswer:
    """Search: totals, hits, snippets, scores, duplicates, and what was probably meant."""
    return _ask(side, Question(asked.text, asked.sources, limit=1_000), reader)


def unfolded(side: Side, reader: Reader, asked: Asked) -> FaceAnswer:
    """Search, every copy a hit of its own."""
    return _ask(side, Question(asked.text, asked.sources, limit=1_000, fold=False), reader)


def paged(side: Side, reader: Reader, asked: Asked) -> FaceAnswer:
    """Search page by page, to the end."""
    order: list[tuple[int, float]] = []
    hits: dict[int, dict[str, Any]] = {}
    said: list[Any] = []
    while not said or len(order) < said[-1]["reachable"]:
        page = _ask(side, Question(asked.text, limit=7, offset=len(order)), reader)
        said.append(page.said)
        if not page.ranked.order:
            break
        order += page.ranked.order
        hits |= page.ranked.hits
    return FaceAnswer(said, Ranked(tuple(order), hits))


def newest(side: Side, reader: Reader, asked: Asked) -> FaceAnswer:
    """Search by date; its order is held exactly, as part of what is said."""
    newest_first = _ask(side, Question(asked.text, limit=1_000, sort=Sort.NEWEST), reader)
    return FaceAnswer((newest_first.said, [number for number, _ in newest_first.ranked.order]), newest_first.ranked)


def seen(side: Side, reader: Reader, asked: Asked) -> FaceAnswer:
    """One document by its number."""
    hit = side.library.see(asked.number, reader)
    return FaceAnswer(search.hit_record(hit) | {"score": 0} if hit else None)


def copied(side: Side, reader: Reader, asked: Asked) -> FaceAnswer:
    """The kept copy of a document."""
    try:
        copy = cached_copy.copy(side.house, side.library, asked.number, reader=reader)
    except NotFoundError as error:
        return FaceAnswer((error.code, error.sentence))
    return FaceAnswer((search.hit_record(copy.hit) | {"score": 0}, copy.is_kept, copy.markup, copy.words))


def equal(side: Side, reader: Reader, asked: Asked) -> FaceAnswer:
    """The documents of equal content."""
    try:
        found = search.duplicates(side.library, asked.number, reader)
    except NotFoundError as error:
        return FaceAnswer((error.code, error.sentence))
    return FaceAnswer((found.total, [search.hit_record(hit) | {"score": 0} for hit in found.hits]))


def reasons(side: Side, reader: Reader, asked: Asked) -> FaceAnswer:
    """Why a document has its score: everything but the points, which the mean length moves as it does scores."""
    why = side.library.why(Question(asked.text, asked.sources), asked.number, reader)
    return FaceAnswer(why and (why.id, why.url, why.title, sorted((part.what, part.about) for part in why.parts)))


def narrowed(side: Side, reader: Reader, asked: Asked) -> FaceAnswer:
    """Facets of the results, and the sizes of groups."""
    question = Question(asked.text, limit=1_000, sort=Sort.TITLE, group=GroupBy.SITE, facets=True)
    answer = side.library.find(question, reader)
    ids = [hit.id for hit in answer.hits]
    return FaceAnswer((search.facets_record(answer), answer.groups, ids, answer.reachable))


def suggested(side: Side, reader: Reader, asked: Asked) -> FaceAnswer:
    """Suggestions while the query is typed, a letter fewer each time."""
    typed = (asked.text[:end] for end in range(len(asked.text), max(0, len(asked.text) - 6), -1))
    return FaceAnswer([search.suggested(side.library, text, asked.sources, reader) for text in typed])


def counted(side: Side, reader: Reader, asked: Asked) -> FaceAnswer:
    """How many documents of each source there are, and of one by its name."""
    names = {name: side.library.count(name, reader) for name in asked.sources}
    return FaceAnswer((search.counts(side.house, side.library, reader), names))


def results(side: Side, reader: Reader, asked: Asked) -> FaceAnswer:
    """The page of results, every page of them; hits may change places with their equals, so they are sorted."""
    pages, hits, number = list[str](), list[str](), 1
    while True:
        words = {"q": asked.text, "page": number} | ({"source": asked.sources[0]} if asked.sources else {})
        body = _page(side, "/search?" + urlencode(words))
        hits += _HIT.findall(body)
        pages.append(_PAGES.sub("", _HIT.sub("", body)))
        number += 1
        if f"page={number}" not in body:
            return FaceAnswer((pages, sorted(hits)))


def programs(side: Side, reader: Reader, asked: Asked) -> FaceAnswer:
    """The interface for programs."""
    words = urlencode({"q": asked.text, "limit": 1_000, "source": list(asked.sources)}, doseq=True)
    got = _get(side, f"/api/v1/search?{words}")
    said = got.json
    if got.status != 200:
        return FaceAnswer((got.status, said))
    del said["took_ms"]
    hits: list[dict[str, Any]] = said.pop("hits")
    order = tuple((hit["id"], hit.pop("score")) for hit in hits)
    return FaceAnswer(said, Ranked(order, {hit["id"]: hit for hit in hits}))


def copy(side: Side, reader: Reader, asked: Asked) -> FaceAnswer:
    """The page of a kept copy, what stands in its frame, and the page of its equals."""
    addresses = (f"/cached/{asked.number}", f"/cached/{asked.number}/content", f"/duplicates/{asked.number}",
                 f"/mail/{asked.number}", f"/mail/{asked.number}/thread", "/mail/web/2026/11")  # fmt: skip
    return FaceAnswer([_page(side, each) for each in addresses])


def beside(side: Side, reader: Reader, asked: Asked) -> FaceAnswer:
    """Answers beside hits: lists of the advanced form, suggestions, duplicates, and the reasons of a score."""
    words, number = quote(asked.text, safe=""), asked.number
    addresses = f"/advanced?q={words}", f"/api/v1/suggest?q={words}", f"/api/v1/documents/{number}/duplicates"
    why = _get(side, f"/api/v1/search/{number}/why?q={words}")
    parts = sorted((part["what"], part["about"]) for part in why.json["parts"]) if why.status == 200 else why.json
    return FaceAnswer((why.status, parts, [_page(side, each) for each in addresses]))


def home(side: Side, reader: Reader, asked: Asked) -> FaceAnswer:
    """The first page, the help, and the description for browsers."""
    return FaceAnswer([_page(side, address) for address in ("/", "/help", "/help/errors", "/opensearch.xml")])


def administration(side: Side, reader: Reader, asked: Asked) -> FaceAnswer:
    """Explanations, links and lists of documents: not for readers, whatever there is."""
    address = quote(asked.address, safe="")
    newest_first = [
        _page(side, where)
        for where in (
            f"/explain?address={address}", f"/documents/{asked.number}/links", f"/api/v1/explain?address={address}",
            f"/api/v1/documents/{asked.number}", f"/api/v1/documents/{asked.number}/links", "/api/v1/documents",
            "/api/v1/sources", "/api/v1/runs",
        )
    ]  # fmt: skip
    assert all(each.startswith("403 ") for each in newest_first), newest_first
    return FaceAnswer(newest_first)


def _page(side: Side, address: str) -> str:
    """Status, fields and body of an answer, without the time it took."""
    got = _get(side, address)
    fields = {name: got.headers[name] for name in _SAFE_FIELDS if name in got.headers}
    return f"{got.status} {fields}\n{_TIME.sub('', got.body)}"


def _get(side: Side, address: str) -> Got:
    VISITED.add(address.partition("?")[0])
    return side.pages.get(address)


FACES: tuple[Face, ...] = (
    found, unfolded, paged, newest, seen, copied, counted, equal, reasons, narrowed, suggested,
)  # fmt: skip
STRANGERS: tuple[Face, ...] = (results, programs, copy, beside, home, administration)
