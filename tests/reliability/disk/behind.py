"""The commands that the gate watches: forked from one process that has the program loaded, each with its own filter.

python -m tests.reliability.disk.behind DESCRIPTOR     reads orders (JSON) from a socket, until it is shut
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

from cormorant.cli import main
from cormorant.sandbox import libc as libc_calls
from tests.reliability.disk.numbers import program

_SYS_SECCOMP = {"x86_64": 317, "aarch64": 277}
LOADED = (
    "app.commands.follow",
    "cli.error_boundary",
    "cli.crawl.crawl",
    "cli.admin.index_and_cache",
    "cli.admin.store",
)
LONGEST = 65536
_SET_FILTER, _NEW_LISTENER = 1, 8


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def install(*, locks: bool) -> int:
    """Have this process, and all that comes from it, asked about; returns the descriptor at which that is done."""
    libc_calls.set_no_new_privs()
    code = program(locks=locks)
    buffer = ctypes.create_string_buffer(code, len(code))
    holder = _Program(len(code) // 8, ctypes.addressof(buffer))
    number = ctypes.c_long(_SYS_SECCOMP[os.uname().machine])
    libc = ctypes.CDLL(None, use_errno=True)
    made = int(libc.syscall(number, ctypes.c_long(_SET_FILTER), ctypes.c_long(_NEW_LISTENER), ctypes.byref(holder)))
    if made < 0:
        raise OSError(ctypes.get_errno(), "seccomp")
    return made


def _become(order: dict[str, Any], door: socket.socket) -> None:
    """Be the command that is ordered, from here on."""
    os.setsid()
    folder = Path(order["folder"])
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    said = str(os.getpid()).encode()
    if order["watched"]:
        listener = install(locks=order["locks"])
        socket.send_fds(door, [said], [listener])
        os.close(listener)
    else:
        door.sendall(said)
    door.close()
    sys.argv = ["cormorant", *order["words"]]


def _serve(door: socket.socket) -> None:
    """Fork for every order; what is forked returns as well, to end like any command."""
    for name in LOADED:
        importlib.import_module(f"cormorant.{name}")
    gc.collect()
    gc.freeze()
    while order := door.recv(LONGEST):
        pid = os.fork()
        if pid == 0:
            _become(json.loads(order), door)
            main()
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        door.sendall(str(code).encode())


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
