"""How long does a run wait when nothing answers? Pure: what is left and how much was got in, store time out.

    hopeful --all that is left rests or failed--> waiting --for `patience_s`--> spent
       ^--------------- something was got -----------'

What counts is that something is got: a document, a 304, a 404, a redirect. That a server failed once more, or put a
page off, is no reason to wait any longer.
"""

from __future__ import annotations

from cormorant.frontier.progress import Left
from cormorant.model.run import Counters

VISIT_S = 300.0
"""A visit to a site that has just failed may take so long before anybody knows more, whatever the patience is."""


def got(counters: Counters) -> int:
    """How much a run has got: visits that something answered, whatever it said. A gate that says no asks nobody."""
    answered = counters.fetched + counters.unchanged + counters.moved + counters.gone + counters.quarantined
    return answered + counters.failed - counters.unanswered


class Patience:
    """The patience of one run. `pace_s` is the longest delay that one of its sites keeps."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._since: float | None = None
        self._got = -1

    def is_spent(self, left: Left, so_far: int, now: float, pace_s: float = 0.0) -> bool:
        """Look at what is left of a run that has got so much: is it time to give up?

        As soon as the next moment at which anything could go on lies beyond the patience, it is.
        """
        if so_far != self._got:
            self._got, self._since = so_far, None
        if left.troubled < left.sites:
            return False
        if self._since is None:
            self._since = now
        if left.goes_on_at > now:
            return left.goes_on_at - self._since > self._patience_s
        return now - self._since > max(self._patience_s, VISIT_S + pace_s)

    @property
    def ends_at(self) -> float | None:
        """When it is spent if nothing answers until then, None while there is hope."""
        return None if self._since is None else self._since + self._patience_s
