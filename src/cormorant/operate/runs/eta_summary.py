"""ETA summary: the remaining time of a run and its bottleneck, for a single request without a live view."""

from __future__ import annotations

from typing import Final

from cormorant.model.run import OPEN_STATES, RunState
from cormorant.operate.installation import Installation
from cormorant.operate.records.runs import OneRun, StillToGo
from cormorant.operate.runs import live, start
from cormorant.store.journal import progress_samples
from cormorant.store.journal.progress_samples import Measured

LATE_S: Final = 10.0
"""Seconds for which a sample may be late before the earlier ones are outdated."""
MEASURED: Final = (RunState.RETRIEVING, RunState.DELIVERING)
"""States in which the progress of a run is sampled."""


def shown(house: Installation, number: int | None = None, resting: str | None = None) -> OneRun:
    """Return the record of `start.shown` with `eta_s` and, while the run is under way, its bottleneck.

    `eta_s` has the `least` and the `most` remaining seconds; `most` is None while more addresses are discovered than
    visited, `eta_s` while there is no estimate. Raises NotFoundError.
    """
    record = start.shown(house, number, resting)
    if record["state"] not in OPEN_STATES:
        return {**record, "eta_s": None}
    seen, lately = live.look(house, record["run"]), _lately(house, record["run"])
    samples = lately.samples if lately and record["state"] in MEASURED else ()
    held_up = live.bottleneck(seen, lately.busy if lately else 0.0, samples)
    is_known = samples or seen.all_wait or record["state"] != RunState.RETRIEVING
    ahead = None if seen.all_wait else live.ahead(seen, samples)
    eta: StillToGo | None = {"least": round(ahead.least_s, 1), "most": _seconds(ahead.most_s)} if ahead else None
    return {
        **record,
        "bottleneck": (held_up if is_known else "") or None,
        "eta_s": eta,
    }


def _lately(house: Installation, number: int) -> Measured | None:
    """Return the recent progress of a run, None if it was not measured for some time."""
    with house.store.read() as tx:
        found = progress_samples.newest(tx, number)
        return found if found and found.samples[-1].at <= tx.now() <= found.next_at + LATE_S else None


def _seconds(exactly: float | None) -> float | None:
    return None if exactly is None else round(exactly, 1)
