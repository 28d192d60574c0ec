"""Progress of a run under way, sampled every few seconds and stored for reports."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cormorant.frontier.progress import remaining
from cormorant.receivers import stream
from cormorant.store.catalog import receivers
from cormorant.store.db import heartbeats
from cormorant.store.journal import progress_samples
from cormorant.store.journal.progress_samples import LOOK_BACK_S, ProgressSample

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cormorant.store.catalog.receivers import ReceiverRow
    from cormorant.store.db.database import Store, Tx
    from cormorant.store.journal.runs import RunRow

EVERY_S: Final = 2.0
SPARING: Final = 50
"""Sampling may take this fraction of the time, if there is much to count."""
BUSY: Final = 0.8
"""Share of time with or waiting for a processor at which a process is as fast as it can be."""
PROCESSORS: Final = "this machine's processors"
"""The bottleneck of a run that waits for nothing else."""


class ProgressSampler:
    """Takes samples of one run that retrieves, from the moment it is created."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._samples: deque[ProgressSample] = deque()
        self._next_at, self._stepped = 0.0, store.steady.total
        self._wanted: Mapping[int, float] = {}
        self.busy = 0.0

    def look(self, row: RunRow, now: float, fetched: int) -> None:
        """Take a sample if it is time (`now`, of the store). The first is only remembered, for comparison."""
        stepped = self._store.steady.total
        if self._samples and (now < self._samples[-1].at or stepped != self._stepped):
            self._samples.clear()  # the clock was set: earlier samples are no longer comparable
            self._stepped = stepped
        elif now < self._next_at:
            return
        with self._store.read() as tx:
            left = remaining.to_fetch(tx, row.source_id, row.generation, row.new_of)
            passed, wanted = delivered(tx, receivers.slowest(tx, row.source_id)), processors_s(tx)
            took_s = tx.now() - now
        self.busy = self._busy(wanted, now)
        self._samples.append(ProgressSample(now, fetched, left, *passed))
        while len(self._samples) > 2 and self._samples[0].at < now - LOOK_BACK_S:
            self._samples.popleft()
        self._wanted, self._next_at = wanted, now + max(EVERY_S, SPARING * took_s)
        if len(self._samples) > 1:
            with self._store.begin() as tx:
                progress_samples.keep(tx, row.id, self._next_at, self.busy, self._samples)

    def _busy(self, wanted: Mapping[int, float], now: float) -> float:
        return round(share(self._wanted, wanted, now - self._samples[-1].at), 3) if self._samples else 0.0


def delivered(tx: Tx, slowest: ReceiverRow | None) -> tuple[int, int]:
    """The place of the slowest receiver, and the number of events behind it; 0 events without a receiver."""
    head = stream.head(tx)
    place = slowest.place if slowest is not None else head
    return place, max(0, head - place)


def processors_s(tx: Tx) -> dict[int, float]:
    """Return the seconds that each of this machine's retrievers had a processor or waited for one, by process number.

    Empty if the system does not report it, as outside Linux.
    """
    found = {}
    for pid in (each.pid for each in heartbeats.alive(tx, "retriever")):
        try:
            ran_ns, waited_ns, *_ = Path(f"/proc/{pid}/schedstat").read_text().split()
        except (OSError, ValueError):
            continue
        found[pid] = (int(ran_ns) + int(waited_ns)) / 1e9
    return found


def share(before: Mapping[int, float], after: Mapping[int, float], seconds: float) -> float:
    """The share of time in which the busiest process had or wanted a processor."""
    most = max((after[pid] - before[pid] for pid in after.keys() & before.keys()), default=0.0)
    return most / seconds if seconds > 0 else 0.0
