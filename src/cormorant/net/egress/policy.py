"""Egress policy: decides whether a connection to an IP address is allowed.

A pure decision by address classes and the consent of the source.

Special addresses follow the IANA registries (RFC 6890 and its updates). IPv6 addresses that carry an IPv4 address are
judged by the worse of the two: ::ffff:a.b.c.d and ::a.b.c.d (RFC 4291), 6to4 (RFC 3056), NAT64 (RFC 6052), Teredo
(RFC 4380, both its server and its client) and ISATAP (RFC 5214).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import NamedTuple

from cormorant.base.errors import BadSetting
from cormorant.model.ruling import Gate, Ruling

DENIED_STATUS = 974
"""The status of all refusals here: forbidden network."""


class AddressClass(StrEnum):
    """Address class by purpose, from least to most dangerous; of two classes the later one counts."""

    PUBLIC = "public"
    PRIVATE = "private"
    ULA = "ula"
    CGNAT = "cgnat"
    RESERVED = "reserved"
    LOOPBACK = "loopback"
    UNSPECIFIED = "unspecified"
    MULTICAST = "multicast"
    LINK_LOCAL = "link_local"
    METADATA = "metadata"


NEVER = frozenset((AddressClass.MULTICAST, AddressClass.LINK_LOCAL, AddressClass.METADATA))
"""No source can consent to these."""

INTERNAL = frozenset((AddressClass.PRIVATE, AddressClass.ULA, AddressClass.CGNAT))
"""One class for consent: internal networks."""

_SEVERITY = {each: number for number, each in enumerate(AddressClass)}
_WORDS = {
    "public": frozenset((AddressClass.PUBLIC,)),
    "private": INTERNAL,
    "loopback": frozenset((AddressClass.LOOPBACK,)),
}
_DENIED_SUFFIXES = (".internal", ".cluster.local", ".svc")
"""Suffixes of names of cluster-internal services: only for a source that names the host itself."""

_V4 = [
    (IPv4Network(network), cls)
    for network, cls in (
        ("168.63.129.16/32", AddressClass.METADATA),  # Azure's wire server
        ("169.254.169.254/32", AddressClass.METADATA),
        ("169.254.170.2/32", AddressClass.METADATA),
        ("100.100.100.200/32", AddressClass.METADATA),
        ("192.0.0.192/32", AddressClass.METADATA),
        ("0.0.0.0/8", AddressClass.UNSPECIFIED),
        ("10.0.0.0/8", AddressClass.PRIVATE),
        ("100.64.0.0/10", AddressClass.CGNAT),
        ("127.0.0.0/8", AddressClass.LOOPBACK),
        ("169.254.0.0/16", AddressClass.LINK_LOCAL),
        ("172.16.0.0/12", AddressClass.PRIVATE),
        ("192.0.0.0/24", AddressClass.RESERVED),
        ("192.0.2.0/24", AddressClass.RESERVED),
        ("192.88.99.0/24", AddressClass.RESERVED),
        ("192.168.0.0/16", AddressClass.PRIVATE),
        ("198.18.0.0/15", AddressClass.RESERVED),
        ("198.51.100.0/24", AddressClass.RESERVED),
        ("203.0.113.0/24", AddressClass.RESERVED),
        ("224.0.0.0/4", AddressClass.MULTICAST),
        ("240.0.0.0/4", AddressClass.RESERVED),
    )
]
_V6 = [
    (IPv6Network(network), cls)
    for network, cls in (
        ("fd00:ec2::254/128", AddressClass.METADATA),
        ("fd00:ec2::23/128", AddressClass.METADATA),
        ("fd20:ce::254/128", AddressClass.METADATA),
        ("::/128", AddressClass.UNSPECIFIED),
        ("::1/128", AddressClass.LOOPBACK),
        ("fe80::/10", AddressClass.LINK_LOCAL),
        ("fec0::/10", AddressClass.PRIVATE),
        ("fc00::/7", AddressClass.ULA),
        ("ff00::/8", AddressClass.MULTICAST),
        ("2001:db8::/32", AddressClass.RESERVED),
        ("2001:2::/48", AddressClass.RESERVED),
        ("3fff::/20", AddressClass.RESERVED),
        ("2000::/3", AddressClass.PUBLIC),
        ("64:ff9b::/96", AddressClass.PUBLIC),  # judged by the IPv4 address within
        ("::/96", AddressClass.PUBLIC),
        ("::/0", AddressClass.RESERVED),
    )
]
_NAT64 = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"), IPv6Network("::/96"))
_ISATAP = (0x00005EFE, 0x02005EFE)
_V4_MASK = 0xFFFFFFFF


@lru_cache(maxsize=4096)
def classify(address: str | IPv4Address | IPv6Address) -> AddressClass:
    """Return the class of an address; a scope (`%eth0`) is ignored. Raises ValueError for anything else.

    Cached: every visit needs the class of its site's address for the pace.
    """
    at = ip_address(address.partition("%")[0]) if isinstance(address, str) else address
    if isinstance(at, IPv4Address):
        return next((cls for network, cls in _V4 if at in network), AddressClass.PUBLIC)
    if at.ipv4_mapped is not None:
        return classify(at.ipv4_mapped)
    own = next(cls for network, cls in _V6 if at in network)
    if own in (AddressClass.UNSPECIFIED, AddressClass.LOOPBACK):
        return own
    return max((own, *(classify(each) for each in _carried(at))), key=_SEVERITY.__getitem__)


def reached(address: str) -> set[str]:
    """The addresses at which a packet to this one may arrive, including itself, in the usual notation."""
    at = ip_address(address.partition("%")[0])
    if isinstance(at, IPv4Address):
        return {str(at)}
    mapped = () if at.ipv4_mapped is None else (at.ipv4_mapped,)
    return {str(each) for each in (at, *mapped, *_carried(at))}


def _carried(at: IPv6Address) -> Iterator[IPv4Address]:
    """Yield the IPv4 addresses at which a packet to this IPv6 address may arrive."""
    if at.sixtofour is not None:
        yield at.sixtofour
    if at.teredo is not None:
        yield from at.teredo
    isatap = (int(at) >> 32) & _V4_MASK in _ISATAP
    if isatap or any(at in network for network in _NAT64):
        yield IPv4Address(int(at) & _V4_MASK)


class ConsentedHost(NamedTuple):
    """Consent to one host and port, as long as its addresses stay in the class that they had at the consent."""

    host: str
    port: int
    cls: AddressClass


@dataclass(frozen=True, slots=True)
class Consent:
    """Consent of a source: destinations it may reach besides the public Internet.

    Frozen: a run sees one version; make it by `of`.

    `entries` were settled at the first resolution. `named` are hosts and ports that appear literally in the start
    addresses or a `host:` rule: the class of those without an entry is settled at their first resolution. `classes`
    and `ranges` are added by the setting `network`; `refused` ranges are never connected to. Hosts are in lower case,
    without brackets and trailing dot.
    """

    entries: frozenset[ConsentedHost] = frozenset()
    named: frozenset[tuple[str, int]] = frozenset()
    classes: frozenset[AddressClass] = frozenset()
    ranges: tuple[IPv4Network | IPv6Network, ...] = ()
    refused: tuple[IPv4Network | IPv6Network, ...] = ()

    @classmethod
    def of(
        cls,
        named: Iterable[tuple[str, int]],
        network: Sequence[str] = (),
        entries: Iterable[ConsentedHost] = (),
        refused: Iterable[str] = (),
    ) -> Consent:
        """Make the consent of literally named hosts and the setting `network`: public, private, loopback, CIDR ranges.

        A `network` of only `public` withdraws all other consent. `refused` are ranges of the source's own rules. Raises
        BadSetting.
        """
        never = tuple(_range(word) for word in refused)
        words = [word.strip().lower() for word in network]
        classes = frozenset[AddressClass]().union(*(_WORDS.get(word, frozenset()) for word in words))
        ranges = tuple(_range(word) for word in words if word not in _WORDS)
        if words and set(words) == {"public"}:
            return cls(classes=classes, refused=never)
        return cls(
            frozenset(entry._replace(host=plain(entry.host)) for entry in entries),
            frozenset((plain(host), port) for host, port in named),
            classes,
            ranges,
            never,
        )

    def unsettled(self, host: str, port: int) -> bool:
        """Return whether this host is named but has no settled class yet."""
        host = plain(host)
        return (host, port) in self.named and not any(e.host == host and e.port == port for e in self.entries)

    def with_entries(self, entries: Iterable[ConsentedHost]) -> Consent:
        """Return the same consent with more settled entries."""
        return replace(self, entries=self.entries.union(entries))


PUBLIC_ONLY = Consent()
"""No consent: public addresses only."""


def _range(word: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(word, strict=False)
    except ValueError:
        raise BadSetting(
            f"The setting 'network' cannot be {word!r}: it takes public, private, loopback or ranges like 10.0.0.0/8."
        ) from None


def plain(host: str) -> str:
    """Return a host in its form for comparison: lower case, without brackets and without the trailing dot."""
    return host.strip("[]").rstrip(".").lower()


DENIED = Ruling(admitted=False, gate=Gate.NETWORK, rule="network", status=DENIED_STATUS)
"""The one ruling for all refusals: it must not reveal what is behind a forbidden address."""


def judge(
    address: str, port: int, host: str, consent: Consent, own_ports: frozenset[int], *, mine: bool = False
) -> Ruling:
    """Rule whether a connection to `address` may be opened for `host`.

    `own_ports` are those that this installation listens on; `mine` says that the address belongs to this machine
    (loopback and unspecified always do).
    """
    at = ip_address(address.partition("%")[0])
    cls = classify(at)
    if cls in NEVER or (port in own_ports and (mine or cls in (AddressClass.LOOPBACK, AddressClass.UNSPECIFIED))):
        return DENIED
    if consent.refused and _is_refused(at, consent.refused):
        return DENIED
    name = plain(host)
    kinds = {entry.cls for entry in consent.entries if entry.host == name and entry.port == port}
    literally = bool(kinds) or (name, port) in consent.named
    if denied_name(name) and not literally:
        return DENIED
    if cls in consent.classes or any(at in network for network in consent.ranges):
        return _admitted(f"network: {cls}")
    if kinds:
        return _admitted(f"named: {name}:{port}") if any(_alike(cls, kind) for kind in kinds) else DENIED
    if literally:
        return _admitted(f"named: {name}:{port}")
    return _admitted("public") if cls is AddressClass.PUBLIC else DENIED


def _is_refused(at: IPv4Address | IPv6Address, refused: Iterable[IPv4Network | IPv6Network]) -> bool:
    """Return whether an address, or the IPv4 address mapped in it, lies in one of these ranges."""
    mapped = at.ipv4_mapped if isinstance(at, IPv6Address) else None
    return any(at in network or (mapped is not None and mapped in network) for network in refused)


def _admitted(rule: str) -> Ruling:
    return Ruling(admitted=True, gate=Gate.NETWORK, rule=rule)


def _alike(one: AddressClass, other: AddressClass) -> bool:
    """Return whether two classes are the same for consent: private, unique local and carrier-grade ones are."""
    return one is other or (one in INTERNAL and other in INTERNAL)


def denied_name(host: str) -> bool:
    """Return whether a name is refused before it is resolved, unless it is named literally."""
    return ("." + plain(host)).endswith(_DENIED_SUFFIXES)
