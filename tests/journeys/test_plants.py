"""The faults that the proofs plant have their place in the package: code moves, and these run seldom."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.crawling import ROOT
from tests.journeys.faults import EVERY, MANNERS, PAGES, Fault
from tests.journeys.plants import Plant, planted


@pytest.mark.parametrize("fault", [plant for plant, _ in EVERY], ids=lambda fault: fault.name)
def test_a_fault_has_its_place(fault: Plant) -> None:
    text = planted(fault)
    if fault.file.endswith(".py"):
        compile(text, fault.file, "exec")


@pytest.mark.parametrize("fault", [*MANNERS, *PAGES], ids=lambda fault: fault.plant.name)
def test_a_fault_has_its_check(fault: Fault) -> None:
    assert Path(ROOT, fault.check[0]).is_file()


def test_no_two_faults_have_one_name() -> None:
    names = [plant.name for plant, _ in EVERY]
    assert len(names) == len(set(names)) >= 20
