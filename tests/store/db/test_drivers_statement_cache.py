"""What was compiled once is not compiled again: not for another database, nor by a process that is forked later."""

from __future__ import annotations

import os
from collections.abc import Iterator
from unittest.mock import patch

import pytest
import sqlalchemy as sa
from sqlalchemy.sql.compiler import SQLCompiler

from cormorant.base.clock import SystemClock
from cormorant.store.db import drivers
from cormorant.store.db.database import Store
from cormorant.store.schema import run
from tests.compiling import Shared


def asked(url: str, most: int) -> int:
    """How many statements are compiled when a database is opened and asked for a run."""
    store = Store.open(url, SystemClock())
    query = sa.select(run.c.id).where(run.c.id.in_([1, 2]), run.c.id < most)
    with patch.object(SQLCompiler, "process", autospec=True, side_effect=SQLCompiler.process) as compiles:
        with store.read() as tx:
            assert tx.rows(query) == []
        store.close()
    return sum(call.args[1] is not None and isinstance(call.args[1], sa.Select) for call in compiles.call_args_list)


@pytest.fixture
def none_yet(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shared]:
    """A process that has compiled nothing so far."""
    statements = Shared(drivers.Compiled(drivers.MOST))
    monkeypatch.setattr(drivers, "STATEMENTS", statements)
    yield statements
    statements.close()


@pytest.mark.usefixtures("none_yet")
def test_once_for_all_databases_of_a_kind(store_url: str) -> None:
    assert [asked(store_url, most) for most in (5, 5, 6)] == [1, 0, 0]


def test_those_of_one_kind_are_not_those_of_another(none_yet: Shared) -> None:
    class Kind:
        def __init__(self, name: str) -> None:
            self.name = name

    none_yet[Kind("sqlite"), "SELECT"] = "as SQLite has it"
    assert none_yet.get((Kind("sqlite"), "SELECT")) == "as SQLite has it"
    assert none_yet.get((Kind("postgresql"), "SELECT")) is None


def test_what_a_child_compiles_the_next_one_has(none_yet: Shared, store_url: str) -> None:
    """So it is for processes that tests fork; the statement goes there and back as it was."""

    def of_a_child() -> int:
        pid = os.fork()
        if pid == 0:
            code = 99
            try:
                code = asked(store_url, 5)
            finally:
                os._exit(code)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    assert of_a_child() == 1
    none_yet.learn()
    assert (of_a_child(), asked(store_url, 7)) == (0, 0)
