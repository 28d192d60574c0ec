"""Starts one command, waits for it and for everything it left behind, and adds up what they used.

Run as ``python -I -S reaper.py REPORT GRACE_S COMMAND...`` so that it imports next to nothing. As "child subreaper"
it becomes the parent of every process whose own parent has ended, so wait4 counts those too; what still runs
GRACE_S seconds after the command is asked to end, and killed 5 s later. Its own use is in no figure.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_LAST_WORDS_S = 5.0
_TURN_S = 0.02


def main(report: str, grace_s: float, command: list[str]) -> None:
    """Run the command to the end of its last descendant and write what was used as JSON."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "this kernel has no child subreaper")
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    signal.signal(signal.SIGTERM, lambda *_: _end(signal.SIGKILL))
    began = time.monotonic()
    first = os.posix_spawnp(command[0], command, os.environ)
    used = {"user_s": 0.0, "system_s": 0.0, "wall_s": 0.0, "exit_code": -1, "orphans": 0, "ended": 0, "peak_rss_kb": 0}
    deadline = None
    while True:
        try:
            process, status, usage = os.wait4(-1, 0 if deadline is None else os.WNOHANG)
        except ChildProcessError:
            break
        if process == 0:
            deadline = _press(used, deadline or 0.0)
            continue
        used["user_s"] += usage.ru_utime
        used["system_s"] += usage.ru_stime
        used["peak_rss_kb"] = max(used["peak_rss_kb"], usage.ru_maxrss)
        if process == first:
            used["wall_s"] = time.monotonic() - began
            used["exit_code"] = os.waitstatus_to_exitcode(status)
            deadline = time.monotonic() + grace_s
        else:
            used["orphans"] += 1
    with open(report, "w", encoding="ascii") as file:  # noqa: PTH123 - pathlib would have to be imported
        json.dump(used, file)


def _press(used: dict[str, float], deadline: float) -> float:
    """Pass a short while, and end what has outlived the grace; the moment after which it is killed."""
    time.sleep(_TURN_S)
    now = time.monotonic()
    if now < deadline:
        return deadline
    used["ended"] += _end(signal.SIGKILL if used["ended"] else signal.SIGTERM)
    return now + _LAST_WORDS_S


def _end(how: signal.Signals) -> int:
    """Send a signal to every child, by its process id; how many there were."""
    entries = os.listdir("/proc")  # noqa: PTH208 - as above
    children = [int(entry) for entry in entries if entry.isdecimal() and _parent(entry) == os.getpid()]
    for child in children:
        os.kill(child, how)
    return len(children)


def _parent(entry: str) -> int:
    """The parent of a process; 0 when it has gone meanwhile."""
    try:
        with open(f"/proc/{entry}/stat", "rb") as file:  # noqa: PTH123 - as above
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError):
        return 0


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), sys.argv[3:])
