"""A crawl that is interrupted, and one whose disk is nearly full for a while, goes on where it was."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from cormorant.base.clock import pause
from cormorant.operate.runs import report as run_report
from cormorant.operate.system.status import status
from cormorant.store.db import heartbeats as store_processes
from tests.cli import kept
from tests.clocks import HANG_S, until
from tests.journeys import processes
from tests.journeys.conftest import Serve
from tests.journeys.crawling import ROOT, Crawler
from tests.journeys.home import Home
from tests.journeys.ledger import audit
from tests.journeys.pages import SiteSettings

PAGES = 120
PARALLEL = 4


def command(home: Home, *words: str) -> kept.Begun:
    """Begin a command as a person would, who sees all it says."""
    given = ["--data", str(home.folder), *words]
    return kept.Begun(kept.PROGRAM, given, os.environ, ROOT, stderr=subprocess.STDOUT)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_by_a_person(file_home: Home, serve: Serve, number: signal.Signals) -> None:
    site = serve(SiteSettings(pages=PAGES, delay_s=0.1))
    file_home.add_source("web", "site", site.source)
    lines = file_home.add_receiver("lines", "site")
    with processes.ended(command(file_home, "crawl", "site")) as first:
        site.wait_for(PAGES // 2)
        tree = processes.below(first.pid)
        os.killpg(first.pid, number)
        said, _ = first.communicate(timeout=HANG_S)
    assert first.returncode == 130
    assert "continues it" in said
    assert "Traceback" not in said
    assert not processes.wait_gone(tree, 5)

    with processes.ended(command(file_home, "crawl", "site")) as second:
        said, _ = second.communicate(timeout=HANG_S)
    assert second.returncode == 0, said
    assert "Continuing run 1" in said
    ledger = audit(file_home, site, lines)
    assert not ledger.faults(), ledger.figures()
    assert ledger.fetched_again <= PARALLEL


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(made, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a small disk")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path, left: int) -> Path:
    """Fill a disk up to so many bytes."""
    ballast = folder / "ballast"
    free = shutil.disk_usage(folder).free
    with suppress(OSError), ballast.open("wb", buffering=0) as file:  # others write there too
        file.write(bytes(max(free - left, 0)))
    return ballast


def test_a_crawl_waits_while_its_disk_is_nearly_full(small_disk: Path, crawls: Crawler, serve: Serve) -> None:
    site = serve(SiteSettings(pages=PAGES, delay_s=0.1))
    home = Home(small_disk / "data")
    home.add_source("web", "site", site.source)
    crawls.begin(home, "site")
    site.wait_for(PAGES // 3)
    ballast = fill(small_disk, 2_500_000)
    with home.house() as house:
        state: Mapping[str, Any] = until(lambda: next((s for s in status(house)["sources"] if s["last_reason"]), None))
    assert "is nearly full" in state["last_reason"]
    assert (state["state"], str(small_disk) in state["last_reason"]) == ("retrieving", True)
    pause(2.0)
    asked = len(site.log())
    pause(3.0)
    assert len(site.log()) == asked < PAGES
    ballast.unlink()
    (report,) = crawls.end()["reports"]
    assert (report["state"], report["complete"], report["fetched"], report["reason"]) == ("finished", True, PAGES, None)


def limit_files(pids: Iterable[int], most: int) -> None:
    """Let these processes, and what they start from now on, have so many files open."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for pid in pids:
        with suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (most, hard))


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="the limit of another process is set by Linux alone")
def test_a_crawl_waits_while_it_may_open_no_file_and_blames_no_server(
    file_home: Home, crawls: Crawler, serve: Serve
) -> None:
    """A retriever that cannot keep what it has got ends, and is started again until it can."""
    site = serve(SiteSettings(pages=PAGES, hosts=30, delay_s=0.1))
    file_home.add_source("web", "site", site.source | {"patience_s": 1})
    crawls.begin(file_home, "site")
    site.wait_for(3)
    with file_home.house() as house:
        with house.store.read() as tx:
            working = [each.pid for each in store_processes.alive(tx, "retriever")]
        parents = {int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]) for pid in working}
        limit_files([*parents, *working], 3)
        state: Mapping[str, Any] = until(lambda: next((s for s in status(house)["sources"] if s["last_reason"]), None))
        assert state["last_reason"].startswith("Too many open files: raise `ulimit -n`")
        pause(4.0)
        assert status(house)["sources"][0]["state"] == "retrieving"
    limit_files([each.pid for parent in parents for each in processes.below(parent)], 4_000)
    (report,) = crawls.end()["reports"]
    assert (report["state"], report["complete"], report["fetched"], report["reason"]) == ("finished", True, PAGES, None)
    with file_home.house() as house:
        assert [each["kind"] for each in run_report.of_run(house, report["run"])] == ["machine"]
    assert file_home.value("SELECT sum(attempts) FROM resource") == 0
    assert file_home.value("SELECT sum(failures) FROM site") == 0
