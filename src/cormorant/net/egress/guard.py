"""Egress guard of every connection: resolve, judge every address, pin; and check again at the socket."""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection
from typing import NamedTuple

from cormorant.base.clock import Clock
from cormorant.base.errors import CormorantError
from cormorant.base.log import logger
from cormorant.model.ruling import Ruling
from cormorant.model.status import Status
from cormorant.net.egress.policy import (
    DENIED,
    INTERNAL,
    NEVER,
    AddressClass,
    Consent,
    ConsentedHost,
    classify,
    denied_name,
    judge,
    plain,
    reached,
)
from cormorant.net.egress.resolver import Resolver, Unresolved, literal

_log = logger(__name__)
_MOST_VERDICTS = 20_000

Settle = Callable[[str, int, frozenset[AddressClass]], frozenset[AddressClass]]
"""Stores the address classes that a named host and port had at its first resolution, and returns the valid ones.

If another process was first, these are the classes that it stored."""


class Pinned(NamedTuple):
    """Permission to connect to `host`:`port`, only at these addresses, in the order to try them."""

    host: str
    port: int
    addresses: tuple[str, ...]


class EgressRefused(NamedTuple):
    """The policy refuses; the ruling is the same for every refused address."""

    ruling: Ruling = DENIED


class Unsettled(NamedTuple):
    """The consent cannot be determined now: a fault of this installation, not of the host."""

    status: int = Status.UNSETTLED


class _Verdict(NamedTuple):
    """Cached egress verdict: the decision, the consent it holds for, and its expiry.

    Keeping the consent alive keeps its `id` unique.
    """

    said: Pinned | EgressRefused
    consent: Consent
    until: float


class Egress:
    """Network access of one process. Belongs to one event loop.

    `own_ports` are the ports that this installation listens on: no source may reach them on this machine.
    `own_places` are hosts and ports elsewhere that belong to it, as its database does: no source may reach these
    either, by whichever name or address.
    `settle` is called before the first connection to a named host, so that all processes use one answer; without it
    each process uses its own.
    """

    def __init__(
        self,
        clock: Clock,
        own_ports: frozenset[int] = frozenset(),
        resolver: Resolver | None = None,
        settle: Settle | None = None,
        own_places: Collection[tuple[str, int]] = (),
    ) -> None:
        self._clock = clock
        self._own_ports, self._own_places = own_ports, own_places
        self._resolver = resolver or Resolver(clock)
        self._verdicts: dict[tuple[str, int, int], _Verdict] = {}
        self._settle = settle or (lambda _host, _port, classes: classes)
        self._settled: dict[tuple[str, int], frozenset[AddressClass]] = {}

    def pinned(self, host: str, port: int, consent: Consent) -> Pinned | None:
        """Return a valid pin without any request, else None: call `open` then."""
        verdict = self._verdicts.get((host, port, id(consent)))
        if verdict is None or self._clock.monotonic() >= verdict.until or isinstance(verdict.said, EgressRefused):
            return None
        return verdict.said

    def class_of(self, host: str, port: int, consent: Consent) -> AddressClass | None:
        """The most internal class among the addresses of a host that is pinned now; None if it is not pinned."""
        pinned = self.pinned(host, port, consent) if literal(host) is None else Pinned(host, port, (plain(host),))
        if pinned is None:
            return None
        order = list(AddressClass)
        return max((classify(address) for address in pinned.addresses), key=order.index)

    async def open(self, host: str, port: int, consent: Consent) -> Pinned | EgressRefused | Unresolved | Unsettled:
        """Decide whether a source may connect to `host` (name or IP literal, IPv6 in brackets) at `port`.

        Judges every address of the answer; a refused one refuses all. Only the query to the name server is sent before
        the answer is Pinned.
        """
        key = (host, port, id(consent))
        verdict = self._verdicts.get(key)
        if verdict is not None and self._clock.monotonic() < verdict.until:
            return verdict.said
        if denied_name(host) and not self._literally(host, port, consent):
            return EgressRefused()
        known = await self._resolver.resolve(plain(host))
        if isinstance(known.answer, Unresolved):
            return known.answer
        try:
            ours = await self._is_ours(port, known.answer)
            said = EgressRefused() if ours else self._judge(host, port, known.answer, consent)
        except CormorantError as error:  # the consent cannot be settled now, so no connection is made
            _log.warning("not settled", extra={"host": host, "port": port, "reason": error.sentence})
            return Unsettled()
        if len(self._verdicts) >= _MOST_VERDICTS:
            self._verdicts.clear()
        self._verdicts[key] = _Verdict(said, consent, known.until)
        return said

    async def _is_ours(self, port: int, addresses: tuple[str, ...]) -> bool:
        """Return whether one of these addresses, at this port, belongs to the installation itself.

        Its name may resolve to other addresses by now, so it is resolved again.
        """
        for host in (host for host, own in self._own_places if own == port):
            known = await self._resolver.resolve(plain(host))
            if isinstance(known.answer, Unresolved):
                continue
            theirs = set(known.answer)
            here = any(_is_mine(address) for address in theirs)
            for address in addresses:
                if not theirs.isdisjoint(reached(address)) or (here and any(map(_is_mine, reached(address)))):
                    return True
        return False

    def _judge(self, host: str, port: int, addresses: tuple[str, ...], consent: Consent) -> Pinned | EgressRefused:
        if consent.unsettled(host, port):
            consent = consent.with_entries(self._first(plain(host), port, addresses))
        for address in addresses:
            mine = port in self._own_ports and _is_mine(address)
            if not judge(address, port, host, consent, self._own_ports, mine=mine).admitted:
                return EgressRefused()
        return Pinned(host, port, addresses)

    def _first(self, host: str, port: int, addresses: tuple[str, ...]) -> set[ConsentedHost]:
        """Return the classes settled at the first resolution of a named host, which may be this one."""
        settled = self._settled.get((host, port))
        if settled is None:
            classes = _first_classes(addresses)
            if not classes:
                return set()
            settled = self._settled[host, port] = self._settle(host, port, classes)
        return {ConsentedHost(host, port, cls) for cls in settled}

    def _literally(self, host: str, port: int, consent: Consent) -> bool:
        name = plain(host)
        return (name, port) in consent.named or any(e.host == name and e.port == port for e in consent.entries)

    def veto(self, address: str, port: int, pinned: Pinned) -> bool:
        """Return whether a connection must not be opened, as the last check at the socket.

        True unless the address and the port are the pinned ones; uses no resolver and no cache.
        """
        if port != pinned.port or address not in pinned.addresses:
            return True
        return classify(address) in NEVER

    async def close(self) -> None:
        """Stop resolving names."""
        await self._resolver.close()


def _first_classes(addresses: tuple[str, ...]) -> frozenset[AddressClass]:
    """Return the classes to which a first answer consents.

    A public IPv6 address beside a private IPv4 one is common in intranets. An answer that mixes public addresses with
    internal ones of the same family, or with this machine's, is an attack on the administrator who entered the name:
    only its public part is consented to, so that the answer as a whole is refused.
    """
    families = [
        {classify(each) for each in addresses if ":" in each} - NEVER,
        {classify(each) for each in addresses if ":" not in each} - NEVER,
    ]
    public = AddressClass.PUBLIC
    classes = frozenset[AddressClass]().union(*({public} if public in family else family for family in families))
    return classes & (INTERNAL | {public}) if public in classes else classes


def _is_mine(address: str) -> bool:
    """Return whether this machine has the address, by binding to it: a foreign address cannot be bound."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((address, 0))
    except OSError:
        return False
    return True
