"""Boundaries against a second reading of the same rules: slow, simple, and written without a look at the first.

It takes an address apart with the standard library, turns wildcards into expressions, and asks every rule of every
address.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from hypothesis import example, given, settings, strategies as st

from cormorant.model.url import canonical
from cormorant.sources.rules import compile_rules

WHERE = {"host", "suffix", "prefix", "address", "contains", "regex", "ip", "any"}
PORTS = {"http": 80, "https": 443}


def glob(pattern: str, text: str, *, begin: bool = True, end: bool = True) -> bool:
    """Does a wildcard pattern match, at the beginning and to the end as asked?"""
    parts = [re.escape(each) for each in pattern.lower().split("*")]
    return (
        re.search(("^" if begin else "") + ".*".join(parts) + ("$" if end else ""), text.lower(), re.DOTALL) is not None
    )


def same_host(typed: str, host: str, port: int) -> bool:
    name, colon, number = typed.partition(":")
    return glob(name.rstrip("."), host) and (not colon or int(number) == port)


class Parts(NamedTuple):
    """An address, taken apart."""

    whole: str
    scheme: str
    host: str
    port: int
    path: str


def apart(address: str) -> Parts:
    parts = urlsplit(address)
    host, port = (parts.hostname or "").rstrip("."), f":{parts.port}" if parts.port else ""
    plain = f"{parts.scheme}://{host}{port}{address[address.index('/', 8) :]}"
    return Parts(plain, parts.scheme, host, parts.port or PORTS[parts.scheme], parts.path or "/")


def in_range(value: str, host: str) -> bool:
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(value)
    except ValueError:
        return False


def is_port(value: str, port: int) -> bool:
    low, _, high = value.partition("-")
    return int(low) <= port <= int(high or low)


def on_path(value: str, path: str) -> bool:
    full = value if value.startswith(("/", "*")) else "/" + value
    return glob(full, path) or glob(full.rstrip("/") + "/", path, end=False)


KINDS: dict[str, Callable[[str, Parts], bool]] = {
    "any": lambda _, at: True,
    "host": lambda value, at: same_host(value, at.host, at.port),
    "suffix": lambda value, at: at.host == value or at.host.endswith("." + value),
    "ip": lambda value, at: in_range(value, at.host),
    "scheme": lambda value, at: at.scheme == value,
    "port": lambda value, at: is_port(value, at.port),
    "prefix": lambda value, at: glob(canonical(value), at.whole, end=False),
    "address": lambda value, at: canonical(value).lower() == at.whole.lower(),
    "contains": lambda value, at: glob(value, at.whole, begin=False, end=False),
    "ends": lambda value, at: glob(value, at.whole, begin=False),
    "regex": lambda value, at: re.search(value, at.whole) is not None,
    "ext": lambda value, at: any(at.path.lower().endswith("." + each) for each in value.split(",")),
    "name": lambda value, at: glob(value, at.path.rsplit("/", 1)[1]),
    "path": lambda value, at: on_path(value, at.path),
}


def matches(rule: str, address: str) -> bool:
    """Does one rule match?"""
    kind, _, value = rule.partition(":")
    if kind in ("path", "port") and value.startswith("//"):
        if not holds_here(rule, address):
            return False
        value = re.sub(r"^//[^/]*:" if kind == "port" else "^//[^/]*", "", value) or "/"
    return KINDS[kind](value, apart(address))


def holds_here(rule: str, address: str) -> bool:
    """Is a rule about the host of an address at all?"""
    kind, _, value = rule.partition(":")
    if kind not in ("path", "port") or not value.startswith("//"):
        return True
    parts = urlsplit(address)
    named = re.match(r"//([^/]*?)(/.*|:\d+(?:-\d+)?)?$" if kind == "port" else r"//([^/]*)(/.*)?$", value)
    assert named
    return same_host(named[1], (parts.hostname or "").rstrip("."), parts.port or PORTS[parts.scheme])


def admits(include: Sequence[str], exclude: Sequence[str], hosts: Sequence[str], address: str) -> bool:
    """Is an address inside?"""
    spellings = [address, address[:8] + unquote(address[8:])]
    if any(matches(rule, each) for rule in exclude for each in spellings):
        return False
    where = [rule for rule in include if rule.partition(":")[0] in WHERE] or [f"host:{host}" for host in hosts]
    if not any(matches(rule, address) for rule in where):
        return False
    for kind in {rule.partition(":")[0] for rule in include} - WHERE:
        group = [rule for rule in include if rule.partition(":")[0] == kind and holds_here(rule, address)]
        if group and not any(matches(rule, address) for rule in group):
            return False
    return True


HOSTS = ["a.org", "www.a.org", "ba.org", "a.org.evil.net", "10.0.0.1", "10.0.1.1", "b.net", "a.org.", "www.a.org."]
PATHS = [
    "",
    "x",
    "x/",
    "x/y",
    "X/Y.pdf",
    "xy",
    "print/x.html",
    "x/print/y.PDF?z=1",
    "?x",
    "x?y=/print/",
    "%78/y",
    "draft-1.txt",
]
RULES = [
    "host:a.org",
    "host:*.a.org",
    "host:a.org:8080",
    "host:10.0.0.1",
    "suffix:a.org",
    "suffix:net",
    "ip:10.0.0.0/24",
    "ip:10.0.0.0/16",
    "any",
    "scheme:https",
    "prefix:https://a.org/x",
    "prefix:http://a.org/x/",
    "prefix:https://a.org/x/y",
    "prefix:http://*.org/x",
    "address:https://a.org/x/y",
    "contains:/print/",
    "contains:x*y",
    "contains:a.org",
    "regex:/x/[yY]",
    r"regex:\.org/$",
    "regex:^https",
    "ends:z=1",
    "ends:/",
    "ext:pdf",
    "ext:html,txt",
    "path:/x",
    "path:/x/*",
    "path:*/print",
    "path:/",
    "path:x/",
    "path://a.org/x",
    "path://*.a.org/print/*",
    "path://a.org:8080/x",
    "path://b.net",
    "name:draft-*",
    "name:*.pdf",
    "name:x",
    "port:80",
    "port:8000-9000",
    "port://a.org:443",
    "port://*.a.org:80-443",
]
addresses = st.builds(
    lambda scheme, host, port, path: canonical(f"{scheme}://{host}{port}/{path}"),
    st.sampled_from(["http", "https"]), st.sampled_from(HOSTS), st.sampled_from(["", ":8080"]), st.sampled_from(PATHS),
)  # fmt: skip
rules = st.lists(st.sampled_from(RULES), max_size=5, unique=True)


@settings(max_examples=500)
@given(rules, rules, st.lists(addresses, min_size=1, max_size=8))
@example(["suffix:a.org"], [], ["https://a.org.evil.net/", "https://ba.org/", "https://www.a.org/"])
@example(["path://a.org/x"], [], ["https://a.org/y", "https://a.org/x", "https://b.net/y"])
def test_a_boundary_is_what_its_rules_say(include: list[str], exclude: list[str], some: list[str]) -> None:
    hosts = ["a.org", "b.net"]
    boundary = compile_rules(include, exclude, hosts)
    for address in some:
        assert boundary.ruling(address).admitted == admits(include, exclude, hosts, address), address


@settings(max_examples=300)
@given(st.sampled_from(RULES), addresses)
def test_each_rule_by_itself(rule: str, address: str) -> None:
    excluded = not compile_rules([], [rule], None).ruling(address).admitted
    assert excluded == any(matches(rule, each) for each in (address, address[:8] + unquote(address[8:])))
