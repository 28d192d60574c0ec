"""The process between Cormorant and a program: it bounds the program's memory, and ends it when nobody needs it.

    python -I -S keeper.py CONTROL MEMORY COMMAND...

CONTROL is a descriptor that nobody writes to: when its other end is closed, however that process ended, this process
group is killed. MEMORY bounds the private writable memory of each process of the program, in bytes. Started as a file,
so that nothing of the package is loaded.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
from contextlib import suppress


def main(control: int, memory_bytes: int, command: list[str]) -> None:
    """Start the command with the standard streams of this process, and end as it ends."""
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:  # noqa: PTH123 - no pathlib
        file.write("1000")
    child = os.fork()
    if child == 0:
        begin(control, memory_bytes, command)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # the program alone holds them, so that their end is its end
        os.dup2(nothing, stream)
    poll = select.poll()
    poll.register(control, select.POLLIN | select.POLLHUP)
    poll.register(woken, select.POLLIN)
    while True:
        ready = [descriptor for descriptor, _ in poll.poll()]
        if control in ready:
            os.killpg(0, signal.SIGKILL)
        os.read(woken, 64)
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            end_alike(status)


def begin(control: int, memory_bytes: int, command: list[str]) -> None:
    """Become the program, within its limits. Ends with 127 where there is no such program."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.close(control)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        top = resource.getrlimit(resource.RLIMIT_DATA)[1]
        most = memory_bytes if top == resource.RLIM_INFINITY else min(memory_bytes, top)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    try:
        os.execvp(command[0], command)  # noqa: S606 - the administrator's program
    except OSError as error:
        os.write(2, f"{command[0]} cannot be started: {error.strerror}\n".encode("utf-8", "replace"))
    os._exit(127)


def end_alike(status: int) -> None:
    """End with the exit code of the program, or by the signal that ended it."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError, ValueError):  # some cannot be caught, and need no change
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
