"""Confinement of the server, and of each child before it reads its document.

    server, once    user and network namespace, no_new_privs, undumpable, no capabilities, first for the memory killer
    child, each     session, death signal, own count of threads, rlimits, Landlock, seccomp (last: it forbids the rest)

Features that the machine lacks are skipped; `Allowed` lists the available ones.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Final

import msgspec

from cormorant.sandbox import landlock, libc, seccomp
from cormorant.sandbox.limits import Allowed, Limits

# Reserved address space costs nothing, and thread stacks and heaps of allocators reserve a lot of it.
_ADDRESS_SPACE_PER_MEMORY: Final = 4
# The kernel's out-of-memory killer takes children before anything else.
_FIRST_TO_GO: Final = "1000"
# Where a blocked SIGXCPU is followed by SIGKILL.
_CPU_GRACE_S: Final = 1


class Walls(msgspec.Struct, frozen=True):
    """Restrictions that the server prepared for its children: filter program, ruleset, and its own sizes in bytes."""

    allowed: Allowed
    server_pid: int
    ruleset: int | None
    program: bytes | None
    address_space_bytes: int
    data_bytes: int
    counts_threads: bool


def shut_in_server(allowed: Allowed) -> Walls:
    """Restrict this single-threaded process as far as `allowed`; return the prepared restrictions of its children."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_FIRST_TO_GO, encoding="ascii")
    if allowed.namespaces:
        libc.enter_empty_network()
    if allowed.no_new_privs:
        libc.set_no_new_privs()
        libc.set_undumpable()
        libc.drop_capabilities()
    architecture = seccomp.this_architecture()
    address_space_bytes, data_bytes = _own_size()
    return Walls(
        allowed=allowed,
        server_pid=os.getpid(),
        ruleset=landlock.make_ruleset(landlock.readable_paths()) if allowed.landlock else None,
        program=seccomp.make_filter(architecture) if allowed.seccomp and architecture else None,
        address_space_bytes=address_space_bytes,
        data_bytes=data_bytes,
        # The kernel does not limit the processes of root.
        counts_threads=allowed.namespaces and os.getuid() != 0,
    )


def leave_server(walls: Walls) -> None:
    """Make this freshly forked child a session of its own that dies with the server."""
    os.setsid()
    if walls.allowed.death_signal:
        libc.set_death_signal(signal.SIGKILL)
        if os.getppid() != walls.server_pid:
            os._exit(1)


def shut_in_child(walls: Walls, limits: Limits) -> None:
    """Apply all available restrictions to this child. The child cannot lift any of them."""
    if walls.counts_threads:
        libc.enter_own_count()
    if walls.allowed.rlimits:
        set_rlimits(limits, walls)
    if walls.ruleset is not None:
        libc.landlock_restrict(walls.ruleset)
        os.close(walls.ruleset)
    if walls.allowed.no_new_privs:
        libc.drop_capabilities()
    if walls.program is not None:
        libc.install_seccomp(seccomp.for_process(walls.program, os.getpid()))


def set_rlimits(limits: Limits, walls: Walls) -> None:
    """Limit this process; memory is limited on top of the server's size at the fork."""
    memory_bytes = walls.data_bytes + limits.memory_bytes
    address_space_bytes = walls.address_space_bytes + _ADDRESS_SPACE_PER_MEMORY * limits.memory_bytes
    _bound(resource.RLIMIT_CORE, 0)
    # No file can be written; sockets and pipes are not limited by this.
    _bound(resource.RLIMIT_FSIZE, 0)
    _bound(resource.RLIMIT_CPU, limits.cpu_s, limits.cpu_s + _CPU_GRACE_S)
    _bound(resource.RLIMIT_NOFILE, limits.files)
    if sys.platform == "linux":
        _bound(resource.RLIMIT_DATA, memory_bytes)
        _bound(resource.RLIMIT_AS, address_space_bytes)
        _bound(resource.RLIMIT_MEMLOCK, 0)
        if walls.counts_threads:
            _bound(resource.RLIMIT_NPROC, limits.processes)


def _bound(what: int, soft: int, hard: int | None = None) -> None:
    """Lower a limit; a lower one stays."""
    ceiling = resource.getrlimit(what)[1]
    wanted = soft if hard is None else hard
    top = wanted if ceiling == resource.RLIM_INFINITY else min(wanted, ceiling)
    resource.setrlimit(what, (min(soft, top), top))


def _own_size() -> tuple[int, int]:
    """Return address space and private writable memory of this process in bytes; zeros if they are unknown."""
    try:
        fields = Path("/proc/self/statm").read_text(encoding="ascii").split()
    except OSError:
        return 0, 0
    page_bytes = resource.getpagesize()
    return int(fields[0]) * page_bytes, int(fields[5]) * page_bytes
