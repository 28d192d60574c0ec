"""Do the proofs of failing calls and of power cuts find the faults that were written down for them (`plants`)?

    python -m tests.reliability.disk.planted

Each is planted into a copy of the package, and the run beside it has to find something.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.journeys.crawling import ROOT
from tests.journeys.plants import plant
from tests.journeys.proofs import record
from tests.reliability.disk.gate import why_not
from tests.reliability.disk.plants import PLANTS, Caught


def found(fault: Caught) -> str:
    """The first line of the run about a fault, "" if all went well. Raises RuntimeError if it did not run."""
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        environment = os.environ | {"PYTHONPATH": str(plant(fault.plant, Path(folder)))}
        environment.pop("PROOF_RECORDS", None)
        command = [sys.executable, "-m", fault.run, *fault.given]
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    said = next((line.strip(" -") for line in done.stdout.splitlines() if line.startswith("  - ")), "")
    if (done.returncode == 1) != bool(said):
        raise RuntimeError(f"{fault.plant.name}: {done.stdout[-500:]}{done.stderr[-2000:]}")
    return said


def main() -> int:
    """Plant one after the other; 1 when one was not found."""
    if reason := why_not():
        record("faults of disks", {}, {"planted faults": reason})
        sys.stdout.write(f"left out: {reason}\n")
        return 0
    wanted, missed = sys.argv[1:], []
    some = [each for each in PLANTS if not wanted or each.plant.name in wanted]
    for fault in some:
        said = found(fault)
        sys.stdout.write(f"{fault.plant.name}: {said or 'NOT FOUND'}\n")
        sys.stdout.flush()
        missed += [] if said else [fault.plant.name]
    figures = {"planted": len(some), "found": len(some) - len(missed)}
    record("faults of disks", figures, dict.fromkeys(missed, "not found"))
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
