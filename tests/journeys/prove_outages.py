"""The proofs of databases that go away and of full disks find every fault that is planted into a copy of the package.

Takes minutes, so it is no part of `make test`, which the name of this file keeps it out of:

    python -m pytest tests/journeys/prove_outages.py
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.journeys import disks
from tests.journeys.crawling import ROOT
from tests.journeys.faults import OUTAGES, Fault
from tests.journeys.plants import plant

TIMEOUT_S = 580
pytestmark = pytest.mark.timeout(TIMEOUT_S + 20)


@pytest.mark.parametrize("fault", OUTAGES, ids=lambda fault: fault.plant.name)
def test_caught(fault: Fault, tmp_path: Path) -> None:
    if fault.check[0].endswith("disks") and (reason := disks.why_not()):
        pytest.skip(reason)
    environment = dict(os.environ) | {"PYTHONPATH": str(plant(fault.plant, tmp_path))}
    environment.pop("PROOF_RECORDS", None)  # the figures of a fault are no proof
    command = [sys.executable, "-m", *fault.check]
    done = subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    assert done.returncode == 1, done.stdout
    assert '"wrong"' in done.stdout or "AssertionError" in done.stderr, done.stderr
