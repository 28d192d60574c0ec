"""Canonical URLs of resources.

They are absolute URLs in the spelling of the WHATWG URL Standard, for every kind of source.

A file's address is a `file:` URL whose path bytes are percent-encoded, so names in any bytes survive. Joining follows
the standard through can_ada, which has no join function: the base's pieces are concatenated with the reference and the
parser resolves the dots (https://url.spec.whatwg.org/#concept-basic-url-parser).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import can_ada
import xxhash

from cormorant.base.errors import BadAddress

MAX_ADDRESS = 4096
"""Characters; a longer address is excluded by the length gate (RFC 9110 section 4.1 asks for at least 8000 octets of
servers, but everything above this in practice is a trap or a data dump)."""

_NEEDLESS = re.compile(r"%(2[dDeE]|3\d|4[1-9a-fA-F]|5[\daAfF]|6[1-9a-fA-F]|7[\daAeE])")
"""Escapes of letters, digits, `-`, `.`, `_` and `~`."""
_DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21}
_SHORT_SCHEMES = ("http", "file:", "ftp:")
"""Prefixes of addresses whose path begins after the eighth character, where the search for it begins."""
_SIGN = 1 << 63
_WRAP = 1 << 64


class Origin(NamedTuple):
    """Scheme, host (ASCII, IPv6 in brackets) and port of an address."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        port = "" if self.port == _DEFAULT_PORTS.get(self.scheme) else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}"

    @property
    def site(self) -> str:
        """The key of the site, which is the unit of politeness: the host, with its port unless that is 80 or 443.

        Without ports, as in addresses of a plug-in's own scheme, it begins with the scheme.
        """
        if self.port in (80, 443):
            return self.host
        if not self.port and self.host:
            return f"{self.scheme}://{self.host}"
        return f"{self.host}:{self.port}"


def canonical(text: str) -> str:
    """Return `text` as a canonical absolute address without its fragment and without user information.

    Raises BadAddress when it cannot be parsed by the WHATWG rules or has no scheme.
    """
    try:
        parsed = can_ada.parse(text.strip())
    except (ValueError, TypeError):  # the latter for text that UTF-8 cannot express, as from a terminal
        raise BadAddress(f"{text!r} is not an address. Write it in full, like https://example.org/docs/.") from None
    if parsed.username or parsed.password:
        parsed.username = parsed.password = ""
    address = parsed.href.partition("#")[0]
    if "^" not in address:
        return address
    path, mark, query = address.partition("?")
    return path.replace("^", "%5E") + mark + query  # the parser's edition of the standard is older than that rule


def try_canonical(text: str) -> str | None:
    """Return the same as `canonical`, but None for an invalid address; for links found in documents."""
    try:
        return canonical(text)
    except BadAddress:
        return None


def unescaped(address: str) -> str:
    """Return the address without escapes of characters that need none (RFC 3986 section 6.2.2.2)."""
    return _NEEDLESS.sub(lambda found: chr(int(found[1], 16)), address)


def origin_of(address: str) -> Origin:
    """Return the origin of a canonical address. A `file:` address has an empty host and port 0."""
    return _origin(front_of(address))


def front_of(address: str) -> str:
    """Return the part of a canonical address before its path."""
    start = 8 if address.startswith(_SHORT_SCHEMES) else address.find("://") + 3
    end = address.find("/", start)
    return address if end < 0 else address[:end]


@lru_cache(4096)
def _origin(front: str) -> Origin:
    """Return the origin by the part before the path: most addresses share a few."""
    scheme, _, rest = front.partition(":")
    if not rest.startswith("//"):
        return Origin(scheme, "", 0)
    authority = rest[2:].partition("/")[0].partition("?")[0]
    host, colon, port = authority.rpartition(":")
    if not colon or port.endswith("]"):
        return Origin(scheme, authority, _DEFAULT_PORTS.get(scheme, 0))
    return Origin(scheme, host, int(port) if port else _DEFAULT_PORTS.get(scheme, 0))


def fronts_of(site: str) -> tuple[str, ...]:
    """Return the prefixes, up to the first slash after the eighth character, of addresses of a site with this key."""
    if site.startswith("file:"):
        end = site.find("/", 8)
        return (site if end < 0 else site[:end],)
    if "://" in site:
        return (site,)
    host, colon, port = site.rpartition(":")
    if colon and host and port.isdigit():
        return (f"http://{site}", f"https://{site}")
    return (f"http://{site}", f"https://{site}", f"http://{site}:443", f"https://{site}:80")


def path_of(address: str) -> str:
    """Return path and query of a canonical address, beginning with a slash, as robots rules match them."""
    start = address.find("/", address.find("//") + 2)
    return address[start:] if start >= 0 else "/"


def is_below(address: str, parts: Iterable[str]) -> bool:
    """Return whether a URL is below one of these folders (with a slash), or at or below one of these names."""
    for each in parts:
        if address.startswith(each) and (each.endswith("/") or address[len(each) :][:1] in ("", "/")):
            return True
    return False


def join(base: str, references: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (reference, absolute canonical address) for every reference that is an address, fragments cut.

    `base` is canonical. Equal references are each yielded: drop equal strings before. Invalid references are skipped.
    """
    page = base.partition("?")[0]
    directory = page[: page.rfind("/") + 1]
    for reference in references:
        stripped, fragment, _ = reference.strip(" \t\r\n\f\0").partition("#")
        if not stripped:
            continue
        if fragment and stripped[-1] == " ":
            stripped = stripped.rstrip(" ") + "%20"
        if stripped[0] == "?" or stripped[-1] == ":" or len(stripped) > _SHORT:
            absolute = _joined(base, stripped)
        else:
            absolute = _joined_in(directory, stripped)
        if absolute:
            yield reference, absolute


def _joined(base: str, reference: str) -> str:
    """Return the canonical address of a reference without a fragment, "" if it is invalid.

    The base is canonical.
    """
    scheme_end = base.index(":") + 1
    path_start = base.find("/", scheme_end + 2)
    path_start = len(base) if path_start < 0 else path_start
    page = base.partition("?")[0]
    scheme, origin, directory = base[:scheme_end], base[:path_start], page[: page.rfind("/") + 1]
    try:
        absolute = can_ada.parse(_concatenate(reference, (scheme, origin, page, directory))).href
    except (ValueError, TypeError):  # the latter for lone surrogates
        return ""
    return (try_canonical(absolute) or "") if "@" in absolute or "^" in absolute else absolute


_joined_in = lru_cache(maxsize=16_384)(_joined)
"""The same relative to a directory, cached: most of a page's references are those of its neighbours."""
_SHORT = 200
"""The longest reference that is cached, in characters."""


def _concatenate(reference: str, base: tuple[str, str, str, str]) -> str:
    """Append a reference to the piece of the base that it is relative to."""
    scheme, origin, page, directory = base
    first = reference[0]
    if first in "/\\":
        return (scheme if reference[1:2] in ("/", "\\") else origin) + reference
    if first == "?":
        return page + reference
    name, colon, rest = reference.partition(":")
    if (
        colon
        and name.isascii()
        and name[:1].isalpha()
        and name.replace("+", "").replace("-", "").replace(".", "").isalnum()
    ):
        slashes = len(rest) - len(rest.lstrip("/\\"))
        if name.lower() + ":" != scheme or slashes > 1:
            return reference
        return origin + rest if slashes else directory + rest if rest else page
    return directory + reference


def fingerprint(address: str, source: int) -> int:
    """Return the 64-bit signed key of an address within a source: xxh3_64 seeded with the source's number."""
    value = xxhash.xxh3_64_intdigest(address.encode(), source)
    return value - _WRAP if value & _SIGN else value
