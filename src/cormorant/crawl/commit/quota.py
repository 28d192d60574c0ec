"""Quota of documents and bytes that this process may still fetch for a run with a limit.

Processes claim what they fetch before they do (`store.journal.quota_claims`), each its share of what nobody has
claimed, and claim again when half of that is used. So all together keep the limit. When nothing is left to be claimed,
one that asks for nothing gives back what it has.

How big a document is shows only when it is there, so those under way are reckoned as big as the others were: of bytes
a run receives more than its limit by about one document for each process.

What visits turn out not to have fetched, as they were answered 404, is free again once they are settled: what is used
is reckoned anew at each look. A process that is silent is taken for dead, and its claim for nothing: after as long a
time it asks for nothing itself.
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
"""A process that has asked for nothing for so long looks whether others could use what it claimed."""


@dataclass(slots=True)
class Limit:
    """A limit of a run (`most`, None: there is none), and up to what this process may use it, counted from 0.

    `used` is what it has fetched and what is under way.
    """

    most: int | None = None
    claim: float = 0.0
    used: int = 0
    _granted: float = 0.0

    def set(self, most: int | None) -> None:
        """A run begins, or somebody has changed its limit: claimed is what is used."""
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
        """Claim a share of what is neither used here nor claimed by others, rounded up: the last one can be had."""
        if self.most is not None:
            self._granted = max(ceil((self.most - by_others - self.used) / peers), 0)
            self.claim = self.used + self._granted

    def give_back(self, by_others: int, peers: int) -> None:
        """Claim no more than what is used, if nothing is left for others to claim."""
        if self.most is not None and self.most - by_others - self.claim < peers:
            self.claim, self._granted = min(self.claim, self.used), inf


class Allowance:
    """The limits of one run in one process. `asked` says that somebody wanted room since that was last looked at.

    `told` is what others know this process to have claimed. None until it has told them: they still reckon with the
    claim of one of its name that worked on the run before. `until` is when they take it for dead (monotonic seconds).
    """

    def __init__(self) -> None:
        self.documents, self.received = Limit(), Limit()
        self.asked = False
        self.told: QuotaClaim | None = None
        self.until = inf
        self._idle_since = 0.0
        self._count = self._size = 0

    def lapse(self) -> None:
        """This process was taken for dead, and others may have claimed what it had: it has what it used."""
        for limit in (self.documents, self.received):
            limit.claim = float(limit.used)
        self.told = None

    def note(self, size: int) -> None:
        """A visit to a document ended, for which this many bytes came."""
        self._count += 1
        self._size += size

    def reckon(self, counted: Counters, batch: Batch, under_way: int) -> None:
        """See what is used: by what was counted, by visits that wait to be, and by as many more that are under way."""
        self.documents.used = counted.fetched + len(batch.visited) + under_way
        on_their_way = under_way * self._size // max(self._count, 1)
        self.received.used = counted.bytes + batch.received + on_their_way

    def ask_room(self, under_way: int, now: float) -> bool:
        """Return whether one more document fits now (monotonic seconds), with `under_way` in progress.

        As long as nobody knows how big documents are, they are asked for one by one where bytes are limited.
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
        """Up to what it may fetch, by its claims."""
        return QuotaClaim(int(self.documents.claim), int(self.received.claim))

    @property
    def is_news(self) -> bool:
        """Return whether the claimed part of a limit differs from the part that other processes know."""
        return self.is_limited and self.told != self.claimed

    def share(self, others: QuotaClaim, peers: int, *, more: bool) -> None:
        """Claim more, or give back what others could use, knowing what they have claimed."""
        for limit, by_others in zip((self.documents, self.received), others, strict=True):
            (limit.grant if more else limit.give_back)(by_others, peers)

    def is_low(self) -> bool:
        """Return whether it is time to claim more of a limit. The first time before anybody asks."""
        return (self.asked or not self._idle_since) and (self.documents.is_low or self.received.is_low)

    def take_idleness(self, now: float) -> bool:
        """Return whether part of a limit is claimed but unused for a while (`now` in monotonic seconds).

        Said once a while.
        """
        if not self.asked and now - self._idle_since <= IDLE_S:
            return False
        idle, self.asked, self._idle_since = not self.asked, False, now
        return idle and any(
            each.most is not None and each.claim > each.used for each in (self.documents, self.received)
        )
