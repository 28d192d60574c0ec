"""Does the simulation find the faults that are listed for it (`plants`)?

    python -m tests.reliability.planted --part 1/3

Each is planted into a copy of the package, and seeds are simulated until one fails.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.journeys.crawling import ROOT
from tests.journeys.plants import Plant, plant
from tests.journeys.proofs import record
from tests.reliability.plants import PLANTS

MOST = 300
"""Seeds that are tried."""
UNSOUND = ("NameError", "SyntaxError", "AttributeError", "TypeError", "UnboundLocalError")
"""Errors of a plant that does not fit into the code any more: they do not count as finding the fault."""


def found(fault: Plant, most: int = MOST) -> str:
    """The message of the first failed seed, "" if all went well. Raises RuntimeError if the simulation did not run."""
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        environment = os.environ | {"PYTHONPATH": str(plant(fault, Path(folder))), "PYTHONHASHSEED": "0"}
        environment.pop("PROOF_RECORDS", None)
        command = [sys.executable, "-m", "tests.reliability.simulate", "--seeds", f"0-{most - 1}", "--until-wrong"]
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    said = next((line for line in done.stdout.splitlines() if line.startswith("seed ")), "")
    if (done.returncode == 1) != bool(said) or any(f": {word}" in said for word in UNSOUND):
        raise RuntimeError(f"{fault.name}: {done.stdout[-500:]}{done.stderr[-2000:]}")
    return said


def main() -> int:
    """Plant one fault after the other; return 1 if one was not found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", default="1/1", metavar="N/M")
    parser.add_argument("--most", type=int, default=MOST, help="seeds that are tried")
    given = parser.parse_args()
    first, _, every = given.part.partition("/")
    some, missed, deviations, after = PLANTS[int(first) - 1 :: int(every)], 0, {}, {}
    for fault in some:
        said = found(fault, given.most)
        sys.stdout.write(f"{fault.name}: {said or 'NOT FOUND'}\n")
        sys.stdout.flush()
        missed += not said
        if said:
            after[fault.name] = f"found in seed {said.split()[1].rstrip(':')}"
        else:
            deviations[fault.name] = f"not found in {given.most} seeds"
    figures = {"planted": len(some), "found": len(some) - missed}
    record("faults in interleavings", figures, deviations, part=given.part.replace("/", " of "), measured=after)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
