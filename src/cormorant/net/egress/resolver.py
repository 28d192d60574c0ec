"""DNS resolver: the IP addresses of a host name, resolved in threads, cached for a minute, limited to five seconds.

    name --> cached? --> in progress? --> thread: getaddrinfo --> cached --> addresses | Unresolved
    literal address, NAME.localhost ---------------------------------------> itself, without a query

A thread that hangs in the system's resolver cannot be stopped, so threads are daemons, at most 32: other names are
resolved meanwhile, and an answer after the five seconds is still cached for the next request.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from functools import lru_cache
from ipaddress import ip_address
from math import inf
from typing import NamedTuple

from cormorant.base import exhaustion
from cormorant.base.clock import Clock
from cormorant.base.exhaustion import Shortage

TIMEOUT_S = 5.0
POSITIVE_S = 60.0
MISSING_S = 300.0
"""Seconds for which a name stays missing after its servers said so."""
FAILURE_S = 30.0
"""Seconds without another query after a time-out or a server failure, which pass sooner than a missing name."""
MOST_NAMES = 20_000
LOOPBACK = ("127.0.0.1", "::1")
"""The addresses of names below `localhost`, for which no query is made (RFC 6761); not every resolver knows them."""
_THREADS = 32
_NO_SUCH_NAME = (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))

Lookup = Callable[[str], tuple[str, ...]]
"""Name to addresses, blocking; raises socket.gaierror as getaddrinfo does. Tests may pass in another one."""


class Unresolved(NamedTuple):
    """The name has no address. `missing`: its servers say that it does not exist; else that is unknown.

    `lack`: no query was made, since this process was short of a resource.
    """

    reason: str
    missing: bool
    status: int = 975
    lack: Shortage | None = None


class KnownName(NamedTuple):
    """Known host name: the resolver's answer and its expiry on the monotonic clock."""

    answer: tuple[str, ...] | Unresolved
    until: float


def system_lookup(host: str) -> tuple[str, ...]:
    """Query the operating system; addresses in the order of RFC 6724, each once. Raises socket.gaierror."""
    rows = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(row[4][0]).partition("%")[0] for row in rows))


@lru_cache(maxsize=4096)
def literal(host: str) -> str | None:
    """Return the address of an IP literal (IPv6 with or without brackets) in the system's notation, or None."""
    bare = host.strip("[]")
    try:
        at = ip_address(bare)
    except ValueError:
        return None
    family = socket.AF_INET if at.version == 4 else socket.AF_INET6
    return socket.inet_ntop(family, at.packed)


def is_localhost(host: str) -> bool:
    """Return whether a host name means this machine for every resolver (RFC 6761 section 6.3).

    Such a name need not be resolved.
    """
    return ("." + host.rstrip(".").lower()).endswith(".localhost")


class Resolver:
    """Names to addresses for one loop."""

    def __init__(self, clock: Clock, lookup: Lookup = system_lookup, timeout_s: float = TIMEOUT_S) -> None:
        self._clock, self._lookup, self._timeout_s = clock, lookup, timeout_s
        self._known: dict[str, KnownName] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._threads = asyncio.Semaphore(_THREADS)

    async def resolve(self, host: str) -> KnownName:
        """Return the answer for `host`, with a query if necessary. Never raises for errors of name servers."""
        itself = literal(host)
        if itself is not None:
            return KnownName((itself,), inf)
        if is_localhost(host) and "." in host.rstrip("."):
            return KnownName(LOOPBACK, inf)
        known = self._known.get(host)
        if known is not None and self._clock.monotonic() < known.until:
            return known
        asking = self._asking.get(host)
        if asking is None:
            asking = self._asking[host] = asyncio.create_task(self._ask(host))
            asking.add_done_callback(lambda _: self._asking.pop(host, None))
        done, _ = await asyncio.wait((asking,), timeout=self._timeout_s)
        if done and host in self._known:
            return self._known[host]
        late = Unresolved(f"no name server answered within {self._timeout_s:g} seconds", missing=False)
        return self._remember(host, late)

    async def _ask(self, host: str) -> None:
        """Look a name up in a thread of its own and cache the answer, even a late one."""
        loop = asyncio.get_running_loop()
        async with self._threads:
            answered: asyncio.Future[tuple[str, ...] | Unresolved] = loop.create_future()
            try:
                threading.Thread(target=self._look, args=(host, loop, answered), name="resolve", daemon=True).start()
            except RuntimeError:  # the system starts no more threads
                self._remember(host, _unasked(Shortage.THREADS))
                return
            self._remember(host, await answered)

    def _look(
        self, host: str, loop: asyncio.AbstractEventLoop, answered: asyncio.Future[tuple[str, ...] | Unresolved]
    ) -> None:
        """Run in a thread: query, and hand the answer to the loop if it still runs."""
        answer: tuple[str, ...] | Unresolved
        try:
            answer = self._lookup(host) or Unresolved("the name has no address", missing=True)
        except socket.gaierror as error:
            missing = error.errno in _NO_SUCH_NAME
            said = "there is no such name" if missing else "the name servers failed to answer"
            lack = exhaustion.of_files_now()  # without a free file, it reports a missing name without any query
            answer = _unasked(lack) if lack is not None else Unresolved(said, missing)
        except (OSError, UnicodeError):
            answer = Unresolved("the name cannot be asked for", missing=True)
        try:
            loop.call_soon_threadsafe(_deliver, answered, answer)
        except RuntimeError:
            return  # the loop has been closed: the answer is no longer needed

    def _remember(self, host: str, answer: tuple[str, ...] | Unresolved) -> KnownName:
        if isinstance(answer, Unresolved) and answer.lack is not None:
            seconds = 0.0  # not cached: the next request queries again
        elif isinstance(answer, Unresolved):
            seconds = MISSING_S if answer.missing else FAILURE_S
        else:
            seconds = POSITIVE_S
        if len(self._known) >= MOST_NAMES:
            self._known.clear()
        known = self._known[host] = KnownName(answer, self._clock.monotonic() + seconds)
        return known

    async def close(self) -> None:
        """Cancel queries in progress; their requests get a CancelledError."""
        asking = list(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)


def _unasked(lack: Shortage) -> Unresolved:
    return Unresolved(f"it could not be asked for. {lack.said}", missing=False, lack=lack)


def _deliver(answered: asyncio.Future[tuple[str, ...] | Unresolved], answer: tuple[str, ...] | Unresolved) -> None:
    if not answered.done():
        answered.set_result(answer)
