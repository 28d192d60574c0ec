"""How far is a run? Looked at every few seconds while it retrieves, and written down for whoever asks."""

from __future__ import annotations

import os
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cormorant.frontier import progress
from cormorant.journal import measured
from cormorant.journal.measured import LOOK_BACK_S, Sample
from cormorant.store import processes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cormorant.journal.runs import RunRow
    from cormorant.store.database import Store, Tx

EVERY_S: Final = 2.0
SPARING: Final = 50
"""Looking may take this part of the time, when there is much to be counted."""


class Measuring:
    """Takes samples of one run that retrieves, from when it is made."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._samples: deque[Sample] = deque()
        self._next_at = 0.0
        self._ticks: Mapping[int, int] = {}

    def look(self, row: RunRow, now: float, fetched: int) -> None:
        """Take a sample if it is time (`now`, of the store). The first is only remembered: it alone says nothing."""
        if self._samples and now < self._samples[-1].at:
            self._samples.clear()  # the clock was set back
        elif now < self._next_at:
            return
        with self._store.read() as tx:
            left = progress.to_fetch(tx, row.source_id, row.generation, row.new_of)
            ticks, took_s = cpu_ticks(tx), tx.now() - now
        busy = self._busy(ticks, now)
        self._samples.append(Sample(now, fetched, left))
        while len(self._samples) > 2 and self._samples[0].at < now - LOOK_BACK_S:
            self._samples.popleft()
        self._ticks, self._next_at = ticks, now + max(EVERY_S, SPARING * took_s)
        if len(self._samples) > 1:
            with self._store.begin() as tx:
                measured.keep(tx, row.id, self._next_at, busy, self._samples)

    def _busy(self, ticks: Mapping[int, int], now: float) -> float:
        """How much of a processor the busiest retriever has used since the last look."""
        if not self._samples:
            return 0.0
        seconds = (now - self._samples[-1].at) * os.sysconf("SC_CLK_TCK")
        used = max((ticks[pid] - self._ticks[pid] for pid in ticks.keys() & self._ticks.keys()), default=0)
        return round(used / seconds, 3) if seconds > 0 else 0.0


def cpu_ticks(tx: Tx) -> dict[int, int]:
    """CPU ticks of this machine's retrievers so far, by process number; empty where /proc is not."""
    found = {}
    for pid in (each.pid for each in processes.alive(tx, "retriever")):
        try:
            words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found[pid] = int(words[11]) + int(words[12])
    return found
