"""Hostile servers cost only their own slot: forty of them and more beside a good one (promise 8 of the fault table).

    python -m tests.journeys.hostile [--pages N] [--delay S] [--quick]

Crawls the good host alone, then all together, each by the command `cormorant crawl` with default settings but for the
delay, and says how they compare, what came of every host, and what it cost. Ends 1 when anything is not as it must be.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.journeys.hostile import judge
from tests.journeys.hostile.behaviours import BEHAVIOURS
from tests.journeys.hostile.installation import HostileInstallation, certificates, farm, free_port
from tests.journeys.proofs import record

MOST_MB = 300
LEAST_SHARE = 0.9
SLACK_S = 4.0
MOST_GAP_S = 4.5
QUICK = ("idle_timeout_s=2", "connect_timeout_s=2", "timeout_s=8", "patience_s=4")


@dataclass
class Course:
    """One crawl: how long the good host took, what was seen, and the rows of the hostile hosts.

    `gap_s` is the longest time in which the good host was not asked for anything, from the first request to anybody on.
    """

    pages: int
    good_s: float
    gap_s: float
    seconds: float
    most_mb: float
    most_sockets: int
    left_open: int
    deaths: int
    exit_code: int
    report: dict[str, Any]
    rows: list[judge.Judgement] = field(default_factory=list)


@dataclass(frozen=True)
class Order:
    """Options of a crawl: the good host's pages, the source's settings, a retriever's width, a limit in seconds."""

    pages: int
    settings: tuple[str, ...]
    width: int = 0
    limit_s: float = 1200.0


def crawl(folder: Path, numbers: Sequence[int], order: Order) -> Course:
    """Crawl the good host with these hostile ones beside it."""
    folder.mkdir(parents=True)
    port = free_port()
    installation = HostileInstallation(folder / "data", certificates(folder, numbers), order.width)
    installation.add(port, numbers, order.settings)
    with farm(port, folder, order.pages, numbers):
        report, watch, code = installation.crawl(order.limit_s)
        rows = judge.judge(installation, port, folder, numbers, _longest_s(order.settings))
    times = judge.good_times(folder)
    first = min((each["at"] for each in judge.log_of(folder) if "at" in each), default=0.0)
    sockets = json.loads((folder / "sockets.json").read_text())
    return Course(
        len(times), times[-1] - times[0], max(later - earlier for earlier, later in pairwise([first, *times])),
        watch.seconds, watch.most_mb, watch.most_sockets, sockets["end"], installation.deaths(), code, report, rows,
    )  # fmt: skip


def _longest_s(settings: Sequence[str]) -> float:
    """How long an answer may be waited for: as long as nothing need come, and a little."""
    idle = next((float(each.partition("=")[2]) for each in settings if each.startswith("idle_timeout_s=")), 30.0)
    return idle + SLACK_S


def faults_of(course: Course, pages: int) -> list[str]:
    """The deviations of a crawl, a sentence each."""
    said = [
        (course.pages == pages, f"the good host was asked for {course.pages} of {pages}"),
        (course.gap_s < MOST_GAP_S, f"the good host waited for {course.gap_s:.1f} s"),
        (course.most_mb < MOST_MB, f"{course.most_mb:.0f} MB at once are more than {MOST_MB}"),
        (course.left_open == 0, f"{course.left_open} connections were left open"),
        (course.deaths == 0, f"{course.deaths} processes died"),
        (course.exit_code == (3 if course.rows else 0), f"the crawl ended {course.exit_code}"),
        (course.report["state"] == "finished", f"the run is {course.report['state']}"),
    ]
    wrong = [sentence for fine, sentence in said if not fine]
    return wrong + [f"{each.behaviour.name}: {'; '.join(each.wrong)}" for each in course.rows if each.wrong]


def main() -> int:
    """Prove it; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.journeys.hostile")
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--delay", type=float, default=0.025)
    parser.add_argument("--quick", action="store_true", help="short time-outs, set as a person would")
    said = parser.parse_args()
    order = Order(said.pages, (f"delay_s={said.delay}", *(QUICK if said.quick else ())))
    with tempfile.TemporaryDirectory(prefix="hostile-") as place:
        alone = crawl(Path(place) / "alone", [], order)
        together = crawl(Path(place) / "together", range(len(BEHAVIOURS)), order)
    for row in together.rows:
        sys.stdout.write(row.line() + "\n")
    share = alone.good_s / together.good_s
    wrong = faults_of(alone, said.pages) + faults_of(together, said.pages)
    wrong += [] if share >= LEAST_SHARE else [f"the good host went at {share:.0%} of its pace alone"]
    for course in (alone, together):
        figures = {name: value for name, value in asdict(course).items() if name not in ("rows", "report")}
        sys.stdout.write(json.dumps(figures | {"run_s": course.report["seconds"]}) + "\n")
    sys.stdout.write(f"the good host went at {share:.0%} of its pace alone\n")
    fine = sum(not row.wrong for row in together.rows)
    sys.stdout.write(f"hosts as they must be: {fine}/{len(together.rows)}\n" + "".join(f"- {each}\n" for each in wrong))
    figures = {"hostile hosts": len(together.rows), "as they must be": fine, "pages of the good host": together.pages}
    bounds = {
        f"the good host at {LEAST_SHARE:.0%} of its pace alone, or more": share >= LEAST_SHARE,
        f"less than {MOST_MB} MB at once": max(alone.most_mb, together.most_mb) < MOST_MB,
    }
    left = {"processes that died": together.deaths, "connections left open": together.left_open}
    record("hostile", figures | bounds | left)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
