"""Interruption by signals: a request to end raises KeyboardInterrupt, at any point of the program.

    Ctrl-C, SIGTERM, SIGHUP -> KeyboardInterrupt -> `error_boundary.run`: one sentence -> 130
                |                     |-- SIGTERM while `serve` serves: one sentence -> 0
                |                     `-- lost in a clean-up that Python lets no exception out of: raised again later
                `-- again, soon after: ignored, so that the clean-up of the first one is not interrupted

Clean-up must not fill the terminal either: libraries log interrupted work with a traceback.
"""

from __future__ import annotations

import atexit
import logging
import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from cormorant.app.processes.signals import LONG_S, STOPS
from cormorant.base.clock import SystemClock
from cormorant.base.errors import Interrupted

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

AGAIN_S = 0.01


class Interruption:
    """Receives the signals of the command line's process, from start to end."""

    def __init__(self) -> None:
        self._clock = SystemClock()
        self._raised_at = -LONG_S
        self._number: int = signal.SIGTERM
        self._code: int | None = None

    def listen(self, *, log_all: bool) -> None:
        """Receive signals from now on. Log lines of libraries are printed only with `log_all`.

        Signals that the shell has set to be ignored stay ignored, as `nohup` needs. Call it before any module is loaded
        that registers an exit handler: handlers run in reverse order.
        """
        atexit.register(self._leave)
        for number in STOPS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._receive)
        signal.signal(signal.SIGALRM, self._receive_again)
        sys.unraisablehook = self._lost
        if not log_all:
            logging.getLogger().addHandler(logging.NullHandler())

    def end(self, code: int) -> NoReturn:
        """End the process with this code; no signal can interrupt it any more."""
        self._code = code
        atexit.register(_ignore)  # runs when no thread is waited for any more; Python then resets signal handlers
        if code == Interrupted.exit_code:
            _flush()
            os._exit(code)  # Python would treat an exception raised within an `exec` as uncaught, and end by a signal
        sys.exit(code)

    def _leave(self) -> None:
        """Exit at once if nothing is left to do: Python takes a third of a second to free a thousand modules.

        Uncaught exceptions are still reported by Python.
        """
        if self._code is not None:
            logging.shutdown()
            _flush()
            os._exit(self._code)

    def _receive(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - the shape of a receiver
        if self._code is not None:
            os._exit(self._code)
        now = self._clock.monotonic()
        if now - self._raised_at >= LONG_S:
            self._raised_at, self._number = now, number
            raise KeyboardInterrupt(number)

    def _lost(self, what: UnraisableHookArgs) -> None:
        """Handle an exception that Python cannot propagate; an interruption is raised again later."""
        if isinstance(what.exc_value, KeyboardInterrupt):
            self._raised_at = -LONG_S
            signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
        else:
            sys.__unraisablehook__(what)

    def _receive_again(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - the shape of a receiver
        """Send a lost interruption to the current handler of such a signal."""
        receivers = filter(callable, map(signal.getsignal, STOPS))
        next(receivers, self._receive)(self._number, frame)


def _flush() -> None:
    """Flush the output. Its reader may have gone, or its disk be full, which was reported, or it may be missing."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()


def _ignore() -> None:
    for number in STOPS:
        signal.signal(number, signal.SIG_IGN)
