"""Counters that a visit adds to its run. Pure."""

from __future__ import annotations

from cormorant.model.content import VisitTrace
from cormorant.model.outcome import Outcome, OutcomeKind, Unchanged
from cormorant.model.run import Counters

CONVERSION = (903, 908, 981)
"""Statuses of documents that could not be converted."""
NON_INDEXABLE = (951, 971)
"""Statuses of fetched documents that may not be indexed."""

_FIELD = {
    OutcomeKind.UNCHANGED: "unchanged",
    OutcomeKind.MOVED: "moved",
    OutcomeKind.GONE: "gone",
    OutcomeKind.EXCLUDED: "excluded",
    OutcomeKind.FAILED: "failed",
    OutcomeKind.QUARANTINED: "quarantined",
    OutcomeKind.HELD: "held",
}


def count_wire(counters: Counters, wire: VisitTrace) -> None:
    """Add the traffic of a visit, whatever its role and outcome."""
    counters.requests += wire.requests
    counters.requests_conditional += wire.conditional
    counters.requests_audit += wire.audits
    counters.bytes += wire.received
    counters.bytes_decoded += wire.decoded
    counters.conversions += wire.conversions


def was_misled(wire: VisitTrace, outcome: Outcome) -> bool:
    """Return whether the server had confirmed a page as unchanged that an audit found changed."""
    return wire.audits > 0 and not isinstance(outcome, Unchanged)


def count_outcome(counters: Counters, kind: OutcomeKind, status: int, *, answered: bool) -> None:
    """Add one settled visit of a document. `answered`: it was fetched, whatever its outcome.

    Deferred documents are counted when the run ends, since most are visited again before.
    """
    name = _FIELD.get(kind)
    if name:
        setattr(counters, name, getattr(counters, name) + 1)
    counters.fetched += answered
    counters.not_modified += status == 304 and kind is OutcomeKind.UNCHANGED
    counters.non_indexable += status in NON_INDEXABLE
    counters.conversion_failures += status in CONVERSION
    counters.rejected += kind is OutcomeKind.EXCLUDED and status not in NON_INDEXABLE
    failed = kind in (OutcomeKind.FAILED, OutcomeKind.GONE) and status not in CONVERSION
    counters.fetch_failures += failed
