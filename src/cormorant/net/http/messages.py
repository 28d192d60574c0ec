"""HTTP messages: one Request gives one Answer or one Fault."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cormorant.base.exhaustion import Shortage
from cormorant.model.ruling import Ruling
from cormorant.net.egress.policy import PUBLIC_ONLY, Consent
from cormorant.net.http.connection_options import DIRECT, Route
from cormorant.net.http.headers import Headers

MAX_BYTES = 10_000_000
"""Decoded bytes of one answer, unless the source says otherwise."""


def _nothing() -> None:
    pass


class Request(NamedTuple):
    """One GET, or the POST of a `body`, of a canonical http or https address (`model.url.canonical`).

    `headers` are whole lines (`If-None-Match: "x"`). `consent` is the source's; pass the same value each time, it is
    compared by identity first. `max_bytes` counts decoded bytes; `cut` keeps the beginning of a longer body instead of
    dropping it. `timeout_s` bounds the whole request, `connect_timeout_s` name to TLS handshake, `idle_timeout_s` the
    wait for the end of the header block and any stretch in which less than 1 KiB a second of body arrives. `ca` is the
    path of a PEM file that replaces the system's certificate authorities, "" for the system's. `sent` is called when
    the connection stands and the request goes out, again each time it is sent again; it must not raise. `route` says
    how the server is reached; pass the same value each time. `method` is another one than GET or POST, in
    capitals, like PUT or PROPFIND. `headers` say the media type of a `body`; it may come twice where a kept connection
    died, so that who takes it has to know a repeat. Nothing that is sent is part of the repr.
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
    """A complete response, whatever its status. Belongs to the caller; `headers` are parsed when first looked at.

    `status_line` and `header_block` (field lines with their line ends, no blank line) are the final response's; `body`
    is decoded from transfer and content coding. `received` are bytes over the wire, headers and body as sent, `decoded`
    the length of the body. `truncated`: cut at `max_bytes`, as asked. `peer` is the address that answered, `reused`
    says that the connection was open before, `requests` how many were sent (always 1: one that dies unread on an idle
    connection is sent again and not counted). `flaw` says what was wrong with how it was sent, though it could be
    read, "" for nothing.
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
    """No usable response. `status` is of the status table, `reason` a sentence without anything the other side wrote.

    `retryable`: trying later may help (defer), else it fails for this run. `whole_site`: it is about the host, not this
    address. `ruling` is set when egress refused (974). `requests` is 1 once a request was sent; `received` are bytes
    over the wire so far. `lack` is set when this process was short of something, which says nothing of the other side.
    """

    status: int
    reason: str
    retryable: bool = False
    whole_site: bool = False
    requests: int = 0
    received: int = 0
    ruling: Ruling | None = None
    lack: Shortage | None = None
