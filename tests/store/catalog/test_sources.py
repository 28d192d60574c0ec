from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from cormorant.base.errors import ConflictError, NotFoundError
from cormorant.store.catalog import egress_consents, sources
from cormorant.store.catalog.egress_consents import Settled
from cormorant.store.db.database import Store

HEAD_START_S = 0.5
SETTINGS = {"start": ["https://a.example/größe"], "depth": 3, "none": None}


def test_a_source_is_kept_as_it_was_given(store: Store) -> None:
    with store.begin() as tx:
        number = sources.add(tx, "web", "docs", SETTINGS)
        row = sources.named(tx, "docs")
        assert row == sources.numbered(tx, number) == sources.every(tx)[0]
        assert (row.id, row.name, row.kind, row.settings) == (number, "docs", "web", SETTINGS)
        assert (row.version, row.generation, row.cursor) == (1, 0, "")
        assert abs(row.created_at - tx.now()) < 60


def test_a_name_is_taken_once(store: Store) -> None:
    with store.begin() as tx:
        sources.add(tx, "web", "docs", {})
        with pytest.raises(ConflictError, match="'docs' already"):
            sources.add(tx, "files", "docs", {})


def test_an_edit_counts_and_touches_nothing_else(store: Store) -> None:
    with store.begin() as tx:
        number, other = sources.add(tx, "web", "docs", SETTINGS), sources.add(tx, "web", "other", {})
        before = sources.numbered(tx, number)
        assert before is not None
        sources.edit(tx, number, {"depth": 4})
        sources.edit(tx, number, {"depth": 5})
        assert sources.numbered(tx, number) == replace(before, settings={"depth": 5}, own={"depth": 5}, version=3)
        untouched = sources.numbered(tx, other)
        assert untouched is not None
        assert untouched.version == 1


def test_sources_by_name(store: Store) -> None:
    with store.begin() as tx:
        assert sources.every(tx) == []
        for name in ("b", "c", "a"):
            sources.add(tx, "web", name, {})
        assert [row.name for row in sources.every(tx)] == ["a", "b", "c"]


def test_a_source_there_is_not(store: Store) -> None:
    with store.begin() as tx:
        with pytest.raises(NotFoundError, match="none yet; `cormorant source add`"):
            sources.named(tx, "docs")
        for name in ("b", "a"):
            sources.add(tx, "web", name, {})
        with pytest.raises(NotFoundError, match="There is: a, b"):
            sources.named(tx, "docs")
        assert sources.numbered(tx, 99) is None


def test_generations_and_cursors_are_each_source_s_own(store: Store) -> None:
    with store.begin() as tx:
        one, two = sources.add(tx, "web", "one", {}), sources.add(tx, "web", "two", {})
        assert [sources.next_generation(tx, one) for _ in range(3)] == [1, 2, 3]
        assert sources.next_generation(tx, two) == 1
        sources.set_cursor(tx, two, "page 7")
        assert [(row.generation, row.cursor) for row in sources.every(tx)] == [(3, ""), (1, "page 7")]


def test_who_first_resolved_a_named_host_settles_it(store: Store, other: Store) -> None:
    with store.begin() as tx:
        assert egress_consents.every(tx) == []
        assert egress_consents.of(tx, "a.example", 80) == frozenset()
        assert egress_consents.settle(tx, "a.example", 80, ["ula", "public"]) == {"ula", "public"}
    with other.begin() as tx:
        assert egress_consents.settle(tx, "a.example", 80, ["private"]) == {"ula", "public"}
        assert egress_consents.settle(tx, "a.example", 81, ["private"]) == {"private"}
        assert len(egress_consents.every(tx)) == 3


def test_of_two_who_resolve_a_host_at_one_moment_one_settles_it(store: Store, other: Store) -> None:
    under_way, said = threading.Event(), list[frozenset[str]]()

    def second() -> None:
        with other.begin() as tx:
            under_way.set()
            said.append(egress_consents.settle(tx, "a.example", 80, ["private"]))

    thread = threading.Thread(target=second)
    with store.begin() as tx:
        egress_consents.settle(tx, "a.example", 80, ["public"])
        thread.start()
        under_way.wait(HEAD_START_S)  # SQLite keeps the second from beginning at all
        thread.join(HEAD_START_S)  # long enough to settle, if nothing made it wait
    thread.join()
    with store.read() as tx:
        assert egress_consents.every(tx) == [Settled("a.example", 80, "public")]
    assert said == [frozenset({"public"})]
