"""HTTP messages: one Request gives one Response or one TransportError."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cormorant.base.exhaustion import Shortage
from cormorant.model.ruling import Ruling
from cormorant.net.egress.policy import PUBLIC_ONLY, Consent
from cormorant.net.http.connection_options import DIRECT, Route
from cormorant.net.http.headers import Headers

MAX_BYTES = 10_000_000
"""Decoded bytes of one response at most, unless the source sets another limit."""


def _nothing() -> None:
    pass


class Request(NamedTuple):
    """One GET, or the POST of a `body`, of a canonical http or https address (`model.url.canonical`).

    `headers` are whole lines (`If-None-Match: "x"`). `consent` is the source's; pass the same value each time, since it
    is compared by identity first. `max_bytes` counts decoded bytes; `cut` keeps the beginning of a longer body instead
    of dropping it. `timeout_s` limits the whole request, `connect_timeout_s` the time from the name to the TLS
    handshake, `idle_timeout_s` the wait for the end of the header block and any period in which less than 1 KiB a
    second of the body arrives. `ca` is the path of a PEM file that replaces the system's certificate authorities, ""
    for the system's. `sent` is called each time the request is sent on a connection; it must not raise. `route` says
    how the server is reached; pass the same value each time. `method` is another one than GET or POST, in capitals,
    like PUT or PROPFIND. `headers` include the media type of a `body`; the body may be sent twice if a kept connection
    fails, so its server must recognise a repeat. No sent data is part of the repr.
    """

    url: str
    headers: tuple[str, ...] = ()
    consent: Consent = PUBLIC_ONLY
    sent: Callable[[], None] = _nothing
    user_agent: str = "cormorant"
    max_bytes: int = MAX_BYTES
    cut: bool = False
    timeout_s: float = 300.0
    idle_timeout_s: float = 30.0
    connect_timeout_s: float = 10.0
    ca: str = ""
    route: Route = DIRECT
    body: bytes | None = None
    method: str = ""

    def __repr__(self) -> str:
        return f"Request({self.url!r}, {len(self.headers)} header lines)"


class Response:
    """A complete response with any status. Belongs to the caller; `headers` are parsed at first use.

    `status_line` and `header_block` (field lines with their line ends, no blank line) are those of the final response;
    `body` is decoded from transfer and content coding. `received` are bytes over the wire, headers and body as sent,
    `decoded` is the length of the body. `truncated`: cut at `max_bytes`, as requested. `peer` is the address of the
    server, `reused` says that the connection was kept, `requests` how many were sent (always 1: a request that fails
    unread on an idle connection is sent again and not counted). `flaw` describes an error in the transmission of a
    readable response, "" for none.
    """

    __slots__ = (
        "_headers",
        "body",
        "flaw",
        "header_block",
        "peer",
        "received",
        "requests",
        "reused",
        "status",
        "status_line",
        "truncated",
    )

    def __init__(self, status: int, status_line: str, header_block: bytes, body: bytes, received: int) -> None:
        self.status, self.status_line, self.header_block = status, status_line, header_block
        self.body, self.received = body, received
        self.truncated = self.reused = False
        self.peer = self.flaw = ""
        self.requests = 1
        self._headers: Headers | None = None

    @property
    def decoded(self) -> int:
        """Bytes of the decoded body."""
        return len(self.body)

    @property
    def headers(self) -> Headers:
        """The fields of the final response."""
        headers = self._headers
        if headers is None:
            headers = self._headers = Headers(self.header_block)
        return headers

    def __repr__(self) -> str:
        return f"Answer({self.status_line!r}, {len(self.body)} bytes, from {self.peer})"


class TransportError(NamedTuple):
    """No usable response. `status` is of the status table, `reason` a sentence without any text of the other side.

    `retryable`: a later try may help (defer), else it fails for this run. `whole_site`: it concerns the host, not this
    address. `ruling` is set if egress refused (974). `requests` is 1 once a request was sent; `received` are bytes over
    the wire so far. `lack` is set if this process was short of a resource, which the other side did not cause.
    """

    status: int
    reason: str
    retryable: bool = False
    whole_site: bool = False
    requests: int = 0
    received: int = 0
    ruling: Ruling | None = None
    lack: Shortage | None = None
