"""The gate every connection passes: resolve, judge every address, pin; and once more at the socket."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from typing import NamedTuple

from cormorant.base.clock import Clock
from cormorant.egress.policy import (
    DENIED,
    INTERNAL,
    NEVER,
    AddressClass,
    Consent,
    Entry,
    classify,
    denied_name,
    judge,
    plain,
)
from cormorant.egress.resolve import Resolver, Unresolved, literal
from cormorant.model.rules import Ruling

_MOST_VERDICTS = 20_000


class Pinned(NamedTuple):
    """Leave to connect to `host`:`port`, at these addresses only, in the order to try them."""

    host: str
    port: int
    addresses: tuple[str, ...]


class Refused(NamedTuple):
    """The policy says no; the ruling is the same whatever was refused."""

    ruling: Ruling = DENIED


class _Verdict(NamedTuple):
    """What was said, for which consent, until when. Keeping the consent keeps its identity its own."""

    said: Pinned | Refused
    consent: Consent
    until: float


class Egress:
    """The way out of one process. Belongs to one event loop.

    `own_ports` are the ports this installation listens on: nobody can consent to reaching them on this machine.
    """

    def __init__(self, clock: Clock, own_ports: frozenset[int] = frozenset(), resolver: Resolver | None = None) -> None:
        self._clock = clock
        self._own_ports = own_ports
        self._resolver = resolver or Resolver(clock)
        self._verdicts: dict[tuple[str, int, int], _Verdict] = {}
        self._settled: dict[tuple[str, int], frozenset[Entry]] = {}
        self._unsaid: list[Entry] = []

    def pinned(self, host: str, port: int, consent: Consent) -> Pinned | None:
        """Return a pin that is still good without asking anybody, else None: `open` then."""
        verdict = self._verdicts.get((host, port, id(consent)))
        if verdict is None or self._clock.monotonic() >= verdict.until or isinstance(verdict.said, Refused):
            return None
        return verdict.said

    def class_of(self, host: str, port: int, consent: Consent) -> AddressClass | None:
        """The most inner class among the addresses of a host that is pinned now; None when it is not."""
        pinned = self.pinned(host, port, consent) if literal(host) is None else Pinned(host, port, (plain(host),))
        if pinned is None:
            return None
        order = list(AddressClass)
        return max((classify(address) for address in pinned.addresses), key=order.index)

    async def open(self, host: str, port: int, consent: Consent) -> Pinned | Refused | Unresolved:
        """May this source connect to `host` (a name or an IP literal, IPv6 in brackets) at `port`?

        Judges every address of the answer; one that is refused refuses all (fault S5). No packet but the question to
        the name server leaves before the answer is Pinned.
        """
        key = (host, port, id(consent))
        verdict = self._verdicts.get(key)
        if verdict is not None and self._clock.monotonic() < verdict.until:
            return verdict.said
        if denied_name(host) and not self._literally(host, port, consent):
            return Refused()
        known = await self._resolver.resolve(plain(host))
        if isinstance(known.answer, Unresolved):
            return known.answer
        said = self._judge(host, port, known.answer, consent)
        if len(self._verdicts) >= _MOST_VERDICTS:
            self._verdicts.clear()
        self._verdicts[key] = _Verdict(said, consent, known.until)
        return said

    def _judge(self, host: str, port: int, addresses: tuple[str, ...], consent: Consent) -> Pinned | Refused:
        if consent.unsettled(host, port):
            consent = consent.with_entries(self._settle(host, port, addresses))
        for address in addresses:
            mine = port in self._own_ports and _is_mine(address)
            if not judge(address, port, host, consent, self._own_ports, mine=mine).admitted:
                return Refused()
        return Pinned(host, port, addresses)

    def _settle(self, host: str, port: int, addresses: tuple[str, ...]) -> frozenset[Entry]:
        """Return what the first resolution of a named host settled; this is the first one if nothing was yet."""
        key = (plain(host), port)
        settled = self._settled.get(key)
        if not settled:
            settled = self._settled[key] = frozenset(Entry(*key, cls) for cls in _first_classes(addresses))
            self._unsaid += settled
        return settled

    def recall(self, entries: Iterable[Entry]) -> None:
        """Take over what first resolutions settled, here and in other processes: whoever was first is right."""
        found: dict[tuple[str, int], set[Entry]] = {}
        for entry in entries:
            found.setdefault((entry.host, entry.port), set()).add(entry)
        for key, settled in found.items():
            self._settled[key] = frozenset(settled)

    def newly_settled(self) -> list[Entry]:
        """What first resolutions settled here since the last call, to be kept for every process to come."""
        entries, self._unsaid = self._unsaid, []
        return entries

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


def _first_classes(addresses: tuple[str, ...]) -> set[AddressClass]:
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
    classes = set[AddressClass]().union(*({public} if public in family else family for family in families))
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
