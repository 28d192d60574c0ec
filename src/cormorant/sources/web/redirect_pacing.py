"""Pacing of redirects: the time at which a redirect's site may be requested.

Its pace holds for hops too, though no desk hands them out.

Visits that a desk hands out keep their pace by themselves: they take a turn only while that of a hop before them lasts.
A turn is taken before its request goes out, which may be later than meant; so who has waited for the next looks once
more.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from cormorant.base.clock import Clock
from cormorant.base.lru_cache import LruCache

MOST_SITES = 4_096
Sleep = Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class _Asked:
    """The newest turn at a site, when the newest request went out, and until when it wants none; monotonic seconds.

    `delay_s` is how long the turn of the newest hop lasted, 0.0 when none has led there.
    """

    at: float = float("-inf")
    delay_s: float = 0.0
    sent_at: float = float("-inf")
    rests_until: float = float("-inf")


class RedirectPacer:
    """The turns at sites of one source in one process, forgotten with it; with others they are shared beside."""

    def __init__(self, clock: Clock, sleep: Sleep) -> None:
        self._clock, self._sleep = clock, sleep
        self._sites: LruCache[_Asked] = LruCache(MOST_SITES, 0)

    def sent(self, site: str) -> None:
        """A request to this site goes out now; a turn that another request waits for already stays."""
        known = self._of(site)
        known.sent_at = now = self._clock.monotonic()
        known.at = max(known.at, now)

    def begin(self, site: str) -> bool:
        """A visit begins that a desk hands out. False when it has to take a turn: that of a hop may still last."""
        known, now = self._of(site), self._clock.monotonic()
        if now < known.at + known.delay_s:
            return False
        known.at = now
        return True

    def rest(self, site: str, seconds: float) -> None:
        """The site wants to be left alone for so long."""
        known = self._of(site)
        known.rests_until = max(known.rests_until, self._clock.monotonic() + seconds)

    def rests_s(self, site: str) -> float:
        """Seconds the site is still to be left alone, 0 when it may be asked."""
        return max(self._of(site).rests_until - self._clock.monotonic(), 0.0)

    async def take(self, site: str, delay_s: float, most_s: float) -> float:
        """Wait until `delay_s` after whoever has the turn before. Returns 0.0.

        When that would take more than `most_s`, takes no turn, waits for nothing and returns the seconds.
        """
        known, now = self._of(site), self._clock.monotonic()
        wait = max(known.at + delay_s - now, 0.0)
        if wait > most_s:
            return wait
        known.at, known.delay_s = now + wait, delay_s
        while wait > 0:
            await self._sleep(wait)
            wait = self._of(site).sent_at + delay_s - self._clock.monotonic()
        return 0.0

    def _of(self, site: str) -> _Asked:
        known = self._sites.get(site)
        if known is None:
            known = _Asked()
            self._sites.put(site, known)
        return known
