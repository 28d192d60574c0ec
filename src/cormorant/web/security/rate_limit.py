"""Rate limit of wrong tokens from one client address: a number a minute, in bounded memory."""

from __future__ import annotations

from collections import OrderedDict
from ipaddress import IPv6Address, ip_address

from cormorant.base.clock import Clock

MOST = 10
WITHIN_S = 60.0
PLACES = 10_000
"""Client addresses that are remembered; beyond, the oldest failures are dropped."""
_NEIGHBOURS = 64
"""Prefix bits of an IPv6 address that count as one client, since a client usually has the whole network."""


class Tries:
    """Wrong tokens by client address. For one process; calls come from one thread."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failed: OrderedDict[str, list[float]] = OrderedDict()

    def left(self, place: str) -> int:
        """Return how many more wrong tokens this client may show now."""
        return max(0, MOST - len(self._recent(_whole(place))))

    def fail(self, place: str) -> None:
        """Count a wrong token."""
        key = _whole(place)
        self._failed[key] = [*self._recent(key), self._clock.monotonic()]
        self._failed.move_to_end(key)
        while len(self._failed) > PLACES:
            self._failed.popitem(last=False)

    def _recent(self, key: str) -> list[float]:
        since = self._clock.monotonic() - WITHIN_S
        return [at for at in self._failed.get(key, ()) if at > since]


def _whole(place: str) -> str:
    """The client of an address: the address itself, or the network of an IPv6 address."""
    try:
        at = ip_address(place.partition("%")[0])
    except ValueError:
        return place
    if isinstance(at, IPv6Address) and at.ipv4_mapped is None:
        return str(int(at) >> (128 - _NEIGHBOURS))
    return str(getattr(at, "ipv4_mapped", None) or at)
