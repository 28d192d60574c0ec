"""It stays off forbidden addresses, however they are written and whichever way leads there; a few of them here."""

from __future__ import annotations

import pytest

from tests.journeys.forbidden.__main__ import faults_of, proved, why_not
from tests.journeys.forbidden.spellings import addresses, some


@pytest.mark.timeout(900)
def test_no_connection_comes_to_a_forbidden_address() -> None:
    if reason := why_not():
        pytest.skip(reason)
    assert faults_of(proved(spellings=24, rebinding=10)) == []


def test_a_few_come_by_every_way_of_writing() -> None:
    few = some(24)
    assert 20 <= len(few) <= 30
    for part in (
        "[::ffff:",
        "[64:ff9b::",
        "[2002:",
        "user:word@",
        "www.good.test@",
        "%2e",
        ":8080/",
        ":5432/",
        "\uff11",
    ):
        assert any(part in each for each in few), part


def test_there_are_enough_spellings_and_no_two_alike() -> None:
    assert len(set(addresses())) == len(addresses()) >= 150
