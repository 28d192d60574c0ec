"""HTTP requests of a source to the one server that its settings name: from a discovery, and from a visit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cormorant.base.errors import BadSetting, LoginRefused, Unreachable
from cormorant.model.content import VisitTrace
from cormorant.model.outcome import Outcome
from cormorant.model.url import canonical, origin_of
from cormorant.net.http.http_session import HttpSession
from cormorant.net.http.messages import MAX_BYTES, Request, Response, TransportError
from cormorant.sources.http_status import StatusClass, is_answer, outcome_of_error, outcome_of_status, status_class
from cormorant.sources.kind import Tools
from cormorant.sources.server_settings import ServerSettings

_WORDS: Final = {401: "The server refuses the login.", 403: "The server does not let it be read."}
_CREDENTIALS: Final = ("authorization:", "cookie:")


def _no_login() -> tuple[str, ...]:
    return ()


class HttpClient:
    """Asks the server of a source: `send` in `discover`, `get` in `fetch`. Addresses of other servers are refused.

    `login` returns the header lines that prove who asks, like "Authorization: Bearer ..."; it is called at each
    request, so that a new secret counts at once. Responses have at most `max_bytes`, 10 MB by default. Redirects are
    not followed: they are a fault of the settings.

    Over http a login goes to a server inside only, as `ServerSettings.is_inside_host` decides. For another one
    BadSetting is raised: at once when there is a `login` and the settings name a secret, so that such a source cannot
    be added, and at each request that would carry a login.
    """

    def __init__(
        self,
        url: str,
        settings: ServerSettings,
        tools: Tools,
        login: Callable[[], Sequence[str]] = _no_login,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._settings, self._tools, self._login, self._max_bytes = settings, tools, login, max_bytes
        self._origin = origin_of(canonical(url))
        self._consent = settings.consent(self._origin.host.strip("[]"), self._origin.port)
        self._session: HttpSession | None = None
        if login is not _no_login and settings.secrets:
            self._refuse_in_clear()

    def send(self, url: str, headers: Sequence[str] = (), *, method: str = "", body: bytes | None = None) -> Response:
        """Return the response of success, or a 304 that was asked for; from a thread without an event loop.

        Raises LoginRefused for a 401, Unreachable for all other responses and for none.
        """
        if self._session is None:
            if self._tools.egress is None:
                raise Unreachable("Nothing may be connected to here: crawl the source, or test it.")
            self._session = HttpSession(self._tools.egress)
        got = self._session.send(self._request(url, headers, method, body))
        if isinstance(got, TransportError):
            raise Unreachable(f"{self._origin} cannot be reached: {got.reason}")
        if got.status == 401:
            raise LoginRefused(f"{self._origin} refuses the login. Check the user name and the secret of the source.")
        if not is_answer(got, headers):
            raise Unreachable(f"{self._origin} answered {got.status} at {canonical(url).partition('?')[0]}.")
        return got

    async def get(self, url: str, wire: VisitTrace, headers: Sequence[str] = ()) -> Response | Outcome:
        """Return the response of success, or a 304 that was asked for, else what it means for the document.

        Its cost is added to `wire`. Raises Unreachable where nothing may be connected to.
        """
        if self._tools.fetcher is None:
            raise Unreachable("Nothing may be connected to here: crawl the source, or test it.")
        request = self._request(url, headers, "", None)
        got = await self._tools.fetcher.get(request._replace(sent=lambda: wire.sent(wire.site)))
        wire.requests += got.requests
        wire.received += got.received
        if isinstance(got, TransportError):
            return outcome_of_error(got)
        wire.decoded += got.decoded
        if is_answer(got, headers) and status_class(got.status) is not StatusClass.NO_CONTENT:
            return got
        return outcome_of_status(got, self._tools.clock.now(), _WORDS.get(got.status, ""))

    def close(self) -> None:
        """Close the connections of the discovery; a later `send` opens new ones."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _request(self, url: str, headers: Sequence[str], method: str, body: bytes | None) -> Request:
        address = canonical(url)
        if origin_of(address) != self._origin:
            raise ValueError(f"{address} is not of {self._origin}, the server of the source.")
        login = tuple(self._login())
        if login or any(line.lower().startswith(_CREDENTIALS) for line in headers):
            self._refuse_in_clear()
        return Request(
            address,
            (*headers, *login),
            self._consent,
            max_bytes=self._max_bytes,
            timeout_s=self._settings.timeout_s,
            connect_timeout_s=self._settings.connect_timeout_s,
            body=body,
            method=method,
        )

    def _refuse_in_clear(self) -> None:
        """Raise BadSetting where a login could be read on the way to the server."""
        if self._origin.scheme == "http":
            try:
                self._settings.see_inner(self._origin.host, "a login")
            except ValueError as error:
                raise BadSetting(str(error)) from None
