"""What does an outcome mean for a resource's row? Pure: one visit in, one fate out.

| outcome                    | state of a web page          | state of a listed file | visited again               |
|----------------------------|------------------------------|------------------------|-----------------------------|
| Ok, Unchanged, Moved       | READY                        | SETTLED                | next generation / new validator |
| Gone, Excluded, Held       | READY                        | SETTLED                | next generation / next listing |
| Quarantined                | READY                        | SETTLED                | when its content changes    |
| Failed                     | READY                        | SETTLED                | next run                    |
| Deferred                   | READY, not before a time     | READY, the same        | in this run, behind the rest |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from cormorant.frontier import order, retry
from cormorant.model.outcome import (
    Deferred,
    Excluded,
    Failed,
    Gone,
    Held,
    Moved,
    Ok,
    Outcome,
    OutcomeKind,
    Quarantined,
    Unchanged,
)
from cormorant.model.resource import Resource, Role, State


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a fate depends on besides the visit.

    The generation, whether the source lists, store time, a spread near 1.
    """

    generation: int
    lists: bool
    now: float
    spread: float = 1.0


class Fate(NamedTuple):
    """The columns of a resource that a visit sets. `kept`: a document that search could find before stays findable."""

    state: State
    due: int
    attempts: int
    outcome: OutcomeKind
    status: int
    not_before: float
    reason: str | None
    kept: bool


MOST_TRIES = 1000
"""More are not counted; the store has 15 bits for them."""

_TRIED = (Failed, Gone, Deferred)
_WITH_REASON = (Failed, Deferred, Quarantined, Held)
_KEEPS = (OutcomeKind.OK, OutcomeKind.UNCHANGED, OutcomeKind.DEFERRED, OutcomeKind.HELD, OutcomeKind.FAILED)
"""Outcomes that never take a document away by themselves (faults outside our disk delete nothing)."""

_VISITED_AGAIN = (Role.DOCUMENT, Role.SITEMAP)
"""What is visited in every run; a robots.txt only when it holds no longer."""

REPEATED = (OutcomeKind.EXCLUDED, OutcomeKind.QUARANTINED)
"""What ends again as it did when the source says that it is the same version."""


def fate(resource: Resource, outcome: Outcome, at: Circumstances) -> Fate:
    """Decide what becomes of the row."""
    if isinstance(outcome, Deferred):
        return _deferred(resource, outcome, at)
    tries = _tries(resource, outcome)
    kind: OutcomeKind = outcome.kind
    status, reason = outcome.status, reason_of(outcome)
    kept = kind in _KEEPS
    if isinstance(outcome, Failed) and resource.indexed:
        kind, status, kept = _unreachable(resource, outcome)
    if isinstance(outcome, Unchanged) and outcome.status == 304 and resource.outcome in REPEATED:
        kind, status, kept = OutcomeKind(resource.outcome), resource.status, False
    state = State.SETTLED if at.lists or resource.role not in _VISITED_AGAIN else State.READY
    again = order.due(at.generation + 1, 0 if resource.role is Role.SITEMAP else 128, resource.depth)
    return Fate(state, again, tries, kind, status, 0.0, reason, kept)


def _tries(resource: Resource, outcome: Outcome) -> int:
    """Failures in a row. A page is purged by how often it was gone, so what it was before that does not count."""
    if isinstance(outcome, Gone) and resource.outcome != OutcomeKind.GONE:
        return 1
    return min(resource.attempts + 1, MOST_TRIES) if isinstance(outcome, _TRIED) else 0


def _deferred(resource: Resource, outcome: Deferred, at: Circumstances) -> Fate:
    """Behind everything else of this generation, not before the retry rule says."""
    tries = _tries(resource, outcome)
    rest = retry.wait_s(outcome.status, tries, outcome.wait_s, at.spread)
    again = order.due(at.generation, order.LAST, resource.depth)
    return Fate(
        State.READY, again, tries, OutcomeKind.DEFERRED, outcome.status, at.now + rest, outcome.reason, kept=True
    )


def _unreachable(resource: Resource, outcome: Failed) -> tuple[OutcomeKind, int, bool]:
    """Count runs in which a document could not be had: 1020 to 1024, then it is taken for gone."""
    last = retry.LAST_UNREACHABLE
    if not is_unreachable(outcome.status):
        return OutcomeKind.FAILED, outcome.status, True
    if resource.status < retry.FIRST_UNREACHABLE or resource.status > last:
        return OutcomeKind.FAILED, retry.FIRST_UNREACHABLE, True
    if resource.status < last - 1:
        return OutcomeKind.FAILED, resource.status + 1, True
    return OutcomeKind.GONE, last, False


def is_unreachable(status: int) -> bool:
    """Does this status mean that no HTTP answer came: refused, timed out, no such name, TLS, broken stream?"""
    return status in retry.NO_ANSWER


def reason_of(outcome: Outcome) -> str | None:
    """The words kept beside the status: why it failed, the rule that excluded it, where it moved."""
    if isinstance(outcome, _WITH_REASON):
        return outcome.reason
    if isinstance(outcome, Excluded):
        return f"{outcome.ruling.gate}: {outcome.ruling.rule}"
    if isinstance(outcome, Moved):
        return f"to {outcome.target}"
    if isinstance(outcome, Ok) and outcome.document is not None:
        return outcome.document.remark or None
    return None
