"""Run a command that is struck by SIGTERM at the worst moment: `python -m tests.cli.struck MOMENT COUNT WORDS...`.

MOMENT is what is under way when the signal comes, for the COUNT-th time in the process of the command itself.
"""

from __future__ import annotations

import os
import signal
import sys
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

from sqlalchemy.engine.default import DefaultDialect

from cormorant import cli
from cormorant.app import data_dir
from cormorant.app.processes import session
from cormorant.cli import terminal


class Striker:
    """Sends this process, and no child of it, a SIGTERM at the n-th call."""

    def __init__(self, at: int) -> None:
        self.left, self.pid = at, os.getpid()

    def strike(self) -> None:
        """Count, and strike."""
        if os.getpid() == self.pid:
            self.left -= 1
            if self.left == 0:
                os.kill(self.pid, signal.SIGTERM)

    def before(self, owner: Any, name: str) -> None:
        """Strike when this function is called."""
        function: Callable[..., Any] = getattr(owner, name)

        def struck(*given: Any, **named: Any) -> Any:
            self.strike()
            return function(*given, **named)

        setattr(owner, name, struck)


class Thing:
    """Something that is forgotten."""


def forget(striker: Striker) -> None:
    """Strike where Python lets nothing out: in the callback of a weak reference."""
    thing = Thing()
    watched = weakref.ref(thing, lambda _: striker.strike())
    del thing
    assert watched() is None


def execute(striker: Striker) -> None:
    """Strike in a text that is executed, as many modules do when they are imported."""
    exec("strike()", {"strike": striker.strike})


def at_first(act: Callable[[], None]) -> None:
    """Do this when the command asks which installation is meant."""
    plan = terminal.Terminal.plan

    def acting(self: terminal.Terminal) -> Any:
        act()
        return plan(self)

    terminal.Terminal.plan = acting  # type: ignore[method-assign]


def main(moment: str, at: str, *words: str) -> None:
    """Put the striker in place and run the command."""
    striker = Striker(int(at))
    if moment in ("forget", "execute"):
        at_first(partial(forget if moment == "forget" else execute, striker))
    else:
        owner, name = {
            "rollback": (DefaultDialect, "do_rollback"), "close": (DefaultDialect, "do_close"),
            "lock": (data_dir, "take_lock"), "fork": (os, "fork"), "stop": (session, "_stop"),
            "print": (terminal.Terminal, "print"),
        }[moment]  # fmt: skip
        striker.before(owner, name)
    sys.argv = ["cormorant", *words]
    cli.main()


main(*sys.argv[1:])
