"""What does a command cost, with every process it starts?

CPU time comes from wait4 in a small process of its own (:mod:`bench.reaper`), which also inherits and waits for
orphans. Independently /proc is sampled four times a second: for the peak of the summed PSS, and as a cross-check of
CPU time, because a process whose parent ignores SIGCHLD is never waited for. The larger of the two sums is reported.
The sampling runs in this process and is in no figure; it can miss a peak shorter than a quarter of a second.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bench import process
from bench.places import REAPER

_SAMPLE_S = 0.25
_WORKERS = ("retriever", "provider")
_GRACE_S = 10.0


@dataclass(frozen=True, slots=True)
class Peak:
    """The processes at the peak of their PSS: the kB of each kind, and the part of the sum that is mapped files."""

    by_name: Mapping[str, int] = field(default_factory=dict)
    files_kb: int = 0

    @property
    def pss_kb(self) -> int:
        """The sum."""
        return sum(self.by_name.values())


@dataclass(frozen=True, slots=True)
class Usage:
    """Resources that one command used, from its start to the end of its last descendant."""

    user_s: float
    system_s: float
    sampled_s: float
    wall_s: float
    peak: Peak
    workers_kb: int
    peak_processes: int
    exit_code: int
    orphans: int
    timed_out: bool

    @property
    def cpu_s(self) -> float:
        """CPU seconds of the whole tree."""
        return max(self.user_s + self.system_s, self.sampled_s)

    @property
    def peak_mb(self) -> float:
        """The peak of the summed PSS in MB of 10^6 bytes."""
        return megabytes(self.peak.pss_kb)

    @property
    def workers_mb(self) -> float:
        """The same of retrievers and provider alone, which may come to most at another moment."""
        return megabytes(self.workers_kb)


@dataclass(slots=True)
class _Watch:
    """Samples so far of the descendants of one process."""

    root: int
    cpu: dict[tuple[int, int], float]
    peak: Peak = field(default_factory=Peak)
    workers_kb: int = 0
    peak_processes: int = 0
    noting: Callable[[int], None] | None = None

    def look(self) -> None:
        """Take one sample."""
        alive = process.descendants(self.root)
        for member in alive:
            self.cpu[process.identity(member)] = process.cpu_s(member)
        by_name, files_kb = Counter[str](), 0
        for member in alive:
            taken = process.memory(member)
            by_name[process.name(member)] += taken.pss_kb
            files_kb += taken.files_kb
        self.peak = max(self.peak, Peak(by_name, files_kb), key=lambda peak: peak.pss_kb)
        self.workers_kb = max(self.workers_kb, sum(by_name[name] for name in _WORKERS))
        self.peak_processes = max(self.peak_processes, len(alive))
        if self.noting is not None:
            self.noting(by_name.total())


def megabytes(kernel_kb: int) -> float:
    """Kilobytes of the kernel, which are 1,024 bytes, in MB of 10^6 bytes."""
    return kernel_kb * 1.024 / 1_000


def run(
    command: list[str],
    report: Path,
    *,
    environment: dict[str, str],
    timeout_s: float,
    noting: Callable[[int], None] | None = None,
) -> Usage:
    """Run a command and measure it; its output goes beside ``report`` with the suffixes .out and .err.

    ``noting`` is called with the summed PSS of each sample, in kB.
    """
    wrapped = [sys.executable, "-I", "-S", str(REAPER), str(report), str(_GRACE_S), *command]
    report.unlink(missing_ok=True)
    began = time.monotonic()
    with report.with_suffix(".out").open("wb") as out, report.with_suffix(".err").open("wb") as err:
        reaper = subprocess.Popen(wrapped, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        watch = _Watch(reaper.pid, {}, noting=noting)
        timed_out = not _wait(reaper, watch, began + timeout_s)
    if not report.is_file():
        raise RuntimeError(f"{command[0]} could not be run; see {report.with_suffix('.err')}")
    used = json.loads(report.read_text(encoding="ascii"))
    return Usage(
        user_s=used["user_s"],
        system_s=used["system_s"],
        sampled_s=sum(watch.cpu.values()),
        wall_s=used["wall_s"],
        peak=watch.peak,
        workers_kb=watch.workers_kb,
        peak_processes=watch.peak_processes,
        exit_code=used["exit_code"],
        orphans=used["orphans"],
        timed_out=timed_out,
    )


def _wait(reaper: subprocess.Popen[bytes], watch: _Watch, deadline: float) -> bool:
    """Sample until the tree has ended; false when it had to be killed at the deadline."""
    while reaper.poll() is None:
        watch.look()
        if time.monotonic() > deadline:
            kill_below(reaper)
            reaper.wait()
            return False
        with contextlib.suppress(subprocess.TimeoutExpired):
            reaper.wait(_SAMPLE_S)
    return True


def kill_below(root: subprocess.Popen[bytes]) -> None:
    """Kill all that a process has started, by their ids."""
    for member in process.descendants(root.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(member, signal.SIGKILL)
