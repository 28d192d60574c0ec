"""Wait for the database until it answers.

A process that needs the database waits here before it begins, instead of dying once a second.

lost the database --ends, is restarted--> asks: no answer -> 0.1 s, 0.15 s ... MOST_S -> answered: begins
"""

from __future__ import annotations

from typing import Final

from cormorant.base.clock import SystemClock, jitter, pause
from cormorant.base.errors import Unreachable
from cormorant.base.log import logger
from cormorant.store.db.database import Store

_log = logger(__name__)
FIRST_S: Final = 0.1
MOST_S: Final = 1.5
"""Seconds between two tries, which grow with the waiting time. So a process goes on within two seconds."""


def database(url: str) -> None:
    """Return as soon as the database answers; the reason of the wait is logged once.

    Raises errors of a database that answers.
    """
    store, wait_s = Store.open(url, SystemClock(), made=True), FIRST_S
    try:
        while (lack := _lack(store)) is not None:
            if wait_s == FIRST_S:
                _log.warning("waits for the database", extra={"reason": lack.sentence})
            pause(wait_s * jitter(0.2))
            wait_s = min(wait_s * 1.5, MOST_S)
    finally:
        store.close()


def _lack(store: Store) -> Unreachable | None:
    """Why there is no answer; None if there is one."""
    try:
        with store.read() as tx:
            tx.driver("SELECT 1")
    except Unreachable as error:
        return error
    return None
