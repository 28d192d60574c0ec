"""The long proofs: what each shows, and where it leaves its figures for docs/reference/proof.md.

A proof calls `record` with figures that are the same each time all is well: counts, and not how long something took,
which is told apart as measured. They are written where PROOF_RECORDS names a folder, which `make prove` does.
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
"""How each run ended, below the folder of the records."""


STORES = ("--store sqlite", "--store postgresql")


class Known(NamedTuple):
    """A proof: its name, the module or file that `make prove` runs, what it shows, and what each run of it is given."""

    name: str
    run: str
    shows: str
    given: tuple[str, ...] = ("",)

    @property
    def command(self) -> str:
        """How it is run, without what is given."""
        return f"python -m {'pytest ' * self.run.endswith('.py')}{self.run}"


PROOFS = (
    Known("kills", "tests.journeys.kills", "Kill any process at any time: nothing is lost, doubled or told twice.",
          tuple(f"--kills 500 --pages 5000 {each}" for each in STORES)),
    Known("kills at steps", "tests.journeys.phases",
          "Killed at any step of a document's way, a crawl loses nothing and tells nothing twice.",
          tuple(f"--kills 25 {each} --part {number}/3" for each in STORES for number in (1, 2, 3))),
    Known("stories", "tests.journeys.stories",
          "What people do with an installation goes as it must, on either store.",
          STORES),
    Known("outages", "tests.journeys.outages",
          "A database that crashes, goes away or has no connection free is a pause: nothing is lost or doubled.",
          ("--pages 5000 --storm 300 --away 60 --crowd 20",)),
    Known("disks", "tests.journeys.disks",
          "A full disk is a pause: nothing is damaged or deleted, and it goes on by itself when there is room.",
          ("--pages 600",)),
    Known("previews", "tests.journeys.previews",
          "What the preview of an edit says enters and leaves is what the next crawl does, exactly.",
          tuple(f"--edits 200 --addresses 100000 {each}" for each in STORES)),
    Known("hostile", "tests.journeys.hostile", "A hostile server costs only its own slot; each ends as it must."),
    Known("forbidden", "tests.journeys.forbidden",
          "No connection comes to a forbidden address, however it is written and whatever leads there."),
    Known("politeness", "tests.journeys.politeness",
          "No host is asked sooner than its delay, by two processes, over a kill."),
    Known("crowd", "tests.journeys.crowd",
          "A thousand hosts are visited as fast as their delays let them be, none sooner, in less than 300 MB.",
          ("--hosts 200 --pages 50 --delay 1", "--hosts 1000 --pages 50 --delay 5")),
    Known("accidents", "tests.journeys.accidents",
          "What is only out of sight is not deleted; what is really gone is, meanwhile and afterwards.", STORES),
    Known("rounds", "tests.journeys.rounds",
          "After each round of random edits the index is the truth; what did not change cost one request.",
          tuple(f"--rounds 30 --seeds 4 {each}" for each in STORES)),
    Known("ages", "tests.journeys.ages",
          "Data folders of older versions are upgraded, gone on with where a run was killed, and found unchanged.",
          STORES),
    Known("sight", "tests.journeys.sight",
          "No answer tells of a document that its reader may not read: it is as if there were none.",
          ("--checks 20000",)),
    Known("queries", "tests.journeys.queries",
          "Whatever is asked is answered, by the page and for programs, and nothing of it ends in a fault.",
          ("--queries 10000",)),
    Known("secrets", "tests/journeys/test_access.py",
          "A secret that is kept can be read nowhere: in no file, nothing printed, no command line."),
    Known("real servers", "tests/sources/web/test_real_servers.py",
          "Passwords, client certificates and a proxy's login work with nginx and squid as people run them."),
    Known("interleavings", "tests.reliability.simulate",
          "Frontier, leases, runs and schedules are right, however processes take turns, fail and come back.",
          tuple(f"--seeds {first}-{first + 999}" for first in range(0, 10_000, 1_000))),
    Known("eta", "tests.reliability.eta",
          "The end of a run lies inside the time that was told on its way, and what holds it up is named."),
    Known("year", "tests.reliability.year",
          "Over a year of nightly crawls no table, no log, no copy and no index grows with the number of runs."),
    Known("soak", "tests.reliability.soak",
          "What serving takes does not grow: an hour of crawls, one a minute, beside people who search.", STORES),
    Known("faults in interleavings", "tests.reliability.planted",
          "The simulation of interleavings finds planted faults.",
          tuple(f"--part {number}/3" for number in (1, 2, 3))),
    Known("failing calls", "tests.reliability.disk.calls",
          "Whichever system call on its files fails, a command says so and ends, and the next crawl has everything.",
          tuple(f"--faults {first}-{first + 99}" for first in range(1, 1_001, 100))),
    Known("power cuts", "tests.reliability.disk.cuts",
          "What was acknowledged is there after a power cut, and what is there can be read.",
          tuple(f"--of {part} --cuts 200" for part in ("store", "cache", "index", "receiver"))),
    Known("faults of disks", "tests.reliability.disk.planted",
          "The proofs of failing calls and power cuts find planted faults."),
    Known("traps", "tests/journeys/prove_traps.py", "Traps around a real site end, and the site is fetched whole."),
    Known("faults in crawls", "tests/journeys/prove_plants.py", "The proof of kills finds planted faults."),
    Known("faults at steps", "tests/journeys/prove_points.py", "The proof of kills at steps finds planted faults."),
    Known("faults in outages", "tests/journeys/prove_outages.py",
          "The proofs of databases that go away and of full disks find planted faults."),
    Known("faults in the armour", "tests/journeys/prove_armour.py",
          "The proofs of hostile servers and forbidden addresses find planted faults."),
    Known("faults in manners", "tests/journeys/prove_manners.py",
          "The tests of robots.txt, boundaries, credentials, change and deletion find planted faults."),
    Known("faults in ages", "tests/journeys/prove_ages.py", "The proof of older data folders finds planted faults."),
    Known("faults in sight", "tests/journeys/prove_sight.py", "The proof of sight finds planted leaks."),
    Known("faults in pages", "tests/journeys/prove_pages.py",
          "The tests that drive a browser find planted faults: what is not escaped, dead, heavy or shut to somebody."),
)  # fmt: skip


def record(
    name: str, figures: Mapping[str, object], deviations: Mapping[str, str] | None = None, *, part: str = "",
    measured: Mapping[str, object] | None = None,
) -> None:  # fmt: skip
    """Write down how a proof went: its figures, and of what it could not show, why. `part`: one of its runs.

    `measured` is what comes out differently each time, as seconds do.
    """
    folder = os.environ.get(FOLDER, "")
    if not folder:
        return
    assert name in {each.name for each in PROOFS}, f"{name} is not known"
    said = {
        "proof": name,
        "part": part,
        "on": (rfc3339(SystemClock().now()) or "")[:10],
        "figures": dict(figures),
        "measured": dict(measured or {}),
        "deviations": dict(sorted((deviations or {}).items())),
        "with": f"Python {platform.python_version()}, {platform.system()} {platform.release()}, {os.cpu_count()} cores",
    }
    Path(folder).mkdir(parents=True, exist_ok=True)
    (Path(folder) / f"{file_of(name, part)}.json").write_text(json.dumps(said, indent=1) + "\n")


def file_of(name: str, part: str) -> str:
    """What the files of a proof's run are called."""
    return f"{name} {part}".strip().replace(" ", "-").replace("--", "").replace("/", "-of-")
