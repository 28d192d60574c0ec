"""The fetcher: requests over kept connections, each judged by egress, each limited in bytes and seconds.

    get -> where -> egress.pinned | open -> slot -> prepare -> Multi.begin ... -> Response | TransportError
                                             |                                      |
                                       wait for a free one <------------------- free again

HTTP/1.1 only: politeness requires one request a connection at a time anyway, and its messages offer less to attack. A
slot is a reused easy handle that keeps its options.
"""

from __future__ import annotations

import asyncio
import resource
from collections import deque
from typing import NamedTuple

from cormorant.base import exhaustion
from cormorant.base.profiling import Steps, unmeasured
from cormorant.model.url import origin_of
from cormorant.net.egress.guard import Egress, EgressRefused, Pinned, Unsettled
from cormorant.net.egress.policy import AddressClass, Consent
from cormorant.net.egress.resolver import Unresolved
from cormorant.net.http import curl_errors
from cormorant.net.http.curl_handle import Slot
from cormorant.net.http.curl_multi import Done, Multi
from cormorant.net.http.messages import Request, Response, TransportError

_MOST_ORIGINS = 20_000
_MOST_PINS = 5_000
"""Pins that libcurl keeps loaded; a new one then replaces the oldest."""
_TICK_S = 0.25
_CLOSED = TransportError(curl_errors.BROKEN_STREAM, "The fetcher was closed.", retryable=True)
MOST_KEPT = 320
"""Connections that are kept for hosts visited in turn. A TLS connection takes 72 kB, and 1.8 ms of processor time to
open, while a request over a kept one takes 0.1 ms."""
MOST_CONNECTIONS = 100_000
"""Connections of a process if the number of open files is not limited."""
SPARED = 16
"""Files that are left to the rest of a process: its database, its log, copies, converters, name servers."""
SHORT_S = 10.0
"""Seconds for which no connection is kept after a new one failed for lack of files."""
MAX_HELD = 64 << 20
"""Bytes of bodies under way above which no more requests than the width begin."""


class _Where(NamedTuple):
    """Host and port of an address."""

    host: str
    port: int


class Fetcher:
    """Fetches for one process. Create, use and close it on a running event loop.

    `width` is the number of simultaneous requests. Up to `most` are possible while their received bytes stay below
    `MAX_HELD`; others wait in order. The number of open files limits both.
    """

    def __init__(self, egress: Egress, *, width: int = 32, most: int = 0, steps: Steps = unmeasured) -> None:
        self._egress, self._steps = egress, steps
        self._loop = asyncio.get_running_loop()
        self._connections = _connections()
        width, most = min(width, self._connections), min(max(most, width), self._connections)
        self._kept = min(_kept(width), self._connections)
        self._multi = Multi(self._loop, connections=self._kept, steps=steps)
        self._slots = [Slot(egress, self._multi.handed) for _ in range(width)]
        self._free = list(self._slots)
        self._width, self._most, self._held = width, most, 0
        self._short_until = 0.0
        self._multi.limit(self._connections)
        self._waiting: deque[asyncio.Future[Slot]] = deque()
        self._origins: dict[str, _Where | TransportError] = {}
        self._loaded: dict[tuple[str, int], Pinned] = {}
        self._ticking: asyncio.TimerHandle | None = None
        self._closed = False

    def apart(self) -> Fetcher:
        """Another fetcher with the same egress and connections of its own. The caller closes it."""
        return Fetcher(self._egress, width=self._width, most=self._most, steps=self._steps)

    def class_of(self, host: str, port: int, consent: Consent) -> AddressClass | None:
        """Return the address class of a host, if it is resolved; the crawl pace depends on it."""
        return self._egress.class_of(host, port, consent)

    def address_of(self, host: str, port: int, consent: Consent) -> str | None:
        """The address that a host is connected to first; None if it is not resolved or refused."""
        pinned = self._egress.pinned(host, port, consent)
        return pinned.addresses[0] if pinned is not None else None

    async def look_up(self, host: str, port: int, consent: Consent) -> None:
        """Resolve a host and judge its addresses ahead of requests."""
        await self._egress.open(host, port, consent)

    async def get(self, request: Request) -> Response | TransportError:
        """Send one request. Never raises for failures of the other side; ValueError for a header with a line end."""
        where = self._where(request.url)
        if isinstance(where, TransportError):
            return where
        if self._closed:
            return _CLOSED
        pinned = self._egress.pinned(where.host, where.port, request.consent)
        if pinned is None or request.route.proxy is not None:
            said = await self._leave(where, request)
            if isinstance(said, TransportError):
                return said
            pinned = said
        slot = self._free.pop() if self._free else self._another() or await self._next_free()
        try:
            return await self._through(slot, request, pinned)
        finally:
            self._multi.remove(slot.curl)
            slot.clear()
            self._release(slot)

    async def _leave(self, where: _Where, request: Request) -> Pinned | TransportError:
        """Get permission to connect to the site, then to its proxy; returns the addresses to connect to.

        A name that cannot be resolved here is left to the proxy if the source names the host itself.
        """
        said = await self._egress.open(where.host, where.port, request.consent)
        proxy = request.route.proxy
        unknown = isinstance(said, Unresolved) and said.lack is None
        beyond = unknown and (where.host, where.port) in request.consent.named
        if proxy is None:
            return said if isinstance(said, Pinned) else _not_opened(said)
        if not (isinstance(said, Pinned) or beyond):
            return _not_opened(said)
        way = await self._egress.open(proxy.host, proxy.port, proxy.consent)
        if isinstance(way, Pinned):
            return way
        if isinstance(way, Unresolved) and way.lack is not None:
            return curl_errors.short_of(way.lack)
        why = "may not be connected to" if isinstance(way, EgressRefused) else "has a name that cannot be resolved now"
        return TransportError(curl_errors.PROXY, f"The proxy {proxy} {why}.", retryable=True, whole_site=True)

    async def _through(self, slot: Slot, request: Request, pinned: Pinned) -> Response | TransportError:
        """Run one request in a slot; again on a new connection if a kept one had another pin."""
        key = (pinned.host, pinned.port)
        loaded = self._loaded.get(key) == pinned
        slot.prepare(request, pinned, None if loaded else self._pins(pinned))
        done = await self._perform(slot)
        if slot.stale:
            self._multi.remove(slot.curl)
            slot.renew()
            done = await self._perform(slot)
        if self._closed:
            return _CLOSED
        if not loaded:
            self._loaded[key] = pinned  # not earlier: requests that begin in the same turn may reach libcurl first
        got = slot.finish(*done)
        if isinstance(got, TransportError) and got.lack is not None:
            self._short_until = self._loop.time() + SHORT_S
        return got

    def _perform(self, slot: Slot) -> asyncio.Future[Done]:
        if self._ticking is None:
            self._ticking = self._loop.call_later(_TICK_S, self._tick)
        slot.begin(self._loop.time())
        if self._short_until:
            self._keep_none()
        return self._multi.begin(slot.curl)

    def _keep_none(self) -> None:
        """While files are scarce, allow only the connections in use: libcurl then closes idle ones to open others."""
        if self._loop.time() < self._short_until:
            self._multi.limit(sum(slot.busy for slot in self._slots))
        else:
            self._short_until = 0.0
            self._multi.limit(self._connections)

    def _pins(self, pinned: Pinned) -> list[str]:
        """Return the lines that load a pin into libcurl's cache, and unload the oldest one above the limit."""
        addresses = ",".join(f"[{each}]" if ":" in each else each for each in pinned.addresses)
        lines = [f"{pinned.host}:{pinned.port}:{addresses}"]
        self._loaded.pop((pinned.host, pinned.port), None)
        if len(self._loaded) >= _MOST_PINS:
            host, port = oldest = next(iter(self._loaded))
            del self._loaded[oldest]
            lines.append(f"-{host}:{port}")
        return lines

    def _where(self, url: str) -> _Where | TransportError:
        """Return host and port of an address, or the error of an invalid one; cached by origin."""
        end = url.find("/", 8)
        origin = url[:end] if end > 0 else url
        where = self._origins.get(origin)
        if where is None:
            if len(self._origins) >= _MOST_ORIGINS:
                self._origins.clear()
            where = self._origins[origin] = _parse_origin(origin)
        return where

    def _another(self) -> Slot | None:
        """Add a slot if the limits allow: the others wait for slow servers."""
        if len(self._slots) >= self._most or self._held > MAX_HELD:
            return None
        slot = Slot(self._egress, self._multi.handed)
        self._slots.append(slot)
        self._multi.keep(max(self._kept, self._width + len(self._slots)))
        return slot

    async def _next_free(self) -> Slot:
        waiter: asyncio.Future[Slot] = self._loop.create_future()
        self._waiting.append(waiter)
        try:
            return await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled():
                self._release(waiter.result())
            raise

    def _release(self, slot: Slot) -> None:
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(slot)
                return
        self._free.append(slot)

    def _tick(self) -> None:
        """End requests that hang or are too slow. Runs while any request is under way."""
        self._ticking = None
        now, busy, held = self._loop.time(), False, 0
        for slot in self._slots:
            if not slot.busy:
                continue
            busy = True
            stuck = slot.stuck(now)
            held += slot.size
            if stuck:
                self._multi.end(slot.curl, (curl_errors.TIMED_OUT, stuck))
        self._held = held
        if busy and not self._closed:
            self._ticking = self._loop.call_later(_TICK_S, self._tick)

    async def close(self) -> None:
        """Close all connections; requests under way end with an error."""
        if self._closed:
            return
        self._closed = True
        if self._ticking is not None:
            self._ticking.cancel()
        self._multi.close()
        for waiter in self._waiting:
            waiter.cancel()
        for slot in self._slots:
            slot.curl.close()


def _connections() -> int:
    """Return the number of connections that open files allow."""
    spare = exhaustion.spare_files()
    return MOST_CONNECTIONS if spare is None else max(1, min(spare - SPARED, MOST_CONNECTIONS))


def _kept(width: int) -> int:
    """Return how many connections to keep: one for each of many hosts in turn, as far as open files allow.

    With fewer kept connections than hosts, each is closed before its host is visited again.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    room = MOST_KEPT if soft == resource.RLIM_INFINITY else min(MOST_KEPT, soft // 4)
    return max(2 * width, room)


def _parse_origin(text: str) -> _Where | TransportError:
    if not text.isascii() or "@" in text:
        return TransportError(1004, "The address cannot be asked for.")
    try:
        origin = origin_of(text)
    except ValueError:
        return TransportError(1004, "The address cannot be asked for.")
    if origin.scheme not in ("http", "https") or not origin.host:
        return TransportError(curl_errors.PROTOCOL, "Only http and https addresses are asked for.")
    return _Where(origin.host, origin.port)


def _not_opened(said: EgressRefused | Unresolved | Unsettled) -> TransportError:
    if isinstance(said, EgressRefused):
        return TransportError(
            said.ruling.status, "The network policy does not allow this connection.", ruling=said.ruling
        )
    if isinstance(said, Unsettled):
        return TransportError(
            said.status, "It could not be looked up whether this host may be connected to.", retryable=True
        )
    if said.lack is not None:
        return curl_errors.short_of(said.lack)
    return TransportError(said.status, f"The name was not resolved: {said.reason}.", retryable=True, whole_site=True)
