"""The faults that `prove_plants.py` plants have their place in the package: code moves, and it runs seldom."""

from __future__ import annotations

import pytest

from tests.journeys.plants import PLANTS, Plant, planted


@pytest.mark.parametrize("fault", PLANTS, ids=lambda fault: fault.name)
def test_a_fault_has_its_place(fault: Plant) -> None:
    compile(planted(fault), fault.file, "exec")
