"""Deferred signals: a signal ends the current work only at a safe point, not within a statement, a fork or a close.

    signal -> noted -> `let_through`, between two steps of the work: calls the former handler, which raises
                `-> a second one, after the first has waited for long: the same, at once

Work that it would have interrupted ends undisturbed.
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
"""Signals that ask a process to end."""
LONG_S = 2.0
"""Seconds in which a second signal is ignored. Work that has not ended by then may hang, so the signal is raised."""


def was_terminated(asked: KeyboardInterrupt) -> bool:
    """Return whether SIGTERM asked: service managers stop services with it, so it is no error."""
    return asked.args == (signal.SIGTERM,)


Receiver = Callable[[int, FrameType | None], object]


@dataclass(slots=True)
class HeldSignals:
    """Signals that were held back, oldest first, and their former handlers."""

    clock: Clock
    receivers: Mapping[int, Receiver] = field(default_factory=dict)
    _noted: list[tuple[int, float]] = field(default_factory=list)

    def let_through(self) -> None:
        """Call the handler of the oldest signal now. Raises the handler's exception, mostly KeyboardInterrupt."""
        if self._noted:
            number, _ = self._noted[0]
            self._noted.clear()
            self.receivers[number](number, None)

    def note(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - the shape of a signal's receiver
        """Keep a signal for later; handle the first one at once if it has waited for long."""
        now = self.clock.monotonic()
        self._noted.append((number, now))
        if now - self._noted[0][1] > LONG_S:
            self.let_through()


@contextmanager
def held_back(clock: Clock) -> Iterator[HeldSignals]:
    """Hold back, for the length of a block, the signals that have handlers; handles the rest at its end.

    Signals that are ignored, or end the process by default, stay as they are. Other threads receive no signals, so
    only the main thread holds any back.
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

    A signal that comes while Python tidies up after a fork would be lost. A child that is forked in the block has to
    unblock them itself, after it has set its handlers.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def ended_at_once() -> Iterator[None]:
    """Have SIGTERM end this process at once for the length of a block, which must be all or nothing."""
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
