"""What one query or one language does wrong is its own fault: every index goes on answering everything else."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.base.errors import IndexDamaged, QueryFailed
from cormorant.extract.detect.language import DETECTED
from cormorant.model.acl import ANYONE
from cormorant.search.index import query as ask
from cormorant.search.index.completion import Beginning
from cormorant.search.index.document import Upsert
from cormorant.search.index.facet_request import ByKey
from cormorant.search.index.query import Field, Key, Query, Search
from cormorant.search.index.stemming import LANGUAGES
from cormorant.search.index.tantivy.dictionary import Dictionary
from cormorant.search.index.tantivy.folder import open_reader, open_writer
from cormorant.search.weights import DEFAULT
from tests.search.index.shelves import KINDS, Shelf, entry, shelf

TAGS = sorted(DETECTED | LANGUAGES | {"nn", "is", "en-gb", "zh-hant", "x-klingon", "und", ""})
TOO_LARGE = ask.Pattern("*" + "a?" * 600)
"""A pattern that the engine refuses, and the parser never makes."""
FERRY = ask.QueryWord("ferry")


@pytest.fixture(params=KINDS)
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shelf]:
    with shelf(request.param, tmp_path / "index") as made:
        yield made


def test_documents_in_every_language_are_found(index: Shelf) -> None:
    index.put(*(entry(n, f"lighthouse keeper number{n}", language=tag) for n, tag in enumerate(TAGS)))
    for n in range(len(TAGS)):
        assert index.ids(f"number{n}") == [n]
    assert len(index.ids("lighthouse")) == len(index.ids('"lighthouse keeper"')) == len(TAGS)
    assert set(index.ids("lighthouses")) >= {n for n, tag in enumerate(TAGS) if tag.startswith("en")}


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[Shelf]:
    with shelf("embedded", tmp_path / "index") as made:
        made.put(entry(1, "a ferry to the island"), entry(2, "a boat"), entry(3, "the ferries", language="en"))
        yield made


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (ask.Clauses(should=(FERRY, TOO_LARGE)), {1, 3}),
        (ask.Clauses(must=(FERRY, TOO_LARGE)), {1, 3}),
        (ask.Clauses(must=(FERRY,), never=(TOO_LARGE,)), {1, 3}),
        (ask.And((FERRY, ask.Not(TOO_LARGE))), {1, 3}),
        (ask.Or((ask.And((TOO_LARGE,)), ask.QueryWord("boat"))), {2}),
        (ask.And((FERRY, ask.Exact(Key.NEAR, ("9" * 30,)))), set()),
        (ask.Or((FERRY, ask.Range(ask.Number.SIZE, float("nan")))), {1, 3}),
        (ask.Clauses(should=(FERRY, ask.Near("ferry island", 10**12), ask.Like("ferry", 9, Field.TEXT))), {1, 3}),
    ],
)
def test_what_the_engine_refuses_is_left_out(
    embedded: Shelf, query: Query, found: set[int], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "cormorant"):
        assert set(embedded.ids(query)) == found
    assert [record.getMessage() for record in caplog.records] == ["query refused"]
    search = Search(query, ANYONE, weights=DEFAULT)
    counts = embedded.reader.tally(search, [ByKey(Key.SOURCE)])
    assert counts == [{"docs": len(found)} if found else {}]
    if found:
        assert embedded.reader.why(search, min(found))


def test_a_query_of_which_nothing_is_left_is_said_to_be_at_fault(embedded: Shelf) -> None:
    for query in (TOO_LARGE, ask.And((TOO_LARGE,)), ask.Not(TOO_LARGE), ask.Clauses(should=(TOO_LARGE,))):
        with pytest.raises(QueryFailed, match="fewer or plainer words"):
            embedded.ask(query)
    assert embedded.ids("boat") == [2]


class PanicException(BaseException): ...


@pytest.mark.parametrize("error", [ValueError("Unsupported language: polish"), KeyError("pl"), PanicException("oh")])
def test_what_fails_for_every_word_leaves_the_index_whole(
    embedded: Shelf, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    for name in ("forms", "alike"):
        monkeypatch.setattr(Dictionary, name, fail)
    with pytest.raises(QueryFailed):
        embedded.ask("ferry")
    assert embedded.ids('"ferry"') == [1]
    assert embedded.ids('ferry "boat"') == [2]
    assert embedded.reader.alike("fery", ANYONE) == ()
    asked = Beginning("fer", Search(TOO_LARGE, ANYONE), None, 5)
    assert embedded.reader.beginning(asked) == ()


def test_a_fault_of_altered_files_is_damage(tmp_path: Path) -> None:
    writer = open_writer(tmp_path)
    writer.apply([Upsert(entry(1, "a ferry"))])
    writer.commit(1)
    writer.close()
    reader = open_reader(tmp_path)
    assert reader.search(Search(FERRY, ANYONE)).total == 1
    for file in (tmp_path / "1").glob("*.term"):
        file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(IndexDamaged):
        reader.search(Search(TOO_LARGE, ANYONE))
