"""Every fault of pages that is planted into a copy of the package is found by its check, in a real browser.

Needs what `make pages` installs, and takes minutes, so it is no part of `make test`, which the name of this file keeps
it out of:

    python -m pytest tests/journeys/prove_pages.py
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.journeys.crawling import ROOT
from tests.journeys.faults import PAGES, Fault
from tests.journeys.plants import plant

pytestmark = pytest.mark.timeout(400)
_FAILED = 1
"""How pytest ends when tests ran and failed."""


@pytest.mark.parametrize("fault", PAGES, ids=lambda fault: fault.plant.name)
def test_caught(fault: Fault, tmp_path: Path) -> None:
    environment = dict(os.environ) | {"PYTHONPATH": str(plant(fault.plant, tmp_path))}
    environment.pop("PROOF_RECORDS", None)
    command = [sys.executable, "-m", "pytest", "--quiet", "-x", "-p", "no:cacheprovider", *fault.check]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=380)
    assert done.returncode == _FAILED, done.stdout[-3000:]
