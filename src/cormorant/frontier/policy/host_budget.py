"""Host budget: the requests that a run may send to one site.

It limits documents, received bytes and minutes, separately for each source.

The owner of the site's lease counts, and each batch stores the counts as a fact of the site: so a limit holds for every
later owner, and after a kill. Visits under way are finished when a limit is met.
"""

from __future__ import annotations

from dataclasses import dataclass

from cormorant.model.settings.budget import SiteBudget


@dataclass(slots=True)
class Spent:
    """Budget of a site that `run` has spent so far.

    `since` is the time of the first document's request, in epoch seconds. `limit` describes the limit that was met, for
    which `refused` visits were refused.
    """

    run: int = 0
    documents: int = 0
    received: int = 0
    since: float = 0.0
    limit: str = ""
    refused: int = 0

    def begin(self, run: int) -> None:
        """Reset the counts if another run begins to visit the site."""
        if run != self.run:
            self.run, self.documents, self.received, self.since = run, 0, 0, 0.0
            self.limit, self.refused = "", 0

    def refuse(self, most: SiteBudget, now: float) -> str:
        """Return the limit that forbids a document's request; "" if it is allowed, and then it is counted."""
        limit = self._met(most, now)
        if limit:
            self.limit, self.refused = limit, self.refused + 1
        else:
            self.documents, self.since = self.documents + 1, self.since or now
        return limit

    def _met(self, most: SiteBudget, now: float) -> str:
        if most.documents is not None and self.documents >= most.documents:
            return f"max_host_documents {most.documents}: so many were asked for in this run"
        if most.received is not None and self.received >= most.received:
            return f"max_host_bytes {most.received:,}: this run has received {self.received:,} bytes of it"
        if most.minutes is not None and self.since and now - self.since >= most.minutes * 60:
            return f"max_host_minutes {most.minutes:g}: this run began to visit it longer ago"
        return ""
