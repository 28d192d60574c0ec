"""Says that a process is at work, from a thread of its own: what it does may take longer than it may be silent.

So it tells that the process is there and reaches the database, and nothing of how it gets on, which its runs tell.
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
"""A third of what a process may be silent."""


@contextmanager
def heartbeat(house: Installation, name: str, role: str) -> Iterator[None]:
    """Say so for the length of the block, at once and then every SAY_S; a database that is away is tried again.

    A process that ends by a fault is not said to have left: it falls silent.
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
