"""The kill test finds every fault that is planted into a copy of the package.

Takes minutes, so it is no part of `make test`, which the name of this file keeps it out of:

    python -m pytest tests/journeys/prove_plants.py
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.plants import PLANTS, Plant
from tests.journeys.proving import PROOF_S, assert_found

pytestmark = pytest.mark.timeout(PROOF_S + 20)


@pytest.mark.parametrize("fault", PLANTS, ids=lambda fault: fault.name)
def test_caught(fault: Plant, tmp_path: Path) -> None:
    assert_found(fault, tmp_path, '"kills"', "tests.journeys.kills", "--kills", "16", "--pages", "500")
