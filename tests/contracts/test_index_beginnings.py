"""Which words, and values of keys, begin so: what every index tells, and to whom."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from cormorant.model.acl import ACL, ANYONE, Reader
from cormorant.search.index import query as ask
from cormorant.search.index.completion import Beginning, Begun
from cormorant.search.index.document import Delete, IndexedDocument
from cormorant.search.index.query import Key, Query, Search
from tests.contracts.test_index_properties import READERS, entries, scratch
from tests.search.index.shelves import KINDS, Shelf, entry, shelf

ALL = ask.Everything()
ADA = Reader("ada", frozenset(("everyone", "user:ada")))
SLOW = settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@pytest.fixture(params=KINDS)
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shelf]:
    with shelf(request.param, tmp_path / "index") as made:
        made.put(
            entry(1, "The ferry leaves the harbour.", title="Ferries", mime="text/html", language="en"),
            entry(2, "Ferry and FERRYMAN, harbour.", source="wiki", mime="application/pdf", language="de-CH"),
            entry(3, "A fern of the forest.", language="en"),
            entry(4, "A secret ferrule.", grants=("user:ada",), mime="text/plain"),
            entry(5, "Fermented, and not to be quoted.", attributes={"Robots": ("nosnippet",)}),
            entry(6, "Ferrous ferry.", denies=("user:ada",)),
        )
        yield made


def begun(
    index: Shelf, letters: str, reader: Reader = ANYONE, query: Query = ALL, key: Key | None = None,
    hidden: frozenset[int] = frozenset(),
) -> list[tuple[str, int]]:  # fmt: skip
    within = Search(query, reader, limit=0, hidden=hidden)
    return [(each.text, each.documents) for each in index.reader.beginning(Beginning(letters, within, key, most=50))]


def test_words_come_with_how_many_documents_hold_them(index: Shelf) -> None:
    expected = [("ferry", 3), ("fern", 1), ("ferries", 1), ("ferrous", 1), ("ferryman", 1)]
    assert begun(index, "fer") == expected
    assert begun(index, "ferry") == [("ferry", 3), ("ferryman", 1)]
    assert begun(index, "zeb") == begun(index, "") == begun(index, "FER") == []


def test_a_word_that_only_others_may_read_is_told_to_them_alone(index: Shelf) -> None:
    assert begun(index, "ferru") == begun(index, "ferro", ADA) == []
    assert begun(index, "ferru", ADA) == [("ferrule", 1)]
    assert begun(index, "ferro") == [("ferrous", 1)]
    assert begun(index, "fer", Reader("nobody", frozenset())) == []


def test_a_word_of_hidden_documents_is_told_to_nobody(index: Shelf) -> None:
    assert begun(index, "ferr", hidden=frozenset((1, 6))) == [("ferry", 1), ("ferryman", 1)]
    assert begun(index, "fern", hidden=frozenset((3,))) == []


def test_a_word_of_what_asks_not_to_be_quoted_is_told_to_nobody(index: Shelf) -> None:
    assert begun(index, "ferm") == begun(index, "quot") == []


def test_a_word_of_what_is_gone_is_told_to_nobody(index: Shelf) -> None:
    index.apply([Delete(3)])
    assert begun(index, "fern") == begun(index, "fore") == []


def test_other_words_narrow(index: Shelf) -> None:
    harbour = ask.QueryWord("harbour")
    assert begun(index, "fer", query=harbour) == [("ferry", 2), ("ferries", 1), ("ferryman", 1)]
    assert begun(index, "fer", query=ask.And((harbour, ask.Exact(Key.SOURCE, ("wiki",))))) == [
        ("ferry", 1), ("ferryman", 1),
    ]  # fmt: skip
    assert begun(index, "fer", query=ask.Nothing()) == []


def test_the_first_of_many(index: Shelf) -> None:
    asked = Beginning("fer", Search(ask.Everything(), ANYONE, limit=0), most=2)
    assert index.reader.beginning(asked) == (Begun("ferry", 3), Begun("fern", 1))


def test_values_of_keys(index: Shelf) -> None:
    assert begun(index, "", key=Key.SOURCE) == [("docs", 4), ("wiki", 1)]
    assert begun(index, "text/", key=Key.MIME) == [("text/html", 1)]
    assert begun(index, "text/", ADA, key=Key.MIME) == [("text/html", 1), ("text/plain", 1)]
    assert dict(begun(index, "", key=Key.LANGUAGE)) == {"en": 2, "de": 1, "de-ch": 1, "und": 2}
    assert begun(index, "", key=Key.SITE) == [("docs.example.org", 5), ("example.org", 5)]
    assert begun(index, "w", key=Key.SOURCE, hidden=frozenset((2,))) == []


LETTERS = st.sampled_from(("p", "pu", "pump", "v", "be", "f", "x", "b", "x1"))
NARROWED = st.sampled_from((ask.Everything(), ask.QueryWord("pump"), ask.Not(ask.QueryWord("valve")), ask.Prefix("pu")))
KEYS = st.sampled_from((None, None, Key.SOURCE, Key.LANGUAGE))
ASKED = st.tuples(LETTERS, NARROWED, READERS, st.frozensets(st.integers(0, 12), max_size=2), KEYS)


@pytest.mark.slow
@SLOW
@given(entries(), st.lists(ASKED, min_size=10, max_size=20))
def test_both_kinds_tell_the_same(
    held: list[IndexedDocument], asked: list[tuple[str, Query, Reader, frozenset[int], Key | None]]
) -> None:
    with scratch("embedded", held) as embedded, scratch("memory", held) as memory:
        for letters, query, reader, hidden, key in asked:
            ours, twin = (begun(each, letters, reader, query, key, hidden) for each in (embedded, memory))
            assert ours == twin


@pytest.mark.slow
@SLOW
@given(entries(), st.lists(ASKED, min_size=5, max_size=8))
def test_what_is_told_is_that_of_an_index_that_never_held_what_is_forbidden(
    held: list[IndexedDocument], asked: list[tuple[str, Query, Reader, frozenset[int], Key | None]]
) -> None:
    with scratch("embedded", held) as everything:
        for letters, query, reader, hidden, key in asked:
            seen = [each for each in held if reader.may_read(ACL(each.grants, each.denies)) and each.id not in hidden]
            with scratch("embedded", seen) as allowed:
                told = begun(everything, letters, reader, query, key, hidden)
                assert told == begun(allowed, letters, reader, query, key)


def test_equal_content_is_counted_by_document(index: Shelf) -> None:
    digest = hashlib.sha256(b"twin").digest()
    index.put(*(entry(number, "twinned", content_hash=digest) for number in (20, 21)))
    assert begun(index, "twin") == [("twinned", 2)]
