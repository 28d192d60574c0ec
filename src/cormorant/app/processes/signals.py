"""Deferred signals: a signal ends the current work only at a safe point.

Not in the middle of a statement, a fork or a close, but at the next look.

    signal -> noted -> `let_through`, between two steps of the work: whoever received it before is called, and raises
                `-> another one, while the first has waited for long: the same, at once

What it would have torn closes undisturbed, and says nothing.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from cormorant.base.clock import Clock

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What a process is asked to end with."""
LONG_S = 2.0
"""Seconds in which a second signal says nothing new. What has not ended by then may hang: who insists is obeyed."""


def was_terminated(asked: KeyboardInterrupt) -> bool:
    """Say whether it was SIGTERM that asked: whoever looks after services ends one that way, and nothing went wrong."""
    return asked.args == (signal.SIGTERM,)


Receiver = Callable[[int, FrameType | None], object]


@dataclass(slots=True)
class HeldSignals:
    """Signals that were held back, oldest first, and who receives them."""

    clock: Clock
    receivers: Mapping[int, Receiver] = field(default_factory=dict)
    _noted: list[tuple[int, float]] = field(default_factory=list)

    def let_through(self) -> None:
        """Have the oldest signal received now. Raises what its receiver raises, which is mostly KeyboardInterrupt."""
        if self._noted:
            number, _ = self._noted[0]
            self._noted.clear()
            self.receivers[number](number, None)

    def note(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - the shape of a signal's receiver
        """Keep a signal for later; let the first through at once when it has waited for long."""
        now = self.clock.monotonic()
        self._noted.append((number, now))
        if now - self._noted[0][1] > LONG_S:
            self.let_through()


@contextmanager
def held_back(clock: Clock) -> Iterator[HeldSignals]:
    """Hold back, for the length of a block, the signals that would raise something; its end lets through what is left.

    Signals that are ignored, or end the process without a word, go on doing so. Threads receive none, so that nothing
    is held back in any but the main one.
    """
    held = HeldSignals(clock)
    if threading.current_thread() is not threading.main_thread():
        yield held
        return
    found = {number: signal.getsignal(number) for number in STOPS}
    held.receivers = {number: receiver for number, receiver in found.items() if callable(receiver)}
    for number in held.receivers:
        signal.signal(number, held.note)
    try:
        yield held
    finally:
        for number, receiver in held.receivers.items():
            signal.signal(number, receiver)
    held.let_through()


@contextmanager
def blocked() -> Iterator[None]:
    """Have the kernel keep these signals from this thread for the length of a block.

    One that comes while Python tidies up after a fork would be lost. A child that is forked in the block has to unblock
    them itself, once it has said what they mean to it.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def ended_at_once() -> Iterator[None]:
    """Have SIGTERM end this process at once for the length of a block, which counts at its end or not at all."""
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
