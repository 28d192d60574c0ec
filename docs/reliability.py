"""Write RELIABILITY.md from the recorded figures of the long proofs of reliability.

    python -m docs.reliability

It reads the records that `docs.proof` keeps in docs/records; `make prove` runs both. No figure is written by hand; the
page says so if a proof left none.
"""

# ruff: noqa: INP001 - a folder of pages is no package

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docs.proof import failed, kept, table
from tests.journeys.proofs import PROOFS, Known
from tests.reliability.failures import FOUND
from tests.reliability.plants import PLANTS

PAGE = Path(__file__).parents[1] / "RELIABILITY.md"
OF_RELIABILITY = (
    "interleavings", "faults in interleavings", "kills", "kills at steps", "power cuts", "failing calls",
    "faults in crawls", "faults at steps", "faults of disks", "outages", "disks", "faults in outages", "accidents",
    "rounds", "soak", "eta", "year",
)  # fmt: skip
ABOUT = """\
# Reliability

This page lists the tests that try to make Cormorant lose or duplicate documents, or visit a host too soon, and the
failures that they found. Programs wrote its figures (`make prove`). [The page of all long
proofs](docs/reference/proof.md) shows the last run of each, and [what survives a
kill](docs/explanation/what-survives-a-kill.md) lists the promises.

"""
NONE = "There were no figures when this page was written.\n\n"
FAILURES = """\
## Failures found

These proofs have found the following failures of the program. The last column says how each was mended.

"""
SIMULATED = """\
## How interleavings are tested

The simulation runs the program's own processes on a real SQLite database, with a simulated clock and network ([why and
how](docs/adr/0055-processes-take-turns-in-one-thread.md)). After each transaction it checks these invariants:

- A site has one owner in an epoch, and rows are written only under a lease.
- No address is handed out twice in one epoch.
- Requests to a host and to an IP address keep their distance, and pauses that a server asked for are kept.
- Event numbers have no gaps.
- Runs change state only as the drawing of their states permits.
- A run that says it is complete has left nothing to do; one that has finished has delivered to its receivers.

At the end every run and launch has ended, documents are equal to those of the sites, and receivers have got every event
once.

A seed that fails once fails again: `python -m tests.reliability.simulate --seeds N`.
"""


def page(records: Sequence[dict[str, Any]]) -> str:
    """The page for these records."""
    known = [each for each in PROOFS if each.name in OF_RELIABILITY]
    parts = [ABOUT + table(("promise", "shown by"), [(each.shows, f"`make prove` ({each.name})") for each in known])]
    parts += [_section(each, [one for one in records if one["proof"] == each.name]) for each in known]
    found = table(("found by", "failure", "mended by"), [tuple(each) for each in FOUND])
    names = table(("", "fault", "in"), [(number, each.name, each.file) for number, each in enumerate(PLANTS, 1)])
    planted = f"## Faults that the simulation must find\n\nThey were listed before it was written.\n\n{names}"
    return "\n".join([*parts, FAILURES + found, SIMULATED, planted])


def _section(proof: Known, found: Sequence[dict[str, Any]]) -> str:
    """The section of one proof, with a line for each of its runs."""
    section = f"## {proof.name.capitalize()}\n\n{proof.shows}\n\n"
    names = list(dict.fromkeys(name for each in found for name in (*each["figures"], *each.get("measured", {}))))
    if not names:
        return section + NONE.rstrip("\n") + "\n"
    columns = ("", *names, "with", "last run")
    rows = [_line(each, names, proof) for each in found]
    return section + table(columns, rows)


def _line(record: dict[str, Any], names: Sequence[str], proof: Known) -> tuple[object, ...]:
    recorded = record["figures"] | record.get("measured", {})
    figures = [recorded.get(name, "") for name in names]
    shown = [f"{each:,}" if isinstance(each, int) else each for each in figures]
    name = (record["part"] or proof.name) + " (**failed**)" * failed(record)
    return (name, *shown, record["with"], record["on"])


def write() -> None:
    """Write the page."""
    PAGE.write_text(page(kept()), encoding="utf-8")


if __name__ == "__main__":
    write()
    sys.stdout.write(f"wrote {PAGE}\n")
