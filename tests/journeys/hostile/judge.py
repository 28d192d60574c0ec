"""Compare a crawl with the expected results: each hostile host by the table, the good one by pages and pace."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cormorant.model.status import describe
from tests.journeys.hostile.behaviours import BEHAVIOURS, Behaviour
from tests.journeys.hostile.farm import ASKED_AT_ONCE, GOOD, host_of, starts_of
from tests.journeys.hostile.installation import HostileInstallation

VERDICTS = {"ok": "indexed", "deferred": "pending", "failed": "failed", "excluded": "excluded", "moved": "not_indexed"}

UNVISITED = ("None", 0)
MOST_ASKED = ASKED_AT_ONCE * 12 + 2
"""Requests to a host at most: eleven for each start address, as redirects make, and its robots.txt."""


@dataclass
class Judgement:
    """A row of what came: the host, what must be, what is, and what `explain` says of it; `wrong` names differences."""

    behaviour: Behaviour
    seen: list[tuple[str, int]]
    because: str
    requests: int
    wrong: list[str] = field(default_factory=list)

    def line(self) -> str:
        """It in a line."""
        mark = "ok " if not self.wrong else "BAD"
        must = f"{self.behaviour.outcome} {self.behaviour.status}"
        said = f" ({'; '.join(self.wrong)})" if self.wrong else ""
        return f"{mark} {self.behaviour.row:4} {must:13} {self.requests:4} {self.behaviour.name}: {self.because}{said}"


def log_of(folder: Path) -> list[dict[str, Any]]:
    """The farm's log: a line a request, and how long each that was hostile was waited for."""
    return [json.loads(line) for line in (folder / "requests.jsonl").read_text().splitlines()]


def good_times(folder: Path) -> list[float]:
    """When the good host was asked for its pages."""
    return [
        each["at"]
        for each in log_of(folder)
        if each["host"] == GOOD and "path" in each and each["path"] != "/robots.txt"
    ]


def judge(
    installation: HostileInstallation, port: int, folder: Path, numbers: Sequence[int], longest_s: float
) -> list[Judgement]:
    """Hold every hostile host against the table; none may have been waited for longer than `longest_s` at a time."""
    documents = {each["url"]: each for each in installation.say("document", "list", "--source", "farm")}
    log = log_of(folder)
    found = []
    for number in numbers:
        behaviour, host = BEHAVIOURS[number], host_of(number, BEHAVIOURS[number])
        starts = starts_of(number, behaviour, port)
        seen = [(str(documents[each]["outcome"]), documents[each]["status"]) for each in starts]
        asked = sum(each["host"] == host for each in log if "path" in each)
        held = max((each["held_s"] for each in log if each["host"] == host and "held_s" in each), default=0.0)
        explained = installation.say("explain", starts[_first(seen, (behaviour.outcome, behaviour.status))])[0]
        row = Judgement(behaviour, sorted(set(seen)), explained["because"], asked)
        row.wrong = _differences(row, explained)
        row.wrong += [f"waited for {held} s"] if held > longest_s else []
        row.wrong += [f"asked {asked} times"] if asked > MOST_ASKED else []
        row.wrong += ["not left alone"] if behaviour.rests and seen and UNVISITED not in seen else []
        if UNVISITED in seen:
            row.wrong += _unvisited(installation.say("explain", starts[_first(seen, UNVISITED)])[0], behaviour.status)
        found.append(row)
    return found


def _first(seen: list[tuple[str, int]], wanted: tuple[str, int]) -> int:
    return seen.index(wanted) if wanted in seen else 0


def _unvisited(explained: dict[str, Any], status: int) -> list[str]:
    """The fault of a page that was not visited because its host is paused, unless its record gives that reason."""
    site = explained["site"]
    if site is None:  # its rest is over
        return []
    fine = site["status"] == status and explained["because"].endswith(f": {site['said']}.")
    return [] if fine else [f"explain says of a page not visited yet: {explained['because']}"]


def _differences(row: Judgement, explained: dict[str, Any]) -> list[str]:
    behaviour, advice = row.behaviour, describe(row.behaviour.status).advice
    wrong = []
    may = {(behaviour.outcome, behaviour.status)} | ({UNVISITED} if behaviour.rests else set())
    if not set(row.seen) <= may:
        wrong.append(f"ended {row.seen}")
    for name, must in (("verdict", VERDICTS[behaviour.outcome]), ("status", behaviour.status), ("advice", advice)):
        if explained[name] != must:
            wrong.append(f"explain says {name} {explained[name]!r}")
    if behaviour.outcome != "ok" and str(behaviour.status) not in explained["because"]:
        wrong.append("explain does not say why")
    return wrong
