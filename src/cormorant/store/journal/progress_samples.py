"""Progress samples: the recent progress of a run.

The process that carries out a run stores them in its row, for estimates of the remaining time.
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
"""The period of an estimate, in seconds."""


class ProgressSample(NamedTuple):
    """Progress sample at a moment (seconds, of one clock): documents fetched, and addresses left.

    `delivered` is the number of the last event that the slowest receiver has confirmed, and `behind` counts the events
    after it.
    """

    at: float
    fetched: int
    left: int
    delivered: int = 0
    behind: int = 0


class Measured(NamedTuple):
    """Samples of the last minute, two at least, the newest last.

    `next_at` is when another is due, in seconds of the store's clock, as the times of samples. `busy` is the share of
    time in which the busiest retriever of the writing machine had or wanted a processor.
    """

    next_at: float
    busy: float
    samples: tuple[ProgressSample, ...]


def keep(tx: Tx, number: int, next_at: float, busy: float, samples: Iterable[ProgressSample]) -> None:
    """Write the progress of a run, replacing the former one."""
    runs.change(tx, number, measured=json.dumps([next_at, busy, [*samples]]))


def newest(tx: Tx, number: int) -> Measured | None:
    """Return the newest progress of a run, None if there is none."""
    stored = tx.execute(sa.select(run.c.measured).where(run.c.id == number)).scalar_one_or_none()
    if not stored:
        return None
    next_at, busy, samples = json.loads(stored)
    return Measured(next_at, busy, tuple(ProgressSample(*each) for each in samples))
