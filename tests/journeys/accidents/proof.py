"""An accident must not delete documents that are only unreachable, and must not prevent other deletions.

crawl -> strike -> crawl, crawl ... (nothing of `hit` leaves, what is deleted beside it does) -> undo -> crawl
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.journeys.accidents.cases import NAME, Accident, Where
from tests.journeys.accidents.stage import Stage
from tests.journeys.crawling import Crawler, crawler
from tests.journeys.home import Home

REST_S = 1.0
"""The first wait for a server that does not answer, instead of a minute."""


@dataclass
class Proof:
    """The result of an accident: documents deleted `wrongly`, and those that should have been deleted (`late`)."""

    name: str
    documents: int
    runs: int = 0
    wrongly: set[str] = field(default_factory=set)
    late: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)
    rightly_s: float = 0.0

    def figures(self) -> dict[str, Any]:
        """For people and programs."""
        return {
            "accident": self.name, "documents": self.documents, "runs": self.runs, "wrongly_deleted": len(self.wrongly),
            "not_deleted": len(self.late), "ended": sorted(set(self.ended)), "deletion_s": self.rightly_s,
            "strange": self.strange,
        }  # fmt: skip

    @property
    def faults(self) -> list[str]:
        """The deviations, a sentence each."""
        said = [(self.wrongly, "deleted wrongly: "), (self.late, "not deleted: "), (self.strange, "")]
        return [f"{self.name}: {words}{sorted(some)[:4]}" for some, words in said if some]


def prove(stage: Stage, accident: Accident, runs: int) -> Proof:
    """Have it happen, for so many runs, and end."""
    proof = Proof(accident.name, len(stage.documents))
    stage.crawl()
    assert not stage.lost()
    accident.strike(stage)
    for number in range(runs):
        stage.lose_one(number)
        _struck(stage, accident, proof, number)
    accident.undo(stage)
    _mended(stage, accident, proof)
    return proof


def _struck(stage: Stage, accident: Accident, proof: Proof, number: int) -> None:
    report = stage.crawl()
    state = str(report["state"])
    proof.runs += 1
    proof.ended.append(state)
    if state not in accident.ends:
        proof.strange.append(f"run {number + 1} ended {state} ({report['reason']})")
    if state == "held":
        stage.answer(report["run"], accept=False)
    proof.wrongly.update(stage.lost())
    if not stage.kept_beside(number + 1):
        proof.late.append(f"beside, in run {number + 1}")


def _mended(stage: Stage, accident: Accident, proof: Proof) -> None:
    """It is over; one document is really deleted, and leaves with the next run, alone."""
    if accident.where is Where.FILES:
        last = stage.documents[-1]
        (stage.share / last).unlink()
    else:
        last = stage.site.linked[-1]
        stage.site.gone.add(last)
    report = stage.crawl()
    lost = stage.lost()
    proof.wrongly.update(set(lost) - {last})
    proof.late += [] if last in lost else [last]
    proof.rightly_s = float(report["seconds"])
    counted = {name: report[name] for name in ("state", "index_deletes", "index_writes")}
    if counted != {"state": "finished", "index_deletes": 1, "index_writes": 0}:
        proof.strange.append(f"the run afterwards: {counted}, {report['reason']}")


@contextmanager
def staged(home: Home, crawls: Crawler, folder: Path, accident: Accident, documents: int) -> Iterator[Stage]:
    """The stage of an accident."""
    stage = Stage(home, crawls, folder, documents)
    if accident.where is Where.FILES:
        stage.shared()
    host = NAME if accident.where is Where.NAMED else ""
    with nullcontext() if accident.where is Where.FILES else stage.web(host, **accident.settings):
        yield stage


@contextmanager
def named(folder: Path) -> Iterator[Crawler]:
    """A process that crawls and knows names from the file `hosts` in a folder alone: no name server is asked."""
    (folder / "hosts").write_text(f"127.0.0.1 localhost {NAME}\n")
    (folder / "nsswitch.conf").write_text("hosts: files\n")
    mounts = "".join(f"mount --bind {folder / each} /etc/{each} && " for each in ("hosts", "nsswitch.conf"))
    with crawler("unshare", "--mount", "sh", "-c", f'{mounts}exec "$@"', "sh", rest_s=REST_S) as process:
        yield process


def happen(home: Home, crawls: Crawler, accident: Accident, documents: int, runs: int) -> Proof:
    """Set the stage in a new installation and have it happen there."""
    folder = home.folder.parent
    with (
        named(folder) if accident.where is Where.NAMED else nullcontext(crawls) as process,
        staged(home, process, folder, accident, documents) as stage,
    ):
        return prove(stage, accident, runs)


def prove_meant(stage: Stage) -> Proof:
    """Most of the site is really deleted: it is held, and leaves when a person says so."""
    proof = Proof("a deletion of most that is meant", len(stage.documents), runs=1)
    stage.crawl()
    going = stage.documents[len(stage.documents) // 8 :]
    stage.site.gone.update(going)
    report = stage.crawl()
    proof.ended.append(str(report["state"]))
    proof.wrongly.update(stage.lost())
    done = stage.answer(report["run"], accept=True)
    lost = stage.lost()
    proof.wrongly.update(set(lost) - set(going))
    proof.late = sorted(set(going) - set(lost))
    if (report["state"], done["index_deletes"]) != ("held", len(going)):
        proof.strange.append(f"it ended {report['state']}, and {done['index_deletes']} were deleted")
    return proof


def why_no_names() -> str:
    """Why names cannot be given another meaning here, "" when they can."""
    if os.geteuid() != 0:
        return "to exchange the file of names needs root"
    try:
        subprocess.run(["unshare", "--mount", "true"], check=True, capture_output=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return "this machine gives no mount namespace"
    return ""


def why_not(accident: Accident) -> str:
    """Why an accident cannot happen here, or not yet; "" when it can."""
    return why_no_names() if accident.where is Where.NAMED else ""
