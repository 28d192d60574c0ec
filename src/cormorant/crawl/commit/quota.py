"""Quota of documents and bytes that this process may still fetch for a run with a limit.

Processes claim a share of the unclaimed quota before they fetch (`store.journal.quota_claims`), and claim again when
half of it is used. So all processes together keep the limit. When nothing is left to claim, an idle process gives
back its share.

The size of a document is known only after it is received, so documents under way count with the average size: a run
may exceed a limit of bytes by about one document for each process.

Visits that fetched no document (404, for example) free their quota when they are settled: usage is recomputed at each
check. A process that reports nothing counts as dead and its claim as void; after the same time it stops fetching
itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf
from typing import TYPE_CHECKING

from cormorant.store.journal.quota_claims import QuotaClaim

if TYPE_CHECKING:
    from cormorant.crawl.commit.batch import Batch
    from cormorant.model.run import Counters

IDLE_S = 1.0
"""A process that has asked for no quota for so long checks whether others could use its claim."""


@dataclass(slots=True)
class Limit:
    """A limit of a run (`most`, None: no limit), and up to where this process may use it, counted from 0.

    `used` counts fetched documents or bytes and those under way.
    """

    most: int | None = None
    claim: float = 0.0
    used: int = 0
    _granted: float = 0.0

    def set(self, most: int | None) -> None:
        """Set the limit when a run begins or an administrator changes it: the claim is then what is used."""
        if most != self.most:
            self.most, self.claim = most, float(self.used)

    @property
    def has_room(self) -> bool:
        """Return whether more documents or bytes may be requested."""
        return self.most is None or self.used < self.claim

    @property
    def is_low(self) -> bool:
        """Return whether it is time to claim more of the limit."""
        return self.most is not None and self.claim - self.used <= self._granted / 2

    def grant(self, by_others: int, peers: int) -> None:
        """Claim a share of the quota neither used here nor claimed by others, rounded up so that none is left over."""
        if self.most is not None:
            self._granted = max(ceil((self.most - by_others - self.used) / peers), 0)
            self.claim = self.used + self._granted

    def give_back(self, by_others: int, peers: int) -> None:
        """Reduce the claim to what is used, if nothing is left for others to claim."""
        if self.most is not None and self.most - by_others - self.claim < peers:
            self.claim, self._granted = min(self.claim, self.used), inf


class Allowance:
    """The limits of one run in one process. `asked` says that quota was requested since the last check.

    `published` is the claim that other processes know. None until the first is published: until then they count the
    claim of a process of the same name in the run before. `until` is when they count it as dead (monotonic seconds).
    """

    def __init__(self) -> None:
        self.documents, self.received = Limit(), Limit()
        self.asked = False
        self.published: QuotaClaim | None = None
        self.until = inf
        self._idle_since = 0.0
        self._count = self._size = 0

    def lapse(self) -> None:
        """Reduce the claims to what is used, because others counted this process as dead and may use its share."""
        for limit in (self.documents, self.received):
            limit.claim = float(limit.used)
        self.published = None

    def note(self, size: int) -> None:
        """Note the size in bytes of a document whose visit ended."""
        self._count += 1
        self._size += size

    def reckon(self, counted: Counters, batch: Batch, under_way: int) -> None:
        """Recompute usage: settled documents, visits that wait to be settled, and those under way."""
        self.documents.used = counted.fetched + len(batch.visited) + under_way
        on_their_way = under_way * self._size // max(self._count, 1)
        self.received.used = counted.bytes + batch.received + on_their_way

    def ask_room(self, under_way: int, now: float) -> bool:
        """Return whether one more document fits now (monotonic seconds), with `under_way` in progress.

        While no size of a document is known, documents are requested one by one if bytes are limited.
        """
        self.asked = True
        if self.received.most is not None and under_way and not self._count:
            return False
        lapsed = self.is_limited and now >= self.until
        return self.documents.has_room and self.received.has_room and not lapsed

    @property
    def is_limited(self) -> bool:
        """Return whether the run has any limit."""
        return self.documents.most is not None or self.received.most is not None

    @property
    def claimed(self) -> QuotaClaim:
        """The totals up to which this process may fetch, by its claims."""
        return QuotaClaim(int(self.documents.claim), int(self.received.claim))

    @property
    def is_news(self) -> bool:
        """Return whether the claimed part of a limit differs from the part that other processes know."""
        return self.is_limited and self.published != self.claimed

    def share(self, others: QuotaClaim, peers: int, *, more: bool) -> None:
        """Claim more, or give back quota that others could use, given their claims."""
        for limit, by_others in zip((self.documents, self.received), others, strict=True):
            (limit.grant if more else limit.give_back)(by_others, peers)

    def is_low(self) -> bool:
        """Return whether it is time to claim more of a limit. True the first time even without a request."""
        return (self.asked or not self._idle_since) and (self.documents.is_low or self.received.is_low)

    def take_idleness(self, now: float) -> bool:
        """Return whether part of a limit is claimed but unused for a while (`now` in monotonic seconds).

        True at most once in that time.
        """
        if not self.asked and now - self._idle_since <= IDLE_S:
            return False
        idle, self.asked, self._idle_since = not self.asked, False, now
        return idle and any(
            each.most is not None and each.claim > each.used for each in (self.documents, self.received)
        )
