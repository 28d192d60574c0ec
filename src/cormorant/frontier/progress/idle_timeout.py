"""Idle timeout: the time that a run waits while no server answers.

Pure: the remaining work and a count of responses in, store time out.

    hopeful --all remaining sites rest or failed--> waiting --for `patience_s`--> spent
       ^------------------ a response came ----------'

A response is a document, a 304, a 404 or a redirect. Another failure of a server, or a deferred page, does not extend
the wait.
"""

from __future__ import annotations

from cormorant.frontier.progress.remaining import Remaining
from cormorant.model.run import Counters


def got(counters: Counters) -> int:
    """Return the number of a run's visits with a response. A visit that a gate excludes sends no request."""
    answered = counters.fetched + counters.unchanged + counters.moved + counters.gone + counters.quarantined
    return answered + counters.failed - counters.unanswered


class IdleTimeout:
    """The patience of one run.

    `since` is the time of the last response, `ends_at` the time at which the patience ends without one; both are None
    while some site may answer.
    """

    def __init__(self, patience_s: float) -> None:
        self.since: float | None = None
        self.ends_at: float | None = None
        self.patience_s = patience_s
        self._got = -1

    def look(self, left: Remaining, so_far: int, now: float, visit_s: float) -> bool:
        """Return whether to give up, by the remaining work and the responses so far.

        It is time as soon as no site may go on before the patience ends. But a visit to a site that has just failed may
        take `visit_s`, including its turn, before its result is known, however short the patience is.
        """
        if so_far != self._got:
            self._got, self.since = so_far, None
        if left.troubled < left.sites:
            self.ends_at = None
            return False
        if self.since is None:
            self.since = now
        resting = left.goes_on_at > now
        self.ends_at = self.since + (self.patience_s if resting else max(self.patience_s, visit_s))
        return (left.goes_on_at if resting else now) > self.ends_at
