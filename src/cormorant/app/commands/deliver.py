"""Deliver waiting or replayed documents to a receiver: by processes of our own, or by the owner of the folder.

running(plan) -> look, look ... -> nothing is left, or the receiver makes no progress
"""

from __future__ import annotations

from cormorant.app import data_dir
from cormorant.app.build import BuildPlan, open_house
from cormorant.app.processes.session import Running, running
from cormorant.base.clock import SystemClock, pause
from cormorant.operate.delivery import receivers
from cormorant.operate.installation import Installation
from cormorant.operate.records.receivers import ReceiverRecord

LOOK_S = 0.1
STUCK_S = 15.0
"""Seconds for which a receiver without progress is watched."""


def carry_out(plan: BuildPlan, name: str) -> ReceiverRecord:
    """Return the record of a receiver when no document waits for it any more, or when it makes no progress.

    No store may be open in this process: it forks. Raises CormorantError if our processes died, NotFoundError if
    the receiver was deleted, KeyboardInterrupt if asked to end.
    """
    while True:
        with running(plan, crawling=False) as processes:
            house = open_house(plan)
            try:
                seen = _watch(plan, house, name, processes)
            finally:
                house.store.close()
        if seen is not None:
            return seen


def _watch(plan: BuildPlan, house: Installation, name: str, processes: Running) -> ReceiverRecord | None:
    """The final record; None if the delivering process of another command has ended."""
    clock = SystemClock()
    before, since = -1, clock.monotonic()
    while True:
        seen = receivers.shown(house, name)
        left = seen["backlog"]
        if left != before:
            before, since = left, clock.monotonic()
        if not left or seen["paused"] or clock.monotonic() - since > STUCK_S:
            return seen
        processes.look(plan.folder / "logs", "The remaining deliveries are kept.")
        if not processes.owner and data_dir.is_free(plan.folder):
            return None
        pause(LOOK_S)
