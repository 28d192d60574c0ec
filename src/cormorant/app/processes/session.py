"""Session of a command: owns the data folder and starts the processes, or follows the owner.

order runs -> lock free?  yes: fork the supervisor, follow the runs, stop it
                          no:  follow the runs; the owner carries them out
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cormorant.app import data_dir
from cormorant.app.build import BuildPlan
from cormorant.app.logs import otel, process_log
from cormorant.app.processes import database_wait, entrypoints, fork_servers, memory
from cormorant.app.processes.restarts import Birth
from cormorant.app.processes.signals import HeldSignals, blocked, held_back
from cormorant.app.processes.supervisor import EXPLAINED, Supervisor, die_with_parent, name_process
from cormorant.base.clock import SystemClock, pause
from cormorant.base.errors import CormorantError, DataFolderError

STOP_S = 40.0
WEB = "web"


@dataclass(frozen=True, slots=True)
class Running:
    """The processes of an installation. `owner` is False if another command owns the folder."""

    owner: bool
    pid: int
    held: HeldSignals

    def look(self, logs: Path, kept: str) -> None:
        """Check that our supervisor is alive; another command's is not checked. `kept` completes the error message.

        Raises CormorantError if it has ended, KeyboardInterrupt if asked to end.
        """
        self.held.let_through()
        pid, status = os.waitpid(self.pid, os.WNOHANG) if self.owner else (0, 0)
        if pid and os.waitstatus_to_exitcode(status) == EXPLAINED:
            raise CormorantError(f"The processes cannot continue, for the reason given above. {kept}")
        if pid:
            raise CormorantError(f"The processes ended unexpectedly. {kept} Their last messages are in {logs}.")


def supervise(plan: BuildPlan, *, web: Callable[[], None] | None = None, crawling: bool = True) -> int:
    """Be the supervisor: start every process, watch them and the fork servers of converters until stopped.

    Schedules are only carried out beside `web`, which runs permanently. Returns as `Supervisor.supervise` does.
    """
    _call(plan, "supervisor")
    with fork_servers.started() as servers:
        birth = Birth()
        jobs: dict[str, Callable[[], None]] = {
            "conductor": partial(entrypoints.conductor, plan, schedules=web is not None, birth=birth),
            "provider": partial(entrypoints.provider, plan),
        }
        if not crawling:
            del jobs["conductor"]
        for number in range(1, plan.installation.retriever_count + 1) if crawling else ():
            jobs[f"retriever-{number}"] = partial(entrypoints.retriever, plan, number, servers.addresses, birth)
        if web is not None:
            jobs[WEB] = web
        jobs = {name: partial(_do, plan, name, job) for name, job in jobs.items()}
        return Supervisor(jobs, SystemClock(), servers.keep_alive, patient=web is not None).supervise()


def _do(plan: BuildPlan, name: str, job: Callable[[], None]) -> None:
    """Run the job of a child process under its process name.

    All but the web process, whose pages report it, wait for the database.
    """
    _call(plan, name)
    if name != WEB:
        database_wait.database(plan.store_url)
    with otel.traced(plan, name):
        job()


def _call(plan: BuildPlan, name: str) -> None:
    """Set the name of this process in process lists, and open its log."""
    name_process(name)
    process_log.keep(plan, name)


@contextmanager
def running(plan: BuildPlan, *, web: Callable[[], None] | None = None, crawling: bool = True) -> Iterator[Running]:
    """Run the processes for the length of the block, unless another command owns the folder; `web` is one more process.

    Without `crawling`, documents that are already found are delivered, and no run goes on.

    No store may be open in this process when the block begins: it forks. A signal to end is raised by `Running.look`,
    which must be called often, or at the end of the block.
    """
    otel.check(plan)
    with held_back(SystemClock()) as held:
        lock = data_dir.take_lock(plan.folder)
        if lock is None:
            yield Running(owner=False, pid=0, held=held)
            return
        pid = _fork(plan, web, crawling)
        os.close(lock)
        try:
            memory.leave_libraries()
            yield Running(owner=True, pid=pid, held=held)
        finally:
            _stop(pid)


def _fork(plan: BuildPlan, web: Callable[[], None] | None, crawling: bool) -> int:
    """Fork the supervisor with signals blocked until it has set its handlers."""
    memory.share_from_here()
    parent = os.getpid()
    with blocked():
        pid = os.fork()
        if pid == 0:
            _be_supervisor(plan, web, parent, crawling)
    return pid


def _be_supervisor(plan: BuildPlan, web: Callable[[], None] | None, parent: int, crawling: bool) -> None:
    """Run the forked supervisor, signals blocked until `Supervisor.supervise` unblocks them; never returns."""
    code = 1
    try:
        os.setpgid(0, 0)
        die_with_parent()
        if os.getppid() == parent:
            code = supervise(plan, web=web, crawling=crawling)
        else:
            code = 0
    finally:
        os._exit(code)


def _stop(pid: int) -> None:
    """Ask the supervisor to end, and wait for it."""
    clock = SystemClock()
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        return
    until = clock.monotonic() + STOP_S
    while clock.monotonic() < until:
        try:
            if os.waitpid(pid, os.WNOHANG)[0]:
                return
        except ChildProcessError:
            return
        pause(0.02)
    os.kill(pid, signal.SIGKILL)
    raise DataFolderError(
        "The processes did not end in time and were killed. Nothing is lost; the next crawl continues."
    )
