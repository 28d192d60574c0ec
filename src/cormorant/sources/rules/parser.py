"""Parser of the rules that an administrator types. One rule after the other, read and canonicalised."""

from __future__ import annotations

import difflib
import ipaddress
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import quote

from cormorant.base.errors import BadAddress, BadRule
from cormorant.model.url import Origin, canonical, origin_of
from cormorant.sources.rules.matching import TextTest, compile_pattern, in_order

RULE_TYPES: Mapping[str, str] = MappingProxyType(
    {
        "host": "host:www.example.org or host:*.example.org:8443; the host, with its port if one is given",
        "suffix": "suffix:example.org; that domain and every host below it",
        "prefix": "prefix:https://example.org/docs/; addresses that begin so",
        "contains": "contains:/print/; addresses with this in them",
        "regex": r"regex:/\d{4}/draft; addresses in which the RE2 expression is found, capitals as written",
        "ip": "ip:10.0.0.0/8; hosts written as an IP address of that range; as exclude, names that lead there too",
        "address": "address:https://example.org/docs/?page=2; that address and no other",
        "any": "any; every address",
        "path": "path:/docs/* or path://example.org/docs/*; paths without their query, with a host on that host only; "
        "/docs alone is that path and all below it",
        "name": "name:draft-*; paths whose last part, the name of the file, is this",
        "ext": "ext:pdf; paths that end in .pdf",
        "ends": "ends:?print=1; addresses that end so",
        "port": "port:8000-8010 or port://example.org:8080; with a host on that host only",
        "scheme": "scheme:https",
    }
)
"""The types of rule for addresses, each with examples and what it matches."""

DOCUMENT_TYPES: Mapping[str, str] = MappingProxyType(
    {
        "mime": "mime:application/pdf or mime:image/*; documents whose bytes are of this type",
        "size": "size:>10MB or size:<1kB or size:1kB-10MB; documents of so many bytes",
        "age": "age:>365 or age:<30 or age:30-365; documents that were changed so many days ago, as their server says",
    }
)
"""The types of rule for documents, which can be judged only after a visit."""

_OTHER_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "starts": "prefix", "begins": "prefix", "url": "address", "exact": "address", "uri": "address",
        "domain": "suffix", "site": "suffix", "subnet": "ip", "ipmask": "ip", "cidr": "ip", "protocol": "scheme",
        "extension": "ext", "regexp": "regex", "re": "regex", "file": "name", "filename": "name", "type": "mime",
        "folder": "path", "directory": "path", "glob": "path",
    }
)  # fmt: skip
"""Names that other programs have for these types: the answer names the type in place of a guess."""

_ASCII_KEPT = "".join(chr(code) for code in range(33, 127) if chr(code) not in '"<>`')

OriginTest = Callable[[Origin], bool]


class BoundaryRule(NamedTuple):
    """One rule, read. Exactly one of `on_origin`, `prefix`, `on_address` and `pattern` says what it matches.

    `text` is the rule as typed. `on_origin` judges scheme, host and port; `prefix` is the beginning of a lower-case
    address; `on_address` judges a lower-case address; `pattern` is a regular expression. `holds` says on which origins
    it is a rule at all; None for all of them.
    """

    type: str
    text: str
    on_origin: OriginTest | None = None
    prefix: str = ""
    on_address: TextTest | None = None
    pattern: str = ""
    holds: OriginTest | None = None


def split_rule(text: str, types: Mapping[str, str]) -> tuple[str, str]:
    """Take a typed rule apart into its type and its value. Raises BadRule, naming the nearest of the known `types`.

    `types` are their names, each with examples and what it matches.
    """
    name, colon, value = text.strip().partition(":")
    name, value = name.strip().lower(), value.strip()
    known = list(types)
    if not name and not colon:
        raise BadRule(f"A rule is empty: it begins with its type, and the types are {', '.join(known)}.")
    if name in DOCUMENT_TYPES and name not in known:
        raise BadRule(
            f"The rule {text!r} needs the fetched document, so it cannot limit visits: set it as index_include or "
            "index_exclude."
        )
    if name not in known or not (colon or name == "any"):
        raise BadRule(f"{text!r} is not a rule: {_nearest(name, colon, value, known)}")
    if bool(value) == (name == "any"):
        need = "takes nothing after it" if value else f"needs a value, like {examples_of(types[name])[0]}"
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
    near = [_OTHER_NAMES[name]] if _OTHER_NAMES.get(name) in known else difflib.get_close_matches(name, known, n=1)
    if near:
        return f"there is no type {name!r}. Did you mean '{near[0]}:{value}'?"
    return f"it begins with {name!r}, but the types are {', '.join(known)}."


def parse_rule(text: str) -> BoundaryRule:
    """Read one rule for addresses. Raises BadRule, quoting the piece that is wrong."""
    name, value = split_rule(text, RULE_TYPES)
    try:
        return _READERS[name](text, value)
    except BadAddress:
        raise bad(text, value, like(RULE_TYPES[name])) from None


def bad(text: str, piece: str, why: str) -> BadRule:
    """The error of a rule that cannot be read at `piece`, with the place of that in the rule; `why` is a sentence."""
    at = text.find(piece) if piece else -1
    place = f" (character {at + 1})" if at > 0 else ""
    return BadRule(f"The rule {text!r} cannot be read at {piece!r}{place}: {why}")


def like(said: str) -> str:
    """Return what a rule should look like: the examples of its type and what it matches."""
    examples, _, meaning = said.partition("; ")
    return f"it should look like {examples}{', ' if meaning else ''}{meaning}."


def examples_of(said: str) -> list[str]:
    """The examples in what is said of a type."""
    return said.partition("; ")[0].split(" or ")


def _host(text: str, value: str) -> BoundaryRule:
    name, port = split_port(value)
    if any(mark in value for mark in "/@?#\\"):
        raise BadRule(f"The rule {text!r} names more than a host in {value!r}. For addresses, use 'prefix:'.")
    bare = host_name(name)
    return BoundaryRule("host", text, _on_host(bare, port))


def _on_host(bare: str, port: int | None) -> OriginTest:
    """Return the test for a host, at a port if one is given. `*` in the name is any characters."""
    if "*" in bare:
        pieces = tuple(bare.split("*"))
        return lambda at: in_order(_bare(at.host), pieces, True) and port in (None, at.port)
    return lambda at: _bare(at.host) == bare and port in (None, at.port)


def _suffix(text: str, value: str) -> BoundaryRule:
    bare = host_name(value.removeprefix("*").removeprefix("."))
    if "/" in value or ":" in bare or "*" in bare or bare.replace(".", "").isdigit():
        raise bad(text, value, like(RULE_TYPES["suffix"]))
    below = "." + bare
    return BoundaryRule("suffix", text, lambda at: _bare(at.host) == bare or _bare(at.host).endswith(below))


def _prefix(text: str, value: str) -> BoundaryRule:
    start = canonical(value).lower()
    if "//" not in value:
        raise bad(text, value, like(RULE_TYPES["prefix"]))
    if "*" not in start:
        return BoundaryRule("prefix", text, prefix=start)
    pieces = (*start.split("*"), "")
    return BoundaryRule("prefix", text, on_address=lambda address: in_order(address, pieces, False))


def _contains(text: str, value: str) -> BoundaryRule:
    pieces = ("", *_as_address(value).split("*"), "")
    return BoundaryRule("contains", text, on_address=lambda address: in_order(address, pieces, False))


def _ends(text: str, value: str) -> BoundaryRule:
    pieces = ("", *_as_address(value).split("*"))
    return BoundaryRule("ends", text, on_address=lambda address: in_order(address, pieces, True))


def _address(text: str, value: str) -> BoundaryRule:
    if "//" not in value:
        raise bad(text, value, like(RULE_TYPES["address"]))
    whole = canonical(value).lower()
    return BoundaryRule("address", text, on_address=lambda address: address == whole)


def _path(text: str, value: str) -> BoundaryRule:
    for mark in "?#":
        if mark in value:
            raise bad(text, value[value.index(mark) :], "a path has no query; use 'contains:' or 'ends:'.")
    holds, path_typed = _held_to(text, value)
    slash = "" if path_typed.startswith("/") else "/"
    path = canonical(f"http://x{slash}{path_typed}").removeprefix("http://x").lower()
    pieces = tuple((path[1:] if path_typed.startswith("*") else path).split("*"))
    below = (*pieces[:-1], pieces[-1].removesuffix("/") + "/", "")
    return BoundaryRule(
        "path", text, on_address=lambda address: _on_path(_path_in(address), pieces, below), holds=holds
    )


def _held_to(text: str, value: str) -> tuple[OriginTest | None, str]:
    """Take the host off a path, written `//host/path` as RFC 3986 section 4.2 has it. Raises BadRule for half a one."""
    if value.startswith("//"):
        host, slash, path = value[2:].partition("/")
        if not host:
            raise bad(text, value, "there is no host between the slashes; write path://example.org/docs/*.")
        return _named(text, host), slash + path
    first, slash, _ = value.partition("/")
    if slash and _HOST.fullmatch(first):
        meant = f"write 'path://{value}' for that host, or 'path:/{value}' for a folder of this name."
        raise bad(text, first, f"it looks like a host; {meant}")
    return None, value


_HOST = re.compile(r"(?:[\w*-]+\.)+(?:[^\W\d]{2,}|\d+\.\d+)(?::\d+)?|localhost(?::\d+)?|[\w.-]+:\d+|\[.*\](?::\d+)?")
"""A host with its port, which nobody would take for the name of a folder."""


def _named(text: str, value: str) -> OriginTest:
    """The host that a rule is held to, with a port if one is given. Raises BadRule."""
    name, port = split_port(value)
    if any(mark in value for mark in "@?#\\"):
        raise bad(text, value, "this is no host.")
    return _on_host(host_name(name), port)


def _name(text: str, value: str) -> BoundaryRule:
    if "/" in value:
        raise bad(text, value[value.index("/") :], "the name of a file has no slash; use 'path:'.")
    pieces = tuple(_as_address(value.replace("?", "%3F")).split("*"))
    return BoundaryRule(
        "name", text, on_address=lambda address: in_order(_path_in(address).rpartition("/")[2], pieces, True)
    )


def _on_path(path: str, pieces: tuple[str, ...], below: tuple[str, ...]) -> bool:
    """Say whether the pattern is the path, or a folder above it."""
    return in_order(path, pieces, True) or in_order(path, below, False)


def _ext(text: str, value: str) -> BoundaryRule:
    ends = extensions(text, value)
    return BoundaryRule("ext", text, on_address=lambda address: _path_in(address).endswith(ends))


def extensions(text: str, value: str) -> tuple[str, ...]:
    """Read the value of an `ext` rule: one file extension or several with commas, each returned with its dot."""
    ends = tuple("." + each.strip().lstrip("*.").lower() for each in value.split(","))
    if any(not re.fullmatch(r"\.[\w.+~-]+", each) for each in ends):
        raise bad(text, value, like(RULE_TYPES["ext"]))
    return ends


def _ip(text: str, value: str) -> BoundaryRule:
    try:
        network = ipaddress.ip_network(value.strip("[]"), strict=False)
    except ValueError as error:
        raise bad(text, value, f"{error}.") from None
    return BoundaryRule("ip", text, lambda at: _is_in(at.host, network))


def _is_in(host: str, network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> bool:
    """Say whether a host is written as an address of `network`; an IPv4 address inside an IPv6 one counts as itself."""
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped and network.version == 4:
        return address.ipv4_mapped in network
    return address in network


def _port(text: str, value: str) -> BoundaryRule:
    holds: OriginTest | None = None
    number = value
    if value.startswith("//"):
        host, _, number = value[2:].rpartition(":")
        if not host:
            raise bad(text, value, like(RULE_TYPES["port"]))
        holds = _named(text, host)
    found = re.fullmatch(r"(\d{1,5})(?:\s*-\s*(\d{1,5}))?", number.strip(), re.ASCII)
    if not found:
        raise bad(text, value, like(RULE_TYPES["port"]))
    first, last = int(found[1]), int(found[2] or found[1])
    if not 0 < first <= last < 65536:
        raise bad(text, number, "ports are 1 to 65535, the smaller one first.")
    return BoundaryRule("port", text, lambda at: first <= at.port <= last, holds=holds)


def _scheme(text: str, value: str) -> BoundaryRule:
    scheme = value.lower().removesuffix("://")
    if not scheme.isalnum():
        raise bad(text, value, like(RULE_TYPES["scheme"]))
    return BoundaryRule("scheme", text, lambda at: at.scheme == scheme)


def _any(text: str, _value: str) -> BoundaryRule:
    return BoundaryRule("any", text, lambda _at: True)


def _regex(text: str, value: str) -> BoundaryRule:
    compile_pattern(text, value)
    return BoundaryRule("regex", text, pattern=value)


_READERS: dict[str, Callable[[str, str], BoundaryRule]] = {
    "host": _host,
    "suffix": _suffix,
    "prefix": _prefix,
    "contains": _contains,
    "regex": _regex,
    "ip": _ip,
    "address": _address,
    "any": _any,
    "path": _path,
    "name": _name,
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


def split_port(value: str) -> tuple[str, int | None]:
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
