"""The proof of kills at steps finds faults that are planted into a copy of the package, each at a step of its own.

Takes minutes, so it is no part of `make test`, which the name of this file keeps it out of:

    python -m pytest tests/journeys/prove_points.py
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.plants import PLANTS
from tests.journeys.proving import PROOF_S, assert_found

pytestmark = pytest.mark.timeout(PROOF_S + 20)

AT = {
    "rows name copies that are written after the commit": "settled",
    "a visit is completed before its document is written": "rows written",
    "a batch is counted in a transaction of its own": "counted",
    "a delivery is confirmed before it is made": "index updated",
    "documents that the index has not committed are confirmed": "index to be committed",
    "a receiver does not check where its file ends": "lines written",
}
"""The step at which a fault must be found."""


@pytest.mark.parametrize("name", AT)
def test_caught(name: str, tmp_path: Path) -> None:
    (fault,) = (each for each in PLANTS if each.name == name)
    proof = ("tests.journeys.phases", AT[name], "--kills", "8", "--pages", "200")
    assert_found(fault, tmp_path, '"wrong": {"', *proof, asserts=False)
