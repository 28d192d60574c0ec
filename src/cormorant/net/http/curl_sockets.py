"""Curl sockets: the file descriptors that libcurl waits for, in one epoll set beside the loop's, or in the loop itself.

    libcurl --watch(fd, in/out/remove)--> set of sockets --ready--> event(fd, ...) for each --> turn_over(), once

libcurl removes a kept connection after each request and adds it again for the next. Registering it with the loop each
time costs as much as libcurl itself (38 us a request instead of 27), so if the system has epoll, one set of our own
holds all sockets, keeps idle connections registered, and is watched by the loop.
"""

from __future__ import annotations

import asyncio
import select
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

import pycurl  # type: ignore[import-untyped]

Event = Callable[[int, int], object]
"""Called with a socket and libcurl's CSELECT bits."""

_READ, _WRITE = int(pycurl.POLL_IN), int(pycurl.POLL_OUT)
_IN, _OUT, _ERR = int(pycurl.CSELECT_IN), int(pycurl.CSELECT_OUT), int(pycurl.CSELECT_ERR)
_REMOVE = int(pycurl.POLL_REMOVE)


class Sockets(Protocol):
    """A set of watched sockets."""

    def watch(self, what: int, fd: int) -> None:
        """Watch a socket as libcurl requests: POLL_IN, POLL_OUT, POLL_INOUT, POLL_NONE or POLL_REMOVE."""
        ...

    def close(self) -> None:
        """Stop watching all sockets."""
        ...


class EpollSockets:
    """One epoll set, which the loop watches as a whole.

    A socket that libcurl removed may be kept idle or be closed: it stays registered until its next event. If its
    number is used again, it is registered again if the kernel has removed it.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, event: Event, turn_over: Callable[[], None]) -> None:
        self._loop, self._event, self._turn_over = loop, event, turn_over
        self._epoll = select.epoll()
        self._wanted: dict[int, int] = {}
        self._masks = {
            0: 0,
            _READ: select.EPOLLIN,
            _WRITE: select.EPOLLOUT,
            _READ | _WRITE: select.EPOLLIN | select.EPOLLOUT,
        }
        loop.add_reader(self._epoll.fileno(), self._ready)

    def watch(self, what: int, fd: int) -> None:
        """Watch a socket as libcurl requests."""
        wanted = self._wanted
        if what == _REMOVE:
            if fd in wanted:
                wanted[fd] = _REMOVE
            return
        before = wanted.get(fd)
        if before == what:
            return
        wanted[fd] = what
        if before is None:
            self._register(fd, self._masks[what])
            return
        try:
            self._epoll.modify(fd, self._masks[what])
        except FileNotFoundError:
            self._register(fd, self._masks[what])

    def _register(self, fd: int, mask: int) -> None:
        try:
            self._epoll.register(fd, mask)
        except FileExistsError:
            self._epoll.modify(fd, mask)

    def _ready(self) -> None:
        for fd, flags in self._epoll.poll(0):
            if self._wanted.get(fd, _REMOVE) == _REMOVE:
                self._forget(fd)
                continue
            event = _IN if flags & select.EPOLLIN else 0
            if flags & select.EPOLLOUT:
                event |= _OUT
            if flags & (select.EPOLLERR | select.EPOLLHUP):
                event |= _ERR
            self._event(fd, event)
        self._turn_over()

    def _forget(self, fd: int) -> None:
        """Stop watching an idle socket: its server has closed it, which libcurl detects at the next use."""
        self._wanted.pop(fd, None)
        with suppress(OSError):
            self._epoll.unregister(fd)

    def close(self) -> None:
        """Stop watching all sockets."""
        if not self._epoll.closed:
            self._loop.remove_reader(self._epoll.fileno())
            self._epoll.close()


class LoopSockets:
    """Every socket registered with the loop, for systems without epoll."""

    def __init__(self, loop: asyncio.AbstractEventLoop, event: Event, turn_over: Callable[[], None]) -> None:
        self._loop, self._event, self._turn_over = loop, event, turn_over
        self._wanted: dict[int, int] = {}
        self._turning = False

    def watch(self, what: int, fd: int) -> None:
        """Watch a socket as libcurl requests."""
        wanted = 0 if what == _REMOVE else what
        before = self._wanted.pop(fd, 0)
        if wanted:
            self._wanted[fd] = wanted
        if wanted & _READ and not before & _READ:
            self._loop.add_reader(fd, self._ready, fd, _IN)
        elif before & _READ and not wanted & _READ:
            self._loop.remove_reader(fd)
        if wanted & _WRITE and not before & _WRITE:
            self._loop.add_writer(fd, self._ready, fd, _OUT)
        elif before & _WRITE and not wanted & _WRITE:
            self._loop.remove_writer(fd)

    def _ready(self, fd: int, event: int) -> None:
        self._event(fd, event)
        if not self._turning:
            self._turning = True
            self._loop.call_soon(self._turn)

    def _turn(self) -> None:
        self._turning = False
        self._turn_over()

    def close(self) -> None:
        """Stop watching all sockets."""
        for fd in list(self._wanted):
            self.watch(_REMOVE, fd)


def sockets_for(loop: asyncio.AbstractEventLoop, event: Event, turn_over: Callable[[], None]) -> Sockets:
    """Return the cheapest way to watch sockets on this system."""
    kind = EpollSockets if hasattr(select, "epoll") else LoopSockets
    return kind(loop, event, turn_over)
