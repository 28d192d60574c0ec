"""Probe of the sandbox features of this machine: each is tried in a child of its own.

`python -m cormorant.sandbox` prints the result as JSON; `supported()` runs that, so that a process with threads need
not fork.
"""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import Final

import msgspec

from cormorant.sandbox import landlock, libc, seccomp
from cormorant.sandbox.limits import MIB, Allowed

_PROBE_S: Final = 20.0


def supported() -> Allowed:
    """Return the features of this machine; takes about a tenth of a second. If the probe fails, it returns none."""
    command = (sys.executable, "-P", "-m", "cormorant.sandbox")
    environment = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        done = subprocess.run(  # noqa: S603 - our own module, nothing of it from outside
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PROBE_S, check=True
        )
        return msgspec.json.decode(done.stdout, type=Allowed)
    except (OSError, subprocess.SubprocessError, msgspec.DecodeError):
        return Allowed()


def try_everything() -> Allowed:
    """Try each feature in a forked child. Only for a process with one thread."""
    landlock_works = _works(_try_landlock)
    return Allowed(
        no_new_privs=_works(libc.set_no_new_privs),
        death_signal=_works(lambda: libc.set_death_signal(signal.SIGKILL)),
        rlimits=_works(_try_rlimits),
        landlock=libc.landlock_version() if landlock_works else 0,
        seccomp=_works(_try_seccomp),
        namespaces=_works(libc.enter_empty_network),
    )


def _works(trial: Callable[[], None]) -> bool:
    """Run `trial` in a forked child; True if it raised no system error."""
    pid = os.fork()
    if pid == 0:
        code = 1
        with contextlib.suppress(OSError, MemoryError, ValueError):
            trial()
            code = 0
        os._exit(code)
    return os.waitpid(pid, 0)[1] == 0


def _must_fail(forbidden: Callable[[], object], number: int) -> None:
    """Raise OSError if a call succeeds that should be forbidden."""
    try:
        forbidden()
    except OSError as error:
        if error.errno == number:
            return
    raise OSError(errno.ENOSYS, "nothing was forbidden")


def _try_rlimits() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (256 * MIB, 256 * MIB))
    try:
        bytes(512 * MIB)
    except MemoryError:
        return
    raise OSError(errno.ENOSYS, "memory is not bounded")


def _try_landlock() -> None:
    libc.set_no_new_privs()
    libc.landlock_restrict(landlock.make_ruleset(("/usr/lib",)))
    _must_fail(lambda: os.open("/", os.O_RDONLY), errno.EACCES)


def _try_seccomp() -> None:
    architecture = seccomp.this_architecture()
    if architecture is None:
        raise OSError(errno.ENOSYS, "no list of system calls for this architecture")
    libc.set_no_new_privs()
    libc.install_seccomp(seccomp.for_process(seccomp.make_filter(architecture), os.getpid()))
    _must_fail(lambda: socket.socket(socket.AF_INET), errno.EPERM)
    _must_fail(os.fork, errno.EPERM)
