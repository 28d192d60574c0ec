"""How can an address be written that must not be connected to? Some two hundred and fifty ways, generated."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address
from math import gcd

TARGETS = (
    "169.254.169.254", "127.0.0.1", "10.0.0.1", "192.168.1.1", "172.16.0.1", "100.100.100.200", "100.64.0.1", "0.0.0.0",
    "192.0.0.192", "198.18.0.1", "224.0.0.1", "255.255.255.255",
)  # fmt: skip
"""Metadata services, this machine, private and shared networks, test networks, everybody."""
SIXES = ("[::1]", "[::]", "[fd00:ec2::254]", "[fe80::1]", "[fc00::1]", "[ff02::1]")
NAMES = (
    "localhost", "LOCALHOST", "localhost.", "a.localhost", "meta.evil.test", "lan.evil.test", "six.evil.test",
    "mixed.evil.test", "mapped.evil.test", "nat64.evil.test", "sixtofour.evil.test", "metadata.google.internal",
    "db.cluster.local", "api.svc", "instance-data.",
)  # fmt: skip
PORTS = ("", ":80", ":8080", ":8765", ":5432", ":6379")
_WIDE = str.maketrans("0123456789", "\uff10\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19")


def of(target: str) -> Iterator[str]:
    """Every way of writing an IPv4 address in the host of an address."""
    number = int(IPv4Address(target))
    a, b, c, d = (int(each) for each in target.split("."))
    high, low = f"{number >> 16:x}", f"{number & 0xFFFF:x}"
    yield target
    yield f"{target}."
    yield str(number)
    yield hex(number)
    yield hex(number).upper().replace("X", "x")
    yield f"0{number:o}"
    yield f"0{a:o}.0{b:o}.0{c:o}.0{d:o}"
    yield f"0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}"
    yield f"000{a:o}.{b}.{c}.{d}"
    yield f"0x{a:x}.{b}.0{c:o}.{d}"
    yield f"{a}.{(b << 16) + (c << 8) + d}"
    yield f"{a}.{b}.{(c << 8) + d}"
    yield f"0x{a:x}.{(b << 16) + (c << 8) + d}"
    yield target.translate(_WIDE)
    yield target.replace(".", "\u3002")
    yield target.replace(".", "%2e")
    yield "".join(f"%{ord(each):02x}" for each in target)
    yield f"user:word@{target}"
    yield f"www.good.test@{target}"
    yield f"[::ffff:{target}]"
    yield f"[::ffff:{high}:{low}]"
    yield f"[::{high}:{low}]"
    yield f"[64:ff9b::{high}:{low}]"
    yield f"[2002:{high}:{low}::]"


def addresses() -> list[str]:
    """The addresses to try: each spelling of each target, and names that lead there, at ports that listen."""
    hosts = [each for target in TARGETS for each in of(target)] + [*SIXES, *NAMES]
    return [f"http://{host}{PORTS[number % len(PORTS)]}/x{number}" for number, host in enumerate(hosts)]


def some(most: int) -> list[str]:
    """About so many of them (0: all), by a step that comes by every spelling, every target and every port."""
    every, period = addresses(), sum(1 for _ in of(TARGETS[0]))
    step = max(1, len(every) // most) if most else 1
    while gcd(step, period) > 1:
        step += 1
    return every[::step]
