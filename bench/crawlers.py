"""Which commands are measured?

Cormorant is driven as a user drives it, through its command line, with default settings but for the delay; the peer
through Scrapy's. Each phase runs against its own server log and leaves an :class:`Observation`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import measure
from bench.corpus import Corpus
from bench.databases import Database
from bench.judge import Verdict, judge
from bench.measure import Usage
from bench.places import ROOT, RUN
from bench.server import serving

RETRIEVERS = 2
_PHASE_S = 900.0  # ours; a crawl that takes longer has stopped somewhere
PEER_S = 3_600.0
_COMMAND_S = 120.0
_MIDST = 300
"""Requests after which a crawl is in the midst of its work."""
_LOOK_S = 0.01
_STILL_S = 0.5
"""How long the server logs nothing more when it is done with what was cut off."""
_SOURCE = "bench"


class PhaseFailed(Exception):
    """A command of the benchmark did not end well; its output lies where the message says."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One phase: what it used, what the server saw, what the crawler itself reported."""

    name: str
    usage: Usage
    verdict: Verdict
    report: dict[str, Any] = field(default_factory=dict)

    @property
    def pages_a_cpu_s(self) -> float:
        """Pages the server answered, divided by the CPU seconds of all the crawler's processes."""
        return self.verdict.pages / self.usage.cpu_s if self.usage.cpu_s else 0.0

    @property
    def pages_a_s(self) -> float:
        """Pages the server answered, divided by the seconds that passed."""
        return self.verdict.pages / self.usage.wall_s if self.usage.wall_s else 0.0


@dataclass(frozen=True, slots=True)
class Cormorant:
    """The product in one data folder."""

    program: Path
    data: Path
    index: bool
    retrievers: int = RETRIEVERS
    database: Database | None = None
    """None: SQLite, in the data folder."""

    def create(self, corpus: Corpus) -> None:
        """Begin a new installation and define the source; this is not part of the crawl's figures."""
        shutil.rmtree(self.data, ignore_errors=True)
        if self.database:
            self.database.create()
        settings = [f"start={start}" for start in corpus.starts] + ["delay_s=0"]
        command = [*self._command(), "source", "add", "web", _SOURCE]
        for setting in settings:
            command += ["--set", setting]
        usage = self._run(command, f"{self.data.name}-add", {})
        if usage.exit_code != 0:
            raise PhaseFailed(f"`source add` ended with {usage.exit_code}; see {RUN / self.data.name}-add.err")

    def copy(self, other: Cormorant) -> None:
        """Become what another installation is, in which nothing runs."""
        shutil.rmtree(self.data, ignore_errors=True)
        shutil.copytree(other.data, self.data)
        if self.database:
            self.database.create(like=other.database)

    def crawl(self, name: str, corpus: Corpus, *, steps: bool = False) -> Observation:
        """Run one crawl of the source and observe it."""
        log = RUN / f"{name}.log"
        with serving(corpus, log):
            usage = self._run([*self._command(), "crawl", "--json"], name, {"CORMORANT_STEPS": "1"} if steps else {})
        if usage.timed_out or usage.exit_code not in (0, 3):
            raise PhaseFailed(f"`crawl` ended with {usage.exit_code}; see {RUN / name}.err")
        return Observation(name, usage, judged(log, corpus, "cormorant"), _report(RUN / f"{name}.out"))

    def fill(self, count: int, corpus: Corpus) -> Usage:
        """Make the source know ``count`` generated addresses, by the Python of the program (:mod:`bench.fill`)."""
        name = f"{self.data.name}-fill"
        python = str(self.program.parent / "python")
        command = [python, "-m", "bench.fill", str(self.data), str(count), *corpus.sites]
        usage = self._run(command, name, {"PYTHONPATH": str(ROOT)})
        if usage.exit_code != 0:
            raise PhaseFailed(f"`bench.fill` ended with {usage.exit_code}; see {RUN / name}.err")
        if self.database:
            self.database.analyze()
        return usage

    def explain(self, address: str) -> Usage:
        """Ask why an address is in the index, or why not; it must be known."""
        name = f"{self.data.name}-explain"
        usage = self._run([*self._command(), "explain", address, "--json"], name, {})
        verdict = _report(RUN / f"{name}.out").get("verdict", "unknown")
        if usage.exit_code != 0 or verdict == "unknown":
            raise PhaseFailed(f"`explain {address}` ended with {usage.exit_code}, {verdict}; see {RUN / name}.err")
        return usage

    def answers(self, addresses: Sequence[str]) -> list[float]:
        """Seconds that `explain` takes for each in a process that has started: the first question warms it, untimed."""
        name = f"{self.data.name}-answers"
        command = [str(self.program.parent / "python"), "-m", "bench.asking", str(self.data), *addresses]
        usage = self._run(command, name, {"PYTHONPATH": str(ROOT)})
        if usage.exit_code != 0:
            raise PhaseFailed(f"`bench.asking` ended with {usage.exit_code}; see {RUN / name}.err")
        return [float(each) for each in (RUN / f"{name}.out").read_text(encoding="utf-8").split()]

    def leases(self, times: int) -> list[dict[str, float]]:
        """Seconds of each step of a lease, so many times, among what :meth:`fill` made known (:mod:`bench.leasing`)."""
        name = f"{self.data.name}-leasing"
        command = [str(self.program.parent / "python"), "-m", "bench.leasing", str(self.data), str(times)]
        usage = self._run(command, name, {"PYTHONPATH": str(ROOT)})
        if usage.exit_code != 0:
            raise PhaseFailed(f"`bench.leasing` ended with {usage.exit_code}; see {RUN / name}.err")
        return [json.loads(line) for line in (RUN / f"{name}.out").read_text(encoding="utf-8").splitlines()]

    def starts_again_s(self, corpus: Corpus) -> float:
        """Kill a crawl in the midst of it, and begin it again: seconds until it asks a server for something."""
        name = f"{self.data.name}-killed"
        with serving(corpus, RUN / f"{name}.log"):
            self._killed_after(_MIDST, name)
            _wait_until_still(RUN / f"{name}.log")
            return self._killed_after(1, name)

    def _killed_after(self, enough: int, name: str) -> float:
        """Begin a crawl, and kill it with all its processes when so many requests came; the seconds until then."""
        log, errors = RUN / f"{name}.log", RUN / f"{name}.err"
        before, began = _lines(log), time.monotonic()
        with errors.open("wb") as output:
            crawl = subprocess.Popen(
                [*self._command(), "crawl", "--json"], env=self._environment({}), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=output,
            )  # fmt: skip
        try:
            while _lines(log) - before < enough:
                if crawl.poll() is not None or time.monotonic() - began > _PHASE_S:
                    raise PhaseFailed(f"the crawl that was to be killed ended; see {errors}")
                time.sleep(_LOOK_S)
            return time.monotonic() - began
        finally:
            measure.kill_below(crawl)
            crawl.kill()
            crawl.wait()

    @property
    def database_mb(self) -> float:
        """The size of the database, its log included, in MB of 10^6 bytes."""
        if self.database:
            return self.database.size_mb
        return sum(file.stat().st_size for file in self.data.glob("cormorant.db*")) / 1e6

    def _command(self) -> list[str]:
        return [str(self.program), "--data", str(self.data)]

    def _run(self, command: list[str], name: str, extra: dict[str, str]) -> Usage:
        return measure.run(command, RUN / f"{name}.json", environment=self._environment(extra), timeout_s=_PHASE_S)

    def _environment(self, extra: dict[str, str]) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if not name.startswith("CORMORANT_")}
        environment = {**own, "CORMORANT_RETRIEVERS": str(self.retrievers), **extra}
        if self.database:
            environment["CORMORANT_STORE"] = self.database.url
        if not self.index:
            environment["CORMORANT_INDEX"] = "none"
        return environment


@dataclass(frozen=True, slots=True)
class Scrapy:
    """The peer; its cache is used only where a phase says so."""

    cache: Path

    def crawl(self, name: str, corpus: Corpus, *, cached: bool = False, revalidate: bool = False) -> Observation:
        """Run one crawl of all hosts and observe it."""
        items, log = RUN / f"{name}.jsonl", RUN / f"{name}.log"
        items.unlink(missing_ok=True)
        command = [sys.executable, "-m", "scrapy", "crawl", "documentation", "-a", f"starts={' '.join(corpus.starts)}"]
        command += ["-o", str(items)]
        if cached:
            command += ["-s", "HTTPCACHE_ENABLED=1", "-s", f"HTTPCACHE_DIR={self.cache}"]
        if revalidate:
            command += ["-a", "revalidate=1"]
        environment = {
            **os.environ,
            "SCRAPY_SETTINGS_MODULE": "bench.scrapy_peer.settings",
            "PYTHONPATH": str(ROOT),
        }
        with serving(corpus, log):
            usage = measure.run(command, RUN / f"{name}.json", environment=environment, timeout_s=PEER_S)
        if usage.timed_out or usage.exit_code != 0:
            raise PhaseFailed(f"Scrapy ended with {usage.exit_code}; see {RUN / name}.err")
        items.unlink(missing_ok=True)
        return Observation(name, usage, judged(log, corpus, "scrapy"))


def help_cpu_s(program: Path, times: int = 7) -> float:
    """CPU seconds of ``cormorant --help``, the median of several."""
    taken = []
    for _ in range(times):
        usage = measure.run(
            [str(program), "--help"], RUN / "help.json", environment=dict(os.environ), timeout_s=_COMMAND_S
        )
        if usage.exit_code != 0:
            raise PhaseFailed(f"`cormorant --help` ended with {usage.exit_code}; see {RUN / 'help.err'}")
        taken.append(usage.cpu_s)
    return sorted(taken)[times // 2]


def judged(log: Path, corpus: Corpus, agent: str) -> Verdict:
    """The verdict on a phase whose server held out and served nobody else."""
    verdict = judge(log, corpus, agent)
    if verdict.strangers:
        raise PhaseFailed(f"{verdict.strangers} requests came from another crawler than {agent}; see {log}")
    if verdict.server_errors:
        raise PhaseFailed(f"nginx failed on {verdict.server_errors} requests; see {RUN / 'nginx-error.log'}")
    return verdict


def _wait_until_still(log: Path) -> None:
    """Wait until nothing is logged any more: a request that was cut off is logged late, and is not the next one."""
    before = -1
    while (lines := _lines(log)) != before:
        before = lines
        time.sleep(_STILL_S)


def _lines(log: Path) -> int:
    """How many requests the server has answered."""
    return log.read_bytes().count(b"\n") if log.exists() else 0


def _report(output: Path) -> dict[str, Any]:
    """The run report that ``crawl --json`` printed last; empty when there is none."""
    for line in reversed(output.read_text(encoding="utf-8", errors="replace").splitlines()):
        try:
            report = json.loads(line)
        except ValueError:
            continue
        if isinstance(report, dict):
            return report
    return {}
