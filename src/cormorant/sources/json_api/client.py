"""Client of one server that answers in JSON: its requests, and the meaning of its answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from cormorant.base.clock import Clock
from cormorant.model.status import Status
from cormorant.model.url import join, origin_of
from cormorant.net.http.headers import Headers, retry_after
from cormorant.net.http.messages import Request, Response, TransportError
from cormorant.sources.http_status import StatusClass, is_answer, number_of_status, reason_of_status, status_class
from cormorant.sources.json_api.exchange import ApiFault, Exchange
from cormorant.sources.json_api.record import parse_json
from cormorant.sources.json_api.settings import ApiSettings

ANSWER_BYTES: Final = 32 << 20
"""Decoded bytes of one answer: a hundred records with texts of the greatest size."""
_REDIRECTS: Final = 5
_NEXT: Final = re.compile(r"<([^<>]{1,8000})>([^<>,]{0,500})")
_REL_NEXT: Final = re.compile(r"""\brel\s*=\s*"?(?:[a-z ]* )?(next|last)[" ;]?""", re.IGNORECASE)


class ApiAnswer(NamedTuple):
    """The value of an answer in JSON, and its header. `status` may be 304, where that was asked for; then no value."""

    value: Any
    headers: Headers
    status: int = 200


class ApiClient:
    """Makes requests of one server, as the settings say, and judges the answers.

    Subclasses say how they prove who asks (`credentials`) and how the server asks for patience (`rest_s`).
    """

    def __init__(self, settings: ApiSettings, secret: str, clock: Clock) -> None:
        self.settings, self.clock = settings, clock
        self._secret = secret
        self._origin = origin_of(settings.url)
        self._consent = settings.consent(self._origin.host.strip("[]"), self._origin.port)

    def credentials(self) -> tuple[str, ...]:
        """Return the header lines that prove who asks; they go to the origin of the settings only."""
        return (f"Authorization: Bearer {self._secret}",) if self._secret else ()

    def rest_s(self, got: Response) -> float | None:
        """Return for how many seconds a response asks not to be asked, None when it is an answer to the question."""
        if status_class(got.status) is not StatusClass.OVERLOADED:
            return None
        asked = retry_after(got.headers.get("retry-after"), self.clock.now())
        return asked if asked is not None or got.status == 503 else 60.0

    def enter(self) -> Exchange[None]:
        """Log in, where that takes requests of its own. Raises ApiFault."""
        yield from ()

    def is_own(self, url: str) -> bool:
        """Return whether an address is of the server that the settings name."""
        try:
            return origin_of(url) == self._origin
        except ValueError:
            return False

    def request(self, url: str, *headers: str, body: bytes | None = None) -> Request:
        """Return a request; it proves who asks where it goes to the server of the settings."""
        settings = self.settings
        return Request(
            url,
            (*headers, *(self.credentials() if self.is_own(url) else ())),
            self._consent,
            max_bytes=ANSWER_BYTES,
            timeout_s=settings.timeout_s,
            connect_timeout_s=settings.connect_timeout_s,
            route=settings.route,
            body=body,
        )

    def ask(self, url: str, *headers: str) -> Exchange[ApiAnswer]:
        """Get the value at an address. Raises ApiFault."""
        got = yield from self.got(self.request(url, "Accept: application/json", *headers))
        return self.answer(got)

    def got(self, request: Request, *, whatever: bool = False) -> Exchange[Response]:
        """Send a request, on to where the same server redirects it.

        Returns a response of success or a 304; of any status where `whatever` is asked for. Raises ApiFault.
        """
        for _ in range(_REDIRECTS):
            response = yield request
            if isinstance(response, TransportError):
                raise ApiFault.of(response)
            if status_class(response.status) is not StatusClass.REDIRECT:
                if not whatever or self.rest_s(response) is not None:
                    self.judge(response, request.headers)
                return response
            target = next((each for _, each in join(request.url, [response.headers.reference("location")])), "")
            if not self.is_own(target) or request.body is not None:
                raise ApiFault(
                    Status.REDIRECT_TARGET_MISSING,
                    "The server sends on to another address. Set url to the one that it has now.",
                )
            request = request._replace(url=target)
        raise ApiFault(Status.REDIRECT_LOOP, "The server sends from one address to another without end.")

    def judge(self, got: Response, sent: Sequence[str]) -> None:
        """Raise ApiFault for a response that is no answer to a request with these header lines."""
        rest = self.rest_s(got)
        if rest is not None:
            is_overloaded = status_class(got.status) is StatusClass.OVERLOADED
            status = got.status if is_overloaded else Status.TOO_MANY_REQUESTS
            raise ApiFault(
                status,
                f"The server asks to be left alone for {rest:,.0f} seconds.",
                wait_s=rest,
                passing=True,
                whole_site=True,
            )
        if is_answer(got, sent):
            return
        found = status_class(got.status)
        if found is StatusClass.LOGIN:
            raise ApiFault(got.status, self.refused(), login=True)
        if found is StatusClass.FORBIDDEN:
            raise ApiFault(got.status, f"The server does not let it be read. {self.rights()}")
        raise ApiFault(
            number_of_status(got.status),
            reason_of_status(got.status),
            passing=found in (StatusClass.MOMENTARY, StatusClass.OVERLOADED),
            whole_site=found is StatusClass.OVERLOADED,
        )

    def refused(self) -> str:
        """Return the sentence about a login that the server refuses."""
        if self._secret:
            return "The token is refused: it may have expired. Keep a new one in the secret that `token` names."
        return "The server wants a login. Set token=secret:NAME."

    def rights(self) -> str:
        """Return the sentence about rights that a token may lack."""
        return "Check the rights of the token."

    def answer(self, got: Response) -> ApiAnswer:
        """Return the value of a response. Raises ApiFault for what is no JSON."""
        if got.status == 304:
            return ApiAnswer(None, got.headers, 304)
        try:
            return ApiAnswer(parse_json(got.body), got.headers, got.status)
        except ValueError:
            raise ApiFault(
                Status.PROTOCOL_ERROR,
                "The server's answer is no whole JSON. Check that url is the address of the interface.",
                passing=True,
            ) from None


def page_links(headers: Headers, url: str) -> dict[str, str]:
    """Return the addresses of the next and the last page that a header names (RFC 8288), by `next` and `last`."""
    found: dict[str, str] = {}
    for field in headers.octets("link"):
        for reference, parameters in _NEXT.findall(field[:16_384]):
            rel = _REL_NEXT.search(parameters)
            target = next((each for _, each in join(url, [reference])), "") if rel else ""
            if rel and target:
                found.setdefault(rel[1].lower(), target)
    return found
