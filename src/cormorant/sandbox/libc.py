"""Calls of the Linux kernel that Python does not offer. Each raises OSError if the kernel refuses."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_SET_SECCOMP: Final = 22
_PR_SET_NO_NEW_PRIVS: Final = 38
_SECCOMP_MODE_FILTER: Final = 2
_CAPABILITY_VERSION_3: Final = 0x20080522
_CLONE_NEWUSER: Final = 0x10000000
_CLONE_NEWNET: Final = 0x40000000
# The same numbers on every architecture.
_LANDLOCK_CREATE_RULESET: Final = 444
_LANDLOCK_ADD_RULE: Final = 445
_LANDLOCK_RESTRICT_SELF: Final = 446
_LANDLOCK_CREATE_RULESET_VERSION: Final = 1
_LANDLOCK_RULE_PATH_BENEATH: Final = 1

_libc: Final = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def _call(name: str, *arguments: object) -> int:
    """Call a function of the C library. Raises OSError if it returns -1 or does not exist."""
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, name)
    result = int(getattr(_libc, name)(*arguments))
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def _prctl(option: int, value: int, third: int = 0) -> None:
    long = ctypes.c_ulong
    _call("prctl", ctypes.c_int(option), long(value), long(third), long(0), long(0))


def set_no_new_privs() -> None:
    """Forbid this process and its children to gain rights by starting programs. Cannot be undone."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def set_death_signal(signal: int) -> None:
    """Receive `signal` when the thread that forked this process dies."""
    _prctl(_PR_SET_PDEATHSIG, signal)


def set_undumpable() -> None:
    """Forbid other processes of the same user to inspect this one."""
    _prctl(_PR_SET_DUMPABLE, 0)


def install_seccomp(program: bytes) -> None:
    """Filter all further system calls by a classic BPF program. Needs no_new_privs."""
    buffer = ctypes.create_string_buffer(program, len(program))
    holder = _Program(len(program) // 8, ctypes.addressof(buffer))
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(holder))


def drop_capabilities() -> None:
    """Drop every capability, also those of root."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    _call("capset", ctypes.byref(header), ctypes.byref(nothing))


def enter_own_count() -> None:
    """Move into a new user namespace, where RLIMIT_NPROC counts only processes started from here on."""
    _call("unshare", ctypes.c_int(_CLONE_NEWUSER))


def enter_empty_network() -> None:
    """Move into new user and network namespaces: the same user and group, no network interface that is up."""
    user, group = os.geteuid(), os.getegid()
    _call("unshare", ctypes.c_int(_CLONE_NEWUSER | _CLONE_NEWNET))
    for name, line in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        Path(f"/proc/self/{name}").write_text(line, encoding="ascii")


def landlock_version() -> int:
    """Version of the kernel's Landlock interface. Raises OSError if there is none."""
    return _system_call(_LANDLOCK_CREATE_RULESET, None, 0, _LANDLOCK_CREATE_RULESET_VERSION)


def landlock_ruleset(attributes: bytes) -> int:
    """Make a ruleset that forbids the rights in `attributes`; return its file descriptor."""
    return _system_call(_LANDLOCK_CREATE_RULESET, attributes, len(attributes), 0)


def landlock_allow_path(ruleset: int, rule: bytes) -> None:
    """Add a rule for files beneath an opened path."""
    _system_call(_LANDLOCK_ADD_RULE, ruleset, _LANDLOCK_RULE_PATH_BENEATH, rule, 0)


def landlock_restrict(ruleset: int) -> None:
    """Apply `ruleset` to this thread and its descendants. Needs no_new_privs; cannot be undone."""
    _system_call(_LANDLOCK_RESTRICT_SELF, ruleset, 0)


def _system_call(number: int, *arguments: int | bytes | None) -> int:
    """Call the kernel by number, every argument as wide as a register."""
    wide = [
        ctypes.c_long(argument) if isinstance(argument, int) else ctypes.c_char_p(argument) for argument in arguments
    ]
    return _call("syscall", ctypes.c_long(number), *wide)
