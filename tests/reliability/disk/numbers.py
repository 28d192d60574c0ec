"""The system calls that change files, by their numbers, for x86_64 and aarch64.

From the kernel's own tables (`asm/unistd_64.h` and `asm-generic/unistd.h`); None where that architecture has only the
newer form.
"""

from __future__ import annotations

import platform
import struct
from enum import StrEnum
from typing import Final, NamedTuple


class Kind(StrEnum):
    """The effect of a call on a file or a folder."""

    OPEN = "open"
    WRITE = "write"
    SYNC = "sync"
    CUT = "cut"
    NAME = "name"
    LOCK = "lock"
    STRANGE = "strange"


class Number(NamedTuple):
    """A call: what it does, and its numbers on x86_64 and aarch64."""

    kind: Kind
    x86_64: int
    aarch64: int | None


CALLS: Final = {
    "openat": Number(Kind.OPEN, 257, 56),
    "open": Number(Kind.OPEN, 2, None),
    "write": Number(Kind.WRITE, 1, 64),
    "pwrite64": Number(Kind.WRITE, 18, 68),
    "writev": Number(Kind.WRITE, 20, 66),
    "fsync": Number(Kind.SYNC, 74, 82),
    "fdatasync": Number(Kind.SYNC, 75, 83),
    "ftruncate": Number(Kind.CUT, 77, 46),
    "rename": Number(Kind.NAME, 82, None),
    "renameat": Number(Kind.NAME, 264, 38),
    "renameat2": Number(Kind.NAME, 316, 276),
    "link": Number(Kind.NAME, 86, None),
    "linkat": Number(Kind.NAME, 265, 37),
    "unlink": Number(Kind.NAME, 87, None),
    "unlinkat": Number(Kind.NAME, 263, 35),
    "rmdir": Number(Kind.NAME, 84, None),
    "mkdir": Number(Kind.NAME, 83, None),
    "mkdirat": Number(Kind.NAME, 258, 34),
    "fcntl": Number(Kind.LOCK, 72, 25),
    "creat": Number(Kind.STRANGE, 85, None),
    "truncate": Number(Kind.STRANGE, 76, 45),
    "pwritev": Number(Kind.STRANGE, 296, 70),
    "pwritev2": Number(Kind.STRANGE, 328, 287),
    "copy_file_range": Number(Kind.STRANGE, 326, 285),
    "sendfile": Number(Kind.STRANGE, 40, 71),
}
"""STRANGE are those that nothing here makes on files of ours; where one is made, the record would not be whole."""

O_WRITING: Final = 0o3 | 0o100
"""O_WRONLY, O_RDWR and O_CREAT: to open a file so may change something."""
_F_SETLK: Final = 6
_INSTRUCTION: Final = struct.Struct("=HBBI")
_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _NOTIFY = 0x7FFF0000, 0x7FC00000
_ARCHITECTURES: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


def here() -> dict[int, str]:
    """The names of the calls by their numbers on this machine; empty where it is of another kind."""
    machine = platform.machine()
    if machine not in _ARCHITECTURES:
        return {}
    found = {name: getattr(each, machine) for name, each in CALLS.items()}
    return {number: name for name, number in found.items() if number is not None}


def program(*, locks: bool) -> bytes:
    """A filter in classic BPF that has these calls asked about; of `fcntl` only what lets go of locks or takes them."""

    def step(operation: int, value: int, yes: int = 0, no: int = 0) -> bytes:
        return _INSTRUCTION.pack(operation, yes, no, value)

    code = [step(_LOAD, 4), step(_EQUAL, _ARCHITECTURES[platform.machine()], 1, 0), step(_RETURN, _ALLOW)]
    for number, name in here().items():
        argument = {"openat": 2, "open": 1, "fcntl": 1}.get(name)
        if name == "fcntl" and not locks:
            continue
        if argument is None:
            body = [step(_RETURN, _NOTIFY)]
        else:
            what = (_EQUAL, _F_SETLK) if name == "fcntl" else (_ANY_BIT, O_WRITING)
            body = [step(_LOAD, 16 + 8 * argument), step(*what, 0, 1), step(_RETURN, _NOTIFY), step(_RETURN, _ALLOW)]
        code += [step(_LOAD, 0), step(_EQUAL, number, 0, len(body)), *body]
    return b"".join([*code, step(_RETURN, _ALLOW)])
