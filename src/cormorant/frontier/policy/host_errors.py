"""Reasons why a site has to wait, in words.

Pure: the status of its newest failure in, a sentence's parts out.

no response      SILENT    it is retried, in this run and again in the next
429, 503         ASKED     it is not visited before the time it named
login pages      LOGIN     it is not visited before the next run, when the credential may be corrected
987              TIKA      its documents wait for the Tika server, which is another server
anything else    FAILING   it answers with an error
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from cormorant.frontier.policy import backoff
from cormorant.model.status import Status, describe


class HoldReason(StrEnum):
    """The reason why a run cannot visit a site, in the words of a bottleneck."""

    SILENT = "servers that do not answer"
    ASKED = "the servers asked to be left alone for a while"
    LOGIN = "servers that answer with login pages"
    TIKA = "the Tika server, which does not read documents"
    FAILING = "pages that failed and are tried again"


_HOW = {
    Status.READ_TIMEOUT: "timed out",
    Status.IO_ERROR: "reading failed",
    Status.CONNECTION_REFUSED: "connection refused",
    Status.BIND_ERROR: "no free local port",
    Status.NAME_NOT_RESOLVED: "its name is not resolved",
    Status.TLS: "no trusted encrypted connection",
    Status.PROXY: "no way through the proxy",
    Status.BROKEN_STREAM: "the connection broke off",
}
"""The failure of a site without a response, by status."""
_DOES = {
    HoldReason.SILENT: "does not answer ({how})",
    HoldReason.ASKED: "asked to be left alone for a while ({how})",
    HoldReason.LOGIN: "answers with login pages",
    HoldReason.TIKA: "has documents that the Tika server did not read",
    HoldReason.FAILING: "has pages that failed ({how})",
}
_DID = {
    HoldReason.SILENT: "did not answer when it was last asked ({how})",
    HoldReason.ASKED: "asked to be left alone ({how})",
    HoldReason.LOGIN: "answered with login pages when it was last asked",
    HoldReason.TIKA: "has documents that the Tika server did not read",
    HoldReason.FAILING: "answered with an error when it was last asked ({how})",
}


class HostTrouble(NamedTuple):
    """A site that has to wait, and the status of the reason: of its newest failure, or of a deferred page."""

    site: str
    status: int

    @property
    def host(self) -> str:
        """The host with its port, or the folder."""
        return self.site.removeprefix("file:")

    @property
    def why(self) -> HoldReason:
        """Hold reason of the site: one of the cases above."""
        if self.status in backoff.NO_ANSWER:
            return HoldReason.SILENT
        if self.status == Status.HELD:
            return HoldReason.LOGIN
        if self.status == Status.TIKA:
            return HoldReason.TIKA
        return HoldReason.ASKED if self.status in backoff.BUSY else HoldReason.FAILING

    @property
    def what(self) -> str:
        """Present state of the site, as the predicate of a sentence about it."""
        return _DOES[self.why].format(how=self._how) if self.status else "has to wait"

    @property
    def lately(self) -> str:
        """State of the site at its last request, as the predicate of a sentence about it."""
        return _DID[self.why].format(how=self._how)

    @property
    def _how(self) -> str:
        match self.why:
            case HoldReason.SILENT:
                return _HOW[Status(self.status)]
            case HoldReason.ASKED:
                return str(self.status)
            case HoldReason.FAILING | HoldReason.LOGIN | HoldReason.TIKA:
                return f"{self.status} {describe(self.status).text}"

    @property
    def clause(self) -> str:
        """The whole clause: the host and its present state."""
        return f"{self.host} {self.what}"

    @property
    def advice(self) -> str:
        """Advice for an administrator."""
        return describe(self.status).advice


def worst(troubles: tuple[HostTrouble, ...]) -> HoldReason:
    """Return the reason why several sites wait: silence first, since an administrator should look into it."""
    found = {each.why for each in troubles}
    return next((why for why in HoldReason if why in found), HoldReason.FAILING)


NAMED = 3
"""Sites that a sentence names; the others are counted."""


def clause_of(troubles: tuple[HostTrouble, ...], sites: int) -> str:
    """Return one clause on the reasons why `sites` sites wait, of which only some may be known."""
    named = troubles[:NAMED]
    left = sites - len(named)
    more = [f"{left:,} more {'site has' if left == 1 else 'sites have'} to wait"] if left > 0 else []
    return "; ".join([*(each.clause for each in named), *more])
