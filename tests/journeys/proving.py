"""Plant a fault into a copy of the package, and see its check find it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.journeys.crawling import ROOT
from tests.journeys.faults import Fault
from tests.journeys.plants import plant

TIMEOUT_S = 380
_FAILED = 1
"""How pytest ends when tests ran and failed."""


def assert_caught(fault: Fault, folder: Path) -> None:
    """Run the check of a fault on a copy, made in `folder`, that has it."""
    environment = dict(os.environ) | {"PYTHONPATH": str(plant(fault.plant, folder))}
    environment.pop("PROOF_RECORDS", None)
    command = [sys.executable, "-m", "pytest", "--quiet", "-x", "-p", "no:cacheprovider", *fault.check]
    done = subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    assert done.returncode == _FAILED, done.stdout[-3000:]
