"""The long proofs: what each shows, and where it leaves its figures for docs/reference/proof.md.

A proof calls `record` with figures that are equal in every run that goes well, such as counts. Durations are recorded
apart, as measured. The figures are written if PROOF_RECORDS names a folder, as `make prove` does.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from cormorant.base.clock import SystemClock, rfc3339

FOLDER = "PROOF_RECORDS"
ENDS = "ends/*.json"
"""Files below the folder of the records that say how each run ended."""


STORES = ("--store sqlite", "--store postgresql")


class Known(NamedTuple):
    """A proof: its name, the module or file that `make prove` runs, its claim, and the arguments of each run."""

    name: str
    run: str
    shows: str
    given: tuple[str, ...] = ("",)

    @property
    def command(self) -> str:
        """The command that runs it, without arguments."""
        return f"python -m {'pytest ' * self.run.endswith('.py')}{self.run}"


PROOFS = (
    Known("kills", "tests.journeys.kills", "Kill any process at any time: nothing is lost, doubled or delivered twice.",
          tuple(f"--kills 500 --pages 5000 {each}" for each in STORES)),
    Known("kills at steps", "tests.journeys.phases",
          "Killed at any step of a document's way, a crawl loses nothing and delivers nothing twice.",
          tuple(f"--kills 25 {each} --part {number}/3" for each in STORES for number in (1, 2, 3))),
    Known("stories", "tests.journeys.stories",
          "The everyday tasks of administrators and readers work as documented, on either store.",
          STORES),
    Known("outages", "tests.journeys.outages",
          "A crawl pauses while its database is down or has no free connection: nothing is lost or doubled.",
          ("--pages 5000 --storm 300 --away 60 --crowd 20",)),
    Known("disks", "tests.journeys.disks",
          "A crawl pauses while a disk is full: nothing is damaged or deleted, and it resumes once there is room.",
          ("--pages 600",)),
    Known("previews", "tests.journeys.previews",
          "The preview of an edit lists exactly the documents that the next crawl adds and removes.",
          tuple(f"--edits 200 --addresses 100000 {each}" for each in STORES)),
    Known("hostile", "tests.journeys.hostile",
          "A hostile server occupies one slot; each visit ends with the right outcome."),
    Known("forbidden", "tests.journeys.forbidden",
          "No connection reaches a forbidden address, however it is spelt and whichever link or redirect leads there."),
    Known("politeness", "tests.journeys.politeness",
          "Two processes together keep the delay of each host, even if one of them is killed."),
    Known("crowd", "tests.journeys.crowd",
          "A thousand hosts are crawled as fast as their delays permit and no faster, in less than 300 MB.",
          ("--hosts 200 --pages 50 --delay 1", "--hosts 1000 --pages 50 --delay 5")),
    Known("accidents", "tests.journeys.accidents",
          "Documents that are only unreachable are kept; documents that are really gone are deleted.", STORES),
    Known("rounds", "tests.journeys.rounds",
          "After each round of random edits the index matches the sites; an unchanged page cost one request.",
          tuple(f"--rounds 30 --seeds 4 {each}" for each in STORES)),
    Known("ages", "tests.journeys.ages",
          "Data folders of older versions are upgraded without loss, and a run that was killed in one resumes.",
          STORES),
    Known("sight", "tests.journeys.sight",
          "No answer reveals a document to a reader who may not see it: it is as if the document did not exist.",
          ("--checks 20000",)),
    Known("queries", "tests.journeys.queries",
          "Every query is answered, by the search page and by the API, and none ends in an internal error.",
          ("--queries 10000",)),
    Known("secrets", "tests/journeys/test_access.py",
          "A stored secret appears in no file, no output and no command line."),
    Known("real servers", "tests/sources/web/test_real_servers.py",
          "Passwords, client certificates and a proxy's login work with real nginx and squid servers."),
    Known("interleavings", "tests.reliability.simulate",
          "Frontier, leases, runs and schedules stay correct, however processes interleave, fail and restart.",
          tuple(f"--seeds {first}-{first + 999}" for first in range(0, 10_000, 1_000))),
    Known("eta", "tests.reliability.eta",
          "A run ends within the estimate given on its way, and the estimate names the bottleneck."),
    Known("year", "tests.reliability.year",
          "Over a year of nightly crawls no table, no log, no copy and no index grows with the number of runs."),
    Known("soak", "tests.reliability.soak",
          "Memory, files and threads do not grow in an hour of serving searches and a crawl every minute.", STORES),
    Known("faults in interleavings", "tests.reliability.planted",
          "The simulation of interleavings finds planted faults.",
          tuple(f"--part {number}/3" for number in (1, 2, 3))),
    Known("failing calls", "tests.reliability.disk.calls",
          "Whichever system call on a file fails, the command reports it and ends, and the next crawl is complete.",
          tuple(f"--faults {first}-{first + 99}" for first in range(1, 1_001, 100))),
    Known("power cuts", "tests.reliability.disk.cuts",
          "Acknowledged data survives a power cut, and everything on the disk can be read.",
          tuple(f"--of {part} --cuts 200" for part in ("store", "cache", "index", "receiver"))),
    Known("faults of disks", "tests.reliability.disk.planted",
          "The proofs of failing calls and power cuts find planted faults."),
    Known("traps", "tests/journeys/prove_traps.py",
          "Crawler traps around a real site end; the site is fetched completely."),
    Known("faults in crawls", "tests/journeys/prove_plants.py", "The proof of kills finds planted faults."),
    Known("faults at steps", "tests/journeys/prove_points.py", "The proof of kills at steps finds planted faults."),
    Known("faults in outages", "tests/journeys/prove_outages.py",
          "The proofs of outages and of full disks find planted faults."),
    Known("faults in the armour", "tests/journeys/prove_armour.py",
          "The proofs of hostile servers and forbidden addresses find planted faults."),
    Known("faults in manners", "tests/journeys/prove_manners.py",
          "The tests of robots.txt, boundaries, credentials, change and deletion find planted faults."),
    Known("faults in ages", "tests/journeys/prove_ages.py", "The proof of older data folders finds planted faults."),
    Known("faults in sight", "tests/journeys/prove_sight.py", "The proof of access rights finds planted leaks."),
    Known("faults in pages", "tests/journeys/prove_pages.py",
          "The browser tests find planted faults: unescaped text, dead links, heavy or inaccessible pages."),
)  # fmt: skip


def record(
    name: str, figures: Mapping[str, object], deviations: Mapping[str, str] | None = None, *, part: str = "",
    measured: Mapping[str, object] | None = None,
) -> None:  # fmt: skip
    """Write the figures of a proof, and the reason for each check that it left out. `part`: one of its runs.

    `measured` are figures that differ from run to run, such as seconds.
    """
    folder = os.environ.get(FOLDER, "")
    if not folder:
        return
    assert name in {each.name for each in PROOFS}, f"{name} is not known"
    fields = {
        "proof": name,
        "part": part,
        "on": (rfc3339(SystemClock().now()) or "")[:10],
        "figures": dict(figures),
        "measured": dict(measured or {}),
        "deviations": dict(sorted((deviations or {}).items())),
        "with": f"Python {platform.python_version()}, {platform.system()} {platform.release()}, {os.cpu_count()} cores",
    }
    Path(folder).mkdir(parents=True, exist_ok=True)
    (Path(folder) / f"{file_of(name, part)}.json").write_text(json.dumps(fields, indent=1) + "\n")


def file_of(name: str, part: str) -> str:
    """The file name of the record of a proof's run, without its extension."""
    return f"{name} {part}".strip().replace(" ", "-").replace("--", "").replace("/", "-of-")
