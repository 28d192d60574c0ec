"""Start, restart and stop the fork server; its starter holds the handle, everybody else only the address."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from cormorant.limits.errors import ServerNotStarted
from cormorant.limits.profile import Allowed
from cormorant.limits.server import Config, Ready

_START_S: Final = 60.0
_STOP_S: Final = 5.0
_BACKLOG: Final = 512
# Converters bring thread pools as wide as the machine; a child has one document and few threads. Nothing of our own
# environment is passed on: it may hold secrets.
_ENVIRONMENT: Final = {
    "PATH": os.defpath,
    "LC_ALL": "C.UTF-8",
    "MALLOC_ARENA_MAX": "2",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "2",
    "TOKIO_WORKER_THREADS": "2",
}


class ServerHandle:
    """The running fork server. Only the process that called `start_server` may call the methods.

    `address` stays the same through `restart`, so what was forked before goes on with it. `allowed` tells what holds
    the children on this machine.
    """

    address: str
    allowed: Allowed

    def __init__(self, folder: Path, preload: Sequence[str], tasks: Mapping[str, str]) -> None:
        self._folder = folder
        self._preload = tuple(preload)
        self._tasks = dict(tasks)
        self.address = str(folder / "limits.sock")
        self._process, self.allowed = self._launch()

    @property
    def alive(self) -> bool:
        """True while the server runs; when False, `restart` it."""
        return self._process.poll() is None

    def restart(self) -> None:
        """End what is left of the server and start it anew at the same address. Raise ServerNotStarted."""
        self._end()
        self._process, self.allowed = self._launch()

    def stop(self) -> None:
        """End the server and every child, and remove the socket. May be called twice."""
        self._end()
        _remove(self._folder)

    def _end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        # Only now: seeing its stdin end, the server would take the folder with it.
        if self._process.stdin is not None:
            self._process.stdin.close()

    def _launch(self) -> tuple[subprocess.Popen[bytes], Allowed]:
        Path(self.address).unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(self.address)
            listener.listen(_BACKLOG)
            listener.set_inheritable(True)
            config = Config(listener.fileno(), os.getpid(), self._preload, self._tasks)
            process = subprocess.Popen(  # noqa: S603 - our own module; the names come from our own wiring
                (sys.executable, "-P", "-m", "cormorant.limits", msgspec.json.encode(config).decode()),
                env={**_ENVIRONMENT, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=(listener.fileno(),),
                start_new_session=True,
            )
        ready = _wait_until_ready(process)
        if ready.problem:
            process.kill()
            process.communicate()
            raise ServerNotStarted(f"The process for converters did not start: {ready.problem}.")
        return process, ready.allowed


def start_server(preload: Sequence[str], tasks: Mapping[str, str] | Sequence[str]) -> ServerHandle:
    """Start the fork server and return when it is ready; raise ServerNotStarted.

    `preload` names modules to import before the first fork; none of them may start a thread. `tasks` maps a name to
    "module:function", or lists such references, each its own name; the function takes bytes and returns bytes. The
    modules of the tasks are loaded too. Modules are found where this process finds them. Blocks for as long as the
    imports take.
    """
    named = dict(tasks) if isinstance(tasks, Mapping) else {reference: reference for reference in tasks}
    folder = Path(tempfile.mkdtemp(prefix="cormorant-"))
    try:
        return ServerHandle(folder, preload, named)
    except ServerNotStarted:
        _remove(folder)
        raise
    except OSError as error:
        _remove(folder)
        raise ServerNotStarted(f"The process for converters did not start: {error}.") from error


def _wait_until_ready(process: subprocess.Popen[bytes]) -> Ready:
    assert process.stdout is not None  # noqa: S101 - asked for a pipe
    with process.stdout as answer:
        if not select.select((answer,), (), (), _START_S)[0]:
            return Ready(Allowed(), f"it did not get ready within {_START_S:g} s")
        line = answer.readline()
    try:
        return msgspec.json.decode(line, type=Ready)
    except msgspec.DecodeError:
        return Ready(Allowed(), "it ended while starting; its standard error says why")


def _remove(folder: Path) -> None:
    with contextlib.suppress(OSError):
        (folder / "limits.sock").unlink(missing_ok=True)
        folder.rmdir()
