"""Accidents take no document away, and do not keep what is really gone; the long form is `accidents`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys.accidents.cases import ACCIDENTS, LATER, Accident
from tests.journeys.accidents.proof import REST_S, happen, prove_meant, staged, why_not
from tests.journeys.accidents.restored import prove_restored
from tests.journeys.crawling import Crawler, crawler
from tests.journeys.home import Home
from tests.stores import KINDS

DOCUMENTS, RUNS = 60, 1
BOTH = ("404 storm", "noindex everywhere", "robots.txt forbids everything", "empty sitemap", "unmounted root")
"""Accidents that happen on both stores; each other one on one of them, as the long form has them all on both."""
OFTEN = (*BOTH, "503 storm", "login page everywhere", "wrong filter edit", "no such name", "empty listing")
"""One of each kind, with every run of the tests; the others are left to the long form, and to a run of all stories."""
PAIRS = [
    pytest.param(
        kind,
        accident,
        id=f"{kind}-{accident.name}",
        marks=pytest.mark.both_stores if accident.name in OFTEN else (pytest.mark.both_stores, pytest.mark.proven),
    )
    for number, accident in enumerate(ACCIDENTS)
    for kind in (KINDS if accident.name in BOTH else KINDS[number % 2 :][:1])
]


@pytest.fixture(scope="module")
def brisk() -> Iterator[Crawler]:
    """A process that crawls, and asks a server that does not answer again after a second."""
    with crawler(rest_s=REST_S) as process:
        yield process


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "accident"), PAIRS)
def test_nothing_leaves_that_is_only_out_of_sight(home: Home, brisk: Crawler, accident: Accident) -> None:
    if reason := why_not(accident):
        pytest.skip(reason)
    proof = happen(home, brisk, accident, DOCUMENTS, RUNS)
    assert proof.faults == [], proof.figures()


@pytest.mark.slow
def test_a_database_that_is_older_than_the_index(home: Home, brisk: Crawler, tmp_path: Path) -> None:
    with staged(home, brisk, tmp_path, ACCIDENTS[0], DOCUMENTS) as stage:
        assert prove_restored(stage, RUNS).faults == []


@pytest.mark.slow
def test_a_deletion_of_most_that_is_meant(home: Home, brisk: Crawler, tmp_path: Path) -> None:
    with staged(home, brisk, tmp_path, ACCIDENTS[0], DOCUMENTS) as stage:
        assert prove_meant(stage).faults == []


@pytest.mark.parametrize("name", LATER)
def test_an_accident_of_a_kind_that_is_not_built(name: str) -> None:
    pytest.skip(LATER[name])
