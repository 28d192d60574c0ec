"""Connection options for servers behind a proxy, with a private certificate authority, or with client certificates.

    Route -> options of a libcurl handle; all options of a handle are set again when its route changes

Invariants: a proxy's login is sent only to the proxy; a certificate is offered only on its route; secrets appear in no
repr. Connections of one route are never used for another: `Fetcher.apart` gives every source with routes connections of
its own.
"""

from __future__ import annotations

import ssl
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pycurl  # type: ignore[import-untyped]

from cormorant.net.egress.policy import PUBLIC_ONLY, Consent

_SUPPRESS_CONNECT_HEADERS = 265
"""CURLOPT_SUPPRESS_CONNECT_HEADERS, which pycurl does not name: the proxy's response is not the site's response."""


class Proxy(NamedTuple):
    """An HTTP proxy and its login, "" for none. `consent` is for the proxy's own address."""

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
    `sha256//BASE64`: it replaces all authorities and the check of the host name. `certificate` and `key` are PEM bytes
    of a client certificate, `passphrase` opens the key.
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
"""A direct connection to the server."""


def options(route: Route) -> list[tuple[int, object]]:
    """The options of a route, for a handle without options of another route."""
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
        found += [(pycurl.KEYPASSWD, route.passphrase.encode())]  # "" too, so that libcurl never prompts for it
    return found


def _by_proxy(proxy: Proxy) -> list[tuple[int, object]]:
    """Address, login and options of a proxy; header fields for the site are not sent with CONNECT."""
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
    """The system's authorities if they are one file, which libcurl replaces by ours. A folder of them stays in use."""
    file = ssl.get_default_verify_paths().cafile
    return b"\n" + Path(file).read_bytes() if file else b""
