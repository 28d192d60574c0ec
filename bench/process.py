"""What do the processes of a tree use, seen from outside?

Read from /proc: who descends from whom, CPU time so far, and PSS (memory with shared pages divided among those who
share them, so that a sum over processes is honest).
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_PROC = Path("/proc")


def descendants(ancestor: int) -> list[int]:
    """The living descendants of a process, without itself."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir(_PROC):  # noqa: PTH208 - three times a second, so the cheap way
        if entry.isdecimal():
            fields = _stat(int(entry))
            if fields:
                children.setdefault(int(fields[1]), []).append(int(entry))
    found = []
    waiting = [ancestor]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def cpu_s(process: int) -> float:
    """CPU seconds a process itself has used, without the children it has waited for; 0 when it is gone."""
    fields = _stat(process)
    return (int(fields[11]) + int(fields[12])) * _TICK_S if fields else 0.0


def name(process: int) -> str:
    """The name of a process, without a number at its end; empty when the process is gone."""
    try:
        text = (_PROC / str(process) / "comm").read_text().strip()
    except OSError:
        return ""
    return re.sub(r"-\d+$", "", text)


def identity(process: int) -> tuple[int, int]:
    """A process id with its start time, so that a recycled id is another process."""
    fields = _stat(process)
    return process, int(fields[19]) if fields else 0


class Memory(NamedTuple):
    """The proportional set size of a process in kB, and how much of it are files that are mapped.

    Those are program code and the index: pages that the system drops when it wants the room.
    """

    pss_kb: int = 0
    files_kb: int = 0


def memory(process: int) -> Memory:
    """The memory of a process; zero when it is gone or may not be inspected."""
    try:
        text = (_PROC / str(process) / "smaps_rollup").read_text()
    except OSError:
        return Memory()
    said = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in text.splitlines()[1:])}
    return Memory(said.get("Pss", 0), said.get("Pss_File", 0))


def _stat(process: int) -> list[bytes]:
    """The fields of /proc/PID/stat behind the command's name: state, parent and so on; empty when it is gone."""
    try:
        return (_PROC / str(process) / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []
