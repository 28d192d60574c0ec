"""A polite request to end is an interruption, whoever makes it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def as_interrupt() -> Iterator[None]:
    """For the length of a block, SIGTERM and SIGHUP do what Ctrl-C does."""

    def interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the shape of a signal's receiver
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, receiver in before.items():
            signal.signal(number, receiver)
