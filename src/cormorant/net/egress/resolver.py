"""DNS resolver: the IP addresses of a host name.

Asked beside the loop, remembered for a minute, given up after five seconds.

    name --> remembered? --> being asked? --> thread: getaddrinfo --> remembered --> addresses | Unresolved
    literal address, NAME.localhost ---------------------------------------------> itself, without asking

A thread that is stuck in the system's resolver cannot be stopped, so threads are daemons, at most 32: other names go
on, and an answer that comes after the five seconds is still remembered for the next who asks.
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
"""How long a name stays missing once its servers said so (fault N1: at most five minutes)."""
FAILURE_S = 30.0
"""How long not to ask again after a time-out or a server failure, which pass sooner than a missing name."""
MOST_NAMES = 20_000
LOOPBACK = ("127.0.0.1", "::1")
"""What names below `localhost` are. No name server is asked, nor every system's resolver knows (RFC 6761)."""
_THREADS = 32
_NO_SUCH_NAME = (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))

Lookup = Callable[[str], tuple[str, ...]]
"""Name to addresses, blocking; raises socket.gaierror as getaddrinfo does. Another one may be passed in by tests."""


class Unresolved(NamedTuple):
    """The name gave no address. `missing`: its servers say there is no such name; else nobody could say.

    `lack`: it could not be asked for, as this process was short of something.
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
    """Ask the operating system; addresses in the order of RFC 6724, each once. Raises socket.gaierror."""
    rows = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(row[4][0]).partition("%")[0] for row in rows))


@lru_cache(maxsize=4096)
def literal(host: str) -> str | None:
    """Return the address that an IP literal (IPv6 with or without brackets) is, as the system writes it, or None."""
    bare = host.strip("[]")
    try:
        at = ip_address(bare)
    except ValueError:
        return None
    family = socket.AF_INET if at.version == 4 else socket.AF_INET6
    return socket.inet_ntop(family, at.packed)


def is_localhost(host: str) -> bool:
    """Return whether a host name means this machine, no matter who resolves it (RFC 6761 section 6.3).

    Then it need not be resolved to know.
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
        """Return what is known of `host`, asking if need be. Never raises for what a name server does."""
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
        """Look a name up in a thread of its own and remember the answer, however late it is."""
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
        """Run in a thread: ask, and tell the loop if it is still there."""
        answer: tuple[str, ...] | Unresolved
        try:
            answer = self._lookup(host) or Unresolved("the name has no address", missing=True)
        except socket.gaierror as error:
            missing = error.errno in _NO_SUCH_NAME
            said = "there is no such name" if missing else "the name servers failed to answer"
            lack = exhaustion.of_files_now()  # without a file it asks nobody, and says all the same that there is none
            answer = _unasked(lack) if lack is not None else Unresolved(said, missing)
        except (OSError, UnicodeError):
            answer = Unresolved("the name cannot be asked for", missing=True)
        try:
            loop.call_soon_threadsafe(_tell, answered, answer)
        except RuntimeError:
            return  # the loop has been closed: nobody waits any more

    def _remember(self, host: str, answer: tuple[str, ...] | Unresolved) -> KnownName:
        if isinstance(answer, Unresolved) and answer.lack is not None:
            seconds = 0.0  # whoever asks next asks anew
        elif isinstance(answer, Unresolved):
            seconds = MISSING_S if answer.missing else FAILURE_S
        else:
            seconds = POSITIVE_S
        if len(self._known) >= MOST_NAMES:
            self._known.clear()
        known = self._known[host] = KnownName(answer, self._clock.monotonic() + seconds)
        return known

    async def close(self) -> None:
        """Wait for nobody: whoever still asks is told that it was cancelled."""
        asking = list(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)


def _unasked(lack: Shortage) -> Unresolved:
    return Unresolved(f"it could not be asked for. {lack.said}", missing=False, lack=lack)


def _tell(answered: asyncio.Future[tuple[str, ...] | Unresolved], answer: tuple[str, ...] | Unresolved) -> None:
    if not answered.done():
        answered.set_result(answer)
