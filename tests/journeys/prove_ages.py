"""The proof of older data folders finds every fault that is planted into a copy of the package.

Takes minutes, so it is no part of `make test`, which the name of this file keeps it out of:

    python -m pytest tests/journeys/prove_ages.py
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.journeys.ages.plants import PLANTS
from tests.journeys.crawling import ROOT
from tests.journeys.plants import Plant, plant

OLD = "a495745"
pytestmark = pytest.mark.timeout(900)


@pytest.mark.parametrize("fault", PLANTS, ids=lambda fault: fault.name)
def test_caught(fault: Plant, tmp_path: Path) -> None:
    environment = dict(os.environ) | {"PYTHONPATH": str(plant(fault, tmp_path))}
    environment.pop("PROOF_RECORDS", None)  # the figures of a fault are no proof
    command = [sys.executable, "-m", "tests.journeys.ages", OLD]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=880)
    assert done.returncode == 1, done.stdout
    assert "\n- 0009" in done.stdout, done.stderr
