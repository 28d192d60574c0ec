"""What holds for every index, whatever is put in and asked.

The two kinds agree, and nobody learns of what he may not see.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from cormorant.model.acl import ACL, ANYONE, Reader
from cormorant.search.index import query as ask
from cormorant.search.index.document import IndexedDocument
from cormorant.search.index.query import Field, Key
from cormorant.search.index.tantivy.query_compiler import WORDS_FIRST
from tests.search.index.shelves import Shelf, entry, shelf

SLOW = settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])

WORDS = st.sampled_from(("pump", "Pumpe", "valve", "b\u00e9ton", "foo-bar", "\u6771\u4eac", "x1"))
TEXTS = st.lists(WORDS | st.text(max_size=4), max_size=8).map(" ".join)
PRINCIPALS = ("everyone", "group:a", "group:b", "user:c")
SOME_PRINCIPALS = st.frozensets(st.sampled_from(PRINCIPALS), max_size=3)
FIELDS = st.sampled_from((None, Field.TITLE, Field.TEXT))


@st.composite
def entries(draw: st.DrawFn) -> list[IndexedDocument]:
    made = []
    for number in range(draw(st.integers(1, 12))):
        text = draw(TEXTS)
        made.append(
            entry(
                number,
                text,
                title=draw(TEXTS),
                source=draw(st.sampled_from(("docs", "wiki"))),
                grants=tuple(sorted(draw(SOME_PRINCIPALS))),
                denies=tuple(sorted(draw(st.frozensets(st.sampled_from(PRINCIPALS), max_size=1)))),
                content_hash=draw(st.sampled_from((b"", hashlib.sha256(text.encode()).digest()))),
                near=draw(st.sampled_from((None, None, 7, -9))),
            )
        )
    return made


LEAVES = st.one_of(
    st.builds(ask.QueryWord, WORDS | st.text(max_size=3), FIELDS),
    st.builds(ask.Phrase, st.lists(WORDS, min_size=1, max_size=3).map(" ".join), FIELDS),
    st.builds(ask.Prefix, st.sampled_from(("pu", "PUMP", "foo-b", "\u6771", "!")), FIELDS),
    st.builds(ask.Exact, st.just(Key.SOURCE), st.sampled_from((("docs",), ("wiki", "docs"), ("none",), ()))),
    st.just(ask.Everything()),
    st.just(ask.Nothing()),
)


def _larger(part: st.SearchStrategy[ask.Query]) -> st.SearchStrategy[ask.Query]:
    parts = st.lists(part, max_size=3).map(tuple)
    clauses = st.builds(ask.Clauses, parts, parts, parts, st.integers(0, 1))
    return st.one_of(st.builds(ask.And, parts), st.builds(ask.Or, parts), st.builds(ask.Not, part), clauses)


QUERIES: st.SearchStrategy[ask.Query] = st.recursive(LEAVES, _larger, max_leaves=6)
READERS = SOME_PRINCIPALS.map(lambda principals: Reader("someone", principals))


@contextmanager
def scratch(kind: str, held: list[IndexedDocument]) -> Iterator[Shelf]:
    folder = Path(tempfile.mkdtemp())
    try:
        with shelf(kind, folder) as made:
            made.put(*held[::2])
            made.put(*held[1::2])
            yield made
    finally:
        shutil.rmtree(folder)


@pytest.mark.slow
@SLOW
@given(entries(), st.lists(st.tuples(QUERIES, READERS, st.frozensets(st.integers(0, 12), max_size=2)), min_size=10))
def test_both_kinds_find_the_same(
    held: list[IndexedDocument], asked: list[tuple[ask.Query, Reader, frozenset[int]]]
) -> None:
    with scratch("embedded", held) as embedded, scratch("memory", held) as memory:
        for query, reader, hidden in asked:
            ours, twin = (each.ask(query, reader=reader, hidden=hidden, fold=False) for each in (embedded, memory))
            assert ours.total == twin.total == len(ours.hits)
            assert {match.id for match in ours.hits} == {match.id for match in twin.hits}
            ours, twin = (each.ask(query, reader=reader, hidden=hidden) for each in (embedded, memory))
            assert ours.total == twin.total == len(ours.hits)
            assert sorted(match.duplicates for match in ours.hits) == sorted(match.duplicates for match in twin.hits)


@pytest.mark.slow
@SLOW
@given(entries(), st.lists(st.tuples(TEXTS, READERS), min_size=5, max_size=8))
def test_answers_are_those_of_an_index_that_never_held_what_is_forbidden(
    held: list[IndexedDocument], asked: list[tuple[str, Reader]]
) -> None:
    with scratch("embedded", held) as everything:
        for text, reader in asked:
            seen = [each for each in held if reader.may_read(ACL(each.grants, each.denies))]
            queries = (text, f"-({text})", f"{text} *", "pump valve", "pu*")
            with scratch("embedded", seen) as allowed:
                _same_answers(everything, allowed, queries, reader)


def _same_answers(everything: Shelf, allowed: Shelf, queries: Iterable[str], reader: Reader) -> None:
    """Totals, duplicates and hits are the same; so is the order, as far as it is by words and not by their rarity."""
    for query in queries:
        ours, theirs = (each.ask(query, reader=reader, fold=False) for each in (everything, allowed))
        assert ours.total == theirs.total
        assert {match.id: match.entry for match in ours.hits} == {match.id: match.entry for match in theirs.hits}
        assert [match.score // WORDS_FIRST for match in ours.hits] == [
            match.score // WORDS_FIRST for match in theirs.hits
        ]
        ours, theirs = (each.ask(query, reader=reader) for each in (everything, allowed))
        assert ours.total == theirs.total
        assert sorted(match.duplicates for match in ours.hits) == sorted(match.duplicates for match in theirs.hits)


@SLOW
@given(st.lists(st.text(max_size=60) | TEXTS, min_size=30, max_size=30))
def test_any_text_is_a_query(texts: list[str]) -> None:
    held = [entry(1, "pump valve"), entry(2, "b\u00e9ton", title="foo-bar")]
    with scratch("embedded", held) as embedded, scratch("memory", held) as memory:
        for text in texts:
            assert set(embedded.ids(text)) == set(memory.ids(text))


@settings(max_examples=25)
@given(TEXTS, st.lists(TEXTS, min_size=5, max_size=5))
def test_hidden_documents_add_nothing(text: str, asked: list[str]) -> None:
    held = [entry(number, f"{text} {number}", content_hash=b"12345678") for number in range(6)]
    with scratch("embedded", held) as everything, scratch("embedded", held[2:]) as without:
        for query in asked:
            ours = everything.ask(query, hidden=frozenset((0, 1)))
            theirs = without.ask(query, reader=ANYONE)
            assert (ours.total, [match.duplicates for match in ours.hits]) == (
                theirs.total,
                [match.duplicates for match in theirs.hits],
            )
