"""A real installation crawls the farm: the command as a child process, watched from outside."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import socket
from typing import Any

import trustme

from cormorant.base.clock import SystemClock
from tests.cli.world import here
from tests.journeys.crawling import ROOT
from tests.journeys.hostile.behaviours import BEHAVIOURS
from tests.journeys.hostile.farm import GOOD, host_of, starts_of
from tests.journeys.processes import PROC, below, ended, pss_kb

SAMPLE_S = 0.25
CLOCK = SystemClock()


def certificates(folder: Path, numbers: Sequence[int]) -> Path:
    """Make what the hosts show; returns the file of the authority that is trusted."""
    trusted, stranger = trustme.CA(), trustme.CA()
    trusted.cert_pem.write_to_path(folder / "authority.pem")
    past = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    for number in numbers:
        host, kind = host_of(number, BEHAVIOURS[number]), BEHAVIOURS[number].tls
        if kind:
            authority = stranger if kind == "self" else trusted
            name = "elsewhere.example" if kind == "other" else host
            made = authority.issue_cert(
                name,
                not_before=past if kind == "expired" else None,
                not_after=past + datetime.timedelta(days=30) if kind == "expired" else None,
            )
            made.private_key_and_cert_chain_pem.write_to_path(folder / f"{kind}-{host}.pem")
    return folder / "authority.pem"


def free_port() -> int:
    """A port that nobody listens at."""
    with socket() as probe:
        probe.bind((GOOD, 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def farm(port: int, folder: Path, pages: int, numbers: Sequence[int]) -> Iterator[None]:
    """Have the farm serve for the length of a block."""
    command = [sys.executable, "-m", "tests.journeys.hostile.farm", str(port), str(folder), str(pages)]
    with subprocess.Popen(
        [*command, json.dumps(list(numbers))], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield
        finally:
            process.stdin.close()
            process.wait(20)


@dataclass
class Watch:
    """Samples of a crawl's processes: the most memory (PSS, MB) and sockets at once, and the processes."""

    most_mb: float = 0.0
    most_sockets: int = 0
    seconds: float = 0.0

    def look(self, pid: int) -> None:
        """Look at a process and all below it once."""
        kilobytes = sockets = 0
        for each in below(pid):
            kilobytes += pss_kb(each.pid)
            sockets = max(sockets, _connections(each.pid))
        self.most_mb, self.most_sockets = max(self.most_mb, kilobytes / 1024), max(self.most_sockets, sockets)


def _connections(pid: int) -> int:
    """How many sockets a process has open."""
    count = 0
    try:
        for each in (PROC / str(pid) / "fd").iterdir():
            count += each.readlink().name.startswith("socket:")
    except OSError:
        return count
    return count


@dataclass
class HostileInstallation:
    """A data folder, and what its commands find in their environment."""

    folder: Path
    authority: Path
    width: int = 0

    def command(self, *words: str) -> subprocess.Popen[str]:
        """Start a command."""
        environment = dict(os.environ) | {"SSL_CERT_FILE": str(self.authority), "CORMORANT_RETRIEVERS": "2"}
        if self.width:
            environment["CORMORANT_WIDTH"] = str(self.width)
        return subprocess.Popen(
            [sys.executable, "-m", "cormorant", "--data", str(self.folder), *words],
            text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
            start_new_session=True,
        )  # fmt: skip

    def say(self, *words: str) -> list[Any]:
        """Run a command to its end, in this process; returns the objects it wrote."""
        done = here("--data", str(self.folder), *words, "--json")
        assert done.code == 0, f"{' '.join(words)}: {done.err}"
        return done.objects

    def add(self, port: int, numbers: Sequence[int], settings: Sequence[str]) -> None:
        """Add the source: the good host, and all start addresses of these hostile ones."""
        starts = [f"http://{GOOD}:{port}/"]
        for number in numbers:
            starts += starts_of(number, BEHAVIOURS[number], port)
        words = [word for each in (*(f"start={each}" for each in starts), *settings) for word in ("--set", each)]
        self.say("source", "add", "web", "farm", *words)

    def crawl(self, limit_s: float) -> tuple[dict[str, Any], Watch, int]:
        """Crawl; returns the report, what was seen meanwhile, and the exit code."""
        watch, began = Watch(), CLOCK.monotonic()
        with ended(self.command("crawl", "--json")) as process:
            over = threading.Event()
            looker = threading.Thread(target=_look, args=(watch, process.pid, over))
            looker.start()
            try:
                out, err = process.communicate(timeout=limit_s)
            finally:
                over.set()
                looker.join()
        watch.seconds = CLOCK.monotonic() - began
        assert out, err
        report: dict[str, Any] = json.loads(out.splitlines()[0])
        return report, watch, process.returncode

    def deaths(self) -> int:
        """How often the supervisor had to start a process again."""
        logs = (self.folder / "logs").glob("*.log")
        return sum(path.read_text(errors="replace").count("child ended") for path in logs)


def _look(watch: Watch, pid: int, over: threading.Event) -> None:
    while not over.wait(SAMPLE_S):
        watch.look(pid)
