"""The one way to see a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from cormorant.model.acl import ANYONE, Reader
from cormorant.search.index.query import Sort
from cormorant.search.reader import MOST_HITS, Hit, Library, Question
from cormorant.search.weights import DEFAULT
from tests.clocks import Hands
from tests.search.index.shelves import KINDS, Shelf, entry, shelf

ADA = Reader("ada", frozenset(("everyone", "user:ada")))


@pytest.fixture(params=KINDS)
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shelf]:
    with shelf(request.param, tmp_path / "index") as made:
        made.put(
            entry(
                1, "The pump is cheap.", title="Pumps", mime="text/html", language="en", size_bytes=7, modified_at=5.5
            ),
            entry(2, "A pump and a valve.", source="wiki", attributes={"Author": "Ada"}, content_hash=b"same hash"),
            entry(3, "A pump and a valve.", source="docs", content_hash=b"same hash"),
            entry(4, "Secret pump.", grants=("user:ada",)),
        )
        yield made


def found(library: Library, text: str, reader: Reader = ANYONE, sources: tuple[str, ...] = ()) -> set[int]:
    return {hit.id for hit in library.find(Question(text, sources=sources), reader).hits}


def test_an_answer(index: Shelf) -> None:
    def kept(numbers: Sequence[int]) -> frozenset[int]:
        return frozenset(numbers) & {1}

    answer = Library(index.reader, Hands(step_s=0.0015), kept=kept).find(Question("the PUMPS pump", limit=1), ANYONE)
    assert (answer.total, answer.suggestion) == (2, None)
    assert answer.took_ms == pytest.approx(1.5)
    assert (answer.understood.text, answer.understood.notes) == ("the PUMPS pump", ())
    (hit,) = answer.hits
    assert hit == Hit(
        id=1,
        url="https://docs.example.org/1",
        title="Pumps",
        snippet="The pump is cheap.",
        highlights=((0, 3), (4, 8)),
        score=hit.score,
        source="docs",
        mime="text/html",
        language="en",
        size_bytes=7,
        modified_at=5.5,
        cached=True,
        duplicates=0,
    )
    assert hit.score > 0


def test_duplicates_and_sources(index: Shelf) -> None:
    library = Library(index.reader, Hands(step_s=0.0015))
    (hit,) = library.find(Question("valve"), ANYONE).hits
    assert (hit.id, hit.duplicates, hit.cached, dict(hit.attributes)) == (2, 1, False, {"Author": "Ada"})
    assert library.find(Question("valve", fold=False), ANYONE).total == 2
    assert found(library, "valve", sources=("docs",)) == {3}
    assert found(library, "cheap valve", sources=("docs", "wiki")) == {1, 2}
    assert found(library, "-valve", sources=("wiki",)) == set()
    assert found(library, "", sources=("docs",)) == set()
    assert found(library, "a OR cheap", sources=("docs",)) == {1, 3}
    assert found(library, "source:wiki valve", sources=("docs",)) == set()
    assert found(library, "type:page zebra", sources=("docs",)) == set()


def test_readers_see_what_is_theirs(index: Shelf) -> None:
    library = Library(index.reader, Hands(step_s=0.0015))
    assert found(library, "pump") == {1, 2}
    assert found(library, "pump", ADA) == {1, 2, 4}
    assert library.see(4, ANYONE) is None
    assert library.see(99, ANYONE) is None
    assert library.see(-1, ADA) is library.see(1 << 70, ADA) is None
    seen = library.see(4, ADA)
    assert seen
    assert (seen.title, seen.snippet, seen.highlights) == ("", "Secret pump.", ())


def test_hidden_at_once(index: Shelf) -> None:
    asked: list[int] = []

    def hidden(place: int) -> frozenset[int]:
        asked.append(place)
        return frozenset((1, 2))

    library = Library(index.reader, Hands(step_s=0.0015), hidden)
    answer = library.find(Question("pump"), ANYONE)
    assert [(hit.id, hit.duplicates) for hit in answer.hits] == [(3, 0)]
    assert answer.total == 1
    assert library.see(1, ANYONE) is None
    assert set(asked) == {index.writer.place}


def test_the_newest_state_is_asked(index: Shelf) -> None:
    library = Library(index.reader, Hands(step_s=0.0015))
    assert found(library, "fresh") == set()
    index.writer.apply([])
    index.put(entry(9, "fresh"))
    assert found(library, "fresh") == {9}


def test_limits(index: Shelf) -> None:
    library = Library(index.reader, Hands(step_s=0.0015))
    index.put(*(entry(number, "word") for number in range(100, 100 + MOST_HITS + 5)))
    assert len(library.find(Question("word", limit=10**9), ANYONE).hits) == MOST_HITS
    assert library.find(Question("word", limit=-1, offset=-1), ANYONE).hits == ()
    last = library.find(Question("word", limit=5, offset=MOST_HITS), ANYONE)
    assert [hit.id for hit in last.hits] == list(range(100 + MOST_HITS, 105 + MOST_HITS))


def test_sorted_by_date(index: Shelf) -> None:
    library = Library(index.reader, Hands(step_s=0.0015))
    answer = library.find(Question("pump", sort=Sort.NEWEST), ANYONE)
    assert [(hit.id, hit.score) for hit in answer.hits] == [(1, 0.0), (2, 0.0)]


@pytest.mark.parametrize("text", ["", '"', "((", "AND", "\x00", "\ud800", "a" * 100_000, "*", "-", "title:", "type:x"])
def test_any_text_gets_an_answer(index: Shelf, text: str) -> None:
    answer = Library(index.reader, Hands(step_s=0.0015)).find(Question(text), ANYONE)
    assert answer.total >= len(answer.hits)
    assert "\ud800" not in answer.understood.text


def test_why_a_hit_has_its_score(index: Shelf) -> None:
    library = Library(index.reader, Hands(step_s=0.0015))
    question = Question("pump cheap", sort=Sort.NEWEST)
    (hit, *_) = library.find(Question("pump cheap"), ANYONE).hits
    why = library.why(question, hit.id, ANYONE)
    assert why is not None
    assert (why.id, why.url, why.title) == (1, hit.url, "Pumps")
    assert why.score == pytest.approx(hit.score)
    assert sum(part.points for part in why.parts) == pytest.approx(hit.score)
    assert [part.points for part in why.parts] == sorted((part.points for part in why.parts), reverse=True)
    said = {part.name: part.about for part in why.parts}
    assert said["Words found"] == "2 of 2: pump, cheap"
    assert said["Text"] == "pump, cheap: 2 places"


def test_why_tells_nobody_of_what_he_may_not_see(index: Shelf) -> None:
    library = Library(index.reader, Hands(step_s=0.0015))
    assert library.why(Question("secret"), 4, ADA) is not None
    assert library.why(Question("secret"), 4, ANYONE) is None
    assert library.why(Question("cheap"), 2, ANYONE) is None, "the question does not find it"
    assert library.why(Question("pump", sources=("wiki",)), 1, ANYONE) is None
    assert (
        Library(index.reader, Hands(step_s=0.0015), lambda _: frozenset((1,))).why(Question("pump"), 1, ANYONE) is None
    )


def test_weights_are_asked_for_with_every_question(index: Shelf) -> None:
    chosen = [DEFAULT, replace(DEFAULT, title=0.0)]
    library = Library(index.reader, Hands(step_s=0.0015), weights=lambda: chosen[0])
    assert found(library, "pumps") == {1, 2}
    before = library.why(Question("pumps"), 1, ANYONE)
    del chosen[0]
    after = library.why(Question("pumps"), 1, ANYONE)
    assert before is not None
    assert after is not None
    assert {part.what for part in before.parts} - {part.what for part in after.parts} == {"title"}


def test_languages_a_reader_prefers(index: Shelf) -> None:
    library = Library(index.reader, Hands(step_s=0.0015))
    index.put(entry(21, "gull", language="en"), entry(22, "gull", language="de"))
    for languages, expected in (((), [21, 22]), (("de-CH",), [22, 21]), (("EN", ""), [21, 22])):
        answer = library.find(Question('"gull"', languages=languages), ANYONE)
        assert [hit.id for hit in answer.hits] == expected


@pytest.mark.parametrize(("robots", "quoted"), [((), True), (("noarchive",), True), (("nosnippet",), False)])
def test_nothing_is_quoted_of_a_page_that_asks_for_it(robots: tuple[str, ...], tmp_path: Path, *, quoted: bool) -> None:
    said = {"Description": "All about tides.", "Headline1": ("Tides",), "Headline2": "Ebb", "Author": "Ada"}
    with shelf("embedded", tmp_path / "index") as index:
        index.put(entry(1, "The tide tables.", title="Tides", attributes={**said, "Robots": robots}))
        (hit,) = Library(index.reader, Hands()).find(Question("tide"), ANYONE).hits
    assert (bool(hit.snippet), "All about" in str(hit.attributes), "Headline1" in hit.attributes) == (quoted,) * 3
    assert ("Headline2" in hit.attributes, hit.attributes["Author"]) == (quoted, "Ada")
