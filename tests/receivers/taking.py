"""What the receiver of the kind `python` calls in tests. What is taken outlives what was called."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import msgspec

from cormorant.plugins import Delivery, Refusal, Stop

TAKEN: dict[int, Delivery] = {}
CALLS: list[list[int]] = []
LATE: list[Refusal | Stop] = []
RAISES: set[int] = set()
HANGS = threading.Event()
"""Set: whoever takes hangs until it is not."""


def forget() -> None:
    """Begin anew."""
    for each in (TAKEN, CALLS, LATE, RAISES):
        each.clear()
    HANGS.clear()


def take(batch: Sequence[Delivery]) -> list[Refusal]:
    """Take what JSON can write; raise for what is in `RAISES`."""
    CALLS.append([each.seq for each in batch])
    if bad := RAISES & {each.seq for each in batch}:
        raise ValueError(f"number {min(bad)}\nis odd")
    refused = [Refusal(each.seq, "not JSON") for each in batch if not _is_json(each.document)]
    TAKEN.update({each.seq: each for each in batch if each.seq not in {one.seq for one in refused}})
    return refused


def nonsense(batch: Sequence[Delivery]) -> Any:
    """Return what nobody understands."""
    return [seq.seq for seq in batch]


def enough(batch: Sequence[Delivery]) -> bool:
    """Want no more."""
    return False


def ends(batch: Sequence[Delivery]) -> None:
    """Try to end the process."""
    raise SystemExit("over")


class Shop:
    """Made with data; keeps out what the data names; says at the end of a run what it could not take."""

    def __init__(self, data: str) -> None:
        self.data = data

    def __call__(self, batch: Sequence[Delivery]) -> list[Refusal | Stop] | None:
        while HANGS.is_set():
            threading.Event().wait(0.02)
        CALLS.append([each.seq for each in batch])
        TAKEN.update({each.seq: each for each in batch})
        if any(each.event == "finished" for each in batch):
            said, LATE[:] = list(LATE), []
            return said
        return None

    def approve(self, address: str) -> bool:
        if "raise" in address:
            raise RuntimeError("no idea")
        return not (self.data and self.data in address)


def _is_json(value: object) -> bool:
    try:
        msgspec.json.encode(value)
    except TypeError:
        return False
    return True


class Slow:
    """Keeps everything out, and takes its time."""

    def __init__(self, data: str) -> None:
        self.data = data

    def __call__(self, batch: Sequence[Delivery]) -> None:
        """Take nothing."""

    def approve(self, address: str) -> bool:
        while HANGS.is_set():
            threading.Event().wait(0.02)
        return False
