"""Every fault that is planted into a copy of the package is found, by the farm or in the namespace.

Takes minutes, so it is no part of `make test`, which the name of this file keeps it out of:

    python -m pytest tests/journeys/prove_armour.py
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.journeys.forbidden import __main__ as forbidden
from tests.journeys.hostile.__main__ import Order, crawl, faults_of
from tests.journeys.hostile.behaviours import BEHAVIOURS
from tests.journeys.hostile.plants import PLANTS, Caught
from tests.journeys.plants import plant

pytestmark = pytest.mark.timeout(400)
ORDER = Order(
    100, ("delay_s=0.02", "idle_timeout_s=6", "connect_timeout_s=2", "timeout_s=15", "patience_s=12"), 16, limit_s=90
)


def faults(given: Caught, folder: Path) -> list[str]:
    """The output of the proof."""
    if not given.hosts:
        if reason := forbidden.why_not():
            pytest.skip(reason)
        return forbidden.faults_of(forbidden.proved(40, 10))
    numbers = [n for n, each in enumerate(BEHAVIOURS) if each.name.partition(" (")[0] in given.hosts]
    try:
        return faults_of(crawl(folder / "farm", numbers, ORDER), ORDER.pages)
    except subprocess.TimeoutExpired:
        return ["it did not end"]


@pytest.mark.parametrize("given", PLANTS, ids=lambda given: given.plant.name)
def test_caught(given: Caught, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(plant(given.plant, tmp_path / "planted")))
    assert faults(given, tmp_path)


def test_without_a_plant_nothing_is_found(tmp_path: Path) -> None:
    hosts = tuple({host for each in PLANTS for host in each.hosts})
    assert faults(PLANTS[0]._replace(hosts=hosts), tmp_path) == []
