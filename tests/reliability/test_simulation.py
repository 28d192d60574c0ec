"""Seeds of the simulation go well, and a seed is always the same history; the long form is `simulate`."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.journeys.crawling import ROOT
from tests.reliability.simulate import seeds_of

SEEDS = "0-3"


def _lived(seeds: str) -> str:
    """The output of the simulation for seeds that all go well."""
    command = [sys.executable, "-m", "tests.reliability.simulate", "--seeds", seeds, "--digests"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.long
def test_whatever_comes_between_nothing_is_lost_doubled_or_hurried() -> None:
    said = _lived(SEEDS)
    figures = dict(line.rsplit(maxsplit=1) for line in said.splitlines())
    assert min(int(figures[name.rjust(36)]) for name in ("kills", "stops", "requests", "events")) > 0
    again = _lived("0")
    assert said.splitlines()[-len(seeds_of(SEEDS))] == again.splitlines()[-1]
