"""What can be chosen, and that every count is what choosing it finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cormorant.model.acl import ANYONE, Reader
from cormorant.search.index.document import Upsert
from cormorant.search.index.memory import MemoryIndex
from cormorant.search.reader import MOST_HITS, Answer, Equals, Filters, GroupBy, Library, Question
from cormorant.search.results import facets as facets_module
from tests.clocks import Hands
from tests.search.index.shelves import KINDS, Shelf, entry, shelf

DAY = 86_400.0
NOW = 1_780_000_000.0  # 28 May 2026
ADA = Reader("ada", frozenset(("everyone", "user:ada")))


@pytest.fixture(params=KINDS)
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shelf]:
    with shelf(request.param, tmp_path / "index") as made:
        made.put(
            entry(1, "pump", url="https://docs.example.org/1", mime="text/html", language="en", modified_at=NOW - DAY),
            entry(2, "pump", url="https://docs.example.org/2", mime="application/pdf", language="de-CH",
                  modified_at=NOW - 20 * DAY),
            entry(3, "pump", url="https://www.example.org/3", mime="application/xhtml+xml", language="de",
                  modified_at=NOW - 20 * DAY, source="wiki", content_hash=b"s" * 32),
            entry(4, "pump", url="https://www.example.org/4/longer", mime="text/html", source="papers",
                  content_hash=b"s" * 32, modified_at=NOW - 400 * DAY),
            entry(5, "pump", url="http://127.0.0.1:8000/5", mime="application/zip", language="en"),
            entry(6, "pump", source="secret", mime="image/png", language="fr", grants=("user:ada",)),
            entry(7, "valve", source="wiki"),
        )  # fmt: skip
        yield made


@pytest.fixture
def library(index: Shelf) -> Library:
    return Library(index.reader, Hands(NOW))


def asked(library: Library, question: Question, reader: Reader = ANYONE) -> dict[str, dict[str, int]]:
    answer = library.find(replace(question, facets=True), reader)
    return {facet.name: {each.value: each.results for each in facet.choices} for facet in answer.facets}


def test_what_can_be_chosen(library: Library) -> None:
    found = asked(library, Question("pump"))
    assert found == {
        "source": {"docs": 3, "papers": 1, "wiki": 1},
        "site": {"example.org": 3, "docs.example.org": 2, "127.0.0.1:8000": 1, "www.example.org": 1},
        "type": {"page": 2, "application/zip": 1, "pdf": 1},
        "language": {"de": 2, "en": 2, "und": 1},
        "changed": {"week": 1, "month": 3, "year": 3},
    }
    assert [*found["source"]] == ["docs", "papers", "wiki"], "most first, then by name"


def test_nothing_is_counted_unless_asked(library: Library) -> None:
    assert library.find(Question("pump"), ANYONE).facets == ()


def test_every_count_is_what_choosing_it_finds(library: Library) -> None:
    before = (
        Question("pump"), Question("pump", ("docs",)),
        Question("pump", chosen=Filters(type=("page",), since="2026-05")),
        Question("pump valve", chosen=Filters(language=("de",), site=("example.org",))), Question("*", fold=False),
    )  # fmt: skip
    for question in before:
        answer = library.find(replace(question, facets=True), ANYONE)
        for facet in answer.facets:
            for choice in facet.choices:
                narrowed = _chosen(question, facet.name, choice.value, choice.since)
                assert library.find(narrowed, ANYONE).total == choice.results, (question, facet.name, choice)


def _chosen(question: Question, name: str, value: str, since: str) -> Question:
    """The question with this choice alone from its list."""
    if name == "source":
        return replace(question, sources=(value,))
    given = {"since": since, "until": ""} if name == "changed" else {name: (value,)}
    return replace(question, chosen=replace(question.chosen, **given))


def test_a_second_value_can_be_added(library: Library) -> None:
    question = Question("pump", ("docs",), chosen=Filters(type=("pdf",)))
    found = asked(library, question)
    assert found["source"] == {"docs": 1}, "counted without docs, with pdf"
    assert found["type"] == {"application/zip": 1, "page": 1, "pdf": 1}, "counted with docs, without pdf"
    assert library.find(replace(question, sources=("docs", "wiki")), ANYONE).total == 1
    assert library.find(replace(question, chosen=Filters(type=("pdf", "page"))), ANYONE).total == 2


def test_what_was_chosen_stays_to_be_let_go(library: Library) -> None:
    chosen = Filters(("nowhere.example", "org"), ("text/html", "book"), ("de-ch",))
    answer = library.find(Question("pump", ("none",), chosen=chosen, facets=True), ANYONE)
    shown = {facet.name: {each.value for each in facet.choices if each.chosen} for facet in answer.facets}
    assert shown == {
        "source": {"none"}, "site": {"nowhere.example", "org"}, "type": {"text/html", "book"}, "language": {"de-ch"},
        "changed": set(),
    }  # fmt: skip
    answer = library.find(Question("pump", chosen=Filters(type=("text/html",)), facets=True), ANYONE)
    assert next(each.results for each in answer.facets[2].choices if each.chosen) == answer.total == 2


def test_only_so_many_are_offered(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facets_module, "MOST_CHOICES", 2)
    answer = library.find(Question("pump", ("wiki",), facets=True), ANYONE)
    assert [each.value for each in answer.facets[0].choices] == ["docs", "papers", "wiki"]
    assert (answer.facets[1].others, answer.facets[3].others) == (0, 0)
    answer = library.find(Question("pump", facets=True), ANYONE)
    assert (len(answer.facets[1].choices), answer.facets[1].others) == (2, 2)


def test_what_may_not_be_seen_is_not_offered(library: Library) -> None:
    assert "secret" not in asked(library, Question("pump"))["source"]
    assert asked(library, Question("pump"), ADA)["source"]["secret"] == 1
    assert "fr" not in asked(library, Question("*"))["language"]


def test_hidden_documents_are_not_counted(index: Shelf) -> None:
    library = Library(index.reader, Hands(NOW), lambda place: frozenset((1, 2, 5)))
    found = asked(library, Question("pump"))
    assert found["source"] == {"papers": 1, "wiki": 1}
    assert found["site"] == {"www.example.org": 1}


def test_groups_say_how_much_there_is_of_each(library: Library) -> None:
    def grouped(question: Question) -> Answer:
        return library.find(replace(question, group=GroupBy.SITE), ANYONE)

    answer = grouped(Question("pump"))
    assert {each.value: each.total for each in answer.groups} == {
        "docs.example.org": 2, "www.example.org": 1, "127.0.0.1:8000": 1,
    }  # fmt: skip
    assert [each.value for each in answer.groups] == [*dict.fromkeys(hit.group for hit in answer.hits)]
    for each in answer.groups:
        assert library.find(Question("pump", chosen=Filters(site=(each.value,))), ANYONE).total == each.total
    assert grouped(Question("pump", limit=0)).groups == ()
    assert library.find(Question("pump"), ANYONE).groups == ()


def test_equals_of_a_document(library: Library, index: Shelf) -> None:
    index.put(entry(8, "pump", grants=("user:ada",), url="https://x.io", content_hash=b"s" * 32))
    found = library.equals(4, ANYONE)
    assert (found.total, [hit.id for hit in found.hits]) == (2, [3, 4])
    assert [hit.id for hit in library.equals(4, ADA).hits] == [8, 3, 4]
    assert [hit.id for hit in library.equals(1, ANYONE).hits] == [1]
    assert library.equals(8, ANYONE) == library.equals(99, ANYONE) == library.equals(-1, ANYONE) == Equals(0, ())


def test_equals_of_more_documents_than_are_shown() -> None:
    """The one that is shown is the last of them."""
    index, count = MemoryIndex(), MOST_HITS + 20
    writer, reader = index.writer(), index.reader()
    addresses = {number: f"https://docs.example.org/longer/{number}" for number in range(1, count)}
    addresses[count] = "https://docs.example.org/a"
    writer.apply(Upsert(entry(number, "pump", url=url, content_hash=b"s" * 32)) for number, url in addresses.items())
    writer.commit(1)
    found = Library(reader, Hands(1.0)).equals(5, ANYONE)
    assert (found.total, len(found.hits), found.hits[0].id) == (count, MOST_HITS, count)


def test_equals_and_near_copies_of_a_document(library: Library, index: Shelf) -> None:
    """Equal ones first; what only somebody else may read joins nothing and is not told of."""
    index.put(
        *(
            entry(20 + n, "winch", url=f"https://x.io/{'a' * n}", content_hash=bytes([n]) * 32, near=7)
            for n in range(4)
        ),
        entry(30, "winch", url="https://x.io/bbbbbbbbb", content_hash=bytes([3]) * 32, near=7),
        entry(31, "winch", grants=("user:ada",), url="https://y", content_hash=bytes([9]) * 32, near=7),
    )
    counted = {reader: [(each.id, each.duplicates, each.near_duplicates) for each in
               library.find(Question("winch"), reader).hits] for reader in (ANYONE, ADA)}  # fmt: skip
    assert counted == {ANYONE: [(20, 0, 4)], ADA: [(31, 0, 5)]}
    found = library.equals(23, ANYONE)
    assert (found.total, [each.id for each in found.hits], sorted(found.near)) == (
        5,
        [20, 23, 30, 21, 22],
        [20, 21, 22],
    )
    assert library.equals(23, ADA).total == 6
    assert library.equals(31, ANYONE) == Equals(0, ())
