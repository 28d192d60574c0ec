"""The proofs of databases that go away and of full disks find every fault that is planted into a copy of the package.

Takes minutes, so it is no part of `make test`, which the name of this file keeps it out of:

    python -m pytest tests/journeys/prove_outages.py
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys import disks
from tests.journeys.faults import OUTAGES, Fault
from tests.journeys.proving import PROOF_S, assert_found

pytestmark = pytest.mark.timeout(PROOF_S + 20)


@pytest.mark.parametrize("fault", OUTAGES, ids=lambda fault: fault.plant.name)
def test_caught(fault: Fault, tmp_path: Path) -> None:
    if fault.check[0].endswith("disks") and (reason := disks.why_not()):
        pytest.skip(reason)
    assert_found(fault.plant, tmp_path, '"wrong"', *fault.check)
