from __future__ import annotations

from dataclasses import asdict

import pytest

from cormorant.model.content import VisitTrace
from cormorant.model.outcome import OutcomeKind
from cormorant.model.run import Counters
from cormorant.store.journal import counters as counter_rows


def counted(kind: OutcomeKind, status: int, *, answered: bool = False) -> dict[str, int]:
    counters = Counters()
    counter_rows.count_outcome(counters, kind, status, answered=answered)
    return {name: value for name, value in asdict(counters).items() if value}


@pytest.mark.parametrize(
    ("kind", "status", "answered", "figures"),
    [
        (OutcomeKind.OK, 200, True, {"fetched"}),
        (OutcomeKind.UNCHANGED, 304, True, {"fetched", "unchanged", "not_modified"}),
        (OutcomeKind.UNCHANGED, 200, True, {"fetched", "unchanged"}),
        (OutcomeKind.MOVED, 954, False, {"moved"}),
        (OutcomeKind.GONE, 404, False, {"gone", "fetch_failures"}),
        (OutcomeKind.EXCLUDED, 970, False, {"excluded", "rejected"}),
        (OutcomeKind.EXCLUDED, 971, True, {"fetched", "excluded", "non_indexable"}),
        (OutcomeKind.EXCLUDED, 951, True, {"fetched", "excluded", "non_indexable"}),
        (OutcomeKind.FAILED, 403, False, {"failed", "fetch_failures"}),
        (OutcomeKind.FAILED, 903, False, {"failed", "conversion_failures"}),
        (OutcomeKind.FAILED, 908, False, {"failed", "conversion_failures"}),
        (OutcomeKind.QUARANTINED, 981, False, {"quarantined", "conversion_failures"}),
        (OutcomeKind.HELD, 980, False, {"held"}),
        (OutcomeKind.DEFERRED, 503, False, set()),
    ],
)
def test_what_a_visit_adds(kind: OutcomeKind, status: int, answered: bool, figures: set[str]) -> None:
    assert counted(kind, status, answered=answered) == dict.fromkeys(figures, 1)


def test_every_outcome_is_counted_at_most_once() -> None:
    own = {"unchanged", "moved", "gone", "excluded", "failed", "quarantined", "held"}
    for kind in OutcomeKind:
        assert len(own & counted(kind, 0).keys()) <= 1


def test_what_a_visit_cost() -> None:
    counters = Counters(requests=1, bytes=5)
    counter_rows.count_wire(counters, VisitTrace(2, 1, 3, 1 << 40, 100, 1))
    counter_rows.count_wire(counters, VisitTrace())
    assert counters == Counters(
        requests=3, requests_conditional=1, requests_audit=3, bytes=(1 << 40) + 5, bytes_decoded=100, conversions=1
    )
