"""Host budget: how much a run may request of one site.

Documents, bytes received and minutes, each source for itself.

Counted where the site is leased and kept as a fact of it with each batch: so a limit holds whoever has the site, and
after a kill. What is under way when a limit is met still comes.
"""

from __future__ import annotations

from dataclasses import dataclass

from cormorant.model.settings.budget import SiteBudget


@dataclass(slots=True)
class Spent:
    """Budget of a site that `run` has spent so far.

    `since` is when it asked for the first document, in epoch seconds.

    `limit` is the one it met, in words, for which so many visits were `refused`.
    """

    run: int = 0
    documents: int = 0
    received: int = 0
    since: float = 0.0
    limit: str = ""
    refused: int = 0

    def begin(self, run: int) -> None:
        """A run begins to visit the site, or goes on to."""
        if run != self.run:
            self.run, self.documents, self.received, self.since = run, 0, 0, 0.0
            self.limit, self.refused = "", 0

    def refuse(self, most: SiteBudget, now: float) -> str:
        """The limit because of which a document is not asked for; "" when it is, and then it is counted."""
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
