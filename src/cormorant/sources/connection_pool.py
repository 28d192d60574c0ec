"""Connections of a source to its server, kept from one document to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final, Generic, TypeVar

from cormorant.base.clock import Clock
from cormorant.base.errors import LoginRefused

C = TypeVar("C")
IDLE_S: Final = 45.0
"""Seconds after which an unused connection is closed and not used again; servers and firewalls drop older ones."""


class ConnectionPool(Generic[C]):
    """Connections for the threads that read documents; each is used by one thread at a time.

    A connection on which anything failed is closed, since nobody knows in what state it is. A login that was refused is
    not tried again: the pool raises the same LoginRefused at once. `disconnect` raises nothing, in whatever state the
    connection is.
    """

    def __init__(self, connect: Callable[[], C], disconnect: Callable[[C], None], clock: Clock) -> None:
        self._connect, self._disconnect, self._clock = connect, disconnect, clock
        self._idle: list[tuple[C, float]] = []
        self._lock = Lock()
        self._refused: LoginRefused | None = None
        self._closed = False

    @contextmanager
    def connection(self) -> Iterator[C]:
        """Lend a connection, a kept one or a new one. Raises what connecting raises."""
        lent = self._take()
        try:
            yield lent
        except BaseException:
            self._disconnect(lent)
            raise
        self._give_back(lent)

    def close(self) -> None:
        """Close the connections that are idle now, and those that are lent when they come back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for each, _ in idle:
            self._disconnect(each)

    def _take(self) -> C:
        while True:
            with self._lock:
                if self._refused is not None:
                    raise self._refused
                kept = self._idle.pop() if self._idle else None
            if kept is None:
                return self._new()
            if self._clock.monotonic() - kept[1] < IDLE_S:
                return kept[0]
            self._disconnect(kept[0])

    def _new(self) -> C:
        try:
            return self._connect()
        except LoginRefused as error:
            with self._lock:
                self._refused = error
            raise

    def _give_back(self, lent: C) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append((lent, self._clock.monotonic()))
                return
        self._disconnect(lent)
