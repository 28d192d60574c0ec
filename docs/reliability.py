"""Writes RELIABILITY.md from the figures that the long proofs of reliability have left.

    python -m docs.reliability

It is made of what `docs.proof` keeps in docs/records; `make prove` does both. No figure is written by hand; a proof
that left none is told as such.
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

What was done to Cormorant to see whether it loses, doubles or hurries anything, and what was found. Programs wrote the
figures of this page (`make prove`); [the page of all long proofs](docs/reference/proof.md) tells how each of them went
at its last run, and [what survives a kill](docs/explanation/what-survives-a-kill.md) what is promised.

"""
NONE = "No figures were left when this page was written.\n\n"
FAILURES = """\
## Failures found

What these proofs have found in the program since they exist, and how it was mended.

"""
SIMULATED = """\
## How interleavings are tried

The processes are the program's own, on a real SQLite database, with another clock and another network ([why and
how](docs/adr/0055-processes-take-turns-in-one-thread.md)). Behind each transaction it is looked at what must hold: one
owner of a site an epoch; rows written under a lease alone; no address handed out twice in one epoch; the distance of
requests to a host and to an address; rests that a server asked for; numbers of events without a gap; runs by their
drawing; a run that says it is complete has left nothing; one that has finished has told its receivers. In the end there
is peace: every run and launch has ended, documents are what the sites say, receivers were told everything once.

A seed that goes wrong goes wrong again: `python -m tests.reliability.simulate --seeds N`.
"""


def page(records: Sequence[dict[str, Any]]) -> str:
    """The page that tells of these records."""
    known = [each for each in PROOFS if each.name in OF_RELIABILITY]
    parts = [ABOUT + table(("promise", "shown by"), [(each.shows, f"`make prove` ({each.name})") for each in known])]
    parts += [_section(each, [one for one in records if one["proof"] == each.name]) for each in known]
    found = table(("found by", "what went wrong", "mended"), [tuple(each) for each in FOUND])
    names = table(("", "fault", "in"), [(number, each.name, each.file) for number, each in enumerate(PLANTS, 1)])
    planted = f"## Faults that the simulation was held to\n\nThey were listed before it was written.\n\n{names}"
    return "\n".join([*parts, FAILURES + found, SIMULATED, planted])


def _section(proof: Known, found: Sequence[dict[str, Any]]) -> str:
    """What one proof left: a line for each of its runs."""
    said = f"## {proof.name.capitalize()}\n\n{proof.shows}\n\n"
    names = list(dict.fromkeys(name for each in found for name in (*each["figures"], *each.get("measured", {}))))
    if not names:
        return said + NONE.rstrip("\n") + "\n"
    columns = ("", *names, "with", "last run")
    rows = [_line(each, names, proof) for each in found]
    return said + table(columns, rows)


def _line(record: dict[str, Any], names: Sequence[str], proof: Known) -> tuple[object, ...]:
    told = record["figures"] | record.get("measured", {})
    figures = [told.get(name, "") for name in names]
    shown = [f"{each:,}" if isinstance(each, int) else each for each in figures]
    name = (record["part"] or proof.name) + " (**failed**)" * failed(record)
    return (name, *shown, record["with"], record["on"])


def write() -> None:
    """Write the page."""
    PAGE.write_text(page(kept()), encoding="utf-8")


if __name__ == "__main__":
    write()
    sys.stdout.write(f"wrote {PAGE}\n")
