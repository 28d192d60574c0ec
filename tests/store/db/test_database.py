from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from cormorant.base.clock import SystemClock
from cormorant.base.errors import ConflictError, DataFolderError, StoreError
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import site
from tests.stores import within

# A promise that is looked at when the transaction commits, and not before.
PROMISE = """CREATE TEMP TABLE promise (id INTEGER PRIMARY KEY,
             kept INTEGER REFERENCES promise (id) DEFERRABLE INITIALLY DEFERRED)"""


class Still:
    """A clock that stands."""

    def now(self) -> float:
        return 1_000_000_000.25

    def monotonic(self) -> float:
        return 5.0


def add(tx: Tx, *keys: str) -> None:
    tx.execute(sa.insert(site), [{"key": key} for key in keys])


def keys(tx: Tx) -> list[str]:
    return [row.key for row in tx.rows(sa.select(site.c.key).order_by(site.c.id))]


def kept(store: Store) -> list[str]:
    with store.read() as tx:
        return keys(tx)


def test_a_transaction_commits_at_the_end_of_its_block(store: Store, other: Store) -> None:
    with store.begin() as tx:
        add(tx, "a", "b")
        assert kept(other) == []
    assert kept(other) == ["a", "b"]


@pytest.mark.parametrize("error", [ValueError("no"), ConflictError("no"), KeyboardInterrupt()], ids=repr)
def test_an_exception_rolls_back_and_passes_as_it_is(store: Store, error: BaseException) -> None:
    def work(tx: Tx) -> None:
        add(tx, "a")
        raise error

    with pytest.raises(type(error)) as caught:
        within(store, work)
    assert caught.value is error
    assert kept(store) == []
    with store.begin() as tx:
        add(tx, "b")
    assert kept(store) == ["b"]


@pytest.mark.parametrize("read", [False, True], ids=["begin", "read"])
def test_an_interruption_in_the_middle_of_a_statement_passes_as_it_is(
    read: bool, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialect = store._engine.dialect
    execute = dialect.do_execute

    def interrupted(cursor: Any, statement: str, parameters: Any, context: Any = None) -> None:
        if "interrupted" in statement:
            raise KeyboardInterrupt
        execute(cursor, statement, parameters, context)

    def work() -> None:
        with store.read() if read else store.begin() as tx:
            if not read:
                add(tx, "a")
            tx.driver("SELECT 'interrupted'")

    monkeypatch.setattr(dialect, "do_execute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        work()
    assert kept(store) == []
    with store.begin() as tx:
        add(tx, "b")
    assert kept(store) == ["b"]


def test_a_read_that_fails_inside_a_transaction_takes_it_along(store: Store) -> None:
    def work(tx: Tx) -> None:
        add(tx, "a")
        with store.read() as looking:
            looking.driver("SELECT 1 FROM nowhere")

    with pytest.raises(StoreError, match="refused a statement") as caught:
        within(store, work)
    assert not isinstance(caught.value.__cause__, StoreError), "translated once"
    assert kept(store) == []


def test_what_the_database_refuses_rolls_back_too(store: Store) -> None:
    with pytest.raises(StoreError, match=r"(?i)unique"):
        within(store, lambda tx: add(tx, "a", "b", "a"))
    assert kept(store) == []


def test_a_commit_that_fails_is_an_error_and_writes_nothing(store: Store) -> None:
    def work(tx: Tx) -> None:
        if tx.sqlite:
            tx.driver("COMMIT")
            tx.driver("PRAGMA foreign_keys=ON")
            tx.driver("BEGIN IMMEDIATE")
        add(tx, "a")
        tx.driver(PROMISE)
        tx.driver("INSERT INTO promise VALUES (1, 2)")

    with pytest.raises(StoreError, match=r"(?i)foreign key"):
        within(store, work)
    assert kept(store) == []
    with store.begin() as tx:
        add(tx, "b")
    assert kept(store) == ["b"]


def test_a_read_sees_one_moment(store: Store, other: Store) -> None:
    with store.begin() as tx:
        add(tx, "a")
    with store.read() as tx:
        assert keys(tx) == ["a"]
        with other.begin() as writing:
            add(writing, "b")
        assert keys(tx) == ["a"]
    assert kept(store) == ["a", "b"]


def test_a_reader_does_not_wait_for_a_writer(store: Store, other: Store) -> None:
    with store.begin() as tx:
        add(tx, "a")
        assert kept(other) == []


def test_a_read_leaves_nothing_behind(store: Store) -> None:
    with store.read() as tx:
        add(tx, "a")
    assert kept(store) == []


def test_writers_wait_for_each_other(store: Store, other: Store) -> None:
    with store.begin() as tx:
        add(tx, "a")
    inside = threading.Event()

    def bump(where: Store) -> None:
        with where.begin() as tx:
            inside.set()
            tx.execute(sa.update(site).values(failures=site.c.failures + 1))

    second = threading.Thread(target=bump, args=(other,))
    with store.begin() as tx:
        tx.execute(sa.update(site).values(failures=site.c.failures + 1))
        second.start()
        waits_s = 0.05 if store.sqlite else 10.0
        assert inside.wait(waits_s) is not store.sqlite, "on SQLite a writer waits before its first statement"
    second.join()
    with store.read() as tx:
        assert tx.execute(sa.select(site.c.failures)).scalar_one() == 2


def test_time_is_the_stores_time(store: Store, store_url: str) -> None:
    mine = Store.open(store_url, Still())
    with mine.read() as tx:
        now = tx.now()
    mine.close()
    if store.sqlite:
        assert now == 1_000_000_000.25
    else:
        assert abs(now - SystemClock().now()) < 60


def test_time_goes_on_within_a_transaction(store: Store) -> None:
    with store.begin() as tx:
        first, second = tx.now(), tx.now()
    assert first <= second < first + 60


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_copy_is_a_whole_database_made_while_others_write(store: Store, other: Store, tmp_path: Path) -> None:
    with store.begin() as tx:
        add(tx, "a")
    with other.begin() as tx:
        add(tx, "b")
        store.copy_to(tmp_path / "copy.db")
    copy = Store.open(f"sqlite:///{tmp_path / 'copy.db'}", SystemClock())
    assert kept(copy) == ["a"]
    copy.close()
    assert kept(store) == ["a", "b"]


def test_a_file_that_has_gone_is_not_made_anew_by_who_knows_that_it_was_made(tmp_path: Path) -> None:
    file = tmp_path / "a folder, 100% odd" / "store #1.db"
    file.parent.mkdir()
    for made in (False, True):
        store = Store.open(f"sqlite:///{file}", Still(), made=made)
        with store.begin() as tx:
            tx.driver("CREATE TABLE IF NOT EXISTS known (id INTEGER)")
        store.close()
    assert [each.name for each in file.parent.iterdir()] == [file.name]
    file.unlink()
    store = Store.open(f"sqlite:///{file}", Still(), made=True)
    with pytest.raises(DataFolderError, match="cannot be opened"), store.read():
        pass
    assert not list(file.parent.iterdir())
    store.close()
