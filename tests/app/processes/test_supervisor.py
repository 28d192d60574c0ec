"""When does a supervisor start a child again, and when does it give up?"""

from __future__ import annotations

import errno
import multiprocessing
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cormorant.app.processes.supervisor import (
    AWAY,
    AWAY_REST_S,
    EXPLAINED,
    FULL,
    MAX_DEATHS,
    MAX_REST_S,
    Supervisor,
    name_process,
    rest_s,
)
from cormorant.base.clock import SystemClock
from cormorant.base.errors import CormorantError, DataFolderError, NoRoom, TooManyFiles, Unreachable
from tests.clocks import HANG_S


class Hurried(SystemClock):
    """Goes on by a second whenever it is looked at, so that a machine that stands still does not count as a life."""

    def __init__(self) -> None:
        self.at = 0.0

    def monotonic(self) -> float:
        self.at += 1.0
        return self.at


def dying(book: Path, error: Exception) -> Callable[[], None]:
    """A child that notes that it began, and dies."""

    def live() -> None:
        with book.open("a") as lines:
            lines.write("began\n")
        raise error

    return live


def begun(book: Path) -> int:
    return len(book.read_text().splitlines()) if book.exists() else 0


def supervised(book: Path, error: Exception, enough: int, code: int = 0) -> int:
    """How often the child began until the supervisor gave up, with this code, or was told to stop after `enough`."""

    def supervise() -> None:
        supervisor = Supervisor({"child": dying(book, error)}, Hurried())

        def look() -> None:
            supervisor.stopping = supervisor.stopping or begun(book) >= enough

        supervisor.look = look
        sys.exit(supervisor.supervise())

    process = multiprocessing.get_context("fork").Process(target=supervise)
    process.start()
    process.join(HANG_S)
    assert process.exitcode == code
    return begun(book)


@pytest.mark.skipif(not Path("/proc/self/comm").exists(), reason="reads the name where Linux shows it")
def test_a_process_bears_the_name_of_its_role(tmp_path: Path) -> None:
    book = tmp_path / "book"

    def tell() -> None:
        name_process("retriever-12")
        book.write_text(Path("/proc/self/comm").read_text())

    process = multiprocessing.get_context("fork").Process(target=tell)
    process.start()
    process.join(HANG_S)
    assert book.read_text() == "retriever-12\n"


def test_of_a_disk_that_fails_a_child_says_what_to_do(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    error = OSError(errno.EIO, "Input/output error", "/srv/data/index/CURRENT")
    supervised(tmp_path / "book", error, 2)  # the first has ended, and was not told to before it said why
    said = capfd.readouterr().err
    assert "child: /srv/data/index/CURRENT could not be read or written: Input/output error." in said
    assert "fault of this program" not in said


def test_what_keeps_dying_is_given_up(tmp_path: Path) -> None:
    assert supervised(tmp_path / "book", DataFolderError("It is of another layout."), 100, EXPLAINED) == MAX_DEATHS + 1


@pytest.mark.parametrize(
    "error", [Unreachable("It does not answer."), NoRoom("The disk is full."), TooManyFiles("Few.")]
)
def test_what_passes_by_itself_is_waited_for(tmp_path: Path, error: CormorantError) -> None:
    assert supervised(tmp_path / "book", error, MAX_DEATHS + 5) >= MAX_DEATHS + 5


@pytest.mark.parametrize(("code", "most"), [(AWAY, AWAY_REST_S), (FULL, MAX_REST_S), (1, MAX_REST_S)])
def test_rests_grow_up_to_a_bound_that_is_low_where_the_child_waits_by_itself(code: int, most: float) -> None:
    rests = [rest_s(deaths, code) for deaths in range(MAX_DEATHS + 1)]
    assert rests == sorted(rests)
    assert (rests[0], rests[1], rests[-1]) == (0.0, 0.1, most)
