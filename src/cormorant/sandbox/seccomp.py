"""Seccomp filter of a child process: allows system calls for compute, memory, threads, and reading.

All other calls return EPERM, as if a right were missing, so that a library that merely tries continues without. Calls
newer than this list return ENOSYS, so that the C library falls back to an older one. The program is classic BPF:

    right architecture?  no -> kill
    number == one of ours?  -> allow, or look at one argument
    otherwise               -> EPERM (ENOSYS when unknown)
"""

from __future__ import annotations

import errno
import fcntl
import os
import platform
import struct
import sys
from collections.abc import Callable, Iterable
from typing import Final

from cormorant.sandbox.syscalls import NEWEST_KNOWN, SYSCALLS, Architecture

_INSTRUCTION: Final = struct.Struct("=HBBI")
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_X32_BIT: Final = 0x40000000
# Placeholder in the program for the child's own process number.
_OWN_PID_MARK: Final = 0x7FEDCBA9

_CLONE_THREAD: Final = 0x00010000
_MAP_SHARED_ANONYMOUS: Final = 0x21
_PR_SET_NAME, _PR_GET_NAME, _PR_SET_VMA = 15, 16, 0x53564D41
_TCGETS, _FIONREAD, _FIONBIO, _FIONCLEX, _FIOCLEX = 0x5401, 0x541B, 0x5421, 0x5450, 0x5451
_AF_UNIX: Final = 1

Code = list[bytes]


def _step(operation: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return _INSTRUCTION.pack(operation, yes, no, value & 0xFFFFFFFF)


def _refuse(number: int) -> bytes:
    return _step(_RETURN, _ERROR | number)


def _low(argument: int) -> bytes:
    return _step(_LOAD, _ARGUMENTS_AT + 8 * argument)


def _one_of(argument: int, values: Iterable[int], otherwise: int = errno.EPERM) -> Code:
    code = [_low(argument)]
    for value in values:
        code += [_step(_EQUAL, value, 0, 1), _step(_RETURN, _ALLOW)]
    return [*code, _refuse(otherwise)]


def _with(argument: int, bit: int) -> Code:
    return [_low(argument), _step(_ANY_BIT, bit, 0, 1), _step(_RETURN, _ALLOW), _refuse(errno.EPERM)]


def _without(argument: int, bits: int) -> Code:
    return [_low(argument), _step(_ANY_BIT, bits, 1, 0), _step(_RETURN, _ALLOW), _refuse(errno.EACCES)]


def _not_all(argument: int, bits: int) -> Code:
    return [
        _low(argument),
        _step(_AND, bits),
        _step(_EQUAL, bits, 1, 0),
        _step(_RETURN, _ALLOW),
        _refuse(errno.EPERM),
    ]


def _null(argument: int) -> Code:
    high = _step(_LOAD, _ARGUMENTS_AT + 8 * argument + 4)
    allow, refuse = _step(_RETURN, _ALLOW), _refuse(errno.EPERM)
    return [_low(argument), _step(_EQUAL, 0, 0, 3), high, _step(_EQUAL, 0, 0, 1), allow, refuse]


_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_OWN: Final = (_OWN_PID_MARK,)
_DUPLICATE: Final = (fcntl.F_DUPFD, getattr(fcntl, "F_DUPFD_CLOEXEC", 1030))

_GUARDED: Final[dict[str, Callable[[], Code]]] = {
    "open": lambda: _without(1, _WRITING),
    "openat": lambda: _without(2, _WRITING),
    # Memory shared between processes is not counted by RLIMIT_DATA.
    "mmap": lambda: _not_all(3, _MAP_SHARED_ANONYMOUS),
    "clone": lambda: _with(0, _CLONE_THREAD),
    "kill": lambda: _one_of(0, _OWN),
    "tgkill": lambda: _one_of(0, _OWN),
    "prctl": lambda: _one_of(0, (_PR_SET_NAME, _PR_GET_NAME, _PR_SET_VMA)),
    "prlimit64": lambda: _null(2),
    "fcntl": lambda: _one_of(1, (*_DUPLICATE, fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL, fcntl.F_SETFL)),
    "ioctl": lambda: _one_of(1, (_TCGETS, _FIONREAD, _FIONBIO, _FIONCLEX, _FIOCLEX), errno.ENOTTY),
    # An event loop wakes itself through a socket pair; a pair reaches no other process as long as no address is given.
    "socketpair": lambda: _one_of(0, (_AF_UNIX,)),
    "sendto": lambda: _null(4),
    # The filter cannot follow the pointer; the C library falls back to clone.
    "clone3": lambda: [_refuse(errno.ENOSYS)],
    "openat2": lambda: [_refuse(errno.ENOSYS)],
}


def this_architecture() -> Architecture | None:
    """The architecture of this interpreter, None if no filter can be made for it."""
    if sys.platform != "linux" or sys.byteorder != "little" or sys.maxsize < 1 << 32:
        return None
    return Architecture.of_machine(platform.machine())


def make_filter(architecture: Architecture) -> bytes:
    """Build the program, with a placeholder for the process number, which `for_process` fills in."""
    code = [
        _step(_LOAD, _ARCHITECTURE_AT),
        _step(_EQUAL, architecture.audit_number, 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER_AT),
        _step(_AT_LEAST, _X32_BIT, 0, 1),
        _step(_RETURN, _KILL),
    ]
    for name, numbers in SYSCALLS.items():
        number = numbers[architecture.column]
        if number is None:
            continue
        block = _GUARDED[name]() if name in _GUARDED else [_step(_RETURN, _ALLOW)]
        code += [_step(_EQUAL, number, 0, len(block)), *block]
    code += [_step(_AT_LEAST, NEWEST_KNOWN + 1, 0, 1), _refuse(errno.ENOSYS), _refuse(errno.EPERM)]
    return b"".join(code)


def for_process(program: bytes, pid: int) -> bytes:
    """Let `program` allow process `pid` to signal itself (as abort does), and no other process."""
    return program.replace(struct.pack("=I", _OWN_PID_MARK), struct.pack("=I", pid))
