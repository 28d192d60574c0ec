"""Plant a fault into a copy of the package, and see its check find it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.journeys.crawling import ROOT
from tests.journeys.faults import Fault
from tests.journeys.plants import Plant, plant

TIMEOUT_S = 380
PROOF_S = 580
"""Seconds that a proof may take on a copy with a fault."""
_FAILED = 1
"""How pytest ends when tests ran and failed."""


def assert_caught(fault: Fault, folder: Path) -> None:
    """Run the check of a fault on a copy, made in `folder`, that has it."""
    done = _on_copy(fault.plant, folder, TIMEOUT_S, "pytest", "--quiet", "-x", "-p", "no:cacheprovider", *fault.check)
    assert done.returncode == _FAILED, done.stdout[-3000:]


def assert_found(fault: Plant, folder: Path, says: str, *proof: str, asserts: bool = True) -> None:
    """Run a proof, a module and what is given to it, on a copy that has a fault: it has to find something.

    `says` is in its figures, which tells it from one that could not run. With `asserts` it may also give up on the way.
    """
    done = _on_copy(fault, folder, PROOF_S, *proof)
    assert done.returncode == _FAILED, done.stdout
    assert says in done.stdout or (asserts and "AssertionError" in done.stderr), done.stderr


def _on_copy(fault: Plant, folder: Path, timeout_s: float, *run: str) -> subprocess.CompletedProcess[str]:
    """Run a module on a copy that has a fault, whose figures are no proof."""
    environment = dict(os.environ) | {"PYTHONPATH": str(plant(fault, folder))}
    environment.pop("PROOF_RECORDS", None)
    command = [sys.executable, "-m", *run]
    return subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=timeout_s
    )
