"""Connection options for servers that need a special route.

By a proxy, an authority of one's own, a certificate.

    Route -> options: what libcurl is told; every option of a handle is set anew when its route changes

Invariants: a proxy's login goes to the proxy and to nobody else; a certificate is offered to whom its route leads; what
is secret shows in no repr. Connections of one route are never used for another: `Fetcher.apart` gives every source that
has routes of its own connections of its own.
"""

from __future__ import annotations

import ssl
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pycurl  # type: ignore[import-untyped]

from cormorant.net.egress.policy import PUBLIC_ONLY, Consent

_SUPPRESS_CONNECT_HEADERS = 265
"""CURLOPT_SUPPRESS_CONNECT_HEADERS, for which pycurl has no name: what a proxy says is not what the site says."""


class Proxy(NamedTuple):
    """An HTTP proxy and the login it takes, "" for none. `consent` is for the proxy's own address."""

    host: str
    port: int
    user: str = ""
    password: str = ""
    consent: Consent = PUBLIC_ONLY

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"

    def __repr__(self) -> str:
        return f"Proxy({self})"


class Route(NamedTuple):
    """Route that differs from a direct connection with the system's certificate authorities.

    `authorities` are PEM certificates trusted besides the system's. `pin` is the server's public key as
    `sha256//BASE64`: it takes the place of all authorities and of the host's name in the certificate. `certificate` and
    `key` are PEM bytes of a client certificate, `passphrase` opens the key.
    """

    proxy: Proxy | None = None
    authorities: bytes = b""
    pin: str = ""
    certificate: bytes = b""
    key: bytes = b""
    passphrase: str = ""

    def __repr__(self) -> str:
        return f"Route(proxy={self.proxy}, pin={self.pin!r}, certificate={bool(self.certificate)})"


DIRECT = Route()
"""To the server itself, as everybody."""


def options(route: Route) -> list[tuple[int, object]]:
    """The options of a route, for a handle that has none of another."""
    found: list[tuple[int, object]] = []
    if route.proxy is not None:
        found += _by_proxy(route.proxy)
    if route.authorities:
        found.append((pycurl.CAINFO_BLOB, route.authorities + _system_authorities()))
    if route.pin:
        found += [(pycurl.PINNEDPUBLICKEY, route.pin), (pycurl.SSL_VERIFYPEER, 0), (pycurl.SSL_VERIFYHOST, 0)]
    if route.certificate:
        found += [(pycurl.SSLCERTTYPE, "PEM"), (pycurl.SSLCERT_BLOB, route.certificate)]
        found += [(pycurl.SSLKEYTYPE, "PEM"), (pycurl.SSLKEY_BLOB, route.key or route.certificate)]
        found += [(pycurl.KEYPASSWD, route.passphrase.encode())]  # "" too: nobody is there to be asked for it
    return found


def _by_proxy(proxy: Proxy) -> list[tuple[int, object]]:
    """Name, login and manners of a proxy; what is meant for the site is not told it with CONNECT."""
    found: list[tuple[int, object]] = [
        (pycurl.PROXY, f"http://{proxy}"), (pycurl.NOPROXY, ""), (pycurl.PROXYTYPE, pycurl.PROXYTYPE_HTTP),
        (pycurl.HEADEROPT, pycurl.HEADER_SEPARATE), (_SUPPRESS_CONNECT_HEADERS, 1),
    ]  # fmt: skip
    if proxy.user:
        found += [
            (pycurl.PROXYAUTH, pycurl.HTTPAUTH_BASIC),
            (pycurl.PROXYUSERNAME, proxy.user.encode()), (pycurl.PROXYPASSWORD, proxy.password.encode()),
        ]  # fmt: skip
    return found


@cache
def _system_authorities() -> bytes:
    """The system's authorities that are one file: libcurl takes that or ours. A folder of them stays in use."""
    file = ssl.get_default_verify_paths().cafile
    return b"\n" + Path(file).read_bytes() if file else b""
