"""Idle timeout: how long a run waits when no server answers.

Pure: what is left and how much was got in, store time out.

    hopeful --all that is left rests or failed--> waiting --for `patience_s`--> spent
       ^--------------- something was got -----------'

What counts is that something is got: a document, a 304, a 404, a redirect. That a server failed once more, or put a
page off, is no reason to wait any longer.
"""

from __future__ import annotations

from cormorant.frontier.progress.remaining import Remaining
from cormorant.model.run import Counters


def got(counters: Counters) -> int:
    """Return how many visits of a run got an answer, whatever it said. A gate that says no asks nobody."""
    answered = counters.fetched + counters.unchanged + counters.moved + counters.gone + counters.quarantined
    return answered + counters.failed - counters.unanswered


class IdleTimeout:
    """The patience of one run.

    `since` is since when nothing has been got, `ends_at` when it is spent if nothing answers until then; None while
    there is hope.
    """

    def __init__(self, patience_s: float) -> None:
        self.since: float | None = None
        self.ends_at: float | None = None
        self.patience_s = patience_s
        self._got = -1

    def look(self, left: Remaining, so_far: int, now: float, visit_s: float) -> bool:
        """Return whether it is time to give up, by what is left of a run that has got so much.

        As soon as the next moment at which anything could go on lies beyond the patience, it is. But a visit to a site
        that has just failed may take `visit_s`, its turn included, before anybody knows more, whatever the patience is.
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
