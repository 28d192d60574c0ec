"""The proof of kills at steps finds faults that are planted into a copy of the package, each at a step of its own.

Takes minutes, so it is no part of `make test`, which the name of this file keeps it out of:

    python -m pytest tests/journeys/prove_points.py
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.journeys.crawling import ROOT
from tests.journeys.plants import PLANTS, plant

TIMEOUT_S = 580
pytestmark = pytest.mark.timeout(TIMEOUT_S + 20)

AT = {
    "rows name copies that are written after the commit": "settled",
    "a visit is done before its document is written": "rows written",
    "a batch is counted in a transaction of its own": "counted",
    "a delivery is confirmed before it is made": "index told",
    "what the index has not committed is confirmed": "index to be committed",
    "a receiver does not look where its file ends": "lines written",
}
"""The step at which a fault must be found."""


@pytest.mark.parametrize("name", AT)
def test_caught(name: str, tmp_path: Path) -> None:
    (fault,) = (each for each in PLANTS if each.name == name)
    environment = dict(os.environ) | {"PYTHONPATH": str(plant(fault, tmp_path))}
    environment.pop("PROOF_RECORDS", None)  # the figures of a fault are no proof
    command = [sys.executable, "-m", "tests.journeys.phases", AT[name], "--kills", "8", "--pages", "200"]
    done = subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    assert done.returncode == 1, done.stdout
    assert '"step"' in done.stdout or "AssertionError" in done.stderr, done.stderr
