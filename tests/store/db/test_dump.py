"""All rows out of one database and into another: the same rows, whichever the two are."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings, strategies as st

from cormorant.base.clock import SystemClock
from cormorant.base.errors import ArchiveDamaged, DataFolderError
from cormorant.store.db import bulk, dump, migrate
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import SCHEMA_VERSION, content, metadata, process, run, site, source, stream_head
from tests.stores import Postgres, keep, prepare

LETTERS = string.ascii_letters + " äß東\N{ROLLING ON THE FLOOR LAUGHING}'\"\\\n%$"
Tables = dict[str, list[tuple[Any, ...]]]


def value(column: sa.Column[Any], number: int, chance: random.Random) -> Any:
    """Any value of a column; of one whose values differ, one that differs from those of other rows."""
    if column.primary_key or column.unique or column.name in ("hash", "site_id"):
        number += 1
        return {"TEXT": f"{number} ä", "BLOB": b"\0%d" % number}.get(str(column.type), number)
    if column.nullable and chance.random() < 0.3:
        return None
    match column.type:
        case sa.Boolean():
            return chance.random() < 0.5
        case sa.Double():
            return chance.choice((0.0, -1.5, 1e300, 1_790_000_000.123456, chance.random()))
        case sa.SmallInteger():
            return chance.randrange(-(1 << 15), 1 << 15)
        case sa.BigInteger():
            return chance.choice((0, -(1 << 63), (1 << 63) - 1, chance.randrange(1 << 62)))
        case sa.Integer():
            return chance.randrange(-(1 << 31), 1 << 31)
        case sa.LargeBinary():
            return chance.randbytes(chance.choice((0, 1, 300)))
        case _:
            return "".join(chance.choices(LETTERS, k=chance.choice((0, 1, 40))))


def fill(tx: Tx, chance: random.Random) -> None:
    """Put rows into every table."""
    tx.execute(sa.delete(stream_head))
    for table in dump.kept():
        made = [
            tuple(value(column, number, chance) for column in table.columns)
            for number in range(1 if table is stream_head else chance.choice((0, 1, 7)))
        ]
        bulk.insert(tx, table, tuple(table.columns.keys()), made)


def everything(tx: Tx) -> Tables:
    """All rows there are."""
    return {table.name: [row for some in dump.chunks(tx, table) for row in some] for table in dump.kept()}


def moved(there: Store, here: Store) -> None:
    """Have the rows of one database in the place of those of another."""
    with there.read() as old, here.begin() as tx:
        coming = dump.replaced(tx, SCHEMA_VERSION)
        for table in dump.kept():
            for some in dump.chunks(old, table):
                coming.put(table.name, table.columns.keys(), some)
        coming.settle(dump.counters(old))


@pytest.fixture(scope="module")
def both(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Store]]:
    """A file, and a database of a server."""
    file = f"sqlite:///{tmp_path_factory.mktemp('rows') / 'store.db'}"
    with postgres.database() as url:
        prepare(file)
        prepare(url)
        stores = Store.open(file, SystemClock()), Store.open(url, SystemClock())
        with closing(stores[0]), closing(stores[1]):
            yield stores


@settings(max_examples=12)
@given(seed=st.integers(0, 1 << 32))
def test_the_same_rows_in_both(both: tuple[Store, Store], seed: int) -> None:
    file, server = both
    with file.begin() as tx:
        dump.replaced(tx, SCHEMA_VERSION).settle({})
        fill(tx, random.Random(seed))
        before = everything(tx)
    moved(file, server)
    with server.read() as tx:
        assert everything(tx) == before
    with file.begin() as tx:
        dump.replaced(tx, SCHEMA_VERSION).settle({})
    moved(server, file)
    with file.read() as tx:
        assert everything(tx) == before


def test_numbers_that_were_given_are_not_given_again(store: Store, empty_url: str) -> None:
    with store.begin() as tx:
        for name in ("a", "b", "c"):
            tx.execute(sa.insert(source).values(name=name, kind="web", settings="{}", created_at=0.0))
        tx.execute(sa.delete(source).where(source.c.name == "c"))
        given_ = dump.counters(tx)
        kept = everything(tx)
        assert given_["source"] == 3
        coming = dump.replaced(tx, SCHEMA_VERSION)
        for name, found in kept.items():
            coming.put(name, metadata.tables[name].columns.keys(), found)
        coming.settle(given_)
        tx.execute(sa.insert(source).values(name="d", kind="web", settings="{}", created_at=0.0))
        assert [tuple(row) for row in tx.rows(sa.select(source.c.id, source.c.name).order_by(source.c.id))] == [
            (1, "a"), (2, "b"), (4, "d"),
        ]  # fmt: skip


@pytest.mark.parametrize("older", ["0001", "0007", "0012"])
def test_rows_of_an_older_version_are_brought_up_to_date(older: str, empty_url: str) -> None:
    prepare(empty_url)
    with closing(Store.open(empty_url, SystemClock())) as store:
        with store.begin() as tx:
            coming = dump.replaced(tx, older)
            coming.put("site", ("id", "key"), [(7, "https://harbour.example")])
            coming.put("stream_head", ("id", "seq"), [(1, 99)])
            coming.settle({"resource": 12})
        assert migrate.prepare(store, keep) is None, "it is of today"
        with store.begin() as tx:
            assert tx.rows(sa.select(site.c.id, site.c.key, site.c.trouble)) == [(7, "https://harbour.example", 0)]
            assert tx.execute(sa.select(stream_head.c.seq)).scalar_one() == 99
            assert dump.counters(tx)["resource"] == 12


@pytest.mark.parametrize(
    ("table", "columns", "some", "said"),
    [
        ("nothing", ("id",), [(1,)], "no such table"),
        ("process", ("name",), [("a",)], "no such table"),
        ("alembic_version", ("version_num",), [("9999",)], "no such table"),
        ("site", ("id", "key; DROP TABLE site"), [(1, "a")], "no such table or columns"),
        ("site", ("id", "key"), [(1, "a"), (1, "b")], "the same key"),
        ("site", ("id", "key"), [(1,)], "not as long"),
    ],
)
def test_what_does_not_fit_changes_nothing(
    table: str, columns: tuple[str, ...], some: list[tuple[Any, ...]], said: str, store: Store
) -> None:
    with store.begin() as tx:
        tx.execute(sa.insert(site).values(key="before"))
    with pytest.raises(ArchiveDamaged, match=said), store.begin() as tx:
        dump.replaced(tx, SCHEMA_VERSION).put(table, columns, some)
    with store.read() as tx:
        assert [row.key for row in tx.rows(sa.select(site.c.key))] == ["before"]


def test_a_newer_schema_is_refused(store: Store) -> None:
    with pytest.raises(DataFolderError, match="of version 9999"), store.begin() as tx:
        dump.replaced(tx, "9999")


def test_a_look_at_one_moment_while_others_write(store: Store, other: Store, tmp_path: Path) -> None:
    with store.begin() as tx:
        tx.execute(sa.insert(site).values(key="before"))
    with dump.snapshot(store, tmp_path / "copy.db") as look:
        with other.begin() as tx:
            tx.execute(sa.insert(site).values(key="after"))
            tx.execute(sa.delete(run))
        assert [row[1] for some in dump.chunks(look, site) for row in some] == ["before"]
    assert not list(tmp_path.glob("copy.db*"))


def test_who_is_at_work_is_left_out() -> None:
    assert process not in dump.kept()
    assert content in dump.kept()
