"""Limits of a child process, and the features of this machine that enforce them.

`Limits` is handed in with every task. `Allowed` is determined once, by trying each feature (`probe`).
"""

from __future__ import annotations

from typing import Final

import msgspec

MIB: Final = 1024 * 1024

# The ceiling of any size setting is 64 MiB decoded; the rest is for a task's data around the document.
PAYLOAD_MAX_BYTES: Final = 65 * MIB


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limits of one task.

    All sizes are bytes, all times seconds; every value must be above zero.

    `memory_bytes` is private writable memory on top of the child's size at the fork, the document included.
    `files` counts open descriptors. `processes` counts threads: with seccomp, a child never gets a second process.
    The kernel does not count the threads of root, nor if user namespaces are forbidden.
    """

    cpu_s: int = 60
    wall_s: float = 120.0
    memory_bytes: int = 1024 * MIB
    output_bytes: int = 20 * MIB
    files: int = 64
    processes: int = 16

    def __post_init__(self) -> None:
        """Raise ValueError for a value that is not above zero."""
        for name in self.__struct_fields__:
            if getattr(self, name) <= 0:
                message = f"limit {name} must be above zero"
                raise ValueError(message)


class Allowed(msgspec.Struct, frozen=True, kw_only=True):
    """Sandbox features that this machine provides; each was tried in a child process.

    `landlock` is the version of the kernel's interface, 0 if absent; from 6 on it also stops signals to others.
    """

    no_new_privs: bool = False
    death_signal: bool = False
    rlimits: bool = False
    landlock: int = 0
    seccomp: bool = False
    namespaces: bool = False

    def lines(self) -> tuple[tuple[str, bool, str], ...]:
        """Return (feature, works here, its effect) for each feature, in the order of display."""
        return (
            ("rlimits", self.rlimits, "time, memory and number of open files are bounded"),
            ("seccomp", self.seccomp, "no network, no new program or process, no opening for writing"),
            ("landlock", self.landlock > 0, "no file is readable but libraries and fonts, none is writable"),
            ("namespaces", self.namespaces, "no network interface, own count of threads (not for root)"),
            ("no_new_privs", self.no_new_privs, "no more rights by set-user-id programs"),
            ("death_signal", self.death_signal, "a child dies with its server"),
        )
