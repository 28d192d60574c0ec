"""Commands as a person gives them, in processes of their own, and what they leave in the logs."""

from __future__ import annotations

import json
import os
import subprocess
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import chdir, contextmanager

from tests.cli import kept
from tests.clocks import HANG_S
from tests.journeys import processes
from tests.journeys.crawling import ROOT
from tests.journeys.home import Home


def _words(home: Home, words: tuple[str, ...]) -> list[str]:
    return ["--data", str(home.folder), *words]


def _environment(home: Home) -> dict[str, str]:
    own = {"CORMORANT_STORE": home.store, "CORMORANT_CACHE": home.cache, "CORMORANT_RETRIEVERS": str(home.retrievers)}
    return dict(os.environ) | own


def run(home: Home, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command, and wait for its end: in a process that was forked with the program loaded."""
    given = _words(home, words)
    with chdir(ROOT):
        return subprocess.CompletedProcess(given, *kept.run(given, _environment(home), HANG_S))


@contextmanager
def begun(home: Home, *words: str, name: str = "") -> Iterator[kept.Begun]:
    """Start a command in such a fork; it has ended at the end of the block.

    `complaints` returns its messages by the first word of the command, or by `name` if several commands share that.
    """
    with (home.folder.parent / f"{name or words[0]}.err").open("w") as complaints:
        process = kept.Begun(kept.PROGRAM, _words(home, words), _environment(home), ROOT, stderr=complaints)
        with processes.ended(process):
            yield process


def complaints(home: Home, command: str) -> str:
    """The messages that a begun command has written to standard error so far."""
    return (home.folder.parent / f"{command}.err").read_text()


@contextmanager
def serving(home: Home) -> Iterator[str]:
    """Have `serve` at work for the length of a block; gives the address of its pages."""
    with begun(home, "serve", "--port", "0") as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert said.startswith("Search page: "), complaints(home, "serve")
        yield said.split()[2].rstrip("/")


def asked(url: str) -> tuple[int, str]:
    """The status and the text of a page; 0 when nothing answers."""
    try:
        with urllib.request.urlopen(url, timeout=HANG_S) as got:
            return got.status, got.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()
    except OSError as error:
        return 0, str(error)


def ended(home: Home) -> Counter[str]:
    """How often each process of an installation has ended so far, by its name."""
    log = home.folder / "logs" / "supervisor.log"
    lines = log.read_text().splitlines(keepends=True) if log.exists() else []
    entries = [json.loads(line) for line in lines if line.endswith("\n")]
    return Counter(each["role"] for each in entries if each["event"] == "child ended")


def tracebacks(home: Home) -> list[str]:
    """Where the logs, or what commands complained of, show a traceback."""
    files = [*(home.folder / "logs").rglob("*.log*"), *home.folder.parent.glob("*.err")]
    return [f"there is a traceback in {each.name}" for each in sorted(files) if "Traceback" in each.read_text()]
