"""A signal at the worst moment: a command says one sentence, ends with 130, leaves no traceback and no process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from tests.cli.begin.test_serve import processes_of, served
from tests.cli.world import InstalledCli, Site, ended
from tests.clocks import HANG_S, until
from tests.house.reading import ROOT

INTERRUPTED = 130


def struck(moment: str, at: int, home: InstalledCli, *words: str) -> tuple[int, str]:
    """How a command ends that gets a SIGTERM at this moment: its exit code and what it said."""
    command = [sys.executable, "-m", "tests.cli.struck", moment, str(at), "--data", str(home.folder), *words]
    environment = {**os.environ, "CORMORANT_RETRIEVERS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=HANG_S, env=environment, check=False,
    )  # fmt: skip
    return done.returncode, done.stderr


def logged(home: InstalledCli) -> str:
    """The logs of the processes."""
    return "".join(path.read_text() for path in (home.folder / "logs").glob("*.log"))


@pytest.mark.parametrize(
    ("moment", "at"),
    [("rollback", 1), ("rollback", 11), ("close", 1), ("close", 2), ("lock", 1), ("fork", 1), ("stop", 1),
     ("print", 1), ("forget", 1), ("execute", 1)],
)  # fmt: skip
def test_a_crawl(moment: str, at: int, bare: InstalledCli, site: Site) -> None:
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    code, said = struck(moment, at, bare, "crawl", "docs")
    assert code == INTERRUPTED, said
    assert said.splitlines()[-1].startswith("Interrupted. The work so far is kept"), said
    assert "Traceback" not in said + logged(bare)
    assert not processes_of(bare)


def test_a_crawl_that_another_process_takes_up_before_it_is_followed(bare: InstalledCli, site: Site) -> None:
    site.answers["/tides"].held = going_on = threading.Event()
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    with served(bare):
        code, said = struck("close", 1, bare, "crawl", "docs")
        assert code == INTERRUPTED, said
        assert said.splitlines()[-1].endswith(f"`cormorant --data {bare.folder} crawl docs` continues it."), said
        assert bare.fine("run", "list", "--json").object["state"] == "suspended"
        going_on.set()


@pytest.mark.parametrize(("moment", "at"), [("close", 1), ("fork", 1), ("print", 1)])
def test_serve(moment: str, at: int, home: InstalledCli) -> None:
    code, said = struck(moment, at, home, "serve", "--port", "0")
    assert code == 0, said
    assert len(said.splitlines()) == 1, said
    assert "Traceback" not in said + logged(home)
    assert not processes_of(home)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_test_of_a_source(number: int, bare: InstalledCli, site: Site) -> None:
    site.answers["/"].held = going_on = threading.Event()
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    process = bare.start("source", "test", "docs")
    until(lambda: "/" in site.asked)
    process.send_signal(number)
    process.send_signal(number)
    done = ended(process)
    going_on.set()
    assert (done.code, done.err.count("\n"), "Interrupted" in done.err) == (INTERRUPTED, 1, True), done


def test_what_ignores_a_hang_up_goes_on(bare: InstalledCli, site: Site) -> None:
    site.answers["/tides"].held = going_on = threading.Event()
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = bare.start_fresh("crawl", "docs")
    finally:
        signal.signal(signal.SIGHUP, before)
    until(lambda: "/tides" in site.asked)
    process.send_signal(signal.SIGHUP)
    going_on.set()
    assert ended(process).code == 0


ENDS = """
import atexit, logging, sys, threading, time
from cormorant.cli.signals import Interruption

class Kept:
    def __del__(self):
        print("freed")

interruption, kept = Interruption(), Kept()
interruption.listen(log_all=False)
atexit.register(print, "at the end")
logging.getLogger().addHandler(logging.handlers.MemoryHandler(9, target=logging.StreamHandler(sys.stdout)))
logging.getLogger().warning("written down")
threading.Thread(target=lambda: (time.sleep(0.2), print("awaited"))).start()
"""


def test_an_end_does_what_is_left_to_do_and_frees_nothing() -> None:
    def ended_by(line: str, *shell: str) -> tuple[int, list[str]]:
        command = [*shell, sys.executable, "-c", f"import logging.handlers{ENDS}{line}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, check=False)
        return done.returncode, [*done.stdout.splitlines(), *done.stderr.splitlines()[-1:]]

    assert ended_by("interruption.end(4)") == (4, ["awaited", "at the end", "written down"])
    assert ended_by("1 / 0") == (
        1, ["awaited", "at the end", "written down", "freed", "ZeroDivisionError: division by zero"],
    )  # fmt: skip
    assert ended_by("interruption.end(4)", "sh", "-c", 'exec "$@" >&-', "sh") == (4, ["written down"]), (
        "by whom there is"
    )
