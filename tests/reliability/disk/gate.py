"""Hold every call that changes a file of ours until it is judged: it goes on, or fails.

    order -> (fork) -> filter installed, its descriptor sent here -> the command
    call -> judge -> goes on, or fails with an error     ... until the command, and all that it started, has ended

By the kernel's seccomp user notification (seccomp_unotify(2), Linux 5.5 and later): nothing has to be installed, calls
are counted over all processes and threads together, and their arguments are read where they stand, while the caller
waits. So one call of one process can be made to fail, in a file of which nobody knew the name before.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from cormorant.base.clock import SystemClock
from tests.reliability.disk.numbers import CALLS, Kind, here

ROOT = Path(__file__).resolve().parents[3]
LIMIT_S = 200.0
_RECV, _SEND = 0xC0502100, 0xC0182101
_NOTICE: Final = struct.Struct("=QII iIQ 6Q")
_ANSWER: Final = struct.Struct("=QqiI")
_GO_ON: Final = 1
_AT_FDCWD: Final = -100
_LONGEST_PATH: Final = 4096
_PIECE: Final = struct.Struct("=QQ")
_LOCK: Final = struct.Struct("=hh4xqqi4x")


class Call(NamedTuple):
    """One call, before it is made. `path` is the file or folder, `target` the second name of those that have two.

    `data` and `offset` of a write, `size` of a cut; `fresh`: opening makes the file; `empties`: it cuts it to nothing;
    `start` and `length` are of what a lock lets go of, else -1.
    """

    name: str
    kind: Kind
    who: str
    path: str
    target: str = ""
    offset: int = 0
    data: bytes = b""
    size: int = 0
    fresh: bool = False
    empties: bool = False
    start: int = -1
    length: int = 0


Judge = Callable[[Call], int]
"""Says what a call fails with, 0 to have it go on. It is asked in the order in which calls are made."""


def why_not() -> str:
    """Why calls cannot be watched here; "" where they can."""
    if sys.platform != "linux" or not here():
        return "system calls are watched on Linux, on x86_64 and aarch64"
    actions = Path("/proc/sys/kernel/seccomp/actions_avail")
    if not actions.exists() or "user_notif" not in actions.read_text().split():
        return "this kernel has no seccomp user notification"
    return ""


class Watched(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str
    hung: bool


class Gate:
    """Runs commands below `root`, and asks about each of their calls there."""

    def __init__(self, root: Path, process: subprocess.Popen[bytes], door: socket.socket) -> None:
        self.root = str(root)
        self._process, self._door = process, door
        self._clock = SystemClock()
        self._names = here()

    def run(self, words: list[str], judge: Judge | None, folder: Path, *, locks: bool = False) -> Watched:
        """Run `cormorant` with these words; nothing is asked without a judge. `folder` is for what it prints."""
        order = {"words": words, "folder": str(folder), "watched": judge is not None, "locks": locks}
        self._door.sendall(json.dumps(order).encode())
        said, descriptors, _, _ = socket.recv_fds(self._door, 64, 1)
        pid = int(said)
        hung = False
        try:
            hung = not self._attend(descriptors[0], judge) if judge is not None else False
        finally:
            if hung or judge is None:
                hung = hung or not self._ended()
            if hung:
                with suppress(ProcessLookupError):
                    os.killpg(pid, signal.SIGKILL)
            for each in descriptors:
                os.close(each)
        code = int(self._door.recv(64))
        out, err = ((folder / name).read_text(errors="replace") for name in ("out", "err"))
        return Watched(code, out, err, hung)

    def _ended(self) -> bool:
        return bool(select.select([self._door], [], [], LIMIT_S)[0])

    def _attend(self, listener: int, judge: Judge) -> bool:
        """Answer until there is nobody left who could ask; False when that takes too long."""
        asked = select.poll()
        asked.register(listener, select.POLLIN)
        until = self._clock.monotonic() + LIMIT_S
        notice = bytearray(_NOTICE.size)
        while self._clock.monotonic() < until:
            happened = asked.poll(200)
            if not happened:
                continue
            if not happened[0][1] & select.POLLIN:
                return True
            notice[:] = bytes(_NOTICE.size)
            try:
                fcntl.ioctl(listener, _RECV, notice, True)
            except OSError as error:
                if error.errno in (errno.ENOENT, errno.EINTR):
                    continue
                raise
            self._answer(listener, notice, judge)
        return False

    def _answer(self, listener: int, notice: bytearray, judge: Judge) -> None:
        number, pid, _, nr, _, _, *arguments = _NOTICE.unpack(notice)
        call = self._read(pid, self._names[nr], arguments)
        code = judge(call) if call is not None else 0
        answer = bytearray(_ANSWER.pack(number, 0, -code, 0 if code else _GO_ON))
        with suppress(FileNotFoundError):  # who asked was killed meanwhile
            fcntl.ioctl(listener, _SEND, answer, True)

    def _read(self, pid: int, name: str, arguments: list[int]) -> Call | None:
        """A call on something of ours; None of anything else."""
        kind = CALLS[name].kind
        try:
            if kind in (Kind.OPEN, Kind.NAME) or name in ("creat", "truncate"):
                return self._named(pid, name, arguments)
            number = _signed(arguments[1 if name == "copy_file_range" else 0])
            path = str(Path(f"/proc/{pid}/fd/{number}").readlink())
            if not self._ours(path):
                return None
            call = Call(name, kind, _who(pid), path)
            match kind:
                case Kind.WRITE:
                    return _write(call, pid, arguments)
                case Kind.CUT:
                    return call._replace(size=arguments[1])
                case Kind.LOCK:
                    how, _, start, length, _ = _LOCK.unpack(_memory(pid, arguments[2], _LOCK.size))
                    return call._replace(start=start, length=length) if how == fcntl.F_UNLCK else None
                case _:
                    return call
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            return None  # it has ended, or is a limited child, which may change nothing

    def _ours(self, path: str) -> bool:
        return path == self.root or path.startswith(self.root + "/")

    def _named(self, pid: int, name: str, arguments: list[int]) -> Call | None:
        at = name.endswith(("at", "at2"))
        first = _path(pid, arguments[0] if at else _AT_FDCWD, arguments[1 if at else 0])
        if not self._ours(first):
            return None
        target = ""
        if name in ("renameat", "renameat2", "linkat"):
            target = _path(pid, arguments[2], arguments[3])
        elif name in ("rename", "link"):
            target = _path(pid, _AT_FDCWD, arguments[1])
        call = Call(name, CALLS[name].kind, _who(pid), first, target)
        if call.kind is not Kind.OPEN:
            return call
        flags, there = arguments[2 if at else 1], os.path.lexists(first)
        if there and flags & os.O_CREAT and flags & os.O_EXCL:
            return None  # it is refused anyway
        return call._replace(
            fresh=bool(flags & os.O_CREAT) and not there, empties=there and bool(flags & os.O_TRUNC)
        )  # fmt: skip


def _signed(value: int) -> int:
    return ctypes.c_int(value & 0xFFFFFFFF).value


def _who(pid: int) -> str:
    """The name of the process that this thread belongs to."""
    status = Path(f"/proc/{pid}/status").read_text()
    group = next(line.split()[1] for line in status.splitlines() if line.startswith("Tgid:"))
    return Path(f"/proc/{group}/comm").read_text().strip()


def _memory(pid: int, address: int, length: int) -> bytes:
    descriptor = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
    try:
        return os.pread(descriptor, length, address)
    finally:
        os.close(descriptor)


def _path(pid: int, folder: int, address: int) -> str:
    """The name that stands in the memory of a process, from the root on."""
    page = _LONGEST_PATH - address % _LONGEST_PATH
    text = _memory(pid, address, page)
    if b"\0" not in text:
        text += _memory(pid, address + page, _LONGEST_PATH)
    name = os.fsdecode(text.partition(b"\0")[0])
    if name.startswith("/"):
        return os.path.normpath(name)
    base = "cwd" if _signed(folder) == _AT_FDCWD else f"fd/{_signed(folder)}"
    return os.path.normpath(f"{Path(f'/proc/{pid}/{base}').readlink()}/{name}")


def _write(call: Call, pid: int, arguments: list[int]) -> Call:
    """The written bytes and their offset: the end of a file in append mode, else the position of the descriptor."""
    if call.name == "writev":
        table = _memory(pid, arguments[1], _PIECE.size * arguments[2])
        data = b"".join(_memory(pid, *each) for each in _PIECE.iter_unpack(table))
    else:
        data = _memory(pid, arguments[1], arguments[2])
    if call.name == "pwrite64":
        return call._replace(data=data, offset=arguments[3])
    place = f"/proc/{pid}/fd/{_signed(arguments[0])}"
    said = dict(
        line.split(":\t", 1)
        for line in Path(place.replace("/fd/", "/fdinfo/")).read_text().splitlines()
        if ":\t" in line
    )
    if int(said["flags"], 8) & os.O_APPEND:
        return call._replace(data=data, offset=Path(place).stat().st_size)
    return call._replace(data=data, offset=int(said["pos"]))


@contextmanager
def gate(root: Path) -> Iterator[Gate]:
    """Have commands run and asked about for the length of a block, by a process that has the program loaded."""
    ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "tests.reliability.disk.behind", str(theirs.fileno())]
    environment = os.environ | {"CORMORANT_RETRIEVERS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join(path for path in (environment.get("PYTHONPATH"), str(ROOT)) if path)
    with (
        ours,
        subprocess.Popen(
            command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, cwd=root.parent, env=environment
        ) as process,
    ):
        theirs.close()
        try:
            yield Gate(root, process, ours)
        finally:
            ours.shutdown(socket.SHUT_RDWR)
            process.kill()
