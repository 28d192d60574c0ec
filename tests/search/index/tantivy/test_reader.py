"""The embedded index answers in few steps what could be had in plain ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cormorant.model.acl import ANYONE, Reader
from cormorant.search.index import query as ask
from cormorant.search.index.document import IndexedDocument
from cormorant.search.index.facet_request import ByKey, Counts, Since
from cormorant.search.index.query import Key, Query, Search, Sort
from cormorant.search.index.tantivy import facet_counts, reader as index_reader
from cormorant.search.index.tantivy.reader import EmbeddedReader
from cormorant.search.weights import DEFAULT
from tests.contracts.test_index_properties import QUERIES, READERS, SLOW, TEXTS, scratch
from tests.search.index.shelves import entry, shelf

SPLITS = (ByKey(Key.SOURCE), ByKey(Key.SITE), Since({"late": 2.0, "early": 1.0}))
PLAIN_ORDERS = (Sort.RELEVANCE, Sort.NEWEST, Sort.OLDEST)


@st.composite
def held(draw: st.DrawFn) -> list[IndexedDocument]:
    """Documents of which several are equal, for different readers."""
    made = []
    for number in range(draw(st.integers(1, 14))):
        text, rights = draw(TEXTS), draw(st.sampled_from((("everyone",), ("everyone", "group:a"), ("group:a",))))
        more: dict[str, Any] = {"content_hash": draw(st.sampled_from((b"", b"a" * 32, b"b" * 32)))}
        more |= {"modified_at": draw(st.sampled_from((None, 1.0, 2.0))), "depth": draw(st.integers(0, 2))}
        made.append(entry(number, text, grants=rights, source=draw(st.sampled_from(("docs", "wiki"))), **more))
    return made


@st.composite
def searches(draw: st.DrawFn) -> Search:
    everything: st.SearchStrategy[Query] = st.just(ask.Everything())
    return Search(
        draw(st.one_of(everything, QUERIES)), draw(READERS), draw(st.integers(0, 6)), draw(st.integers(0, 6)),
        draw(st.sampled_from(PLAIN_ORDERS)), draw(st.frozensets(st.integers(0, 3), max_size=2)), draw(st.booleans()),
        DEFAULT, None, draw(st.sampled_from((None, 1e6))),
    )  # fmt: skip


@contextmanager
def ranking(entries: list[IndexedDocument], most: int) -> Iterator[EmbeddedReader]:
    """Read an index of these entries that ranks, and looks for equal ones among, so many matches."""
    with pytest.MonkeyPatch.context() as patched, scratch("embedded", entries) as index:
        for each in (index_reader, facet_counts):
            patched.setattr(each, "MOST_RANKED", most)
        assert isinstance(index.reader, EmbeddedReader)
        yield index.reader


def plainly(reader: EmbeddedReader, search: Search) -> tuple[int, int, list[tuple[int, float, int]]]:
    """Answer a search from every match and every column: how many, how many can be reached, and the page."""
    state = reader._state
    assert state
    result: Any = index_reader._ranked(state, search)
    rows: list[Any] = [
        (value, *(state.searcher.fast_field_values(name, [address])[0] for name in ("id", "fold", "standing")))
        for value, address in result.hits
    ]
    ordered = [row for _, tied in groupby(rows, itemgetter(0)) for row in sorted(tied, key=itemgetter(1))]
    left = list(_left(ordered)) if search.fold else [(row, 0) for row in ordered]
    page = [
        (int(row[1]), row[0] if search.sort is Sort.RELEVANCE else 0.0, more)
        for row, more in left[search.offset : search.offset + search.limit]
    ]
    return result.count - len(rows) + len(left), len(left), page


def _left(rows: Sequence[Any]) -> Iterator[tuple[Any, int]]:
    """Yield of equal rows the one that stands for all, and how many others there are."""
    for row in rows:
        equal = [row] if row[2] is None else [each for each in rows if each[2] == row[2]]
        if row == min(equal, key=lambda each: (each[3], each[1])):
            yield row, len(equal) - 1


@given(held(), st.lists(searches(), min_size=1, max_size=4), st.sampled_from((2, 5, 10_000)))
@SLOW
def test_a_page_is_what_it_is_when_everything_is_looked_at(
    entries: list[IndexedDocument], asked: list[Search], most: int
) -> None:
    with ranking(entries, most) as reader:
        for search in asked:
            found = reader.search(search)
            hits = [(hit.id, hit.score, hit.duplicates) for hit in found.hits]
            assert (found.total, found.reachable, hits) == plainly(reader, search)


def test_a_count_is_of_its_own_search_whatever_was_searched_for_before(tmp_path: Path) -> None:
    staff = Search(ask.Everything(), Reader("staff", frozenset({"everyone", "group:a"})), weights=DEFAULT)
    equal: dict[str, Any] = {"content_hash": b"a" * 32}
    with shelf("embedded", tmp_path) as index:
        index.put(entry(1, "ferry", **equal), entry(2, "ferry", grants=("group:a",), **equal), entry(3, "pump"))
        index.reader.search(staff)
        for search, count in (
            (staff, 2), (replace(staff, reader=ANYONE), 2), (replace(staff, hidden=frozenset({2})), 2),
            (replace(staff, hidden=frozenset({3})), 1), (replace(staff, fold=False), 3),
        ):  # fmt: skip
            assert index.reader.tally(search, [ByKey(Key.SOURCE)]) == [{"docs": count}]


@given(held(), st.lists(searches(), min_size=1, max_size=4), st.sampled_from((2, 5, 10_000)))
@SLOW
def test_what_was_searched_for_before_does_not_change_a_count(
    entries: list[IndexedDocument], asked: list[Search], most: int
) -> None:
    with ranking(entries, most) as reader:
        every = [each for search in asked for each in _nearly(search)]
        for search in every:
            reader.search(search)
        for search in every:
            counts = reader.tally(search, SPLITS)
            assert counts == EmbeddedReader(reader._folder).tally(search, SPLITS)
            _is_of_all(counts, plainly(reader, search)[0] if most > len(entries) else None)


def _nearly(search: Search) -> Iterator[Search]:
    """Yield a search, and the same for others and with other things hidden."""
    yield search
    yield replace(search, reader=Reader("other", frozenset({"everyone"})))
    yield replace(search, hidden=search.hidden ^ {1})
    yield replace(search, fold=not search.fold)
    yield replace(search, offset=search.offset + 1, sort=Sort.NEWEST)


def _is_of_all(counts: list[Counts], total: int | None) -> None:
    """Every document is of a site, so no list of sites counts more of one than there are."""
    assert total is None or max(counts[1].values(), default=0) == total
