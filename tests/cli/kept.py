"""Commands that start processes, without loading the program for each: who has loaded it forks for every one.

    python -m tests.cli.kept    reads an order a line (JSON), says which process carries it out, and how that ended

What is forked goes through the door of `python -m cormorant`, in a session, a folder and an environment of its own. At
its end it does what was registered for that since the fork, and what `weakref.finalize` keeps was registered before.
Whoever looks at how a process starts, or sends it a signal, starts one (`Installation.start`).
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from cormorant.cli import main
from cormorant.store import compiled
from tests.compiling import Shared

ROOT = Path(__file__).resolve().parents[2]
_BUSY = Lock()


class Kept:
    """The process, as its starter sees it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.kept"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, start_new_session=True,
        )  # fmt: skip
        atexit.register(self._end)

    def run(self, words: list[str], environment: dict[str, str], folder: Path, limit_s: float) -> int:
        """Carry out a command, which writes into `out` and `err` of a folder; returns its exit code."""
        order = {"words": words, "environment": environment, "here": str(Path.cwd()), "folder": str(folder)}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        pid = self._heard(limit_s)
        try:
            return self._heard(limit_s)
        except subprocess.TimeoutExpired:
            os.killpg(pid, signal.SIGKILL)
            self._heard(limit_s)
            raise

    def _heard(self, limit_s: float) -> int:
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            if not selector.select(limit_s):
                raise subprocess.TimeoutExpired("cormorant", limit_s)
        line = os.read(self._process.stdout.fileno(), 12)
        assert line, "the process that forks has ended"
        return int(line)

    def _end(self) -> None:
        self._process.communicate()


@cache
def _kept() -> Kept:
    return Kept()


def run(words: list[str], environment: Mapping[str, str], limit_s: float) -> tuple[int, str, str] | None:
    """Have a command carried out in the folder that this process is in; None while another thread's is.

    Returns its exit code and what it wrote to standard output and standard error.
    """
    if not _BUSY.acquire(blocking=False):
        return None
    try:
        with TemporaryDirectory(prefix="said-") as place:
            code = _kept().run(words, dict(environment), Path(place), limit_s)
            out, err = ((Path(place) / name).read_text() for name in ("out", "err"))
            return code, out, err
    finally:
        _BUSY.release()


def _become(order: dict[str, Any]) -> None:
    """Be the command that is ordered, from here on."""
    os.setsid()
    os.chdir(order["here"])
    os.environ.clear()
    os.environ.update(order["environment"])
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(Path(order["folder"]) / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    sys.argv = ["cormorant", *order["words"]]


def _serve() -> None:
    """Fork for every order until there are no more; what is forked returns as well, to end like any command."""
    for name in ("cormorant.app.following", "cormorant.cli.crawl", "cormorant.cli.runs"):
        importlib.import_module(name)
    compiled.STATEMENTS = statements = Shared()
    gc.collect()
    gc.freeze()
    answers = os.dup(1)
    while line := sys.stdin.buffer.readline():
        pid = os.fork()
        if pid == 0:
            os.close(answers)
            _become(json.loads(line))
            main()
        os.write(answers, f"{pid:<12}".encode())
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.write(answers, f"{code:<12}".encode())
        statements.learn()


if __name__ == "__main__":
    _serve()
