"""State transitions: the row of a resource after a visit.

Pure: one visit in, one row update out.

| outcome                    | state of a web page          | listed file, or member | visited again               |
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

from cormorant.frontier.policy import backoff, priority as url_priority
from cormorant.model.member import is_member
from cormorant.model.outcome import (
    MOVED_TO,
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
from cormorant.model.resource import Resource, Role, UrlState
from cormorant.model.ruling import exclusion_reason
from cormorant.model.settings.error_policy import BY_DEFAULT, Action, ErrorPolicy, ErrorRule
from cormorant.model.settings.priority import Level


@dataclass(frozen=True, slots=True)
class VisitConditions:
    """Conditions besides the visit on which the new state of a row depends.

    The generation, whether the source lists its documents, store time, a spread near 1, the error policy of the source
    (None: the default), and the level of the page in the next generation.
    """

    generation: int
    lists: bool
    now: float
    spread: float = 1.0
    errors: ErrorPolicy | None = None
    level: Level = Level.NORMAL

    def next_due(self, resource: Resource) -> int:
        """Return the position of a resource in the next generation."""
        priority = 0 if resource.role is Role.SITEMAP else url_priority.usual(self.level)
        return url_priority.due(self.generation + 1, priority, resource.depth)


class RowUpdate(NamedTuple):
    """The columns of a resource that a visit sets. `kept`: a document that search could find before stays findable."""

    state: UrlState
    due: int
    attempts: int
    outcome: OutcomeKind
    status: int
    not_before: float
    reason: str | None
    kept: bool


MOST_TRIES = 1000
"""The greatest number of tries that is counted; the column has 15 bits."""

_TRIED = (Failed, Gone, Deferred)
_WITH_REASON = (Failed, Deferred, Quarantined, Held)
_KEEPS = (
    OutcomeKind.OK, OutcomeKind.UNCHANGED, OutcomeKind.DEFERRED, OutcomeKind.HELD, OutcomeKind.FAILED,
    OutcomeKind.QUARANTINED,
)  # fmt: skip
"""Outcomes that never delete a document by themselves (failures outside this machine delete nothing)."""

_VISITED_AGAIN = (Role.DOCUMENT, Role.SITEMAP)
"""Roles of resources that every run visits; a robots.txt is only visited after it has expired."""

REPEATED = (OutcomeKind.EXCLUDED, OutcomeKind.QUARANTINED)
"""Outcomes that stay the same if the source confirms the same version."""


def fate(resource: Resource, outcome: Outcome, at: VisitConditions) -> RowUpdate:
    """Return the update of a visited row."""
    if isinstance(outcome, _TRIED) and resource.role is Role.DOCUMENT:
        ruled = _ruled(resource, outcome, at, at.errors or BY_DEFAULT)
        if ruled is not None:
            return ruled
    if isinstance(outcome, Deferred):
        return _deferred(resource, outcome, at)
    tries = _tries(resource, outcome)
    kind: OutcomeKind = outcome.kind
    status, reason = outcome.status, reason_of(outcome)
    kept = kind in _KEEPS
    if isinstance(outcome, Failed) and (resource.indexed or resource.status == backoff.LAST_UNREACHABLE):
        kind, status, kept = _unreachable(resource, outcome)
    if isinstance(outcome, Unchanged) and outcome.status == 304 and resource.outcome in REPEATED:
        kind, status, kept = OutcomeKind(resource.outcome), resource.status, resource.outcome in _KEEPS
    state = UrlState.SETTLED if at.lists or _is_listed(resource) else UrlState.READY
    return RowUpdate(state, at.next_due(resource), tries, kind, status, 0.0, reason, kept)


def _is_listed(resource: Resource) -> bool:
    """Return whether a resource waits until it is named again: by its site's facts, or by its container."""
    return resource.role not in _VISITED_AGAIN or is_member(resource.address)


def _ruled(
    resource: Resource, outcome: Failed | Gone | Deferred, at: VisitConditions, errors: ErrorPolicy
) -> RowUpdate | None:
    """Return the row update that a rule makes of a server error, None if it is the default anyway.

    By default a searchable page is also deleted when no login can read it any more. A document to be deleted is hidden,
    and deleted when its run settles, unless the deletion guard holds the run (`frontier/policy/deletion_guard.py`).
    """
    status = outcome.status
    rule = errors.rule(status)
    if rule is None or (isinstance(outcome, Failed | Deferred) and outcome.elsewhere):
        return None
    if rule == errors.by_default(status) and not (rule.action is Action.DELETE_AFTER and resource.indexed):
        return None
    if rule.action is Action.RETRY:
        return _retried(resource, outcome, at, rule)
    runs = resource.attempts + 1 if resource.status == status and resource.outcome != OutcomeKind.DEFERRED else 1
    goes = rule.action is Action.DELETE or (rule.action is Action.DELETE_AFTER and runs >= rule.times)
    kind = OutcomeKind.GONE if goes else OutcomeKind.FAILED
    said = reason_of(outcome) or f"The source answered {status}."
    return _final(resource, at, (kind, min(runs, MOST_TRIES), f"{said} error_policy: {_words(status, rule)}"), status)


def _retried(resource: Resource, outcome: Failed | Gone | Deferred, at: VisitConditions, rule: ErrorRule) -> RowUpdate:
    """Retry in this run; after `rule.times` tries the resource counts as gone for a 404 or 410, else as failed."""
    status, so_far = outcome.status, resource.attempts if resource.outcome == OutcomeKind.DEFERRED else 0
    said = reason_of(outcome) or f"The source answered {status}."
    if not rule.times or so_far < rule.times:
        wait = outcome.wait_s if isinstance(outcome, Deferred) else None
        return _deferred(resource._replace(attempts=so_far), Deferred(status, said, wait), at)
    kind = OutcomeKind.GONE if isinstance(outcome, Gone) else OutcomeKind.FAILED
    return _final(resource, at, (kind, so_far + 1, f"{said} error_policy: {_words(status, rule)}"), status)


def _final(resource: Resource, at: VisitConditions, said: tuple[OutcomeKind, int, str], status: int) -> RowUpdate:
    kind, tries, reason = said
    listed = at.lists or resource.role is not Role.DOCUMENT or is_member(resource.address)
    state = UrlState.SETTLED if listed else UrlState.READY
    return RowUpdate(state, at.next_due(resource), tries, kind, status, 0.0, reason, kind is not OutcomeKind.GONE)


def _words(status: int, rule: ErrorRule) -> str:
    return f"{status} {rule.action}{f' {rule.times}' if rule.times else ''}"


def _tries(resource: Resource, outcome: Outcome) -> int:
    """Return the failures in a row.

    Purging goes by how often a page was gone, so earlier other failures do not count.
    """
    if isinstance(outcome, Gone) and resource.outcome != OutcomeKind.GONE:
        return 1
    return min(resource.attempts + 1, MOST_TRIES) if isinstance(outcome, _TRIED) else 0


def _deferred(resource: Resource, outcome: Deferred, at: VisitConditions) -> RowUpdate:
    """Defer behind all other resources of this generation, until the time of the retry rule."""
    tries = _tries(resource, outcome)
    rest = backoff.wait_s(outcome.status, tries, outcome.wait_s, at.spread)
    again = url_priority.due(at.generation, url_priority.LAST, resource.depth)
    return RowUpdate(
        UrlState.READY, again, tries, OutcomeKind.DEFERRED, outcome.status, at.now + rest, outcome.reason, kept=True
    )


def _unreachable(resource: Resource, outcome: Failed) -> tuple[OutcomeKind, int, bool]:
    """Count the runs that could not reach a document: 1020 to 1024, from where on it counts as gone."""
    last = backoff.LAST_UNREACHABLE
    if not is_unreachable(outcome.status):
        return OutcomeKind.FAILED, outcome.status, True
    if resource.status < backoff.FIRST_UNREACHABLE or resource.status > last:
        return OutcomeKind.FAILED, backoff.FIRST_UNREACHABLE, True
    if resource.status < last - 1:
        return OutcomeKind.FAILED, resource.status + 1, True
    return OutcomeKind.GONE, last, False


def is_unreachable(status: int) -> bool:
    """Return whether a status means no HTTP response: refused, timed out, no such name, TLS, broken stream."""
    return status in backoff.NO_ANSWER


def reason_of(outcome: Outcome) -> str | None:
    """Return the text stored beside the status: the error, the excluding rule, the redirect target, or a remark.

    None if the visit gave none.
    """
    if isinstance(outcome, _WITH_REASON):
        return outcome.reason
    if isinstance(outcome, Excluded):
        return exclusion_reason(outcome.ruling.gate, outcome.ruling.rule)
    if isinstance(outcome, Moved):
        return f"{MOVED_TO}{outcome.target}"
    if isinstance(outcome, Ok | Unchanged) and outcome.document is not None:
        return outcome.document.remark
    return None
