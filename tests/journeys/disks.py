"""A full disk is a pause: nothing is damaged, nothing is deleted, and it goes on by itself when there is room.

    python -m tests.journeys.disks --pages 600 [--only cache]

`serve` carries a crawl out. Its database, its kept copies, its index, its logs and the folder for what is temporary
have, in turn, a small disk of their own (a tmpfs in a namespace of our own, so nothing of the machine is touched). A
stranger's file takes the last byte of it in the middle of the crawl, or what the crawl itself writes fills it; then
there is room again. Ends 1 when anything is not as it must be; where no namespace can be had it says so
and shows nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Any

from cormorant.base.clock import SystemClock, pause
from cormorant.base.errors import CormorantError
from cormorant.crawl.resource_guard import LOOK_S
from cormorant.operate.runs import start
from tests.clocks import until
from tests.journeys import processes
from tests.journeys.commands import asked, begun, complaints, ended, run, serving, tracebacks
from tests.journeys.crawling import ROOT
from tests.journeys.home import Home
from tests.journeys.ledger import audit
from tests.journeys.pages import SiteSettings
from tests.journeys.proofs import record
from tests.journeys.site import WebSite, website

ALONE = ("unshare", "--user", "--map-root-user", "--mount")
STRANGER, ITSELF = "a stranger", "itself"
PARTS = ("store", "cache", "index", "logs", "temp")
LEFT: Mapping[str, int] = {"store": 400_000, "cache": 600_000, "index": 800_000, "logs": 40_000}
"""Bytes that the crawl may write before its disk is nearly full. Nothing of ours grows in the folder for what is
temporary."""
SIZE = 24 << 20
"""Bytes of a disk: two seconds of a crawl fit into the twentieth part, as they do on larger ones, and the index."""
HOLD_S = 6.0
ON_AGAIN_S = 30.0
"""How long after there is room something has to be settled and delivered again."""
MOST_STARTS, EACH_S = 8, 10.0
"""How often a process may be started again while its disk is full: so often, and then once in so many seconds."""
MOST_LATE = 8
"""Visits that may still begin then: one in each slot of a retriever that was restarted."""
WEIGHT, DELAY_S = 12_000, 0.12
CLOCK = SystemClock()


@dataclass(slots=True)
class Case:
    """One part on a disk of its own, and who fills it."""

    part: str
    by: str
    folder: Path
    hold_s: float
    wrong: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def disk(self) -> Path:
        """Where the small disk is mounted."""
        own = {"index": self.folder / "data" / "index", "logs": self.folder / "data" / "logs"}
        return own.get(self.part, self.folder / "small")

    @property
    def home(self) -> Home:
        """The installation."""
        store = f"sqlite:///{self.disk / 'cormorant.db'}" if self.part == "store" else ""
        return Home(self.folder / "data", store, cache=str(self.disk / "copies") if self.part == "cache" else "")

    @property
    def pauses(self) -> bool:
        """Whether a crawl has to pause: it writes nothing to the folder for what is temporary."""
        return self.part != "temp"

    def must(self, fine: object, said: str) -> None:
        """Note what is not as it must be."""
        if not fine:
            self.wrong.append(f"{self.part}, filled by {self.by}: {said}")

    def mount(self) -> None:
        """Give the part its disk."""
        for folder in (self.folder / "data", self.disk):
            folder.mkdir(mode=0o700, exist_ok=True, parents=True)
        subprocess.run(("mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(self.disk)), check=True)
        if self.by == ITSELF:
            self.ballast.write_bytes(bytes(SIZE - SIZE // 20 - LEFT[self.part]))

    @property
    def ballast(self) -> Path:
        """The file of another program."""
        return self.disk / "of a stranger"

    @contextmanager
    def filled(self, site: WebSite, pages: int) -> Iterator[None]:
        """Have the disk full for the length of a block, from the middle of the crawl on."""
        if self.by == STRANGER:
            site.wait_for(pages // 3)
            for _ in range(3):  # what is given back meanwhile is taken as well
                fill(self.ballast)
                pause(0.2)
        else:
            until(lambda: self.is_full() or len(site.log()) > pages, 120)
            self.must(self.is_full(), f"{LEFT[self.part]:,} bytes were enough for {len(site.log())} pages")
        try:
            yield
        finally:
            self.ballast.unlink()

    def is_full(self) -> bool:
        """Is less than the twentieth part free?"""
        usage = shutil.disk_usage(self.disk)
        return usage.free < usage.total // 20

    def places(self) -> tuple[int, int]:
        """Visits settled, and what the index has confirmed."""
        with self.home.rows() as tx:
            visits = tx.driver("SELECT coalesce(sum(visits), 0) FROM resource").scalar_one()
            return int(visits), int(tx.driver("SELECT place FROM receiver WHERE kind = 'index'").scalar_one())


def fill(ballast: Path) -> None:
    """Write a file until not a byte is left."""
    with suppress(OSError), ballast.open("ab", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            _write_all(file, size)


def _write_all(file: FileIO, size: int) -> None:
    """Write so many bytes again and again, until there is no room for them."""
    with suppress(OSError):
        while file.write(bytes(size)):
            pass


def look_meanwhile(case: Case, address: str, word: str) -> None:
    """The output of `status` and of the pages while the disk is full."""
    done = run(case.home, "status", "--json")
    case.must(done.returncode == 0, f"status ended {done.returncode}: {done.stderr}")
    full = [each["folder"] for each in json.loads(done.stdout)["disks"] if each["full"]] if done.stdout else []
    where = str(case.disk / "copies" if case.part == "cache" else case.disk)
    case.must(full == ([where] if case.pauses else []), f"status calls {full} full")
    said = run(case.home, "status").stdout
    case.must((f"disk of {where} is" in said) == case.pauses, f"status does not name the disk: {said}")
    text = ""
    for path in ("/health/live", f"/search?q={word}", "/health/ready"):
        got, text = asked(address + path)
        case.must(got == 200, f"{path} answered {got}: {text[:300]}")
    wanted = "full" if case.pauses else "ok"
    case.must(json.loads(text)["checks"]["disk"] == wanted, f"/health/ready says {text}")


def goes_on(case: Case, before: tuple[int, int]) -> float | None:
    """How long it takes until visits are settled and the index has confirmed more; None for too long."""
    since = CLOCK.monotonic()
    while CLOCK.monotonic() < since + ON_AGAIN_S:
        with suppress(CormorantError):
            if all(now > then for now, then in zip(case.places(), before, strict=True)):
                return CLOCK.monotonic() - since
        pause(0.02)
    return None


def check_over(case: Case, site: WebSite, lines: Path) -> None:
    """See that nothing is damaged, lost, doubled or deleted, and that the next crawl finds everything unchanged."""
    ledger = audit(case.home, site, lines)
    case.must(not ledger.faults(), f"not as it should be: {ledger.faults()}")
    pages = site.settings.pages
    for words in (("store", "check"), ("cache", "check"), ("index", "stats")):
        done = run(case.home, *words)
        case.must(done.returncode == 0, f"{' '.join(words)} ended {done.returncode}: {done.stdout}{done.stderr}")
    done = run(case.home, "crawl", "site", "--json")
    again = json.loads(done.stdout) if done.stdout else {}
    unchanged, gone = again.get("unchanged"), (again.get("gone"), again.get("index_deletes"))
    case.must((unchanged, gone) == (pages, (0, 0)), f"crawled again: {done.stdout}{done.stderr}")
    with case.home.house() as house:
        deleted = sum(int(report[name]) for report in start.listed(house) for name in ("gone", "index_deletes"))
    case.figures |= {"fetched_again": ledger.fetched_again, "deleted": deleted}
    case.must(deleted == 0, f"{deleted} were deleted")


def suffer(case: Case, site: WebSite) -> None:
    """Crawl a site while the disk of one part fills up and has room again."""
    home, pages = case.home, site.settings.pages
    wanted = {"log_level": "debug", "logs": ["fetch", "site", "header"]} if case.part == "logs" else {}
    home.add_source("web", "site", site.source | wanted)
    lines = home.add_receiver("lines", "site")
    with serving(home) as address, begun(home, "crawl", "site") as follower:
        with case.filled(site, pages):
            starts, since = ended(home), CLOCK.monotonic()
            pause(LOOK_S + case.hold_s / 2)
            requests = len(site.log())
            look_meanwhile(case, address, site.word(0))
            pause(case.hold_s / 2)
            case.must(len(site.log()) <= requests + MOST_LATE or not case.pauses, "it went on visiting")
            again, before, held_s = ended(home) - starts, case.places(), CLOCK.monotonic() - since
        if case.pauses:
            took = goes_on(case, before)
            case.must(took is not None, f"nothing was settled and delivered {ON_AGAIN_S:.0f} s after there was room")
            case.figures["on_again_s"] = round(took or ON_AGAIN_S, 2)
        case.figures["started_again"] = dict(again)
        if case.part != "logs":  # starts of processes are logged there
            most = MOST_STARTS + held_s / EACH_S
            case.must(max(again.values(), default=0) <= most, f"crash loop in {held_s:.0f} s: {again}")
        site.tell(delay_s=0)
        try:
            follower.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            processes.kill_group(follower.pid)
            case.must(False, "the crawl does not end")
        case.must(follower.returncode == 0, f"`crawl` ended {follower.returncode}: {complaints(home, 'crawl')}")
    for each in tracebacks(home):
        case.must(False, each)
    check_over(case, site, lines)


def tried(part: str, by: str, given: argparse.Namespace) -> Case:
    """One case, from an empty installation to the end."""
    folder = Path(tempfile.mkdtemp(prefix=f"disk-{part}-", dir=given.folder))
    case = Case(part, by, folder, given.hold)
    case.mount()
    if part == "temp":
        os.environ["TMPDIR"] = str(case.disk)
    try:
        with website(SiteSettings(pages=given.pages, delay_s=DELAY_S, weight=WEIGHT), folder) as site:
            suffer(case, site)
    finally:
        os.environ.pop("TMPDIR", None)
        subprocess.run(("umount", "--lazy", str(case.disk)), check=True)
    shutil.rmtree(folder, ignore_errors=True)
    return case


def inside(given: argparse.Namespace) -> int:
    """Try every case in a namespace of its own; prints the figures."""
    cases = [(part, by) for part in given.only or PARTS for by in (STRANGER, ITSELF) if given.by in ("", by)]
    said = []
    for part, by in cases:
        if by == STRANGER or part in LEFT:
            case = tried(part, by, given)
            said.append({"part": part, "by": by, "wrong": case.wrong, **case.figures})
            sys.stderr.write(f"{part}, filled by {by}: {case.figures} {case.wrong}\n")
    sys.stdout.write(json.dumps(said) + "\n")
    return 0


def why_not() -> str:
    """Why it cannot be shown here, "" when it can."""
    with tempfile.TemporaryDirectory() as folder:
        words = (*ALONE, "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder)
        try:
            subprocess.run(words, check=True, capture_output=True, timeout=20)
        except (OSError, subprocess.SubprocessError):
            return "this machine gives no namespace in which a disk can be mounted"
    return ""


def shown(pages: int, only: list[str], by: str = "", hold_s: float = HOLD_S) -> list[dict[str, Any]]:
    """Show it in a namespace; what came of each case."""
    with tempfile.TemporaryDirectory(prefix="disks-") as folder:
        words = [*ALONE, sys.executable, "-m", "tests.journeys.disks", "--inside", "--folder", folder, "--by", by]
        words += ["--pages", str(pages), "--hold", str(hold_s)]
        done = subprocess.run(
            [*words, *(word for each in only for word in ("--only", each))],
            cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True, timeout=1800,
        )  # fmt: skip
    said: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return said


def main() -> int:
    """Show it; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.journeys.disks")
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--only", action="append", default=[], choices=PARTS)
    parser.add_argument("--by", default="", choices=("", STRANGER, ITSELF))
    parser.add_argument("--hold", type=float, default=HOLD_S)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--folder", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        return inside(given)
    if reason := why_not():
        sys.stdout.write(f"left out: {reason}\n")
        record("disks", {}, {"all of it": reason})
        return 0
    said = shown(given.pages, given.only, given.by)
    sys.stdout.write(json.dumps(said, indent=1) + "\n")
    wrong = [each for case in said for each in case["wrong"]]
    slowest = max(case.get("on_again_s", 0.0) for case in said)
    record(
        "disks",
        {"disks filled": len(said), "pages": given.pages, "not as it must be": len(wrong)},
        {"the folder for what is temporary, filled by itself": "nothing of ours grows there"},
        measured={"on again, max": f"{slowest:.2f} s"},
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
