"""The proof of sight finds every leak that is planted into a copy of the package.

Takes minutes, so it is no part of `make test`, which the name of this file keeps it out of:

    python -m pytest tests/journeys/prove_sight.py
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.faults import SIGHT, Fault
from tests.journeys.proving import TIMEOUT_S, assert_caught

pytestmark = pytest.mark.timeout(TIMEOUT_S + 20)


@pytest.mark.parametrize("fault", SIGHT, ids=lambda fault: fault.plant.name)
def test_caught(fault: Fault, tmp_path: Path) -> None:
    assert_caught(fault, tmp_path)
