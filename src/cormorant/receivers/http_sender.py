"""Connection of a receiver to one HTTP server: its address, its trust, and the portions of a batch.

    deliveries --portions--> so many records and bytes each --ask--> Response | TransportError

Redirects are not followed, TLS is checked, and connections go through `egress` as those of sources do.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, field_validator

from cormorant.base.errors import BadAddress, BadSetting
from cormorant.model.settings.secret_name import SecretReference
from cormorant.model.url import canonical, origin_of
from cormorant.net.egress.policy import NEVER, Consent, classify, judge, plain
from cormorant.net.http.headers import retry_after
from cormorant.net.http.http_session import HttpSession
from cormorant.net.http.messages import Request, Response, TransportError
from cormorant.receivers.protocol import Delivery, NotTaken, ReceiverSettings, ReceiverTools

MOST_WAITED_S = 86_400.0
"""The longest Retry-After that is obeyed, in seconds."""
_UNREACHED = "was not reached:"


def is_unreached(sentence: str) -> bool:
    """Return whether the sentence of an error reports that no response came. Only the sentence is stored."""
    return f" {_UNREACHED} " in sentence


class WireSettings(ReceiverSettings):
    """The settings of the URL of a server, and of the trust in it."""

    UNSHOWN = frozenset(("secret", "url"))

    url: str = Field(description="The address of the server.")
    secret: SecretReference = Field(
        default="", description="The secret, as secret:NAME; `cormorant secret add NAME` keeps one."
    )
    ca: str = Field(default="", description="PEM file of the authorities to trust in place of the system's.")
    network: tuple[str, ...] = Field(
        default=(),
        description=(
            "Further networks besides the host of the address: public, private, loopback or ranges like 10.0.0.0/8. A "
            "host that is named in the address may be reached at the addresses that it had first."
        ),
    )
    timeout_s: float = Field(default=30.0, gt=0, le=3600, description="Seconds that one request may take.")

    @field_validator("url")
    @classmethod
    def _url(cls, text: str) -> str:
        if "@" in text:
            raise ValueError("no user name or password is written here, and an @ in a path is written %40.")
        try:
            address = canonical(text)
        except BadAddress:
            raise ValueError("it is no address. Write one like https://search.example.org/found.") from None
        if not address.startswith(("http://", "https://")):
            raise ValueError("only http and https are spoken.")
        return address

    @field_validator("ca")
    @classmethod
    def _ca(cls, text: str) -> str:
        """Make the path absolute, so that it does not depend on the working folder."""
        return str(Path(text).expanduser().absolute()) if text else text

    @field_validator("network")
    @classmethod
    def _network(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        Consent.of((), words)
        return words


def _read(ca: str) -> None:
    """Raise BadSetting for a file that holds no authorities."""
    try:
        if ca:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(ca)
    except ssl.SSLError:
        raise BadSetting(
            f"The setting 'ca' names {ca}, and no certificate is in there. It has to be a PEM file."
        ) from None
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise BadSetting(f"The setting 'ca' names {ca}, which cannot be read: {why}. Choose another file.") from None


class Portion(NamedTuple):
    """Deliveries that go in one request, and their records."""

    deliveries: tuple[Delivery, ...]
    records: tuple[bytes, ...]

    def halves(self) -> tuple[Portion, Portion]:
        """Split the portion into two halves."""
        middle = len(self.records) // 2
        return (
            Portion(self.deliveries[:middle], self.records[:middle]),
            Portion(self.deliveries[middle:], self.records[middle:]),
        )


def portions(ready: Sequence[tuple[Delivery, bytes]], most: int, most_bytes: int) -> Iterator[Portion]:
    """Split deliveries by number and bytes of their records; a larger record is a portion by itself."""
    some, size = list[tuple[Delivery, bytes]](), 0
    for each in ready:
        if some and (len(some) >= most or size + len(each[1]) > most_bytes):
            yield _portion(some)
            some, size = [], 0
        some.append(each)
        size += len(each[1])
    if some:
        yield _portion(some)


def _portion(some: Sequence[tuple[Delivery, bytes]]) -> Portion:
    return Portion(tuple(each for each, _ in some), tuple(record for _, record in some))


class HttpSender:
    """Sends requests to one server, one after the other, in an event loop of its own: a receiver has one thread."""

    def __init__(self, settings: WireSettings, tools: ReceiverTools, max_bytes: int) -> None:
        self._settings, self._tools, self._max_bytes = settings, tools, max_bytes
        self._origin = origin = origin_of(settings.url)
        self.place = str(origin)
        """The part of the address that may be displayed: its path and query may hold secrets."""
        self._consent = Consent.of(((origin.host, origin.port),), settings.network)
        self._session = HttpSession(tools.egress) if tools.egress is not None else None

    def check(self) -> None:
        """Check the settings if the receiver is only opened as a check. Raises BadSetting; sends no request."""
        if self._tools.egress is None:
            _read(self._settings.ca)
            self._see_way()

    def _see_way(self) -> None:
        """Raise BadSetting for a numeric address to which no connection is allowed."""
        host = plain(self._origin.host)
        with suppress(ValueError):
            kind = classify(host)
            if judge(host, self._origin.port, host, self._consent, frozenset()).admitted:
                return
            why = "nothing ever connects to those" if kind in NEVER else "network rules those out"
            raise BadSetting(
                f"{self.place} can never be reached: that is a {kind.replace('_', '-')} address, and {why}. Choose "
                f"another url{('' if kind in NEVER else ', or change network')}."
            )

    def reveal(self) -> str:
        """Return the value of the secret, "" without one. Raises NotFoundError and SecretSealed."""
        return next((self._tools.secrets.reveal(name) for name in self._settings.secrets), "")

    def ask(
        self, url: str, headers: Sequence[str], body: bytes | None = None, method: str = ""
    ) -> Response | TransportError:
        """Send one request: GET, POST of a body, or another method. Raises NotTaken if it was not opened to deliver."""
        if self._session is None:
            raise NotTaken("This receiver was opened for a look, not to deliver.")
        limit = self._settings.timeout_s
        request = Request(
            url, tuple(headers), self._consent, max_bytes=self._max_bytes, timeout_s=limit, idle_timeout_s=limit,
            connect_timeout_s=min(limit, 10.0), ca=self._settings.ca, body=body, method=method,
        )  # fmt: skip
        return self._session.send(request)

    def not_taken(self, answer: Response | TransportError, hint: str = "") -> NotTaken:
        """Return the exception for a response that accepts nothing, with the delay that it asks for."""
        if isinstance(answer, TransportError):
            return NotTaken(f"{self.place} {_UNREACHED} {answer.reason}")
        asked = retry_after(answer.headers.get("retry-after"), self._tools.clock.now()) or 0.0
        if 300 <= answer.status < 400:
            hint = " Redirects are not followed: set url to the target."
        return NotTaken(f"{self.place} answered {answer.status}.{hint}", min(asked, MOST_WAITED_S))

    def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            self._session.close()
