"""What every index counts by sort, in which order and groups it answers, and which of several equals it shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from cormorant.model.acl import ACL, ANYONE, Reader
from cormorant.search.index import query as ask
from cormorant.search.index.document import IndexedDocument, UpdateLinks
from cormorant.search.index.facet_request import ByKey, Counts, Since, Split
from cormorant.search.index.query import GROUP_HITS, Key, Number, Query, Search, Sort
from cormorant.search.index.tantivy import facet_counts
from cormorant.search.query.parser import parse
from cormorant.search.weights import DEFAULT
from tests.contracts.test_index_properties import PRINCIPALS, READERS, SOME_PRINCIPALS, WORDS, scratch
from tests.search.index.shelves import KINDS, Shelf, entry, shelf

SAME, OTHER = b"s" * 32, b"o" * 32
SITES, MIMES = ByKey(Key.SITE), ByKey(Key.MIME)
NAMED = ByKey(Key.MIME, {"text/html": "page", "application/xhtml+xml": "page"})
AGES = Since({"late": 50.0, "all": -10.0, "later": 100.0})
EVERY: Sequence[Split] = (ByKey(Key.SOURCE), SITES, MIMES, NAMED, ByKey(Key.LANGUAGE), AGES)


@pytest.fixture(params=KINDS)
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shelf]:
    with shelf(request.param, tmp_path / "index") as made:
        yield made


def tally(index: Shelf, text: str | Query, *splits: Split, **more: object) -> list[Counts]:
    asked = parse(text).query if isinstance(text, str) else text
    given_: dict[str, object] = {"reader": ANYONE, "weights": DEFAULT, **more}
    return index.reader.tally(Search(query=asked, **given_), splits)  # type: ignore[arg-type]


def put_some(index: Shelf) -> None:
    index.put(
        entry(1, "pump", url="https://docs.example.org/1", mime="text/html", language="en", modified_at=40.0),
        entry(2, "pump", url="https://docs.example.org/2", mime="application/xhtml+xml", language="de-CH",
              modified_at=50.0, content_hash=SAME),
        entry(3, "pump", url="https://www.example.org/3", mime="text/html", language="de", modified_at=150.0,
              content_hash=SAME, source="wiki"),
        entry(4, "pump", url="https://www.example.org:81/4", mime="application/pdf", content_hash=OTHER),
    )  # fmt: skip
    index.put(
        entry(5, "pump", url="file:///srv/5", mime="application/pdf", language="de", content_hash=OTHER,
              modified_at=60.0),
        entry(6, "valve", url="https://docs.example.org/6", mime="text/html"),
        entry(7, "pump", mime="text/plain", grants=("user:ada",), source="secret", content_hash=SAME),
    )  # fmt: skip


def test_counts_by_sort(index: Shelf) -> None:
    put_some(index)
    sources, sites, mimes, named, languages, ages = tally(index, "pump", *EVERY)
    assert sources == {"docs": 3, "wiki": 1}, "2 and 3 are equal, and so are 4 and 5"
    assert sites == {
        "docs.example.org": 2, "example.org": 3, "www.example.org": 2, "www.example.org:81": 1,
    }  # fmt: skip
    assert mimes == {"text/html": 2, "application/xhtml+xml": 1, "application/pdf": 1}
    assert named == {"page": 2, "application/pdf": 1}
    assert languages == {"en": 1, "de": 2, "de-ch": 1, "und": 1}
    assert ages == {"all": 3, "late": 2, "later": 1}


def test_counts_without_folding(index: Shelf) -> None:
    put_some(index)
    sources, *_, ages = tally(index, "pump", *EVERY, fold=False)
    assert sources == {"docs": 4, "wiki": 1}
    assert ages == {"all": 4, "late": 3, "later": 1}


def test_what_is_forbidden_or_hidden_counts_nowhere(index: Shelf) -> None:
    put_some(index)
    assert tally(index, "pump", ByKey(Key.SOURCE), hidden=frozenset((1, 3))) == [{"docs": 2}]
    assert tally(index, "pump", ByKey(Key.SOURCE), reader=Reader("ada", frozenset(("user:ada",)))) == [{"secret": 1}]
    assert tally(index, "zebra", *EVERY) == [{}] * len(EVERY)
    assert tally(index, "pump") == []


def test_an_index_that_is_not_there_counts_nothing(index: Shelf) -> None:
    assert tally(index, "*", *EVERY) == [{}] * len(EVERY)


def test_any_values_are_counted(index: Shelf) -> None:
    long = "x" * 70_000
    index.put(
        entry(1, "pump", source='a "b" \ud800', mime=long), entry(2, "pump", source="", url="http://[::1]:80/"),
        entry(3, "pump", source="", url=f"http://{'h' * 300}.example.org/", content_hash=SAME),
        entry(4, "pump", source="", url="http://[::1]:80/other", content_hash=SAME),
    )  # fmt: skip
    sources, sites = tally(index, "pump", ByKey(Key.SOURCE), SITES)
    assert sources['a "b" \\ud800'] == 1
    assert (sites["::1:80"], sites["::1"], sites["example.org"]) == (2, 2, 2)


class TestOrder:
    def test_titles_from_a_to_z(self, index: Shelf) -> None:
        titles = {1: "zebra", 2: "Éclair", 3: "apple pie", 4: "", 5: "APPLE", 6: "éclair", 7: "…", 8: "10 things"}
        for number, title in titles.items():
            index.put(entry(number, "pump", title=title))
        assert index.ids("pump", sort=Sort.TITLE) == [8, 5, 3, 2, 6, 1, 4, 7]
        assert index.ids("pump", sort=Sort.TITLE, limit=3, offset=2) == [3, 2, 6]

    def test_titles_that_begin_alike(self, index: Shelf) -> None:
        same = "Annual report of the observatory on the birds of the island"
        titles = {1: f"{same} 2026", 2: f"{same} 2019", 3: same, 4: f"{same} Ümlaut", 5: "x" * 32, 6: "x" * 33, 7: same,
                  8: "東京大学の研究者たちが", 9: "東京大学の研究者たち"}  # fmt: skip
        index.put(*(entry(number, "pump", title=title) for number, title in titles.items()))
        assert index.ids("pump", sort=Sort.TITLE) == [3, 7, 2, 1, 4, 5, 6, 9, 8]

    def test_of_equals_the_one_that_stands_for_all_is_shown(self, index: Shelf) -> None:
        far, near = "https://docs.example.org/a/long/way", "https://docs.example.org/n"
        index.put(
            entry(1, "pump", url=far, content_hash=SAME, modified_at=9.0),
            entry(3, "pump", url=near, content_hash=SAME),
            entry(2, "pump", url=near, content_hash=SAME, modified_at=5.0),
            entry(9, "pump", url="https://docs.example.org/b/long/way", modified_at=7.0),
        )  # fmt: skip
        for sort, found in ((Sort.NEWEST, [9, 2]), (Sort.OLDEST, [2, 9])):
            assert index.ids("pump", sort=sort) == found, "it stands in its own place"
        index.put(entry(1, "pump", url=far, content_hash=SAME, attributes={"Canonical": far}))
        assert [(each.id, each.duplicates) for each in index.ask("pump").hits] == [(1, 2), (9, 0)]
        assert index.ids("pump", hidden=frozenset((1,))) == [2, 9]

    def test_documents_of_equal_content_are_asked_for(self, index: Shelf) -> None:
        index.put(*(entry(n, content_hash=SAME if n % 2 else OTHER) for n in range(6)), entry(9))
        key = str(int.from_bytes(SAME[:8], "big", signed=True))
        assert index.ids(ask.Exact(Key.CONTENT, (key,)), fold=False) == [1, 3, 5]
        assert index.ids(ask.Exact(Key.CONTENT, (key, "7", "x", "")), reader=Reader("x", frozenset())) == []

    def test_near_copies_are_one_and_asked_for_by_their_class(self, index: Shelf) -> None:
        index.put(
            entry(1, "pump", content_hash=SAME), entry(2, "pump", content_hash=SAME, near=-5),
            entry(3, "pump", content_hash=OTHER, near=-5), entry(4, "pump", content_hash=b"4" * 32, near=6),
        )  # fmt: skip
        assert [(each.id, each.duplicates, each.near) for each in index.ask("pump").hits] == [(1, 1, 1), (4, 0, 0)]
        assert index.ids(ask.Exact(Key.NEAR, ("-5", "x")), fold=False) == [2, 3]
        index.apply([UpdateLinks(3, (), 0.0, near=6), UpdateLinks(2, (), 0.0)])
        assert [(each.id, each.duplicates, each.near) for each in index.ask("pump").hits] == [(1, 1, 0), (3, 0, 1)]

    def test_of_near_copies_the_one_that_fits_best_is_shown(self, index: Shelf) -> None:
        index.put(
            entry(1, "pump", content_hash=SAME, near=5), entry(2, "pump", title="Pump", content_hash=OTHER, near=5)
        )
        assert [(each.id, each.near) for each in index.ask("pump").hits] == [(2, 1)]
        assert index.ids("pump", sort=Sort.TITLE) == [1], "in another order that which stands for all"

    def test_a_count_is_of_what_is_left_together_when_narrowed(self, index: Shelf) -> None:
        index.put(
            entry(1, "pump", source="a", content_hash=SAME), entry(2, "pump", source="b", content_hash=SAME, near=5),
            entry(3, "pump", source="a", content_hash=OTHER, near=5),
        )  # fmt: skip
        assert index.ask("pump").total == 1
        assert tally(index, "pump", ByKey(Key.SOURCE)) == [{"a": 2, "b": 1}]


class TestGroups:
    def test_a_few_of_each_in_the_order_of_the_best(self, index: Shelf) -> None:
        dates = {1: 90.0, 2: 80.0, 3: 70.0, 4: 60.0, 5: 50.0, 6: 40.0, 7: 30.0}
        sources = {1: "b", 2: "a", 3: "b", 4: "b", 5: "b", 6: "c", 7: "a"}
        index.put(*(entry(n, "pump", source=sources[n], modified_at=dates[n]) for n in dates))
        matches = index.ask("pump", sort=Sort.NEWEST, group=Key.SOURCE)
        assert [(each.id, each.group) for each in matches.hits] == [
            (1, "b"), (3, "b"), (4, "b"), (2, "a"), (7, "a"), (6, "c"),
        ]  # fmt: skip
        assert (matches.total, matches.reachable) == (7, 3)
        assert index.ids("pump", sort=Sort.NEWEST, group=Key.SOURCE, limit=1, offset=1) == [2, 7]

    def test_what_has_no_site_stands_by_itself(self, index: Shelf) -> None:
        index.put(*(entry(n, "pump", url=f"file:///srv/{n}") for n in range(5)), entry(9, "pump"))
        matches = index.ask("pump", group=Key.SITE)
        assert (len(matches.hits), matches.reachable) == (6, 6)
        assert {each.group for each in matches.hits} == {None, "docs.example.org"}

    def test_pages_of_groups_neither_repeat_nor_miss(self, index: Shelf) -> None:
        for batch in range(3):
            index.put(*(
                entry(n, "pump " * (n % 4 + 1), source=f"s{n % 17}", content_hash=bytes([n % 40]) * 32)
                for n in range(batch, 90, 3)
            ))  # fmt: skip
        whole = index.ask("pump", group=Key.SOURCE)
        pages = [index.ask("pump", group=Key.SOURCE, limit=5, offset=offset).hits for offset in range(0, 25, 5)]
        assert [each.id for page in pages for each in page] == [each.id for each in whole.hits]
        groups = [list(dict.fromkeys(each.group for each in page)) for page in pages]
        assert [len(each) for each in groups] == [5, 5, 5, whole.reachable - 15, 0]
        assert len({name for each in groups for name in each}) == whole.reachable
        for page in pages:
            assert all(sum(other.group == each.group for other in page) <= GROUP_HITS for each in page)


# ------------------------------------------------------------------------------------------ whatever is put and asked

SLOW = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
ADDRESSES = st.sampled_from(
    ("https://docs.example.org/{}", "https://www.example.org:81/{}/x", "https://example.org/{}", "file:///srv/{}")
)


@st.composite
def libraries(draw: st.DrawFn) -> list[IndexedDocument]:
    return [
        entry(
            number,
            " ".join(draw(st.lists(WORDS, max_size=4))),
            title=draw(st.sampled_from(("", "Pump", "pümp", "a valve", "…"))),
            url=draw(ADDRESSES).format(number),
            source=draw(st.sampled_from(("docs", "wiki", "x"))),
            mime=draw(st.sampled_from(("", "text/html", "application/xhtml+xml", "application/pdf"))),
            language=draw(st.sampled_from(("", "de", "de-CH", "en"))),
            modified_at=draw(st.none() | st.sampled_from((-20.0, -10.0, 50.0, 50.5, 100.0, 1e12))),
            grants=tuple(sorted(draw(SOME_PRINCIPALS) | {"everyone"})) if draw(st.booleans()) else PRINCIPALS[2:],
            content_hash=draw(st.sampled_from((b"", SAME, OTHER))),
            near=draw(st.sampled_from((None, 3))),
            attributes=draw(st.sampled_from(({}, {}, {"Canonical": "x"}))),
        )
        for number in range(draw(st.integers(1, 14)))
    ]


ASKED = st.sampled_from(("*", "pump", "pump valve", "-pump", "pu*", "source:docs OR type:pdf", "site:example.org"))
HIDDEN = st.frozensets(st.integers(0, 13), max_size=2)


@pytest.mark.slow
@SLOW
@given(libraries(), st.lists(st.tuples(ASKED, READERS, HIDDEN, st.booleans()), min_size=6, max_size=12))
def test_both_kinds_count_the_same_and_every_count_is_a_total(
    held: list[IndexedDocument], asked: list[tuple[str, Reader, frozenset[int], bool]]
) -> None:
    with scratch("embedded", held) as embedded, scratch("memory", held) as memory:
        for text, reader, hidden, fold in asked:
            more = {"reader": reader, "hidden": hidden, "fold": fold}
            ours, twin = (tally(each, text, *EVERY, **more) for each in (embedded, memory))
            assert ours == twin
            each_one = [
                (split, *counted) for split, counts in zip(EVERY, ours, strict=True) for counted in counts.items()
            ]
            for split, sort, count in each_one:
                assert embedded.ask(_narrowed(text, split, sort), **more).total == count, (split, sort)


def _narrowed(text: str, split: Split, sort: str) -> Query:
    """The question that choosing a sort asks."""
    query = parse(text).query
    if isinstance(split, Since):
        return ask.And((query, ask.Range(Number.MODIFIED, split.moments[sort], None)))
    assert isinstance(split, ByKey)
    values = [value for value, name in split.names.items() if name == sort] or [sort]
    return ask.And((query, ask.Exact(split.key, tuple(values))))


@pytest.mark.slow
@SLOW
@given(libraries(), st.lists(st.tuples(READERS, HIDDEN, st.sampled_from([*Sort][1:])), min_size=6, max_size=12))
def test_both_kinds_order_and_group_the_same(
    held: list[IndexedDocument], asked: list[tuple[Reader, frozenset[int], Sort]]
) -> None:
    with scratch("embedded", held) as embedded, scratch("memory", held) as memory:
        for reader, hidden, sort in asked:
            for group in (None, Key.SOURCE, Key.SITE):
                given_ = {"reader": reader, "hidden": hidden, "sort": sort, "group": group}
                ours, twin = (each.ask("*", **given_) for each in (embedded, memory))
                assert [each._replace(score=0) for each in ours.hits] == [each._replace(score=0) for each in twin.hits]
                assert (ours.total, ours.reachable) == (twin.total, twin.reachable)


@pytest.mark.slow
@SLOW
@given(libraries(), st.lists(st.tuples(ASKED, READERS), min_size=4, max_size=8))
def test_counts_orders_and_groups_are_those_of_an_index_that_never_held_what_is_forbidden(
    held: list[IndexedDocument], asked: list[tuple[str, Reader]]
) -> None:
    with scratch("embedded", held) as everything:
        for text, reader in asked:
            seen = [each for each in held if reader.may_read(ACL(each.grants, each.denies))]
            with scratch("embedded", seen) as allowed:
                both = (everything, allowed)
                ours, theirs = (tally(each, text, *EVERY, reader=reader) for each in both)
                assert ours == theirs
                _same_answers(both, text, reader)


def _same_answers(both: tuple[Shelf, Shelf], text: str, reader: Reader) -> None:
    for sort in (Sort.NEWEST, Sort.OLDEST, Sort.TITLE):
        for group in (None, Key.SOURCE, Key.SITE):
            ours, theirs = (each.ask(text, reader=reader, sort=sort, group=group) for each in both)
            assert ours == theirs


def test_beyond_what_is_folded_each_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facet_counts, "MOST_RANKED", 4)
    with shelf("embedded", tmp_path) as index:
        index.put(*(entry(n, "pump", content_hash=SAME) for n in range(4)))
        assert tally(index, "pump", ByKey(Key.SOURCE)) == [{"docs": 1}]
        index.put(entry(4, "pump", content_hash=SAME))
        assert tally(index, "pump", ByKey(Key.SOURCE)) == [{"docs": 5}]
