"""When does a supervisor start a child again, and when does it give up? What ends one run, and not the process?"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cormorant.app import roles
from cormorant.app.supervisor import MAX_DEATHS, Supervisor, name_process
from cormorant.base.clock import SystemClock
from cormorant.base.errors import CormorantError, DataFolderError, Unreachable
from cormorant.base.steps import unmeasured
from cormorant.cache.local import LocalCache
from cormorant.catalog import sources
from cormorant.catalog.acls import ACLNumbers
from cormorant.crawl.gates import SiteKeys
from cormorant.crawl.means import Means
from cormorant.frontier.admission import SiteNumbers
from cormorant.frontier.known import Seen
from cormorant.journal import runs
from cormorant.model.run import Refresh, RunState
from cormorant.store.database import Store

PATIENCE_S = 60.0


class Hurried(SystemClock):
    """Goes on by a second whenever it is looked at, so that a machine that stands still does not count as a life."""

    def __init__(self) -> None:
        self.at = 0.0

    def monotonic(self) -> float:
        self.at += 1.0
        return self.at


def dying(book: Path, error: CormorantError) -> Callable[[], None]:
    """A child that notes that it began, and dies."""

    def live() -> None:
        with book.open("a") as lines:
            lines.write("began\n")
        raise error

    return live


def begun(book: Path) -> int:
    return len(book.read_text().splitlines()) if book.exists() else 0


def supervised(book: Path, error: CormorantError, enough: int) -> int:
    """How often the child began until the supervisor gave up, or was told to stop after `enough`."""

    def supervise() -> None:
        supervisor = Supervisor({"child": dying(book, error)}, Hurried())

        def look() -> None:
            supervisor.stopping = supervisor.stopping or begun(book) >= enough

        supervisor.look = look
        supervisor.supervise()

    process = multiprocessing.get_context("fork").Process(target=supervise)
    process.start()
    process.join(PATIENCE_S)
    assert process.exitcode == 0
    return begun(book)


@pytest.mark.skipif(not Path("/proc/self/comm").exists(), reason="reads the name where Linux shows it")
def test_a_process_bears_the_name_of_its_role(tmp_path: Path) -> None:
    book = tmp_path / "book"

    def tell() -> None:
        name_process("retriever-12")
        book.write_text(Path("/proc/self/comm").read_text())

    process = multiprocessing.get_context("fork").Process(target=tell)
    process.start()
    process.join(PATIENCE_S)
    assert book.read_text() == "retriever-12\n"


def test_what_keeps_dying_is_given_up(tmp_path: Path) -> None:
    assert supervised(tmp_path / "book", DataFolderError("It is of another layout."), 100) == MAX_DEATHS + 1


def test_a_database_that_is_away_is_waited_for(tmp_path: Path) -> None:
    assert supervised(tmp_path / "book", Unreachable("It does not answer."), MAX_DEATHS + 5) >= MAX_DEATHS + 5


def a_run(store: Store, name: str, **settings: object) -> int:
    """A run of a new source that retrieves."""
    with store.begin() as tx:
        source = sources.add(tx, "web", name, settings)
        number = runs.request(tx, source, json.dumps(settings), Refresh.ALL, force=False)
        runs.change(tx, number, state=RunState.RETRIEVING, generation=1)
    return number


def ends(store: Store, number: int, error: Exception | None) -> runs.RunRow:
    """The run after its task has ended so."""
    house: Any = SimpleNamespace(store=store)

    async def fail() -> None:
        if error is not None:
            raise error

    async def work() -> None:
        task = asyncio.create_task(fail())
        await asyncio.wait([task])
        roles._ended(house, number, task)

    asyncio.run(work())
    with store.read() as tx:
        return runs.get(tx, number)


def test_a_fault_that_nobody_foresaw_ends_its_run_alone(store: Store) -> None:
    number = a_run(store, "docs")
    assert ends(store, number, None).state is RunState.RETRIEVING
    row = ends(store, number, ZeroDivisionError("in the depths"))
    assert (row.state, row.error) == (RunState.FAILED, "fault")
    assert "ZeroDivisionError: in the depths" in (row.reason or "")
    assert row.finished_at


def test_an_error_that_is_the_processs_is_raised(store: Store) -> None:
    number = a_run(store, "docs")
    with pytest.raises(Unreachable):
        ends(store, number, Unreachable("It does not answer."))
    with store.read() as tx:
        assert runs.get(tx, number).state is RunState.RETRIEVING


def test_a_source_whose_start_file_is_away_keeps_no_other_from_its_work(store: Store, tmp_path: Path) -> None:
    away = tmp_path / "starts"
    waits, works = a_run(store, "away", start_file=str(away)), a_run(store, "docs", start=["https://a.example/"])
    clock = SystemClock()
    cache = LocalCache(tmp_path, clock)
    means = Means("ada", store, cache, Seen(), SiteNumbers(), ACLNumbers(), SiteKeys(), unmeasured)
    house: Any = SimpleNamespace(store=store, clock=clock)
    unused: Any = None

    def taken_up() -> set[int]:
        made = roles.Assignments(house, unused, means, 1)
        return {dispatch.order.run for dispatch in made({}).values()}

    assert taken_up() == {works}
    away.write_text("https://b.example/")
    assert taken_up() == {waits, works}
    cache.close()
