"""HTTP requests of a source of files: made from its settings, sent with or without an event loop, judged alike."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol

from cormorant.base.clock import Clock
from cormorant.base.errors import Unreachable
from cormorant.model.content import VisitTrace
from cormorant.model.outcome import Outcome
from cormorant.model.status import Status
from cormorant.model.url import origin_of
from cormorant.net.egress.policy import Consent
from cormorant.net.http.client import Fetcher
from cormorant.net.http.headers import content_type, last_modified
from cormorant.net.http.messages import Request, Response, TransportError
from cormorant.sources.http_status import (
    StatusClass,
    number_of_status,
    outcome_of_error,
    outcome_of_status,
    reason_of_status,
    status_class,
)
from cormorant.sources.remote.protocol import ConnectionBroken, RemoteFile, RemoteRefusal
from cormorant.sources.remote.settings import HttpRemoteSettings

LISTING_BYTES: Final = 64 << 20
"""Decoded bytes of one answer with a listing."""
_OCTETS: Final = frozenset(("application/octet-stream", "binary/octet-stream", "httpd/unix-directory"))
"""Media types that say nothing of a file."""
_WORDS: Final = {
    401: "The server wants a login.",
    403: "The server does not let the user read it.",
    404: "The server has no such file.",
    410: "The server has no such file any more.",
    429: "The server answered 429, to come back later.",
    503: "The server answered 503, to come back later.",
}


class Authorizer(Protocol):
    """Makes the header lines that prove who asks."""

    def lines(self, request: Request) -> tuple[str, ...]:
        """Return the header lines that are added to a request."""
        ...

    def challenged(self, response: Response, sent: tuple[str, ...]) -> bool:
        """Learn from a refusal of a request with these lines; return whether it is to be sent once more."""
        ...

    def refusal(self, response: Response) -> Exception | None:
        """Return why a request was refused: LoginRefused, Unreachable, RemoteRefusal; None: its status tells all."""
        ...


def request_of(
    settings: HttpRemoteSettings, consent: Consent, url: str, headers: Sequence[str] = (), *, method: str = ""
) -> Request:
    """Return a request with the limits of the settings, for an answer with a listing."""
    return Request(
        url,
        tuple(headers),
        consent,
        max_bytes=LISTING_BYTES,
        timeout_s=settings.timeout_s,
        connect_timeout_s=settings.connect_timeout_s,
        route=settings.route,
        method=method,
    )


def answered(
    send: Callable[[Request], Response | TransportError], request: Request, authorizer: Authorizer
) -> Response:
    """Send a request as the user. Raises what `judged` raises."""
    lines = authorizer.lines(request)
    got = send(request._replace(headers=(*request.headers, *lines)))
    if isinstance(got, Response) and authorizer.challenged(got, lines):
        got = send(request._replace(headers=(*request.headers, *authorizer.lines(request))))
    return judged(got, request.url, authorizer)


async def fetched(
    fetcher: Fetcher, request: Request, authorizer: Authorizer, wire: VisitTrace, clock: Clock
) -> Response | Outcome:
    """Send the request for a file as the user, and count what it costs. Raises what `judged` raises."""
    site = origin_of(request.url).site
    request = request._replace(sent=lambda: wire.sent(site))
    get: Callable[[Request], Awaitable[Response | TransportError]] = fetcher.get
    lines = authorizer.lines(request)
    got = await _counted(get, request._replace(headers=(*request.headers, *lines)), wire)
    if isinstance(got, Response) and authorizer.challenged(got, lines):
        got = await _counted(get, request._replace(headers=(*request.headers, *authorizer.lines(request))), wire)
    if isinstance(got, TransportError) and (got.ruling is not None or got.lack is not None):
        return outcome_of_error(got)
    if isinstance(got, Response) and status_class(got.status) is StatusClass.OVERLOADED:
        return outcome_of_status(got, clock.now())
    return judged(got, request.url, authorizer)


async def _counted(
    get: Callable[[Request], Awaitable[Response | TransportError]], request: Request, wire: VisitTrace
) -> Response | TransportError:
    got = await get(request)
    wire.requests += got.requests
    wire.received += got.received
    return got


def judged(got: Response | TransportError, url: str, authorizer: Authorizer) -> Response:
    """Return a response of success.

    Raises ConnectionBroken, Unreachable, the refusal that the authorizer knows, and RemoteRefusal for other statuses.
    """
    if isinstance(got, TransportError):
        if got.status == Status.TOO_BIG:
            raise RemoteRefusal(Status.TOO_BIG, got.reason)
        if got.retryable and got.status not in (Status.CONNECTION_REFUSED, Status.NAME_NOT_RESOLVED):
            raise ConnectionBroken(got.reason)
        raise Unreachable(f"{origin_of(url)} cannot be reached: {got.reason}")
    if status_class(got.status) is StatusClass.SUCCESS:
        return got
    why = authorizer.refusal(got)
    if why is not None:
        raise why
    raise RemoteRefusal(number_of_status(got.status), _WORDS.get(got.status) or reason_of_status(got.status))


def file_of(got: Response, limit: int) -> RemoteFile:
    """Return the file in a response; its received bytes are counted already."""
    mime, charset = content_type(got.headers.get("content-type"))
    return RemoteFile(
        got.body,
        limit + 1 if got.truncated else len(got.body),
        last_modified(got.headers),
        "" if mime in _OCTETS else mime,
        charset=charset,
    )
