"""Every fault in the list that is planted into a copy of the package is found by its check.

Takes minutes, so it is no part of `make test`, which the name of this file keeps it out of:

    python -m pytest tests/journeys/prove_manners.py
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.journeys.crawling import ROOT
from tests.journeys.faults import MANNERS, Fault
from tests.journeys.plants import plant

pytestmark = pytest.mark.timeout(400)
_FAILED = 1
"""How pytest ends when tests ran and failed."""


@pytest.mark.parametrize("fault", MANNERS, ids=lambda fault: fault.plant.name)
def test_caught(fault: Fault, tmp_path: Path) -> None:
    environment = dict(os.environ) | {"PYTHONPATH": str(plant(fault.plant, tmp_path))}
    environment.pop("PROOF_RECORDS", None)
    command = [sys.executable, "-m", "pytest", "--quiet", "-x", "-p", "no:cacheprovider", *fault.check]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=380)
    assert done.returncode == _FAILED, done.stdout[-3000:]
