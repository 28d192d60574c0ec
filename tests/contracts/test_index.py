"""What every index promises, whatever it is made of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from cormorant.model.acl import ANYONE, Reader
from cormorant.search.index.document import Change, Delete, UpdateLinks, Upsert
from cormorant.search.index.query import Exact, Key, QueryWord, Search, Sort, Weights
from tests.search.index.shelves import KINDS, Shelf, entry, shelf


@pytest.fixture(params=KINDS)
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shelf]:
    with shelf(request.param, tmp_path / "index") as made:
        yield made


def digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


LIBRARY = (
    entry(1, "The hotel is in the capital. Rail is cheap.", title="Travel policy", mime="text/html", language="en"),
    entry(2, "A hotel by the sea, and lodging too.", title="Draft of a list", mime="application/pdf", language="de-CH"),
    entry(3, "Crème brûlée in the CAFÉ of the Straße.", source="menus", url="http://menus.example.org:8080/x"),
    entry(4, "東京大学の研究者たちが機械学習を研究する。", language="ja"),
    entry(5, "reimburse, reimbursed; reimbursement", title="Foo-bar", mime="text/html"),
    entry(6, "The head of the department spoke of a department head.", url="file:///srv/docs/six"),
)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("hotel", {1, 2}),
        ("HOTEL", {1, 2}),
        ("hotel rail zebra", {1, 2}),
        ("zebra", set()),
        ("+hotel rail", {1, 2}),
        ("+hotel +rail", {1}),
        ("hotel -draft", {1}),
        ("hotel NOT draft", {1}),
        ("hotel AND lodging", {2}),
        ("rail OR lodging", {1, 2}),
        ("(rail OR lodging) AND capital", {1}),
        ("hotel AND NOT sea", {1}),
        ("-hotel", {3, 4, 5, 6}),
        ("rail OR NOT the", {1, 4, 5}),
        ('"head of the department"', {6}),
        ('"head of department"', set()),
        ('"department head"', {6}),
        ("reimburs*", {5}),
        ("reimburse", {5}),
        ("reimb", set()),
        ("foo-ba*", {5}),
        ("title:policy", {1}),
        ("title:hotel", set()),
        ("text:hotel", {1, 2}),
        ("title:(travel list)", {1, 2}),
        ("title:pol*", {1}),
        ('title:"travel policy"', {1}),
        ("foo-bar", {5}),
        ("bar-foo", set()),
        ("creme", {3}),
        ("BRULEE", {3}),
        ("cafe\u0301", {3}),
        ("strasse", {3}),
        ("研究", {4}),
        ("究研", set()),
        ("機械学習", {4}),
        ('"大学の研究者"', {4}),
        ("site:example.org", {1, 2, 3, 4, 5}),
        ("site:docs.example.org hotel", {1, 2}),
        ("site:menus.example.org:8080", {3}),
        ("site:org", set()),
        ("source:menus", {3}),
        ("source:menus source:docs", {1, 2, 3, 4, 5, 6}),
        ("type:pdf hotel", {2}),
        ("type:text/html", {1, 5}),
        ("type:page type:pdf", {1, 2, 5}),
        ("-type:page hotel", {2}),
        ("lang:de", {2}),
        ("lang:de-ch", {2}),
        ("lang:fr", set()),
        ("type:pdf OR lang:ja", {2, 4}),
        ("*", {1, 2, 3, 4, 5, 6}),
        ("* -hotel", {3, 4, 5, 6}),
        ("", set()),
        ("!!", set()),
    ],
)
def test_what_a_query_finds(index: Shelf, query: str, found: set[int]) -> None:
    index.put(*LIBRARY)
    matches = index.ask(query)
    assert {match.id for match in matches.hits} == found
    assert matches.total == len(found)


def test_documents_with_more_of_the_words_come_first(index: Shelf) -> None:
    index.put(
        entry(1, "alpha " * 50, title="alpha alpha alpha"),
        entry(2, "alpha beta"),
        entry(3, "alpha beta gamma " + "other " * 500),
        entry(4, "alpha beta gamma delta epsilon " + "other " * 900),
        *(entry(number, "beta gamma delta " + "word " * number) for number in range(10, 30)),
    )
    order = index.ids("alpha beta gamma delta epsilon")
    assert (order[0], order[-1]) == (4, 1)
    assert set(order[1:22]) == {3, *range(10, 30)}
    assert order[22] == 2
    assert index.ids("+alpha beta gamma")[:2] in ([3, 4], [4, 3])


def test_a_word_in_the_title_counts_more(index: Shelf) -> None:
    index.put(entry(1, "pump and valve"), entry(2, "nothing of it", title="pump"), entry(3, "valve and pump"))
    assert index.ids("pump")[0] == 2


def test_a_document_comes_back_as_it_was_put(index: Shelf) -> None:
    whole = replace(
        LIBRARY[2],
        title="T\u00eftle",
        size_bytes=12,
        modified_at=1_700_000_000.5,
        fetched_at=1_700_000_001.0,
        grants=("everyone", "group:\u00e9"),
        denies=("user:x",),
        attributes={"Author": "Ada", "Keywords": ["a", "b"], "Pages": 3.0},
        content_hash=digest("three"),
        anchors=("a link", "\u00e9"),
        depth=4,
        link_score=0.25,
    )
    index.put(whole)
    (match,) = index.ask("cafe").hits
    assert (match.entry, match.id, match.duplicates) == (whole, 3, 0)


@pytest.mark.parametrize("text", ["a\ud800b", "\x00 nul", "e\u0301", "\ufffe", "x" * 300_000, "\u202e", "🦤" * 9])
def test_any_text_is_kept(index: Shelf, text: str) -> None:
    index.put(entry(1, f"{text} needle", title=text, url=f"http://h/{text}", source=text[:50], anchors=(text,)))
    (match,) = index.ask("needle").hits
    assert match.entry.text.endswith(" needle")


def test_long_runs_are_no_words_and_hold_their_place(index: Shelf) -> None:
    index.put(entry(1, f"before {'x' * 256} after"), entry(2, f"before {'y' * 255} after"))
    assert index.ids("x" * 256) == []
    assert index.ids("y" * 255) == [2]
    assert index.ids('"before after"') == []


class TestAccess:
    def test_one_of_the_grants_and_none_of_the_denies(self, index: Shelf) -> None:
        index.put(
            entry(1, "plan", grants=("group:staff",)),
            entry(2, "plan", grants=("group:staff", "user:eve"), denies=("user:bob",)),
            entry(3, "plan", grants=()),
            entry(4, "plan", denies=("everyone",)),
            entry(5, "plan"),
            entry(6, "plan", grants=("group:staf",)),
        )
        bob = Reader("bob", frozenset(("everyone", "user:bob", "group:staff")))
        eve = Reader("eve", frozenset(("user:eve",)))
        assert set(index.ids("plan", reader=bob)) == {1, 5}
        assert set(index.ids("plan", reader=eve)) == {2}
        assert set(index.ids("plan")) == {5}
        assert index.ids("plan", reader=Reader("nobody", frozenset())) == []
        assert index.ids("*", reader=eve) == [2]
        assert index.ids("-nothing", reader=eve) == [2]
        assert index.ids(Exact(Key.ID, ("1", "2", "3")), reader=eve) == [2]

    def test_principals_are_neither_folded_nor_split(self, index: Shelf) -> None:
        names = (
            "user:J\u00fcrgen",
            "user:Ju\u0308rgen",
            "user:jurgen",
            "user:",
            "user:a b",
            "user:\ud800",
            "user:\ud801",
        )
        index.put(*(entry(number, "plan", grants=(name,)) for number, name in enumerate(names)))
        for number, name in enumerate(names):
            assert index.ids("plan", reader=Reader("one", frozenset((name,)))) == [number]

    def test_nobody_asks_without_a_reader(self) -> None:
        with pytest.raises(TypeError):
            Search(QueryWord("plan"))  # type: ignore[call-arg]
        with pytest.raises(TypeError):
            Search(QueryWord("plan"), cast(Any, None))

    def test_hidden_documents_are_gone_at_once(self, index: Shelf) -> None:
        index.put(*(entry(number, "plan", content_hash=digest("same")) for number in range(4)), entry(9, "plan"))
        matches = index.ask("plan", hidden=frozenset((0, 9, 77)))
        assert [(match.id, match.duplicates) for match in matches.hits] == [(1, 2)]
        assert matches.total == 1


class TestFolding:
    def test_equal_documents_are_one_hit(self, index: Shelf) -> None:
        same, empty = digest("same"), b""
        index.put(
            *(entry(number, "pump", content_hash=same) for number in (3, 1, 2)),
            *(entry(number, "pump", content_hash=empty) for number in (4, 5)),
            entry(6, "pump", content_hash=digest("other")),
        )
        matches = index.ask("pump")
        assert sorted((match.id, match.duplicates) for match in matches.hits) == [(1, 2), (4, 0), (5, 0), (6, 0)]
        assert matches.total == 4
        assert index.ask("pump", fold=False).total == 6
        assert len(index.ids("pump", fold=False)) == 6

    def test_only_what_the_reader_sees_is_counted(self, index: Shelf) -> None:
        same = digest("same")
        index.put(
            entry(1, "pump", content_hash=same, grants=("group:a",)),
            entry(2, "pump", content_hash=same),
            entry(3, "pump", content_hash=same),
        )
        (match,) = index.ask("pump").hits
        assert (match.id, match.duplicates) == (2, 1)

    def test_only_what_matches_is_counted(self, index: Shelf) -> None:
        same = digest("same")
        index.put(*(entry(n, "pump", content_hash=same, source=f"s{n % 2}") for n in range(4)))
        (match,) = index.ask("pump source:s1").hits
        assert (match.id, match.duplicates) == (1, 1)


class TestPages:
    @pytest.mark.parametrize("fold", [True, False])
    def test_pages_neither_repeat_nor_miss(self, index: Shelf, fold: bool) -> None:
        for batch in range(4):  # several segments, many ties, some duplicates
            index.put(
                *(entry(n, "pump " * (n % 3 + 1), content_hash=digest(str(n % 50))) for n in range(batch, 120, 4))
            )
        seen: list[int] = []
        for offset in range(0, 140, 7):
            seen += index.ids("pump", limit=7, offset=offset, fold=fold)
        total = index.ask("pump", fold=fold).total
        assert len(seen) == len(set(seen)) == total == (50 if fold else 120)
        assert seen == index.ids("pump", fold=fold)

    def test_ties_are_broken_by_id(self, index: Shelf) -> None:
        index.put(entry(7, "pump"))
        index.put(entry(3, "pump"), entry(5, "pump"))
        index.put(entry(1, "pump"))
        assert index.ids("pump") == [1, 3, 5, 7]

    def test_only_counting(self, index: Shelf) -> None:
        index.put(entry(1, "pump"))
        assert index.ask("pump", limit=0) == (1, (), 1)
        for beyond in (10**9, 2**63 - 1, 2**63, 10**30):
            assert index.ask("pump", offset=beyond) == (1, (), 1)
            assert index.ask("pump", offset=beyond, group=Key.SOURCE) == (1, (), 1)
        with pytest.raises(ValueError, match="count from 0"):
            Search(QueryWord("pump"), ANYONE, limit=-1)

    def test_by_date(self, index: Shelf) -> None:
        dates = {1: 50.5, 2: None, 3: 1.7e9, 4: -5.0, 5: None, 6: 50.5}
        for number, date in dates.items():
            index.put(entry(number, "pump", modified_at=date))
        assert index.ids("pump", sort=Sort.NEWEST) == [3, 1, 6, 4, 2, 5]
        assert index.ids("pump", sort=Sort.OLDEST) == [4, 1, 6, 3, 2, 5]


class TestChanges:
    def test_an_empty_index_finds_nothing(self, index: Shelf) -> None:
        assert index.ask("*") == (0, (), 0)
        assert (index.reader.count(), index.reader.place, index.reader.stats().documents) == (0, 0, 0)

    def test_nothing_is_seen_before_commit_and_refresh(self, index: Shelf) -> None:
        index.writer.apply([Upsert(entry(1, "pump"))])
        index.reader.refresh()
        assert index.ids("pump") == []
        index.writer.commit(5)
        assert index.ids("pump") == []
        assert index.reader.place == 0
        assert index.reader.refresh()
        assert not index.reader.refresh()
        assert (index.ids("pump"), index.reader.place, index.reader.count()) == ([1], 5, 1)

    def test_the_later_change_wins(self, index: Shelf) -> None:
        index.put(entry(1, "old"), entry(2, "old"), entry(3, "old"))
        index.apply(
            [
                Upsert(entry(1, "middle")),
                Upsert(entry(1, "new")),
                Delete(2),
                Delete(3),
                Upsert(entry(3, "new")),
                Delete(99),
            ]
        )
        assert (index.ids("old"), index.ids("middle"), index.ids("new")) == ([], [], [1, 3])
        assert index.reader.count() == 2
        index.apply([Upsert(entry(4, "new")), Delete(4)])
        assert index.ids("new") == [1, 3]

    def test_applying_again_changes_nothing(self, index: Shelf) -> None:
        changes: list[Change] = [Upsert(entry(1, "a")), Upsert(entry(2, "a")), Delete(1), UpdateLinks(2, ("b",), 1.0)]
        index.apply(changes)
        index.apply(changes)
        index.apply(changes[3:])
        assert (index.ids("a"), index.reader.count()) == ([2], 1)

    def test_how_much_text_is_written_is_told(self, index: Shelf) -> None:
        index.put(entry(1, "one " * 1000))
        assert 4_000 <= index.writer.apply([Upsert(entry(2, "two " * 1000))]) < 4_200
        assert (
            4_000
            <= index.writer.apply([UpdateLinks(1, ("a",), 0.5), Delete(2), Delete(99), UpdateLinks(99, (), 0.0)])
            < 4_200
        )

    def test_links_of_a_document_change_alone(self, index: Shelf) -> None:
        weights = Weights(anchors=2.0)
        index.put(entry(1, "one", content_hash=digest("1"), attributes={"Author": "Ada"}), entry(2, "two"))
        index.apply([UpdateLinks(1, ("the manual",), 0.5), UpdateLinks(99, ("the manual",), 0.5)])
        (match,) = index.ask("manual", weights=weights).hits
        assert match.entry == entry(
            1, "one", content_hash=digest("1"), attributes={"Author": "Ada"}, anchors=("the manual",), link_score=0.5
        )
        assert index.ids("manual", weights=Weights()) == []
        index.apply(
            [
                Upsert(entry(3, "three")),
                UpdateLinks(3, ("manual",), 1.0),
                UpdateLinks(1, (), 0.0),
                Delete(2),
                UpdateLinks(2, ("manual",), 1),
            ]
        )
        assert index.ids("manual", weights=weights) == [3]
        assert set(index.ids("one three two")) == {1, 3}

    def test_rights_change_with_links_where_they_are_given(self, index: Shelf) -> None:
        index.put(entry(1, "one"), entry(2, "one"), entry(3, "one"))
        index.apply(
            [
                UpdateLinks(1, (), 0.0, (("group:staff",), ())),
                UpdateLinks(2, (), 0.0, ((), ())),
                UpdateLinks(3, (), 0.0),
            ]
        )
        assert index.ids("one") == [3]
        assert index.reader.count() == 3

    def test_place_never_goes_back(self, index: Shelf) -> None:
        index.writer.commit(7)
        index.writer.commit(7)
        with pytest.raises(ValueError, match="A commit at 6 after one at 7"):
            index.writer.commit(6)
        assert index.writer.place == 7

    def test_it_keeps_the_name_of_the_database_that_it_was_made_of(self, index: Shelf) -> None:
        assert (index.writer.origin, index.reader.origin) == (None, None)
        index.writer.commit(0, "one")
        index.writer.commit(7)
        assert (index.writer.origin, index.writer.place) == ("one", 7)
        index.reader.refresh()
        assert (index.reader.origin, index.reader.place) == ("one", 7)
        index.writer.commit(7, "two")
        index.reader.refresh()
        assert index.reader.origin == "two"

    def test_what_was_not_committed_is_gone(self, index: Shelf) -> None:
        index.put(entry(1, "pump"))
        index.writer.apply([Upsert(entry(2, "pump")), Delete(1)])
        index.writer.close()
        index.writer.close()
        index.reader.refresh()
        assert index.ids("pump") == [1]

    def test_ids_count_from_0(self) -> None:
        with pytest.raises(ValueError, match="counts from 0"):
            entry(-1)

    def test_the_greatest_id(self, index: Shelf) -> None:
        greatest = (1 << 63) - 1
        index.put(entry(greatest, "pump"), entry(0, "pump"))
        assert index.ids("pump") == [0, greatest]
        assert index.ids("pump", hidden=frozenset((greatest,))) == [0]
        assert index.ids(Exact(Key.ID, (str(greatest), str(greatest + 1), "x", "-1"))) == [greatest]


def test_numbers_of_documents_in_order(index: Shelf) -> None:
    assert index.reader.ids(-1, 10) == []
    index.put(*(entry(number, "hotel") for number in (5, 900, 0, 17, (1 << 62) + 1)))
    index.apply([Delete(17)])
    assert index.reader.ids(-1, 10) == [0, 5, 900, (1 << 62) + 1], "without the mark that is an entry of its own"
    assert index.reader.ids(-1, 2) == [0, 5]
    assert index.reader.ids(5, 1) == [900]
    assert index.reader.ids(1 << 62, 10) == [(1 << 62) + 1]
    assert index.reader.ids((1 << 63) - 1, 10) == []
