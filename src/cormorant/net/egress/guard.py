"""The gate every connection passes: resolve, judge every address, pin; and once more at the socket."""

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
"""Keeps which classes a named host and port had at its first resolution, and returns those that hold.

When somebody else was first, those are theirs."""


class Pinned(NamedTuple):
    """Leave to connect to `host`:`port`, at these addresses only, in the order to try them."""

    host: str
    port: int
    addresses: tuple[str, ...]


class EgressRefused(NamedTuple):
    """The policy says no; the ruling is the same whatever was refused."""

    ruling: Ruling = DENIED


class Unsettled(NamedTuple):
    """Nobody can say now what was consented to: a fault of this installation, not of the host."""

    status: int = Status.UNSETTLED


class _Verdict(NamedTuple):
    """Cached egress verdict: the decision, the consent it holds for, and its expiry.

    Keeping the consent keeps its identity its own.
    """

    said: Pinned | EgressRefused
    consent: Consent
    until: float


class Egress:
    """The way out of one process. Belongs to one event loop.

    `own_ports` are the ports this installation listens on: nobody can consent to reaching them on this machine.
    `own_places` are hosts and ports elsewhere that belong to it, as its database does: nobody can consent to those
    either, whatever name or address leads there.
    `settle` is asked before a named host is connected to for the first time, so that all processes go by one answer;
    without it each goes by its own.
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
        """Return a pin that is still good without asking anybody, else None: `open` then."""
        verdict = self._verdicts.get((host, port, id(consent)))
        if verdict is None or self._clock.monotonic() >= verdict.until or isinstance(verdict.said, EgressRefused):
            return None
        return verdict.said

    def class_of(self, host: str, port: int, consent: Consent) -> AddressClass | None:
        """The most inner class among the addresses of a host that is pinned now; None when it is not."""
        pinned = self.pinned(host, port, consent) if literal(host) is None else Pinned(host, port, (plain(host),))
        if pinned is None:
            return None
        order = list(AddressClass)
        return max((classify(address) for address in pinned.addresses), key=order.index)

    async def open(self, host: str, port: int, consent: Consent) -> Pinned | EgressRefused | Unresolved | Unsettled:
        """Decide whether a source may connect to `host` (name or IP literal, IPv6 in brackets) at `port`.

        Judges every address of the answer; one that is refused refuses all (fault S5). No packet but the question to
        the name server leaves before the answer is Pinned.
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
        except CormorantError as error:  # it cannot be settled now what was consented to, so nothing is connected to
            _log.warning("not settled", extra={"host": host, "port": port, "reason": error.sentence})
            return Unsettled()
        if len(self._verdicts) >= _MOST_VERDICTS:
            self._verdicts.clear()
        self._verdicts[key] = _Verdict(said, consent, known.until)
        return said

    async def _is_ours(self, port: int, addresses: tuple[str, ...]) -> bool:
        """Return whether one of these addresses, at this port, belongs to the installation itself.

        Its name may lead elsewhere by now.
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
        """Return what the first resolution of a named host settled; this is the first one if nothing was yet."""
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
        """Say at the socket whether this very connection must not be opened, whatever led to it.

        True unless the address is pinned and the port the pinned one; asks no one and trusts no cache.
        """
        if port != pinned.port or address not in pinned.addresses:
            return True
        return classify(address) in NEVER

    async def close(self) -> None:
        """Stop asking for names."""
        await self._resolver.close()


def _first_classes(addresses: tuple[str, ...]) -> frozenset[AddressClass]:
    """Return the classes a first answer consents to.

    A public IPv6 address beside a private IPv4 one is a usual intranet. An answer that mixes public addresses with
    inner ones of the same family, or with this machine's, is an attack on whoever typed the name: only its public part
    is consented to, so that the answer as a whole is refused.
    """
    families = [
        {classify(each) for each in addresses if ":" in each} - NEVER,
        {classify(each) for each in addresses if ":" not in each} - NEVER,
    ]
    public = AddressClass.PUBLIC
    classes = frozenset[AddressClass]().union(*({public} if public in family else family for family in families))
    return classes & (INTERNAL | {public}) if public in classes else classes


def _is_mine(address: str) -> bool:
    """Say whether this machine has the address, by binding to it: what cannot be bound is somebody else's."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((address, 0))
    except OSError:
        return False
    return True
