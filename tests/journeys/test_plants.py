"""The faults that the proofs plant have their place in the package: code moves, and these run seldom."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.journeys.crawling import ROOT
from tests.journeys.faults import EVERY, MANNERS, PAGES, Fault
from tests.journeys.plants import Plant, planted


@pytest.mark.parametrize("fault", [plant for plant, _ in EVERY], ids=lambda fault: fault.name)
def test_a_fault_has_its_place(fault: Plant) -> None:
    assert planted(fault)


@pytest.mark.parametrize("fault", [*MANNERS, *PAGES], ids=lambda fault: fault.plant.name)
def test_a_fault_has_its_check(fault: Fault) -> None:
    assert Path(ROOT, fault.check[0]).is_file()


def test_no_two_faults_have_one_name() -> None:
    names = [plant.name for plant, _ in EVERY]
    assert len(names) == len(set(names)) >= 20


def test_what_is_planted_could_have_been_written(tmp_path: Path) -> None:
    """A fault that only raises NameError is found by anything, and shows of no check that it finds a fault."""
    texts = {
        f"p{number}.py": each
        for number, each in enumerate(planted(fault) for fault, _ in EVERY if fault.file.endswith(".py"))
    }
    assert unsound(tmp_path, texts) == ""
    assert "F821" in unsound(tmp_path, {"p.py": "found = [each for other in ()]\n"})


def unsound(folder: Path, texts: Mapping[str, str]) -> str:
    """The parts of these texts that are no Python, or use undefined names."""
    for name, text in texts.items():
        (folder / name).write_text(text)
    ruff = [str(Path(sys.executable).parent / "ruff"), "check", "--isolated", "--no-cache", "--quiet"]
    done = subprocess.run(
        [*ruff, "--select", "F821,E9", "--output-format", "concise", str(folder)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr
