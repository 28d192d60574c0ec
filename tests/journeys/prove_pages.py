"""Every fault of pages that is planted into a copy of the package is found by its check, in a real browser.

Needs what `make pages` installs, and takes minutes, so it is no part of `make test`, which the name of this file keeps
it out of:

    python -m pytest tests/journeys/prove_pages.py
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.faults import PAGES, Fault
from tests.journeys.proving import TIMEOUT_S, assert_caught

pytestmark = pytest.mark.timeout(TIMEOUT_S + 20)


@pytest.mark.parametrize("fault", PAGES, ids=lambda fault: fault.plant.name)
def test_caught(fault: Fault, tmp_path: Path) -> None:
    assert_caught(fault, tmp_path)
