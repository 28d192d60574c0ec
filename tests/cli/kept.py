"""Start commands without loading the program for each: a process that has loaded it forks for every command.

    python -m tests.cli.kept FD    reads orders from a socket: a module, its arguments, and four open files, the last of
                                   which gets the number of the process and its exit code

A fork runs the same function as `python -m`, in a session, a folder and an environment of its own, of which PYTHONPATH,
TMPDIR and TZ take effect; other settings that Python reads at its start, ignored signals, umask and limits are those of
the forking process. At its end a command calls the functions that were registered since the fork; those of
`weakref.finalize` were registered before. Tests of the start or the memory of a process start a fresh one
(`Installation.start_fresh`).
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple

from cormorant.base.clock import SystemClock
from cormorant.store.db import drivers
from tests.compiling import Shared

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "cormorant.cli"
LOADED = (
    PROGRAM,
    "cormorant.app.commands.follow",
    "cormorant.cli.crawl.crawl",
    "cormorant.cli.crawl.runs",
    "tests.journeys.crawling",
)
_MOST_BYTES = 100_000
_NUMBER = 12


class Begun:
    """A process that was forked, used like `subprocess.Popen` with text.

    `files` are `stdin`, which is empty unless it is named, `stdout` and `stderr`, which are pipes: what Popen takes.
    """

    def __init__(
        self, module: str, words: Sequence[str], environment: Mapping[str, str], here: Path, **files: int | IO[str]
    ) -> None:
        self.returncode: int | None = None
        self._listeners: list[_Listener] = []
        order = {"module": module, "words": list(words), "environment": dict(environment), "here": str(here)}
        self._end, report = os.pipe()
        with ExitStack() as theirs:
            theirs.callback(os.close, report)
            self.stdin, inside = _opened(files.get("stdin", subprocess.DEVNULL), "w", theirs)
            self.stdout, out = _opened(files.get("stdout", subprocess.PIPE), "r", theirs)
            stderr = files.get("stderr", subprocess.PIPE)
            self.stderr, err = (None, out) if stderr == subprocess.STDOUT else _opened(stderr, "r", theirs)
            _kept().send(order, [inside, out, err, report])
        self.pid = self._number()

    def poll(self) -> int | None:
        """How it ended, or None while it has not."""
        with suppress(subprocess.TimeoutExpired):
            return self.wait(0.0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        """How it ended. Raises subprocess.TimeoutExpired."""
        if self.returncode is None:
            with selectors.DefaultSelector() as selector:
                selector.register(self._end, selectors.EVENT_READ)
                if not selector.select(timeout):
                    raise subprocess.TimeoutExpired("cormorant", timeout or 0.0)
            self.returncode = self._number()
            os.close(self._end)
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Return the rest of its output. Raises subprocess.TimeoutExpired, after which it may be called again."""
        clock = SystemClock()
        began = clock.monotonic()

        def left() -> float | None:
            return None if timeout is None else max(began + timeout - clock.monotonic(), 0.0)

        if self.stdin:
            self.stdin.close()
        self._listeners = self._listeners or [_Listener(stream) for stream in (self.stdout, self.stderr)]
        for each in self._listeners:
            each.join(left())
            if each.is_alive():
                raise subprocess.TimeoutExpired("cormorant", timeout or 0.0)
        self.wait(left())
        out, err = (each.text for each in self._listeners)
        return out, err

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it has not ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Begun:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for stream in (self.stdout, self.stderr, self.stdin):
            if stream:
                stream.close()
        if kind is not None:
            self.kill()  # a test that failed does not wait for a command that goes on
        self.wait()

    def _number(self) -> int:
        said = os.read(self._end, _NUMBER)
        assert said, "the process that forks has ended"
        return int(said)


class _Listener(threading.Thread):
    """Reads what a process says until it has ended."""

    def __init__(self, stream: IO[str] | None) -> None:
        super().__init__(daemon=True)
        self._stream, self.text = stream, ""
        self.start()

    def run(self) -> None:
        """Read."""
        if self._stream:
            with self._stream:
                self.text = self._stream.read()


def _opened(said: int | IO[str], mode: str, theirs: ExitStack) -> tuple[IO[str] | None, int]:
    """Our end of a stream, if there is one, and the end of the process; ours are not among `theirs`, to be closed."""
    if said == subprocess.PIPE:
        reading, writing = os.pipe()
        ours, other = (writing, reading) if mode == "w" else (reading, writing)
        theirs.callback(os.close, other)
        return os.fdopen(ours, mode), other
    if said == subprocess.DEVNULL:
        other = os.open(os.devnull, os.O_RDWR)
        theirs.callback(os.close, other)
        return None, other
    return None, said if isinstance(said, int) else said.fileno()


class _Kept:
    """The process that forks, as its starter sees it."""

    def __init__(self) -> None:
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.cli.kept", str(theirs.fileno())],
                stdin=subprocess.DEVNULL, cwd=ROOT, start_new_session=True, pass_fds=[theirs.fileno()],
            )  # fmt: skip
        atexit.register(self._close)

    def send(self, order: dict[str, Any], files: Sequence[int]) -> None:
        """Have an order carried out."""
        socket.send_fds(self._orders, [json.dumps(order).encode()], files)

    def _close(self) -> None:
        self._orders.close()
        self._process.wait()


@cache
def _kept() -> _Kept:
    """The one of this process; of two that threads make at once the second is kept, and either serves."""
    return _Kept()


def kill_group(pid: int) -> None:
    """End a command and what is in its session, if it has not ended by itself."""
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def run(words: Sequence[str], environment: Mapping[str, str], limit_s: float) -> tuple[int, str, str]:
    """Have a command carried out in the folder that this process is in.

    Returns its exit code and what it wrote to standard output and standard error. Raises subprocess.TimeoutExpired.
    """
    with tempfile.TemporaryDirectory(prefix="said-") as place:
        paths = [Path(place) / name for name in ("out", "err")]
        with paths[0].open("w") as out, paths[1].open("w") as err:
            begun = Begun(PROGRAM, words, environment, Path.cwd(), stdout=out, stderr=err)
        with begun:
            try:
                begun.wait(limit_s)
            except subprocess.TimeoutExpired:
                kill_group(begun.pid)
                raise
        assert begun.returncode is not None
        return begun.returncode, paths[0].read_text(), paths[1].read_text()


class _Order(NamedTuple):
    """A command, its files, and the pipe that gets the number of its process and its exit code."""

    said: dict[str, Any]
    files: list[int]
    report: int


def _received(orders: socket.socket) -> _Order | None:
    """The next order; None when there will be no more."""
    said, files, _, _ = socket.recv_fds(orders, _MOST_BYTES, 4)
    return _Order(json.loads(said), files[:-1], files[-1]) if said else None


def _become(order: _Order) -> None:
    """Be the command that is ordered, from here on."""
    os.setsid()
    os.chdir(order.said["here"])
    os.environ.clear()
    os.environ.update(order.said["environment"])
    time.tzset()
    tempfile.tempdir = None
    for number, file in enumerate(order.files):
        os.dup2(file, number)
        os.close(file)
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.path[:0] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.argv = [order.said["module"], *order.said["words"]]
    importlib.import_module(order.said["module"]).main()


def _report(report: int, number: int) -> None:
    """Write the number of a process or its exit code, unless the reader is gone."""
    with suppress(BrokenPipeError):
        os.write(report, f"{number:<{_NUMBER}}".encode())


class _Forge:
    """Forks for every order, and reports the exit code of each fork."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders, self._statements = orders, Shared(drivers.STATEMENTS)
        drivers.STATEMENTS = self._statements
        self._children: dict[int, tuple[int, int]] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(orders, selectors.EVENT_READ)

    def next(self) -> _Order | None:
        """The next order; None when there will be no more. Exit codes of processes that end meanwhile are reported."""
        while True:
            ready = {key.fd for key, _ in self._selector.select()}
            for watch in ready.intersection(self._children):
                self._reap(watch)
            if self._orders.fileno() in ready:
                return _received(self._orders)

    def fork(self, order: _Order) -> bool:
        """Fork; return True in the child, which has none of our files."""
        if pid := os.fork():
            _report(order.report, pid)
            for file in order.files:
                os.close(file)
            watch = os.pidfd_open(pid)
            self._children[watch] = pid, order.report
            self._selector.register(watch, selectors.EVENT_READ)
            return False
        self._selector.close()
        self._orders.close()
        for file in (order.report, *self._children, *(report for _, report in self._children.values())):
            os.close(file)
        return True

    def _reap(self, watch: int) -> None:
        self._selector.unregister(watch)
        os.close(watch)
        pid, report = self._children.pop(watch)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        _report(report, code)
        os.close(report)
        self._statements.learn()


def main() -> None:
    """Fork for every order until there are no more; what is forked returns as well, to end like any command."""
    for name in LOADED:
        importlib.import_module(name)
    forge = _Forge(socket.socket(fileno=int(sys.argv[1])))
    gc.collect()
    gc.freeze()
    while order := forge.next():
        if forge.fork(order):
            _become(order)
            return


if __name__ == "__main__":
    main()
