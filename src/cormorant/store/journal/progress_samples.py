"""Progress samples: how far a run was lately.

Kept on its row by whoever carries it out, for whoever asks how long it will still take.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final, NamedTuple

import sqlalchemy as sa

from cormorant.store.db.database import Tx
from cormorant.store.journal import runs
from cormorant.store.schema import run

LOOK_BACK_S: Final = 60.0
"""What estimates look back on."""


class ProgressSample(NamedTuple):
    """Progress sample at a moment (seconds, of one clock): documents fetched, and addresses left.

    `told` is the number of the event that the slowest receiver has come to, and so many more are `behind` that.
    """

    at: float
    fetched: int
    left: int
    told: int = 0
    behind: int = 0


class Measured(NamedTuple):
    """Samples of the last minute, two at least, the newest last.

    `next_at` is when another is due, in seconds of the store's clock, as those of samples are. `busy` is for what part
    of the time the busiest retriever had or wanted a processor, of those on the machine that wrote this.
    """

    next_at: float
    busy: float
    samples: tuple[ProgressSample, ...]


def keep(tx: Tx, number: int, next_at: float, busy: float, samples: Iterable[ProgressSample]) -> None:
    """Write down how far a run is, over what was written before."""
    runs.change(tx, number, measured=json.dumps([next_at, busy, [*samples]]))


def newest(tx: Tx, number: int) -> Measured | None:
    """Return the progress of a run at its last sample, None when there is none."""
    said = tx.execute(sa.select(run.c.measured).where(run.c.id == number)).scalar_one_or_none()
    if not said:
        return None
    next_at, busy, samples = json.loads(said)
    return Measured(next_at, busy, tuple(ProgressSample(*each) for each in samples))
