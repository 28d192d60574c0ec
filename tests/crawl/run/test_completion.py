"""A fault of the database is known by the classes of its drivers, wherever a class was written down."""

from __future__ import annotations

import psycopg
import pytest
import sqlalchemy as sa
from pysqlite3 import dbapi2 as sqlite

from cormorant.base.clock import SystemClock
from cormorant.base.errors import CormorantError, StoreError
from cormorant.crawl.run.completion import is_of_store
from cormorant.store.db.database import Store


class OfADialect(sa.exc.OperationalError):
    """An error that a dialect of its own may raise."""


class Named(Exception):
    """No error of a database, though its module may be called so."""

    __module__ = "psycopg.lookalike"


@pytest.mark.parametrize(("cause", "of_store"), [
    (sa.exc.InterfaceError("SELECT 1", {}, Exception()), True),
    (OfADialect("SELECT 1", {}, Exception()), True),
    (psycopg.OperationalError(), True),
    (sqlite.OperationalError(), True),
    (Named(), False),
    (OSError(), False),
    (None, False),
])  # fmt: skip
def test_whose_fault_it_is(cause: Exception | None, of_store: bool) -> None:
    error = CormorantError("It went wrong.")
    error.__cause__ = cause
    assert is_of_store(error) is of_store


def test_what_the_store_raises(store: Store) -> None:
    with pytest.raises(StoreError) as caught, store.read() as tx:
        tx.driver("SELECT nothing_of_that_name")
    assert is_of_store(caught.value)


def test_a_database_that_is_not_there(tmp_path: object) -> None:
    store = Store.open(f"sqlite:///{tmp_path}/none/at.db", SystemClock())
    with pytest.raises(CormorantError) as caught, store.read():
        pass
    assert is_of_store(caught.value)
