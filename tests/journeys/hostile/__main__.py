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
from pathlib import Path
from typing import Any

from tests.journeys.hostile import judge
from tests.journeys.hostile.behaviours import BEHAVIOURS
from tests.journeys.hostile.installation import Installation, certificates, farm, free_port

MOST_MB = 300
LEAST_SHARE = 0.9
QUICK = ("idle_timeout_s=2", "connect_timeout_s=2", "timeout_s=8", "patience_s=4")


@dataclass
class Course:
    """One crawl: how long the good host took, what was seen, and the rows of the hostile hosts."""

    pages: int
    good_s: float
    seconds: float
    most_mb: float
    most_sockets: int
    left_open: int
    deaths: int
    exit_code: int
    report: dict[str, Any]
    rows: list[judge.Judgement] = field(default_factory=list)


def crawl(folder: Path, pages: int, numbers: Sequence[int], settings: Sequence[str], package: str = "") -> Course:
    """Crawl the good host with these hostile ones beside it."""
    folder.mkdir(parents=True)
    port = free_port()
    installation = Installation(folder / "data", certificates(folder, numbers), package)
    installation.add(port, numbers, settings)
    with farm(port, folder, pages, numbers):
        report, watch, code = installation.crawl(limit_s=1500)
        rows = judge.judge(installation, port, folder, numbers)
    times = judge.good_times(folder)
    sockets = json.loads((folder / "sockets.json").read_text())
    return Course(
        len(times), times[-1] - times[0] if times else 0.0, watch.seconds, watch.most_mb, watch.most_sockets,
        sockets["end"], installation.deaths(), code, report, rows,
    )  # fmt: skip


def faults_of(alone: Course, together: Course, pages: int) -> list[str]:
    """What is not as it must be, a sentence each."""
    share = alone.good_s / together.good_s if together.good_s else 0.0
    said = [
        (alone.pages == pages and together.pages == pages, f"the good host was asked for {together.pages} of {pages}"),
        (share >= LEAST_SHARE, f"the good host went at {share:.0%} of its pace alone"),
        (together.most_mb < MOST_MB, f"{together.most_mb:.0f} MB at once are more than {MOST_MB}"),
        (together.left_open == 0, f"{together.left_open} connections were left open"),
        (together.deaths == 0, f"{together.deaths} processes died"),
        (alone.exit_code == 0, f"the crawl of the good host alone ended {alone.exit_code}"),
        (together.exit_code == 3 or not together.rows, f"the crawl of all ended {together.exit_code}"),
        (together.report["state"] == "finished", f"the run is {together.report['state']}"),
    ]
    wrong = [sentence for fine, sentence in said if not fine]
    return wrong + [f"{each.behaviour.name}: {'; '.join(each.wrong)}" for each in together.rows if each.wrong]


def main() -> int:
    """Prove it; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.journeys.hostile")
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--delay", type=float, default=0.01)
    parser.add_argument("--quick", action="store_true", help="short time-outs, set as a person would")
    said = parser.parse_args()
    settings = [f"delay_s={said.delay}", *(QUICK if said.quick else ())]
    numbers = range(len(BEHAVIOURS))
    with tempfile.TemporaryDirectory(prefix="hostile-") as place:
        alone = crawl(Path(place) / "alone", said.pages, [], settings)
        together = crawl(Path(place) / "together", said.pages, numbers, settings)
    for row in together.rows:
        sys.stdout.write(row.line() + "\n")
    wrong = faults_of(alone, together, said.pages)
    for course in (alone, together):
        figures = {name: value for name, value in asdict(course).items() if name not in ("rows", "report")}
        sys.stdout.write(json.dumps(figures | {"run_s": course.report["seconds"]}) + "\n")
    fine = sum(not row.wrong for row in together.rows)
    sys.stdout.write(f"hosts as they must be: {fine}/{len(together.rows)}\n" + "".join(f"- {each}\n" for each in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
