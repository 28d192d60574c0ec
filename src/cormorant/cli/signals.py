"""A polite request to end is an interruption, whoever makes it, and whatever the program is doing just then.

    Ctrl-C, SIGTERM, SIGHUP -> KeyboardInterrupt -> `error_boundary.run`: one sentence -> 130
                |                     |-- SIGTERM while `serve` serves: one sentence -> 0
                |                     `-- raised in a clean-up that Python lets nothing out of: again, a moment later
                `-- once more, soon after: the same request, which tears nothing of what closes because of the first

What happens to be closed just then must not fill the terminal either: libraries log it with a traceback.
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
    """Receives the signals of one process, the command line's, from its first line to its last."""

    def __init__(self) -> None:
        self._clock = SystemClock()
        self._raised_at = -LONG_S
        self._number: int = signal.SIGTERM
        self._code: int | None = None

    def listen(self, *, tell_all: bool) -> None:
        """Receive signals from now on. What libraries log is not printed unless `tell_all`.

        What the shell has set to be ignored stays so: that is how `nohup` works. To be called before anything is loaded
        that wants to do something at the end: what is registered first comes last.
        """
        atexit.register(self._leave)
        for number in STOPS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._receive)
        signal.signal(signal.SIGALRM, self._receive_again)
        sys.unraisablehook = self._lost
        if not tell_all:
            logging.getLogger().addHandler(logging.NullHandler())

    def end(self, code: int) -> NoReturn:
        """End the process with this code, whatever comes: nothing is left that could be interrupted."""
        self._code = code
        atexit.register(_ignore)  # when no thread is waited for any more; Python takes receivers of its own away then
        if code == Interrupted.exit_code:
            _flush()
            os._exit(code)  # Python takes what was raised within an `exec` for uncaught, and would end by a signal
        sys.exit(code)

    def _leave(self) -> None:
        """Be gone, when nothing is left to do: Python takes a third of a second to free a thousand modules one by one.

        What nobody caught, Python tells of as ever.
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
        """Send a lost interruption to the current receiver of such a signal."""
        receivers = filter(callable, map(signal.getsignal, STOPS))
        next(receivers, self._receive)(self._number, frame)


def _flush() -> None:
    """Write what is left to be. Whoever reads it may have gone, or have no room, which was told; or was never there."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()


def _ignore() -> None:
    for number in STOPS:
        signal.signal(number, signal.SIG_IGN)
