"""Which processes does a crawl have, what is each for, and how are they stopped at an instant? From /proc."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

from cormorant.base.clock import SystemClock, pause
from tests.cli import kept

PROC = Path("/proc")
_PARENT = 1
_STARTED = 19
_USED = slice(11, 15)


P = TypeVar("P", bound=subprocess.Popen[str] | kept.Begun)


class Process(NamedTuple):
    """A process, with its start time, which distinguishes it from a later process of the same number."""

    pid: int
    started: str


def _stat(pid: int) -> list[str]:
    """The fields of a process's stat file from its state on; empty when it is gone."""
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def describe(process: Process) -> str:
    """The name of a process, its state, and the kernel function that it waits in: why it may still be there."""
    with suppress(OSError):
        name, waits = ((PROC / str(process.pid) / each).read_text().strip() for each in ("comm", "wchan"))
        return f"{process.pid} {name}, state {''.join(_stat(process.pid)[:1])}, in {waits}"
    return f"{process.pid}, gone meanwhile"


def is_alive(process: Process) -> bool:
    """Whether it still runs; a zombie does not."""
    said = _stat(process.pid)
    return bool(said) and said[_STARTED] == process.started and said[0] not in "ZX"


def below(pid: int) -> list[Process]:
    """A process and all that came from it, parents first."""
    children: dict[int, list[Process]] = {}
    for each in PROC.iterdir():
        if each.name.isdigit() and (said := _stat(int(each.name))) and said[0] not in "ZX":
            children.setdefault(int(said[_PARENT]), []).append(Process(int(each.name), said[_STARTED]))
    said = _stat(pid)
    found = [Process(pid, said[_STARTED])] if said else []
    for process in found:
        found += children.get(process.pid, ())
    return found


def role_of(pid: int, retrievers: frozenset[int], tree: list[Process]) -> str:
    """The role of a process of a crawl."""
    if pid == tree[0].pid:
        return "command"
    if pid in retrievers:
        return "retriever"
    try:
        said = (PROC / str(pid) / "cmdline").read_bytes()
        held = [each.readlink().name for each in (PROC / str(pid) / "fd").iterdir()]
        parent = int(_stat(pid)[_PARENT])
    except (OSError, IndexError, ValueError):
        return "gone"
    if b"cormorant.sandbox" in said:
        return "converters"
    if parent == tree[0].pid:
        return "supervisor"
    return "provider" if "writer.lock" in held else "conductor"


def send(process: Process, number: int) -> None:
    """Send a signal, if it is still there."""
    if is_alive(process):
        with suppress(ProcessLookupError):
            os.kill(process.pid, number)


def kill_group(pid: int) -> None:
    """Kill a process and all that came from it as if at once: nothing runs on while the rest is killed."""
    stopped: list[Process] = []
    while new := [each for each in below(pid) if each not in stopped]:
        for each in new:
            send(each, signal.SIGSTOP)
        stopped += new
    for each in stopped:
        send(each, signal.SIGKILL)


@contextmanager
def ended(process: P) -> Iterator[P]:
    """See that a process and all that came from it have ended at the end of the block, however that ends."""
    with process:
        try:
            yield process
        finally:
            kill_group(process.pid)


def wait_gone(processes: list[Process], seconds: float) -> list[Process]:
    """Wait until these have ended; returns those that have not."""
    clock = SystemClock()
    until = clock.monotonic() + seconds
    while (left := [each for each in processes if is_alive(each)]) and clock.monotonic() < until:
        pause(0.005)
    return left


def pss_kb(pid: int, part: str = "Pss") -> int:
    """The proportional set size of a process, or a part of it like Pss_Anon; 0 when it is gone."""
    try:
        text = (PROC / str(pid) / "smaps_rollup").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in text.splitlines() if line.startswith(f"{part}:")), 0)


def cpu_s(pid: int) -> float:
    """Processor seconds of a process, and of those of its children that it has waited for; 0 when it is gone."""
    said = _stat(pid)
    return sum(map(int, said[_USED])) / os.sysconf("SC_CLK_TCK") if said else 0.0
