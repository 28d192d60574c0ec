"""Host back-off: the rest of a whole site after failures.

Pure: the site's failures in a row and the newest outcome in, store time out.
"""

from __future__ import annotations

from typing import NamedTuple, TypeGuard

from cormorant.frontier.policy import backoff
from cormorant.model.outcome import Deferred, Failed, Outcome


class Rest(NamedTuple):
    """The site's failures in a row, and the store time until which it rests (0: it does not rest)."""

    failures: int
    until: float


CIRCUIT = 10
"""Visits in a row without a response, or with a server error, after which a site rests."""


def after(outcome: Outcome, failures: int, now: float, spread: float) -> Rest:
    """Return the rest before the next visit of a site.

    A redirect counts as a response of the site, even if its target fails. A shortage of this machine says nothing about
    the site.
    """
    if isinstance(outcome, Deferred) and outcome.lack is not None:
        return Rest(failures, 0.0)
    if isinstance(outcome, Failed | Deferred) and outcome.elsewhere:
        return Rest(0, 0.0)
    if isinstance(outcome, Deferred) and outcome.whole_site:
        tries = failures + 1
        return Rest(tries, now + backoff.wait_s(outcome.status, tries, outcome.wait_s, spread))
    if _counts(outcome):
        tries = failures + 1
        if tries < CIRCUIT:
            return Rest(tries, 0.0)
        return Rest(tries, now + backoff.wait_s(outcome.status, tries - CIRCUIT + 1, None, spread))
    return Rest(0, 0.0)


def _counts(outcome: Outcome) -> TypeGuard[Failed | Deferred]:
    """Return whether a visit got no response, or a server error that says nothing about the page.

    A status without a retry (501, 505) concerns the page.
    """
    if isinstance(outcome, Deferred) and outcome.status in backoff.SERVER_FAULTS:
        return True
    return isinstance(outcome, Failed | Deferred) and outcome.status in backoff.NO_ANSWER
