"""Write docs/reference/proof.md from the recorded figures of the long proofs.

    python -m docs.proof [FOLDER]      FOLDER is what PROOF_RECORDS named when they ran

`make prove` does both. Records of the folder replace those of the same runs in docs/records, and the page shows all
that are kept, because the proofs take hours and do not all run on one day. A proof without a record keeps its place on
the page, without figures. A proof that failed is marked, and the exit code is 1.
"""

# ruff: noqa: INP001 - a folder of pages is no package

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.journeys.faults import EVERY
from tests.journeys.proofs import ENDS, PROOFS, Known

PAGE = Path(__file__).parent / "reference" / "proof.md"
RECORDS = Path(__file__).parent / "records"
ABOUT = """\
# The long proofs

The long proofs take too long to run at every change; `make prove` runs them and writes this page. Its figures are equal
in every run that goes well. Checks that could not be made are listed with their reasons. [Test suites of
others](suites.md) have a page of their own.

"""
FAILED = "**Failed** with `{}`: the figures are those of a failed run.\n\n"
NONE = "There were no figures when this page was written.\n"
FAULTS = """\
## Planted faults

A proof counts only if it finds the faults that are planted for it. Each fault below is planted into a copy of the
package, and the check beside it has to fail.

"""


def page(records: Sequence[dict[str, Any]], ends: Sequence[dict[str, Any]]) -> str:
    """The page for these records, and for the exit codes of the runs."""
    rows = [(each.name, each.shows, f"`{each.command}`") for each in PROOFS]
    parts = [ABOUT + table(("proof", "claim", "command"), rows)]
    for each in PROOFS:
        found = [one for one in records if one["proof"] == each.name]
        broken = [one["given"] for one in ends if one["proof"] == each.name and one["code"]]
        parts.append(_section(each, found, broken or [one["part"] for one in found if failed(one)]))
    planted = [(number, plant.name, plant.file, check) for number, (plant, check) in enumerate(EVERY, 1)]
    return "\n".join([*parts, FAULTS + table(("", "fault", "in", "found by"), planted)])


def _section(proof: Known, found: Sequence[dict[str, Any]], broken: Sequence[str]) -> str:
    """The section of one proof: a column for each of its runs, and the checks that they left out."""
    section = f"## {proof.name.capitalize()}\n\n" + "".join(
        FAILED.format(f"{proof.command} {each}".rstrip()) for each in broken
    )
    figures = {name: None for each in found for name in each["figures"]}
    if not figures:
        section += NONE
    else:
        rows = [(name, *(_shown(each["figures"].get(name, "")) for each in found)) for name in figures]
        days = ("last run", *(each["on"] for each in found))
        section += table(("", *(each["part"] or "figures" for each in found)), [*rows, days])
    once = {name: None for each in found for name in each.get("measured", {})}
    if once:
        rows = [(name, *(_shown(each["measured"].get(name, "")) for each in found)) for name in once]
        section += "\n" + table(("measured once", *(each["part"] or "figures" for each in found)), rows)
    left_out = {name: reason for each in found for name, reason in each["deviations"].items()}
    if left_out:
        section += "\n" + table(("left out", "why"), sorted(left_out.items()))
    return section


def failed(record: dict[str, Any]) -> bool:
    """Whether the run that left this record failed."""
    return bool(record.get("code"))


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def table(columns: Sequence[str], rows: Iterator[Sequence[object]] | Sequence[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(str(each).replace('|', '/') for each in line)} |\n" for line in lines)


def kept() -> list[dict[str, Any]]:
    """The kept records: of the last run of each proof."""
    return [json.loads(path.read_text("utf-8")) for path in sorted(RECORDS.glob("*.json"))]


def write(folder: Path | None = None) -> int:
    """Copy the records of a folder, if one is named, and write the page; return how many runs of a proof failed."""
    for path in folder.glob("*.json") if folder else ():
        shutil.copyfile(path, RECORDS / path.name)
    ends = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob(ENDS))] if folder else []
    PAGE.write_text(page(kept(), ends), encoding="utf-8")
    return sum(bool(each["code"]) for each in ends)


if __name__ == "__main__":
    bad = write(*map(Path, sys.argv[1:2]))
    sys.stdout.write(f"wrote {PAGE}; {bad} of the proofs failed\n")
    sys.exit(bool(bad))
