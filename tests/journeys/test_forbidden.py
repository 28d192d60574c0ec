"""It stays off forbidden addresses, however they are written and whichever way leads there; a few of them here."""

from __future__ import annotations

import pytest

from tests.journeys.forbidden.__main__ import faults_of, proved, why_not
from tests.journeys.forbidden.spellings import addresses


@pytest.mark.timeout(240)
def test_no_connection_comes_to_a_forbidden_address() -> None:
    if reason := why_not():
        pytest.skip(reason)
    said = proved(spellings=24, rebinding=10)
    assert faults_of(said) == []
    assert said["flips"] > 0


def test_there_are_enough_spellings_and_no_two_alike() -> None:
    assert len(set(addresses())) == len(addresses()) >= 150
