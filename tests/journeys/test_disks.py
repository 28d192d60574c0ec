"""A full disk is a pause; the long form is `disks`."""

from __future__ import annotations

import pytest

from tests.journeys.disks import STRANGER, shown, why_not

PAGES = 100


@pytest.mark.timeout(900)
def test_the_disk_of_the_kept_copies_is_full_for_a_while() -> None:
    if reason := why_not():
        pytest.skip(reason)
    (case,) = shown(PAGES, ["cache"], STRANGER, hold_s=1.0)
    assert not case["wrong"]
    assert case["deleted"] == 0
