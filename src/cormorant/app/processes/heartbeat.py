"""Heartbeat of a process, from a thread of its own, since its work may take longer than it may be silent.

So it shows that the process is there and reaches the database, but not its progress, which its runs show.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Final

from cormorant.base.errors import CormorantError
from cormorant.crawl.run.clock_repair import Setbacks
from cormorant.operate.installation import Installation
from cormorant.store.db import heartbeats

SAY_S: Final = 5.0
"""A third of the time that a process may be silent."""


@contextmanager
def heartbeat(house: Installation, name: str, role: str) -> Iterator[None]:
    """Write heartbeats for the length of the block, at once and then every SAY_S; database errors are retried.

    A process that ends by an error is not deregistered: its heartbeats end.
    """
    done, started_at = Event(), house.clock.now()
    setbacks = Setbacks(house.store, house.clock, for_all=False)

    def say() -> None:
        while not done.is_set():
            with suppress(CormorantError), house.store.begin() as tx:
                heartbeats.say(tx, name, role, started_at, house.node)
            with suppress(CormorantError):
                setbacks.look()
            done.wait(SAY_S)

    thread = Thread(target=say, name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
    thread.join()
    with suppress(CormorantError), house.store.begin() as tx:
        heartbeats.leave(tx, name)
