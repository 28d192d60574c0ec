"""Crawls, carried out by a process beside the test.

    python -m tests.journeys.crawling [REST]    reads an order a line (JSON), carries it out, prints what came of it

REST is how many seconds the first wait for a server lasts, instead of a minute.

`Crawler` keeps one such process for many crawls. `begin` starts one for a single crawl, to be killed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cormorant.app.commands import follow
from cormorant.base.errors import CormorantError
from cormorant.frontier.policy import backoff
from cormorant.model.run import Mode, Refresh
from cormorant.operate.runs import start
from cormorant.store.db import drivers
from tests.cli import kept
from tests.compiling import Shared
from tests.journeys.home import Home

ROOT = Path(__file__).resolve().parents[2]
MODULE = "tests.journeys.crawling"
COMMAND = [sys.executable, "-m", MODULE]
Started = kept.Begun | subprocess.Popen[str]


def _carry_out(said: dict[str, Any]) -> dict[str, Any]:
    """Order, carry out, report."""
    home = Home(Path(said["folder"]), said["store"])
    try:
        numbers = said["runs"] or _ordered(home, said)
    except CormorantError as error:
        sys.stdout.write(json.dumps({"runs": []}) + "\n")
        return {"error": error.sentence}
    sys.stdout.write(json.dumps({"runs": numbers}) + "\n")
    sys.stdout.flush()
    try:
        ordered = [start.Ordered(number, "", resumed=False) for number in numbers]
        follow.carry_out(home.plan, ordered, follow.Nobody())
    except CormorantError as error:
        return {"error": error.sentence}
    with home.house() as house:
        reports = [start.report(house, number) for number in numbers]
        return {"reports": reports, "exit": start.exit_code(house, numbers)}


def _ordered(home: Home, said: dict[str, Any]) -> list[int]:
    with home.house() as house:
        mode = Mode(said["mode"]) if said["mode"] else None
        wish = start.RunOrder(Refresh(said["refresh"]) if said["refresh"] else None, said["force"], mode=mode)
        return [each.run for each in start.order(house, said["names"], wish)]


def _order(home: Home, names: tuple[str, ...], runs: tuple[int, ...] = (), **how: Any) -> str:
    said = {"names": names, "runs": runs, "force": False, "refresh": "", "mode": ""}
    return json.dumps(said | how | {"folder": str(home.folder), "store": home.store}) + "\n"


def begin(home: Home, *names: str, force: bool = False, command: Sequence[str] = ()) -> Started:
    """Start a crawl of these sources, or go on with it, in a process that ends with it: forked, or by a command."""
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(path for path in (environment.get("PYTHONPATH"), str(ROOT)) if path)
    process = _started(command, (), environment, home.folder.parent)
    assert process.stdin is not None
    process.stdin.write(_order(home, names, force=force))
    process.stdin.close()
    return process


def _started(command: Sequence[str], words: Sequence[str], environment: Mapping[str, str], here: Path) -> Started:
    """Start the process in a session of its own. Its standard error is not redirected."""
    if command:
        return subprocess.Popen(
            [*command, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
            env=environment, cwd=here,
        )  # fmt: skip
    return kept.Begun(MODULE, words, environment, here, stdin=subprocess.PIPE, stderr=2)


class Crawler:
    """A process that carries out one crawl after another."""

    def __init__(self, process: Started) -> None:
        self._process = process

    def begin(self, home: Home, *names: str, runs: tuple[int, ...] = (), **how: Any) -> list[int]:
        """Order runs of these sources, or name runs to go on with; returns their numbers when they have begun.

        `how` is of `force`, `refresh` and `mode`.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(_order(home, names, runs, **how))
        self._process.stdin.flush()
        numbers: list[int] = self._heard()["runs"]
        return numbers

    def end(self) -> dict[str, Any]:
        """Wait for the end of what was begun; returns `reports` and `exit`, or `error`."""
        return self._heard()

    def crawl(self, home: Home, *names: str, **how: Any) -> dict[str, Any]:
        """Crawl one source; returns its report, with the exit code as `exit`."""
        self.begin(home, *names, **how)
        said = self.end()
        assert "reports" in said, said
        report: dict[str, Any] = said["reports"][0]
        return report | {"exit": said["exit"]}

    def _heard(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the process that crawls has ended"
        said: dict[str, Any] = json.loads(line)
        return said


@contextmanager
def crawler(*before: str, rest_s: float = backoff.FIRST_WAIT_S) -> Iterator[Crawler]:
    """Have a process that crawls for the length of a block; `before` is a command that starts it."""
    command = [*before, *COMMAND] if before else ()
    with _started(command, [str(rest_s)], os.environ, ROOT) as process:
        try:
            yield Crawler(process)
        finally:
            process.kill()


def main() -> None:
    """Read orders until there are no more."""
    if len(sys.argv) > 1:
        backoff.FIRST_WAIT_S = float(sys.argv[1])
    drivers.STATEMENTS = statements = Shared(drivers.STATEMENTS)
    while line := sys.stdin.readline():
        sys.stdout.write(json.dumps(_carry_out(json.loads(line))) + "\n")
        sys.stdout.flush()
        statements.learn()


if __name__ == "__main__":
    main()
