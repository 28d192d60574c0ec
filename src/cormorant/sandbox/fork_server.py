"""The fork server: loads the converters once, then forks a limited child per connection and reaps it.

    python -P -m cormorant.sandbox CONFIG      started by `launcher`; stdin ends with the parent

It has one thread, reads only the last words of a child, and keeps the connection only to detect the client's hang-up
(then it kills the child) and to write the ending.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import resource
import select
import signal
import socket
import struct
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from cormorant.sandbox import child
from cormorant.sandbox.confinement import Walls, shut_in_server
from cormorant.sandbox.limits import Allowed
from cormorant.sandbox.probe import try_everything
from cormorant.sandbox.protocol import pack_ending
from cormorant.sandbox.result import Ending, one_line

_LAST_WORDS_BYTES: Final = 64 * 1024
# Linux only; elsewhere the client closes the connection to have a child killed.
_PEER_LEFT: Final = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR
_WATCHED: Final = getattr(select, "POLLRDHUP", 0)
_PEER: Final = struct.Struct("=3i")
_SIGNAL_EXIT: Final = 143


class Config(msgspec.Struct, frozen=True):
    """Configuration from the parent to the server: inherited descriptors, parent PID, modules, and tasks."""

    listener: int
    starter_pid: int
    preload: tuple[str, ...]
    tasks: dict[str, str]


class Ready(msgspec.Struct, frozen=True):
    """The server's one line to its parent: the restrictions of its children, or why it does not start."""

    allowed: Allowed
    problem: str = ""


class StartFailed(Exception):
    """A module cannot be loaded as requested. The message is for the parent."""


class _Child(msgspec.Struct):
    """A living child: its client, and the reading end of its standard error."""

    pid: int
    connection: socket.socket
    last_words: int


class Server:
    """Accept, fork, reap. `serve` returns when the parent is gone."""

    def __init__(
        self, listener: socket.socket, tasks: Mapping[str, child.Task], walls: Walls, starter_pid: int
    ) -> None:
        self._listener = listener
        self._tasks = tasks
        self._walls = walls
        self._poll = select.poll()
        self._children: dict[int, _Child] = {}
        self._by_descriptor: dict[int, _Child] = {}
        self._unsent: dict[int, tuple[socket.socket, bytes]] = {}
        self._deaths = _on_child_death()
        self._starter = _watch(starter_pid)
        for descriptor in (listener.fileno(), self._deaths, 0, *self._starter):
            self._poll.register(descriptor, select.POLLIN)

    def serve(self) -> None:
        """Serve until the parent closes stdin or dies; then kill every child."""
        try:
            while self._turn():
                pass
        finally:
            for pid in self._children:
                _kill_group(pid)

    def _turn(self) -> bool:
        ready = dict(self._poll.poll())
        if 0 in ready or any(descriptor in ready for descriptor in self._starter):
            return False
        for descriptor, events in ready.items():
            if descriptor in self._unsent:
                self._send_rest(descriptor)
            elif descriptor in self._by_descriptor and events & _PEER_LEFT:
                self._poll.unregister(descriptor)
                _kill_group(self._by_descriptor[descriptor].pid)
        if self._deaths in ready:
            os.read(self._deaths, 4096)
            self._bury()
        if self._listener.fileno() in ready:
            self._accept()
        return True

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
            last_words, theirs = os.pipe()
        except OSError:
            # Out of descriptors for a moment, or the client has gone already and needs no answer.
            return
        if not _same_user(connection):
            connection.close()
            os.close(last_words)
            os.close(theirs)
            return
        os.set_blocking(theirs, False)
        self._fork(connection, last_words, theirs)

    def _fork(self, connection: socket.socket, last_words: int, theirs: int) -> None:
        try:
            pid = os.fork()
        except OSError:
            connection.close()
            os.close(last_words)
            os.close(theirs)
            return
        if pid == 0:
            child.run(connection, theirs, self._tasks, self._walls)
        os.close(theirs)
        born = _Child(pid, connection, last_words)
        self._children[pid] = self._by_descriptor[connection.fileno()] = born
        self._poll.register(connection.fileno(), _WATCHED)

    def _bury(self) -> None:
        """Reap dead children, and send each client the ending of its child."""
        while self._children:
            dead = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if dead is None:
                return
            # Kill processes that the child may have started; its number is still taken, so no other process is hit.
            _kill_group(dead.si_pid)
            pid, status, usage = os.wait4(dead.si_pid, 0)
            buried = self._children.pop(pid)
            del self._by_descriptor[buried.connection.fileno()]
            said = os.read(buried.last_words, _LAST_WORDS_BYTES) if _has_data(buried.last_words) else b""
            os.close(buried.last_words)
            ending = Ending(
                status,
                usage.ru_utime + usage.ru_stime,
                usage.ru_maxrss * (1024 if sys.platform == "linux" else 1),
                one_line(said[-2048:].decode("utf-8", "replace")),
            )
            self._send_ending(buried.connection, pack_ending(ending))

    def _send_ending(self, connection: socket.socket, ending: bytes) -> None:
        descriptor = connection.fileno()
        with contextlib.suppress(KeyError):
            self._poll.unregister(descriptor)
        try:
            connection.send(ending, socket.MSG_DONTWAIT)
        except BlockingIOError:
            # The client has not read the child's output yet.
            self._unsent[descriptor] = (connection, ending)
            self._poll.register(descriptor, select.POLLOUT)
            return
        except OSError:
            pass
        connection.close()

    def _send_rest(self, descriptor: int) -> None:
        connection, ending = self._unsent.pop(descriptor)
        self._send_ending(connection, ending)


def load(config: Config) -> dict[str, child.Task]:
    """Import the modules of `config`; return the tasks by name. Raises StartFailed for a missing module, or threads."""
    references = (reference.partition(" ")[0] for reference in config.tasks.values())
    for module in (*config.preload, *(reference.partition(":")[0] for reference in references)):
        try:
            importlib.import_module(module)
        except ImportError as error:
            raise StartFailed(f"{module} cannot be imported: {one_line(str(error))}") from error
        if _threads() > 1:
            raise StartFailed(f"importing {module} starts threads; a server with threads cannot be forked safely")
    return {name: _find(reference) for name, reference in config.tasks.items()}


def _find(reference: str) -> child.Task:
    """Return the function of a reference, or the result of calling it with the words after it."""
    named, _, words = reference.partition(" ")
    module, _, function = named.partition(":")
    found = getattr(sys.modules[module], function, None)
    if not callable(found):
        raise StartFailed(f"{named} is not a function")
    task: child.Task = found(words) if words else found
    return task


def _threads() -> int:
    try:
        return len(tuple(Path("/proc/self/task").iterdir()))
    except OSError:
        return 1


def _same_user(connection: socket.socket) -> bool:
    """Return whether the client is our own user. Elsewhere than on Linux, only the socket's folder excludes others."""
    if sys.platform != "linux":
        return True
    _, user, _ = _PEER.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
    return bool(user == os.getuid())


def _kill_group(pid: int) -> None:
    """Kill a child and its descendants; a new child may not lead a process group yet."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)


def _has_data(descriptor: int) -> bool:
    return bool(select.select((descriptor,), (), (), 0)[0])


def _on_child_death() -> int:
    """Return a descriptor that becomes readable when a child dies."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(_SIGNAL_EXIT))
    return reading


def _watch(starter_pid: int) -> tuple[int, ...]:
    """Return a descriptor that becomes readable when the parent dies, if the system supports it."""
    try:
        starter = os.pidfd_open(starter_pid)
    except (OSError, AttributeError):
        return ()
    if os.getppid() != starter_pid:
        sys.exit(_SIGNAL_EXIT)
    return (starter,)


def _answer(descriptor: int, ready: Ready) -> None:
    """Write the one line that the parent waits for; a parent that has died needs none."""
    with contextlib.suppress(BrokenPipeError):
        os.write(descriptor, msgspec.json.encode(ready) + b"\n")
    os.close(descriptor)


def main(text: str) -> None:
    """Load, restrict this process, report readiness on stdout, serve."""
    config = msgspec.json.decode(text, type=Config)
    # The output of a module at import must not appear where the parent expects the one line.
    answer = os.dup(1)
    os.dup2(2, 1)
    try:
        tasks = load(config)
    except StartFailed as error:
        _answer(answer, Ready(Allowed(), str(error)))
        sys.exit(1)
    with contextlib.suppress(OSError):
        Path("/proc/self/comm").write_text("converters")
    os.umask(0o077)
    os.chdir("/")
    resource.setrlimit(resource.RLIMIT_NOFILE, (child.DESCRIPTORS_MAX, child.DESCRIPTORS_MAX))
    allowed = try_everything()
    walls = shut_in_server(allowed)
    listener = socket.socket(fileno=config.listener)
    server = Server(listener, tasks, walls, config.starter_pid)
    _answer(answer, Ready(allowed))
    gc.collect()
    gc.freeze()
    place = Path(listener.getsockname())
    server.serve()
    # The parent did not stop us, it is gone: no other process cleans up.
    with contextlib.suppress(OSError):
        place.unlink()
        place.parent.rmdir()
