"""Start, restart and stop the fork server; its parent holds the handle, other processes only the address."""

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

from cormorant.sandbox.errors import ServerNotStarted
from cormorant.sandbox.fork_server import Config, Ready
from cormorant.sandbox.limits import Allowed

_START_S: Final = 60.0
_STOP_S: Final = 5.0
_BACKLOG: Final = 512
# Converters bring thread pools as wide as the machine; a child has one document and few threads. Our own environment is
# not passed on: it may hold secrets.
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

    `address` stays the same through `restart`, so processes forked before continue with it. `allowed` lists the
    restrictions of children that this machine supports.
    """

    address: str
    allowed: Allowed

    def __init__(self, folder: Path, preload: Sequence[str], tasks: Mapping[str, str], *, at_first_use: bool) -> None:
        self._folder = folder
        self._preload = tuple(preload)
        self._tasks = dict(tasks)
        self.address = str(folder / "limits.sock")
        self.allowed = Allowed()
        self._process: subprocess.Popen[bytes] | None = None
        self._listener: socket.socket | None = self._listen()
        if not at_first_use:
            self._launch()

    @property
    def addresses(self) -> dict[str, str]:
        """Addresses of the server for each of its tasks, as a `ChildPool` expects them."""
        return dict.fromkeys(self._tasks, self.address)

    @property
    def alive(self) -> bool:
        """True while the server runs, or has not been used yet; if False, call `restart`."""
        return self._listener is not None if self._process is None else self._process.poll() is None

    def wake(self) -> None:
        """Start a server at its first use, if a client has connected. Raises ServerNotStarted."""
        if self._process is None and self._listener is not None and select.select((self._listener,), (), (), 0)[0]:
            self._launch()

    def restart(self) -> None:
        """End the server, if it runs, and start it again at the same address. Raises ServerNotStarted."""
        self._end()
        self._listener = self._listen()
        self._launch()

    def stop(self) -> None:
        """End the server and every child, and remove the socket. May be called twice."""
        self._end()
        _remove(self._folder)

    def _end(self) -> None:
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        # Not earlier: when its stdin ends, the server removes the folder.
        if process.stdin is not None:
            process.stdin.close()

    def _listen(self) -> socket.socket:
        """Open the socket: from now on clients may connect, and wait until the server starts."""
        Path(self.address).unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listener.bind(self.address)
            listener.listen(_BACKLOG)
        except OSError:
            listener.close()
            raise
        return listener

    def _launch(self) -> None:
        """Start the server on the open socket, which it then owns."""
        if self._listener is None:
            raise ServerNotStarted("The process for converters was stopped.")
        with self._listener as listener:
            listener.set_inheritable(True)
            config = Config(listener.fileno(), os.getpid(), self._preload, self._tasks)
            process = subprocess.Popen(  # noqa: S603 - our own module; the names come from our own wiring
                (sys.executable, "-P", "-m", "cormorant.sandbox", msgspec.json.encode(config).decode()),
                env={**_ENVIRONMENT, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=(listener.fileno(),),
                start_new_session=True,
            )
        self._listener = None
        ready = _wait_until_ready(process)
        if ready.problem:
            process.kill()
            process.communicate()
            raise ServerNotStarted(f"The process for converters did not start: {ready.problem}.")
        self._process, self.allowed = process, ready.allowed


def start_server(
    preload: Sequence[str], tasks: Mapping[str, str] | Sequence[str], *, at_first_use: bool = False
) -> ServerHandle:
    """Start the fork server and return when it is ready. Raises ServerNotStarted.

    With `at_first_use` only its socket is opened: clients may connect at once and wait, and the owner of the handle
    calls `wake` now and then. A crawl without documents for a converter then needs no server.

    `preload` names modules to import before the first fork; none of them may start a thread. `tasks` maps a name to
    "module:function", or lists such references, each its own name; the function takes bytes and returns bytes. With
    words after a space, it is called with them once, as the server starts, and returns the function. The modules of
    the tasks are loaded too. Modules are searched on the path of this process. Blocks for as long as the imports take.
    """
    named = dict(tasks) if isinstance(tasks, Mapping) else {reference: reference for reference in tasks}
    try:
        folder = Path(tempfile.mkdtemp(prefix="cormorant-"))
    except OSError as error:
        raise ServerNotStarted(f"The process for converters has no folder for its socket: {error}.") from error
    try:
        return ServerHandle(folder, preload, named, at_first_use=at_first_use)
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
