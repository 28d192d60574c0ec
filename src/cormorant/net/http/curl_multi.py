"""libcurl's transfers on the running event loop.

    begin -> add_handle -> kick -> socket_action(time-out) -> libcurl opens, reads, writes ... names its sockets
    sockets ready -> socket_action(each) --.
    timer         -> socket_action(0) -----+-> one collect a turn: info_read -> future set -> (caller) remove

Collecting after every socket event costs more than the transfers themselves: each turn passes all events to libcurl and
then collects all finished transfers. If libcurl postpones a timer, the old one fires early and is then set again.
"""

from __future__ import annotations

import asyncio
import socket
from math import inf
from typing import Any

import pycurl  # type: ignore[import-untyped]

from cormorant.base.profiling import Steps, unmeasured
from cormorant.net.http.curl_sockets import sockets_for

Done = tuple[int, str]
"""libcurl's error number (0 for success) and message."""


class Multi:
    """A multi handle bound to one loop. libcurl keeps at most `connections`.

    `handed` are sockets that were given to libcurl, which uses duplicates: ours are closed as soon as it has them.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, connections: int, steps: Steps = unmeasured) -> None:
        self._loop = loop
        self._steps = steps
        self.handed: list[socket.socket] = []
        self._transfers: dict[Any, asyncio.Future[Done]] = {}
        self._kicked = self._closed = False
        self._due = self._armed_for = inf
        self._armed: asyncio.TimerHandle | None = None
        self._multi: Any = pycurl.CurlMulti()
        self._action = self._multi.socket_action if steps is unmeasured else self._measured_action
        self._sockets = sockets_for(loop, self._action, self._collect)
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)
        self.keep(connections)

    def keep(self, connections: int) -> None:
        """Keep this number of connections, including those in use: above it an idle one is closed for each new one."""
        self._multi.setopt(pycurl.M_MAXCONNECTS, connections)

    def limit(self, connections: int) -> None:
        """Open at most this number: an idle one is closed for a new one, and a transfer waits if none is idle."""
        self._multi.setopt(pycurl.M_MAX_TOTAL_CONNECTIONS, connections)

    def begin(self, curl: Any) -> asyncio.Future[Done]:
        """Start a transfer; the future is set when it has ended. Call `remove` before the handle is used again."""
        future: asyncio.Future[Done] = self._loop.create_future()
        self._multi.add_handle(curl)
        self._transfers[curl] = future
        return future

    def end(self, curl: Any, done: Done) -> None:
        """Set the result of a transfer, which ends it; one that has ended already keeps its result."""
        future = self._transfers.get(curl)
        if future is not None and not future.done():
            future.set_result(done)

    def remove(self, curl: Any) -> None:
        """Remove a handle; the connection of an unfinished transfer is closed."""
        if self._transfers.pop(curl, None) is not None:
            self._multi.remove_handle(curl)

    def close(self) -> None:
        """Drop all transfers and connections. The caller closes the easy handles afterwards."""
        if self._closed:
            return
        for curl in list(self._transfers):
            self.end(curl, (pycurl.E_ABORTED_BY_CALLBACK, "closed"))
            self.remove(curl)
        self._closed = True
        self._multi.close()
        self._sockets.close()
        self._close_handed()
        if self._armed is not None:
            self._armed.cancel()

    def _close_handed(self) -> None:
        while self.handed:
            self.handed.pop().close()

    def _watch(self, what: int, fd: int, _multi: object, _data: object) -> None:
        if self.handed:
            self._close_handed()
        self._sockets.watch(what, fd)

    def _set_timer(self, timeout_ms: int) -> None:
        """Note when libcurl wants to be called; 0 means after the present callback."""
        if timeout_ms == 0:
            self._due = inf
            if not self._kicked:
                self._kicked = True
                self._loop.call_soon(self._kick)
            return
        self._due = inf if timeout_ms < 0 else self._loop.time() + timeout_ms / 1000
        if self._due < self._armed_for:
            self._arm()

    def _arm(self) -> None:
        if self._armed is not None:
            self._armed.cancel()
        self._armed_for = self._due
        self._armed = self._loop.call_at(self._due, self._on_timer)

    def _on_timer(self) -> None:
        self._armed, self._armed_for = None, inf
        if self._due <= self._loop.time():
            self._due = inf
            self._kick()
        elif self._due < inf:
            self._arm()

    def _kick(self) -> None:
        """Let libcurl begin, retry and time out transfers."""
        self._kicked = False
        if not self._closed:
            self._action(pycurl.SOCKET_TIMEOUT, 0)
            self._collect()

    def _measured_action(self, fd: int, event: int) -> object:
        with self._steps("http"):
            return self._multi.socket_action(fd, event)

    def _collect(self) -> None:
        """Finish every transfer that has ended since the last turn."""
        if self._closed:
            return
        _, done, failed = self._multi.info_read()
        for curl in done:
            self.end(curl, (0, ""))
        for curl, code, message in failed:
            self.end(curl, (code, message))
