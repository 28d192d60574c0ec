"""What did the administrator type? One rule after the other, read and canonicalised."""

from __future__ import annotations

import difflib
import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import quote

from cormorant.base.errors import BadAddress, BadRule
from cormorant.model.address import Origin, canonical, origin_of
from cormorant.sources.rules.matching import TextTest, compile_pattern, in_order

RULE_TYPES: Mapping[str, str] = MappingProxyType(
    {
        "host": "host:www.example.org or host:*.example.org:8443; the host, with its port if one is given",
        "suffix": "suffix:example.org; that domain and every host below it",
        "prefix": "prefix:https://example.org/docs/; addresses that begin so",
        "contains": "contains:/print/; addresses with this in them",
        "regex": r"regex:/\d{4}/draft; addresses in which the RE2 expression is found, capitals as written",
        "ip": "ip:10.0.0.0/8; hosts that are written as an IP address of that range",
        "any": "any; every address",
        "path": "path:/docs/*; paths without their query; /docs alone is that path and all below it",
        "ext": "ext:pdf; paths that end in .pdf",
        "ends": "ends:?print=1; addresses that end so",
        "port": "port:8080 or port:8000-8010",
        "scheme": "scheme:https",
    }
)
"""The types of rule, each with an example and what it matches."""

_ASCII_KEPT = "".join(chr(code) for code in range(33, 127) if chr(code) not in '"<>`')

OriginTest = Callable[[Origin], bool]


class Rule(NamedTuple):
    """One rule, read. Exactly one of the last four says what it matches.

    `text` is the rule as typed. `on_origin` judges scheme, host and port; `prefix` is the beginning of a lower-case
    address; `on_address` judges a lower-case address; `pattern` is a regular expression.
    """

    type: str
    text: str
    on_origin: OriginTest | None = None
    prefix: str = ""
    on_address: TextTest | None = None
    pattern: str = ""


def split_rule(text: str, types: Iterable[str]) -> tuple[str, str]:
    """Take a typed rule apart into its type and its value. Raises BadRule, naming the nearest of the known `types`."""
    name, colon, value = text.strip().partition(":")
    name, value = name.strip().lower(), value.strip()
    known = list(types)
    if not name and not colon:
        raise BadRule(f"A rule is empty: it begins with its type, and the types are {', '.join(known)}.")
    if name not in known or not (colon or name == "any"):
        raise BadRule(f"{text!r} is not a rule: {_nearest(name, colon, value, known)}")
    if bool(value) == (name == "any"):
        need = "takes nothing after it" if value else f"needs a value, like {RULE_TYPES[name].partition(';')[0]}"
        raise BadRule(f"The rule {text!r} cannot be read: {name!r} {need}.")
    return name, value


def _nearest(name: str, colon: str, value: str, known: list[str]) -> str:
    """Say what was probably meant."""
    if value.startswith("//"):
        return f"to mean everything below an address, write 'prefix:{name}:{value}'."
    if "host" in known and (not colon or value.isdigit()) and "." in name:
        return f"to mean a host, write 'host:{name}{colon}{value}'."
    if "path" in known and name.startswith("/"):
        return f"to mean paths, write 'path:{name}{'*' if name.endswith('/') else ''}'."
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        return f"there is no type {name!r}. Did you mean '{near[0]}:{value}'?"
    return f"it begins with {name!r}, but the types are {', '.join(known)}."


def parse_rule(text: str) -> Rule:
    """Read one rule for addresses. Raises BadRule, quoting the piece that is wrong."""
    name, value = split_rule(text, RULE_TYPES)
    try:
        return _READERS[name](text, value)
    except BadAddress:
        raise BadRule(f"The rule {text!r} cannot be read at {value!r}: {_like(name)}") from None


def _like(name: str) -> str:
    example, _, meaning = RULE_TYPES[name].partition("; ")
    return f"it should look like {example}{', ' if meaning else ''}{meaning}."


def _host(text: str, value: str) -> Rule:
    name, port = _split_port(value)
    if any(mark in value for mark in "/@?#\\"):
        raise BadRule(f"The rule {text!r} names more than a host in {value!r}. For addresses, use 'prefix:'.")
    bare = host_name(name)
    if "*" in bare:
        pieces = tuple(bare.split("*"))
        return Rule("host", text, lambda at: in_order(_bare(at.host), pieces, True) and port in (None, at.port))
    return Rule("host", text, lambda at: _bare(at.host) == bare and port in (None, at.port))


def _suffix(text: str, value: str) -> Rule:
    bare = host_name(value.removeprefix("*").removeprefix("."))
    if "/" in value or ":" in bare or "*" in bare or bare.replace(".", "").isdigit():
        raise BadRule(f"The rule {text!r} cannot be read at {value!r}: {_like('suffix')}")
    below = "." + bare
    return Rule("suffix", text, lambda at: _bare(at.host) == bare or _bare(at.host).endswith(below))


def _prefix(text: str, value: str) -> Rule:
    start = canonical(value).lower()
    if "//" not in value:
        raise BadRule(f"The rule {text!r} cannot be read at {value!r}: {_like('prefix')}")
    if "*" not in start:
        return Rule("prefix", text, prefix=start)
    pieces = (*start.split("*"), "")
    return Rule("prefix", text, on_address=lambda address: in_order(address, pieces, False))


def _contains(text: str, value: str) -> Rule:
    pieces = ("", *_as_address(value).split("*"), "")
    return Rule("contains", text, on_address=lambda address: in_order(address, pieces, False))


def _ends(text: str, value: str) -> Rule:
    pieces = ("", *_as_address(value).split("*"))
    return Rule("ends", text, on_address=lambda address: in_order(address, pieces, True))


def _path(text: str, value: str) -> Rule:
    for mark in "?#":
        if mark in value:
            at = value[value.index(mark) :]
            raise BadRule(
                f"The rule {text!r} cannot be read at {at!r}: a path has no query; use 'contains:' or 'ends:'."
            )
    slash = "" if value.startswith("/") else "/"
    path = canonical(f"http://x{slash}{value}").removeprefix("http://x").lower()
    pieces = tuple((path[1:] if value.startswith("*") else path).split("*"))
    below = (*pieces[:-1], pieces[-1].removesuffix("/") + "/", "")
    return Rule("path", text, on_address=lambda address: _on_path(_path_in(address), pieces, below))


def _on_path(path: str, pieces: tuple[str, ...], below: tuple[str, ...]) -> bool:
    """Say whether the pattern is the path, or a folder above it."""
    return in_order(path, pieces, True) or in_order(path, below, False)


def _ext(text: str, value: str) -> Rule:
    ends = extensions(text, value)
    return Rule("ext", text, on_address=lambda address: _path_in(address).endswith(ends))


def extensions(text: str, value: str) -> tuple[str, ...]:
    """Read the value of an `ext` rule: one file extension or several with commas, each returned with its dot."""
    ends = tuple("." + each.strip().lstrip("*.").lower() for each in value.split(","))
    if any(not re.fullmatch(r"\.[\w.+~-]+", each) for each in ends):
        raise BadRule(f"The rule {text!r} cannot be read at {value!r}: {_like('ext')}")
    return ends


def _ip(text: str, value: str) -> Rule:
    try:
        network = ipaddress.ip_network(value.strip("[]"), strict=False)
    except ValueError as error:
        raise BadRule(f"The rule {text!r} cannot be read at {value!r}: {error}.") from None
    return Rule("ip", text, lambda at: _is_in(at.host, network))


def _is_in(host: str, network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> bool:
    """Say whether a host is written as an address of `network`; an IPv4 address inside an IPv6 one counts as itself."""
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped and network.version == 4:
        return address.ipv4_mapped in network
    return address in network


def _port(text: str, value: str) -> Rule:
    found = re.fullmatch(r"(\d{1,5})(?:\s*-\s*(\d{1,5}))?", value, re.ASCII)
    if not found:
        raise BadRule(f"The rule {text!r} cannot be read at {value!r}: {_like('port')}")
    ports = range(int(found[1]), int(found[2] or found[1]) + 1)
    return Rule("port", text, lambda at: at.port in ports)


def _scheme(text: str, value: str) -> Rule:
    scheme = value.lower().removesuffix("://")
    if not scheme.isalnum():
        raise BadRule(f"The rule {text!r} cannot be read at {value!r}: {_like('scheme')}")
    return Rule("scheme", text, lambda at: at.scheme == scheme)


def _any(text: str, _value: str) -> Rule:
    return Rule("any", text, lambda _at: True)


def _regex(text: str, value: str) -> Rule:
    compile_pattern(text, value)
    return Rule("regex", text, pattern=value)


_READERS: dict[str, Callable[[str, str], Rule]] = {
    "host": _host,
    "suffix": _suffix,
    "prefix": _prefix,
    "contains": _contains,
    "regex": _regex,
    "ip": _ip,
    "any": _any,
    "path": _path,
    "ext": _ext,
    "ends": _ends,
    "port": _port,
    "scheme": _scheme,
}


def host_name(text: str) -> str:
    """Return a host as canonical addresses have it (ASCII, small letters), without the dot of the root."""
    bracketed = f"[{text}]" if text.count(":") > 1 and "[" not in text else text
    return _bare(origin_of(canonical(f"http://{bracketed}/")).host)


def _bare(host: str) -> str:
    return host.removesuffix(".")


def _split_port(value: str) -> tuple[str, int | None]:
    """Split `host:port`; an IPv6 address keeps its colons."""
    found = re.fullmatch(r"(\[.*\]|[^:]*):(\d{1,5})", value)
    return (found[1], int(found[2])) if found else (value, None)


def _as_address(value: str) -> str:
    """Write typed text the way it stands in a lower-case canonical address."""
    return quote(value, safe=_ASCII_KEPT).lower()


def _path_in(address: str) -> str:
    """Return the path of a lower-case canonical address, without its query."""
    start = address.find("/", address.find("//") + 2)
    return address[start:].partition("?")[0] if start >= 0 else ""
