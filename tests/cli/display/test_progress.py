"""The display of a crawl in progress."""

from __future__ import annotations

from typing import Any, cast

import pytest

from cormorant.base.errors import Unreachable
from cormorant.cli.display.progress import AGAIN, Lines, interval, line
from cormorant.cli.display.rates import Course, awaited
from cormorant.cli.options import GlobalOptions
from cormorant.cli.terminal import Terminal
from cormorant.frontier.policy.host_errors import HostTrouble
from cormorant.operate.installation import Installation
from cormorant.operate.records.runs import Run
from cormorant.operate.runs.live import LiveView, Waits
from tests.cli.world import Answer, InstalledCli, Site, ended
from tests.clocks import until

DEAD, DOWN, BUSY = HostTrouble("127.0.0.1:9", 906), HostTrouble("gone.example", 975), HostTrouble("busy.example", 503)
REPORT: dict[str, Any] = {
    "source": "docs", "state": "retrieving", "waits": None, "fetched": 3, "to_fetch": 7, "index_writes": 3,
    "pages_per_s": 0.0, "seconds": 61.0,
}  # fmt: skip


def looked(waits: Waits | None, sites: int = 1, **more: object) -> LiveView:
    return LiveView(cast("Run", REPORT | more), (), sites, waits, 0.0, 0, 0)


@pytest.mark.parametrize(
    ("waits", "said"),
    [
        (None, ""),
        (
            Waits((DEAD,), 1, 42.4, 250.0),
            "127.0.0.1:9 does not answer (connection refused); it is asked again in 42 s, the run gives up in 4:10 min "
            "at the latest",
        ),
        (Waits((DEAD,), 1, 0.0, None), "127.0.0.1:9 does not answer (connection refused); it is being asked now"),
        (
            Waits((BUSY,), 1, 60.0, 300.0),
            "busy.example asked to be left alone for a while (503); it is asked again in 1:00 min, the run gives up in "
            "5:00 min at the latest",
        ),
        (
            Waits((DEAD, DOWN), 2, 5.0, None),
            "127.0.0.1:9 does not answer (connection refused); gone.example does not answer (its name is not "
            "resolved); the first is asked again in 5.0 s",
        ),
    ],
)
def test_what_is_waited_for(waits: Waits | None, said: str) -> None:
    assert awaited(looked(waits)) == said


def test_that_the_database_is_away_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    lines, gone = Lines(Terminal(GlobalOptions()), ()), Unreachable("The database does not answer.")
    for _ in range(3):
        lines.away(gone)
    lines.look(cast("Installation", None))
    lines.look(cast("Installation", None))
    said = capsys.readouterr().err.splitlines()
    assert said == ["The database does not answer. Waiting meanwhile.", AGAIN]


def test_a_line_says_why_nothing_goes_on() -> None:
    said = line(Course(1), looked(Waits((DEAD,), 1, 42.0, 250.0)))
    assert said.startswith("docs: retrieving, 3 documents fetched, 7 to go, 3 indexed, 0.0 a second; 127.0.0.1:9 does")
    assert "asked to be left alone" not in said
    working = line(Course(1), looked(Waits((DEAD,), 1, 42.0, None), sites=2))
    assert "the servers: one host; 127.0.0.1:9 does not answer" in working


def test_a_line_of_a_run_that_has_ended_has_no_pace() -> None:
    assert (
        line(Course(1), looked(None, state="finished"))
        == "docs: finished after 1:01 min, 3 documents fetched, 3 indexed"
    )


@pytest.mark.long
def test_a_source_that_has_finished_is_reported_once(bare: InstalledCli, site: Site) -> None:
    site.answers["/slow"] = Answer("<p>late</p>", wait_s=14.0)
    for name, path in (("first", "tides"), ("second", "slow")):
        bare.fine("source", "add", "web", name, "--set", f"start={site.address}{path}", "--set", "depth=0")
    crawl = bare.start("crawl")
    until(lambda: "/slow" in site.asked)
    done = ended(crawl)
    assert done.code == 0, done
    assert done.err.count("first: finished") == 1
    assert done.err.count("second: retrieving") >= 2


def test_lines_become_rarer_while_nothing_changes() -> None:
    waits = [5.0]
    while len(waits) < 6:
        waits.append(interval(waits[-1], same=True))
    assert waits == [5.0, 10.0, 20.0, 40.0, 60.0, 60.0]
    assert interval(60.0, same=False) == 5.0


def test_a_line_says_what_a_run_waits_for() -> None:
    waiting_report = {
        "state": "waiting",
        "waits": "begin",
        "reason": "It waits until one of 2 runs under way has ended.",
    }
    seen = LiveView(cast("Run", REPORT | waiting_report), (), 0, None, 0.0, 0, 0)
    assert line(Course(1), seen).endswith("; It waits until one of 2 runs under way has ended.")
