"""Which addresses may be connected to, by class and consent (faults S1 to S4, S8, S9)."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given, strategies as st

from cormorant.base.errors import BadSetting
from cormorant.model.ruling import Gate
from cormorant.net.egress.policy import (
    DENIED,
    NEVER,
    PUBLIC_ONLY,
    AddressClass,
    Consent,
    ConsentedHost,
    classify,
    denied_name,
    judge,
    plain,
)

C = AddressClass
NO_PORTS = frozenset[int]()

CLASSES = [
    ("93.184.216.34", C.PUBLIC),
    ("2606:2800:220:1::1", C.PUBLIC),
    ("10.1.2.3", C.PRIVATE),
    ("172.16.0.1", C.PRIVATE),
    ("172.31.255.255", C.PRIVATE),
    ("172.32.0.1", C.PUBLIC),
    ("192.168.1.1", C.PRIVATE),
    ("fec0::1", C.PRIVATE),
    ("fd12:3456::1", C.ULA),
    ("100.64.0.1", C.CGNAT),
    ("100.128.0.1", C.PUBLIC),
    ("127.0.0.1", C.LOOPBACK),
    ("127.255.0.9", C.LOOPBACK),
    ("::1", C.LOOPBACK),
    ("0.0.0.0", C.UNSPECIFIED),
    ("0.1.2.3", C.UNSPECIFIED),
    ("::", C.UNSPECIFIED),
    ("224.0.0.1", C.MULTICAST),
    ("ff02::1", C.MULTICAST),
    ("169.254.1.1", C.LINK_LOCAL),
    ("fe80::1", C.LINK_LOCAL),
    ("fe80::1%eth0", C.LINK_LOCAL),
    ("169.254.169.254", C.METADATA),
    ("169.254.170.2", C.METADATA),
    ("100.100.100.200", C.METADATA),
    ("192.0.0.192", C.METADATA),
    ("168.63.129.16", C.METADATA),
    ("fd00:ec2::254", C.METADATA),
    ("192.0.2.1", C.RESERVED),
    ("198.18.0.1", C.RESERVED),
    ("203.0.113.7", C.RESERVED),
    ("240.0.0.1", C.RESERVED),
    ("255.255.255.255", C.RESERVED),
    ("2001:db8::1", C.RESERVED),
    ("4000::1", C.RESERVED),
    ("::ffff:127.0.0.1", C.LOOPBACK),
    ("::ffff:93.184.216.34", C.PUBLIC),
    ("::ffff:169.254.169.254", C.METADATA),
    ("::7f00:1", C.LOOPBACK),
    ("64:ff9b::7f00:1", C.LOOPBACK),
    ("64:ff9b::a9fe:a9fe", C.METADATA),
    ("64:ff9b::5db8:d822", C.PUBLIC),
    ("64:ff9b:1::7f00:1", C.LOOPBACK),
    ("64:ff9b:1::5db8:d822", C.RESERVED),
    ("2002:7f00:1::", C.LOOPBACK),
    ("2002:a00:1::1", C.PRIVATE),
    ("2002:5db8:d822::1", C.PUBLIC),
    ("2001:0:5db8:d822:0:0:80ff:fffe", C.LOOPBACK),  # Teredo: the client is stored inverted
    ("2001:0:a9fe:a9fe:0:0:a247:27dd", C.METADATA),  # Teredo: the server
    ("2606:2800::5efe:7f00:1", C.LOOPBACK),  # ISATAP
]


@pytest.mark.parametrize(("address", "expected"), CLASSES)
def test_classes(address: str, expected: AddressClass) -> None:
    assert classify(address) is expected


@given(st.integers(0, 2**32 - 1).map(IPv4Address))
def test_carried_addresses_are_never_judged_milder(address: IPv4Address) -> None:
    order = list(AddressClass)
    own = order.index(classify(address))
    value = int(address)
    assert classify(IPv6Address((0xFFFF << 32) | value)) is classify(address)
    for carrier in ((0x64FF9B << 96) | value, (0x2002 << 112) | (value << 80)):
        assert order.index(classify(IPv6Address(carrier))) >= own


@given(st.ip_addresses())
def test_every_address_has_a_class(address: IPv4Address | IPv6Address) -> None:
    cls = classify(address)
    if cls is C.PUBLIC and address.version == 4:
        assert address.is_global
    admitted = judge(str(address), 80, "example.org", PUBLIC_ONLY, NO_PORTS).admitted
    assert admitted is (cls is C.PUBLIC)


@given(st.ip_addresses(), st.booleans())
def test_nobody_can_consent_to_what_never_may_be(address: IPv4Address | IPv6Address, by_range: bool) -> None:
    host = str(address)
    entries = [ConsentedHost(host, 80, cls) for cls in C]
    network = ["private", "loopback", "0.0.0.0/0", "::/0"] if by_range else []
    ruling = judge(host, 80, host, Consent.of([(host, 80)], network, entries), NO_PORTS)
    assert ruling.admitted is (classify(address) not in NEVER)


def test_denials_look_alike() -> None:
    for address in ("169.254.169.254", "10.0.0.1", "127.0.0.1", "224.0.0.1"):
        assert judge(address, 80, "a.example", PUBLIC_ONLY, NO_PORTS) is DENIED
    assert (DENIED.admitted, DENIED.gate, DENIED.status) == (False, Gate.NETWORK, 974)


def test_consent_is_to_one_host_and_port() -> None:
    consent = Consent.of([("Intranet.Example.", 8080)])
    assert judge("10.0.0.1", 8080, "intranet.example", consent, NO_PORTS).admitted
    assert not judge("10.0.0.1", 80, "intranet.example", consent, NO_PORTS).admitted
    assert not judge("10.0.0.1", 8080, "other.example", consent, NO_PORTS).admitted


def test_a_later_answer_of_another_class_is_refused() -> None:
    inside = Consent.of([("host", 80)], entries=[ConsentedHost("host", 80, C.PRIVATE)])
    assert judge("10.0.0.1", 80, "host", inside, NO_PORTS).admitted
    assert judge("fd12::1", 80, "host", inside, NO_PORTS).admitted
    assert not judge("127.0.0.1", 80, "host", inside, NO_PORTS).admitted
    assert not judge("93.184.216.34", 80, "host", inside, NO_PORTS).admitted
    outside = Consent.of([("host", 80)], entries=[ConsentedHost("host", 80, C.PUBLIC)])
    assert judge("93.184.216.34", 80, "host", outside, NO_PORTS).admitted
    assert not judge("10.0.0.1", 80, "host", outside, NO_PORTS).admitted


def test_network_adds_classes_and_ranges() -> None:
    private = Consent.of([], ["private"])
    for address in ("10.0.0.1", "fd12::1", "100.64.0.1", "93.184.216.34"):
        assert judge(address, 80, "any.example", private, NO_PORTS).admitted, address
    assert not judge("127.0.0.1", 80, "any.example", private, NO_PORTS).admitted
    ranges = Consent.of([], ["10.9.0.0/16", "127.0.0.5"])
    assert judge("10.9.1.1", 80, "a.example", ranges, NO_PORTS).admitted
    assert judge("127.0.0.5", 80, "a.example", ranges, NO_PORTS).admitted
    assert not judge("10.8.1.1", 80, "a.example", ranges, NO_PORTS).admitted
    assert not judge("fd12::1", 80, "a.example", ranges, NO_PORTS).admitted


def test_public_said_explicitly_withdraws_all_other_consent() -> None:
    consent = Consent.of([("127.0.0.1", 80)], ["public"], [ConsentedHost("127.0.0.1", 80, C.LOOPBACK)])
    assert not judge("127.0.0.1", 80, "127.0.0.1", consent, NO_PORTS).admitted
    assert judge("93.184.216.34", 80, "a.example", consent, NO_PORTS).admitted
    both = Consent.of([("127.0.0.1", 80)], ["public", "private"])
    assert judge("127.0.0.1", 80, "127.0.0.1", both, NO_PORTS).admitted


def test_our_own_ports_are_never_reached() -> None:
    own = frozenset((8000,))
    consent = Consent.of([("127.0.0.1", 8000), ("10.0.0.1", 8000)], ["loopback", "private"])
    assert not judge("127.0.0.1", 8000, "127.0.0.1", consent, own).admitted
    assert not judge("0.0.0.0", 8000, "0.0.0.0", consent, own).admitted
    assert not judge("::ffff:127.0.0.1", 8000, "127.0.0.1", consent, own).admitted
    assert judge("127.0.0.1", 8001, "x.example", consent, own).admitted
    assert judge("10.0.0.1", 8000, "10.0.0.1", consent, own).admitted
    assert not judge("10.0.0.1", 8000, "10.0.0.1", consent, own, mine=True).admitted


@pytest.mark.parametrize(
    ("host", "denied"),
    [
        ("metadata.google.internal", True),
        ("METADATA.google.INTERNAL.", True),
        ("api.default.svc", True),
        ("api.default.svc.cluster.local", True),
        ("internal", True),
        ("internal.example.org", False),
        ("notinternal", False),
        ("example.org", False),
    ],
)
def test_names_of_clusters(host: str, denied: bool) -> None:
    assert denied_name(host) is denied
    assert judge("93.184.216.34", 80, host, PUBLIC_ONLY, NO_PORTS).admitted is not denied
    assert judge("10.0.0.1", 80, host, Consent.of([(host, 80)]), NO_PORTS).admitted
    assert judge("10.0.0.1", 80, host, Consent.of([], ["private"]), NO_PORTS).admitted is not denied


def test_bad_networks_are_named() -> None:
    with pytest.raises(BadSetting, match="intranet"):
        Consent.of([], ["intranet"])
    with pytest.raises(BadSetting, match=r"10\.0\.0\.0/99"):
        Consent.of([], ["10.0.0.0/99"])


def test_equal_consent_is_equal() -> None:
    one, other = (Consent.of(named, ["private"]) for named in ([("a", 1), ("b", 2)], [("b", 2), ("A.", 1)]))
    assert one == other
    assert hash(one) == hash(other)
    assert plain("[::1]") == "::1"
    assert str(ip_address(plain("[::1]"))) == "::1"
