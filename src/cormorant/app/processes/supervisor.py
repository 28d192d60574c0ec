"""Supervisor: keeps the processes of an installation alive: forks them, restarts dead ones, ends them together.

    supervisor --fork--> conductor, provider, retriever 1..N (, web)
        |<- a child died: again, after a rest that grows
        `<- SIGTERM, or its parent died: SIGTERM to all, 30 s, SIGKILL
    supervisor died --kernel--> SIGTERM to its children, which end themselves within the same 30 s

It opens no database and starts no thread, so that a fork is always safe.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from cormorant.app.processes.signals import STOPS
from cormorant.base.clock import Clock, pause
from cormorant.base.durability import reportable
from cormorant.base.errors import CormorantError, NoRoom, TooManyFiles, Unreachable
from cormorant.base.log import logger

_log = logger(__name__)
GRACE_S = 30.0
STEADY_S = 30.0
"""A child that lived longer than this is restarted at once."""
MAX_REST_S = 10.0
MAX_DEATHS = 12
"""Consecutive deaths without a steady life, after which restarting does not help and the supervisor gives up."""
EXPLAINED = 2
"""The exit code of a child that printed the reason of its end in one sentence; a bug prints more."""
AWAY = 3
"""The exit code of a child that could not reach the database: it is restarted without limit.

The child then waits for the database itself, so the rest before may be short: a crash of the server costs each
child one start.
"""
FULL = 4
"""The exit code of a child for a full disk or too many open files: it is restarted without limit, too."""
AWAY_STEADY_S, AWAY_REST_S = 1.0, 1.0
"""A child that lived this long had reached the database, and is restarted at once; else it rests no longer."""
_PR_SET_PDEATHSIG = 1
_COMM = Path("/proc/self/comm")


def rest_s(deaths: int, code: int) -> float:
    """Return the seconds before a dead child restarts, by consecutive `deaths` and its last exit `code`."""
    return min(0.05 * 2**deaths, AWAY_REST_S if code == AWAY else MAX_REST_S) if deaths else 0.0


def die_with_parent(number: int = signal.SIGTERM) -> None:
    """Ask the kernel to send this process a signal when its parent ends (Linux; elsewhere nothing happens)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)


def end_in_time() -> None:
    """Have the kernel end this process GRACE_S from now if it is still there, even without a supervisor."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, GRACE_S)


def name_process(name: str) -> None:
    """Set the name of this process, as `top` and `ps -o comm` show it (Linux; elsewhere nothing happens)."""
    with suppress(OSError):
        _COMM.write_text(name)


@dataclass(slots=True)
class _Child:
    pid: int = 0
    started_at: float = 0.0
    deaths: int = 0
    start_at: float = 0.0


@dataclass(slots=True)
class Supervisor:
    """Runs `roles` (name -> job of the child) until stopped; `look` is called between checks of the children.

    A `patient` supervisor never gives up: one dying role must not end a server's other roles.
    """

    roles: Mapping[str, Callable[[], None]]
    clock: Clock
    look: Callable[[], None] = lambda: None
    patient: bool = False
    stopping: bool = False
    given_up: int = 0
    _children: dict[str, _Child] = field(default_factory=dict)

    def supervise(self) -> int:
        """Fork and watch. Returns when all have ended: 0 after a stop, else the code of the child that kept dying."""
        signal.signal(signal.SIGTERM, self._stop)
        for number in (signal.SIGINT, signal.SIGHUP):  # from a terminal, for the parent process
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
        for name in self.roles:
            self._children[name] = _Child()
        while not self.stopping:
            self._start_due()
            self._reap()
            self.look()
            if not self.stopping:
                pause(0.05)
        self._end()
        return self.given_up

    def _stop(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - the shape of a signal's receiver
        self.stopping = True

    def _start_due(self) -> None:
        now = self.clock.monotonic()
        for name, child in self._children.items():
            if child.pid == 0 and child.start_at <= now:
                child.pid, child.started_at = self._fork(name), now

    def _fork(self, name: str) -> int:
        """Fork one child; it never returns from here. A SIGTERM meanwhile waits until the child has set its handler."""
        parent = os.getpid()
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM,))
        pid = os.fork()
        if pid:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM,))
            return pid
        code = 1
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM,))
            die_with_parent()
            if os.getppid() == parent:
                self.roles[name]()
            code = 0
        except (CormorantError, OSError) as error:
            known = error if isinstance(error, CormorantError) else reportable(error)
            if known is None:
                raise
            sys.stderr.write(f"{name}: {known.sentence}\n")
            _log.warning("ended", extra={"reason": known.sentence})
            code = (
                AWAY
                if isinstance(known, Unreachable)
                else FULL
                if isinstance(known, NoRoom | TooManyFiles)
                else EXPLAINED
            )
        finally:
            if code not in (0, EXPLAINED, AWAY, FULL):
                _log.error("ended by a fault", exc_info=sys.exc_info())
                sys.stderr.write(f"{name} ended by a fault of this program; its log, logs/{name}.log, says where.\n")
            sys.stderr.flush()
            os._exit(code)

    def _reap(self) -> None:
        """Notice children that ended; they start again after a rest that doubles while they keep dying."""
        for name, child in self._children.items():
            pid, status = os.waitpid(child.pid, os.WNOHANG) if child.pid else (0, 0)
            if pid:
                lived, code = self.clock.monotonic() - child.started_at, os.waitstatus_to_exitcode(status)
                _log.info("child ended", extra={"role": name, "child": pid, "code": code})
                child.deaths = 0 if lived > (AWAY_STEADY_S if code == AWAY else STEADY_S) else child.deaths + 1
                if self.patient or code in (AWAY, FULL):
                    child.deaths = min(child.deaths, MAX_DEATHS)
                child.pid, child.start_at = 0, self.clock.monotonic() + rest_s(child.deaths, code)
                if child.deaths > MAX_DEATHS:
                    self.stopping, self.given_up = True, code

    def _end(self) -> None:
        """Ask every child to end, then kill those left."""
        for number, patience in ((signal.SIGTERM, GRACE_S), (signal.SIGKILL, 5.0)):
            for child in self._living():
                os.kill(child.pid, number)
            until = self.clock.monotonic() + patience
            while self._living() and self.clock.monotonic() < until:
                self._bury()
                pause(0.02)

    def _living(self) -> list[_Child]:
        return [child for child in self._children.values() if child.pid]

    def _bury(self) -> None:
        """Reap children that ended and are not to be restarted."""
        for child in self._living():
            if os.waitpid(child.pid, os.WNOHANG)[0]:
                child.pid = 0
