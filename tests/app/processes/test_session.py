"""What becomes of a signal that reaches the processes while they are being started?"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from cormorant.app import data_dir
from cormorant.app.build import BuildPlan
from cormorant.app.processes import memory, session
from cormorant.app.processes.session import Running
from cormorant.app.processes.supervisor import EXPLAINED, Supervisor
from cormorant.app.settings import InstallationSettings
from cormorant.base.clock import SystemClock
from cormorant.base.errors import CormorantError
from tests.clocks import until


def supervising(book: Path, *, before: Callable[[], None], roles: int = 0) -> Callable[..., int]:
    """A supervisor's life that notes whether it began and ended; `before` is what comes before it can do anything."""

    def supervise(plan: BuildPlan, web: object = None, crawling: bool = True) -> int:
        before()
        book.write_text("began")
        Supervisor({f"role-{number}": signal.pause for number in range(roles)}, SystemClock()).supervise()
        book.write_text("ended")
        return 0

    return supervise


def strike() -> None:
    """Everything that a process may be asked to end with, at once and twice."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP) * 2:
        os.kill(os.getpid(), number)


def ended(processes: Running) -> str:
    """What is said when they have ended; "" before."""
    try:
        processes.look(Path("logs"), "Everything is kept.")
    except CormorantError as error:
        return error.sentence
    return ""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BuildPlan:
    """An empty data folder; the memory of whoever runs the tests stays as it is."""
    monkeypatch.setattr(memory, "share_from_here", lambda: None)
    return BuildPlan(tmp_path, InstallationSettings())


def test_signals_before_the_supervisor_is_ready_end_it_in_order(
    plan: BuildPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = plan.folder / "book"
    monkeypatch.setattr(session, "supervise", supervising(book, before=strike, roles=2))
    with session.running(plan) as processes:
        until(lambda: ended(processes))
    assert book.read_text() == "ended"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (EXPLAINED, "The processes cannot continue, for the reason given above. Everything is kept."),
        (1, "The processes ended unexpectedly. Everything is kept. Their last messages are in logs."),
    ],
)
def test_whoever_waits_is_told_why_there_is_nothing_to_wait_for(
    plan: BuildPlan, monkeypatch: pytest.MonkeyPatch, code: int, said: str
) -> None:
    monkeypatch.setattr(session, "supervise", lambda *_, **__: code)
    with session.running(plan) as processes:
        assert until(lambda: ended(processes)) == said


def test_a_signal_right_after_the_fork_leaves_no_process_behind(
    plan: BuildPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    book, fork, began = plan.folder / "book", os.fork, []
    monkeypatch.setattr(session, "supervise", supervising(book, before=lambda: None, roles=1))

    def forking() -> int:
        pid = fork()
        if pid:
            began.append(pid)
            os.kill(os.getpid(), signal.SIGINT)
        return pid

    monkeypatch.setattr(os, "fork", forking)
    with pytest.raises(KeyboardInterrupt), session.running(plan) as processes:
        processes.look(plan.folder, "")
    with pytest.raises(ProcessLookupError):
        os.kill(began[0], 0)
    lock = data_dir.take_lock(plan.folder)
    assert lock is not None
    os.close(lock)
