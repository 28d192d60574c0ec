"""Why a site has to wait is said as it is."""

from __future__ import annotations

import pytest

from cormorant.frontier.policy import backoff, host_errors
from cormorant.frontier.policy.host_errors import HoldReason, HostTrouble

DEAD, DOWN = HostTrouble("127.0.0.1:9", 906), HostTrouble("gone.example", 975)
BUSY, SICK = HostTrouble("busy.example", 503), HostTrouble("sick.example", 500)


@pytest.mark.parametrize(
    ("of", "why", "said"),
    [
        (DEAD, HoldReason.SILENT, "127.0.0.1:9 does not answer (connection refused)"),
        (DOWN, HoldReason.SILENT, "gone.example does not answer (its name is not resolved)"),
        (HostTrouble("slow.example", 902), HoldReason.SILENT, "slow.example does not answer (timed out)"),
        (HostTrouble("file:/srv/papers", 905), HoldReason.SILENT, "/srv/papers does not answer (reading failed)"),
        (BUSY, HoldReason.ASKED, "busy.example asked to be left alone for a while (503)"),
        (SICK, HoldReason.FAILING, "sick.example has pages that failed (500 Internal server error)"),
        (HostTrouble("new.example", 0), HoldReason.FAILING, "new.example has to wait"),
    ],
)
def test_one_site(of: HostTrouble, why: HoldReason, said: str) -> None:
    assert (of.why, of.clause) == (why, said)


@pytest.mark.parametrize(
    ("of", "lately"),
    [
        (DEAD, "did not answer when it was last asked (connection refused)"),
        (BUSY, "asked to be left alone (503)"),
        (SICK, "answered with an error when it was last asked (500 Internal server error)"),
    ],
)
def test_one_site_when_it_was_last_asked(of: HostTrouble, lately: str) -> None:
    assert of.lately == lately


@pytest.mark.parametrize("status", backoff.NO_ANSWER)
def test_every_way_of_not_answering_has_its_words_and_an_advice(status: int) -> None:
    silent = HostTrouble("a.example", status)
    assert silent.clause.startswith("a.example does not answer (")
    assert silent.advice.endswith(".")


def test_several_sites() -> None:
    assert host_errors.clause_of((DEAD, BUSY), 2) == f"{DEAD.clause}; {BUSY.clause}"
    assert host_errors.clause_of((DEAD, DOWN, BUSY, SICK), 1200) == (
        f"{DEAD.clause}; {DOWN.clause}; {BUSY.clause}; 1,197 more sites have to wait"
    )
    assert host_errors.clause_of((), 1) == "1 more site has to wait"


@pytest.mark.parametrize(
    ("of", "why"),
    [
        ((BUSY, DEAD), HoldReason.SILENT),
        ((SICK, BUSY), HoldReason.ASKED),
        ((SICK,), HoldReason.FAILING),
        ((), HoldReason.FAILING),
    ],
)
def test_silence_is_worst(of: tuple[HostTrouble, ...], why: HoldReason) -> None:
    assert host_errors.worst(of) is why
