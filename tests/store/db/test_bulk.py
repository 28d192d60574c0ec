"""The same rows go in and come out on both stores, however many there are and whatever is in them."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings, strategies as st
from sqlalchemy.dialects import postgresql

from cormorant.store.db import bulk
from cormorant.store.db.bulk import OnConflict
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import (
    content,
    exclusion,
    metadata,
    outlinks,
    process,
    receiver,
    resource,
    run,
    site,
    source,
    visit,
)
from tests.stores import within

VISIT = ("resource_id", "run", "at", "outcome", "status", "size_bytes", "content_hash", "changed", "reason")
EVERY_TYPE = [
    (1, 2, 0.5, 1, 200, 1 << 40, b"\x00\xff" * 16, "new", None),
    (-(1 << 63), 0, 1e300, 32_767, -32_768, (1 << 63) - 1, None, "", "größer \U0001f426 'quoted' \\ %s ?"),
    (3, -1, 7, 0, 0, 0, b"", "", "\t\n\r"),
]
DIALECT = postgresql.dialect()  # type: ignore[no-untyped-call]
SMALL = ("name", "role", "node", "pid", "started_at", "seen_at")


def count(tx: Tx, table: sa.Table) -> int:
    return int(tx.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


def small(name: str, pid: int = 0, seen: float = 0.0) -> tuple[Any, ...]:
    return name, "role", "node", pid, 0.0, seen


def pids(tx: Tx) -> dict[str, int]:
    return {row.name: row.pid for row in tx.rows(sa.select(process.c.name, process.c.pid))}


def test_every_type_comes_back_as_it_went_in(store: Store) -> None:
    with store.begin() as tx:
        assert bulk.insert(tx, visit, VISIT, EVERY_TYPE) == 3
    with store.read() as tx:
        assert tx.rows(sa.select(*[visit.c[name] for name in VISIT]).order_by(visit.c.id)) == EVERY_TYPE


def test_booleans_are_booleans(store: Store) -> None:
    columns = ("id", "run", "inverted", "links", "previous")
    rows = [(1, 1, False, b"a", None), (2, 1, True, b"b", b"c")]
    with store.begin() as tx:
        bulk.insert(tx, outlinks, columns, rows)
        assert tx.rows(sa.select(outlinks).order_by(outlinks.c.id)) == rows
        assert bulk.update(tx, outlinks, ("inverted", "previous"), ("id",), [(True, None, 1), (False, b"x", 2)]) == 2
        assert tx.rows(sa.select(outlinks.c.id).where(outlinks.c.inverted)) == [(1,)]


def test_no_rows_are_no_statement(store: Store) -> None:
    with store.begin() as tx:
        assert bulk.insert(tx, site, ("key",), []) == 0
        assert bulk.update(tx, site, ("owner",), ("id",), []) == 0
        assert bulk.select_in(tx, site, ("id",), "key", []) == []


def test_ten_thousand_rows(store: Store) -> None:
    keys = [f"host-{number}" for number in range(10_000)]
    with store.begin() as tx:
        assert bulk.insert(tx, site, ("key",), [(key,) for key in keys]) == 10_000
        assert bulk.insert(tx, site, ("key",), [(key,) for key in [*keys, "one more"]]) == 1
        numbers = dict(bulk.select_in(tx, site, ("key", "id"), "key", keys))
        assert len(numbers) == 10_000
        rows = [(n, numbers[key]) for n, key in enumerate(keys)]
        assert bulk.update(tx, site, ("failures",), ("id",), rows) == 10_000
        assert tx.execute(sa.select(sa.func.sum(site.c.failures))).scalar_one() == sum(range(10_000))


def test_columns_left_out_take_their_defaults(store: Store) -> None:
    with store.begin() as tx:
        bulk.insert(tx, site, ("key",), [("a",)])
        assert tx.rows(sa.select(site.c.owner, site.c.epoch, site.c.lease_until, site.c.failures)) == [
            (None, 0, 0.0, 0)
        ]


def test_numbers_follow_the_order_of_the_rows(store: Store) -> None:
    with store.begin() as tx:
        bulk.insert(tx, site, ("key",), [(f"{n * 7919 % 997}",) for n in range(997)])
        assert [int(row.key) for row in tx.rows(sa.select(site.c.key).order_by(site.c.id))] == [
            n * 7919 % 997 for n in range(997)
        ]


def test_what_is_there_is_left_alone(store: Store) -> None:
    with store.begin() as tx:
        assert bulk.insert(tx, process, SMALL, [small("a", 1), small("b", 1)]) == 2
        assert bulk.insert(tx, process, SMALL, [small("b", 2), small("c", 2), small("c", 3)]) == 1
        assert pids(tx) == {"a": 1, "b": 1, "c": 2}


def test_what_is_there_is_updated(store: Store) -> None:
    conflict = OnConflict(key=("name",), columns=("pid",))
    with store.begin() as tx:
        bulk.insert(tx, process, SMALL, [small("a", 1, 1.0)])
        assert bulk.insert(tx, process, SMALL, [small("a", 2, 2.0), small("b", 2, 2.0)], conflict) == 2
        assert pids(tx) == {"a": 2, "b": 2}
        assert tx.rows(sa.select(process.c.seen_at).where(process.c.name == "a")) == [(1.0,)]


def test_of_equal_keys_the_last_one_stands(store: Store) -> None:
    conflict = OnConflict(key=("name",), columns=("pid",))
    with store.begin() as tx:
        bulk.insert(tx, process, SMALL, [small("a", 1), small("b", 1), small("a", 2), small("a", 3)], conflict)
        assert pids(tx) == {"a": 3, "b": 1}


def test_an_update_may_have_a_condition(store: Store) -> None:
    conflict = OnConflict(key=("name",), columns=("pid", "seen_at"), where="{table}.seen_at < excluded.seen_at")
    with store.begin() as tx:
        bulk.insert(tx, process, SMALL, [small("a", 1, 5.0), small("b", 1, 5.0)])
        rows = [small("a", 2, 6.0), small("b", 2, 5.0), small("c", 2, 0.0)]
        assert bulk.insert(tx, process, SMALL, rows, conflict) == 2, "one updated, one new"
        assert pids(tx) == {"a": 2, "b": 1, "c": 2}


def test_a_key_of_two_columns(store: Store) -> None:
    columns = ("source_id", "hash", "address", "gate", "rule", "status", "run", "depth", "referrer")
    conflict = OnConflict(key=("source_id", "hash"), columns=("rule",))
    rows = [(1, 5, "a", "g", "old", 1, 1, 1, None), (2, 5, "b", "g", "old", 1, 1, 1, None)]
    with store.begin() as tx:
        bulk.insert(tx, exclusion, columns, rows)
        bulk.insert(tx, exclusion, columns, [(1, 5, "a", "g", "new", 1, 1, 1, None)], conflict)
        assert bulk.update(tx, exclusion, ("depth",), ("source_id", "hash"), [(9, 2, 5), (9, 3, 5)]) == 1
        found = tx.rows(sa.select(exclusion.c.source_id, exclusion.c.rule, exclusion.c.depth).order_by("source_id"))
        assert found == [(1, "new", 1), (2, "old", 9)]


def test_an_update_sets_and_adds(store: Store) -> None:
    with store.begin() as tx:
        bulk.insert(tx, process, SMALL, [small("a", 10), small("b", 20), small("c", 30)])
        rows = [(5, 1.5, "a"), (-1, 2.5, "b"), (1, 0.0, "nobody")]
        assert bulk.update(tx, process, ("pid+", "seen_at"), ("name",), rows) == 2
        assert pids(tx) == {"a": 15, "b": 19, "c": 30}
        assert bulk.update(tx, process, ("pid+", "seen_at+"), ("name",), [(1, 1.0, "a")]) == 1
        assert tx.rows(sa.select(process.c.pid, process.c.seen_at).where(process.c.name == "a")) == [(16, 2.5)]


def test_the_same_columns_twice_in_a_transaction_and_again_in_the_next(store: Store) -> None:
    for name in ("a", "b"):
        with store.begin() as tx:
            for again in ("1", "2"):
                assert bulk.insert(tx, process, SMALL, [small(name + again)]) == 1
                assert bulk.update(tx, process, ("pid",), ("name",), [(7, name + again)]) == 1
    with store.read() as tx:
        assert pids(tx) == {"a1": 7, "a2": 7, "b1": 7, "b2": 7}


def test_after_a_rollback_it_works_again(store: Store) -> None:
    def work(tx: Tx) -> None:
        bulk.insert(tx, process, SMALL, [small("a")])
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        within(store, work)
    with store.begin() as tx:
        assert bulk.insert(tx, process, SMALL, [small("a")]) == 1
        assert count(tx, process) == 1


def test_every_column_type_of_the_schema_can_be_staged() -> None:
    for table in metadata.sorted_tables:
        kinds = bulk._staging(table, tuple(column.name for column in table.columns), DIALECT)[2]
        assert set(kinds) <= set(bulk._PG_TYPES), table.name


def test_two_tables_and_two_choices_of_columns_are_staged_apart() -> None:
    columns = [(run, ("id",)), (source, ("id",)), (source, ("id", "name")), (receiver, ("id",)), (content, ("id",))]
    assert len({bulk._staging(table, names, DIALECT)[0] for table, names in columns}) == len(columns)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(values=st.lists(st.integers(-(1 << 63), (1 << 63) - 1), max_size=30), asked=st.data())
def test_select_in_finds_exactly_what_is_there(store: Store, values: list[int], asked: st.DataObject) -> None:
    columns = ("source_id", "site_id", "hash", "role", "state", "due", "depth", "how", "address")
    wanted = asked.draw(st.lists(st.sampled_from(values), unique=True)) if values else []
    with store.begin() as tx:
        tx.execute(sa.delete(resource))
        made = bulk.insert(tx, resource, columns, [(1, 1, value, 0, 0, 0, 0, 0, "a") for value in values])
        assert made == len(set(values))
        found = bulk.select_in(tx, resource, ("hash", "address"), "hash", wanted)
    assert sorted(found) == sorted((value, "a") for value in wanted)


@given(st.text(alphabet=st.characters(), max_size=40))
def test_what_others_wrote_becomes_storable(text: str) -> None:
    kept = bulk.storable(text)
    assert "\0" not in kept
    assert kept.encode().decode() == kept
    if "\0" not in text and text.isprintable():
        assert kept == text


def test_halves_of_surrogate_pairs_become_question_marks(store: Store) -> None:
    assert bulk.storable("a\0b\udcff\ud800é") == "ab??é"
    with store.begin() as tx:
        bulk.insert(tx, site, ("key",), [(bulk.storable("\0\udcff"),)])
        assert tx.execute(sa.select(site.c.key)).scalar_one() == "?"
