"""Requests and answers of one question, written once: a discovery sends them in a thread, a visit on an event loop.

An exchange is a generator that yields a request and is sent its response, as often as the question needs. It returns
what was asked for, or raises ApiFault.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Final, Generic, TypeAlias, TypeVar

from cormorant.base.clock import Clock, pause
from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.model.content import VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Failed, Gone, Outcome
from cormorant.model.ruling import Gate, Ruling
from cormorant.model.status import Status
from cormorant.net.http.client import Fetcher
from cormorant.net.http.messages import Request, Response, TransportError
from cormorant.sources.http_status import StatusClass, outcome_of_error, status_class

T = TypeVar("T")
Exchange: TypeAlias = Generator[Request, Response | TransportError, T]
Waiting: TypeAlias = Generator[tuple[()], None, T]
"""An exchange within a discovery: empty batches say that it goes on."""

MOST_WAITED_S: Final = 4_000.0
"""Seconds that a discovery waits for one answer because a server asks for it; GitHub's limit is for an hour."""
STEP_S: Final = 2.0
"""Seconds between two signs of life while it waits."""
RETRIES_S: Final = (2.0, 10.0, 30.0)
"""Seconds before each further attempt at a request that met a fault of the server."""
_AWAY: Final = frozenset((Status.CONNECTION_REFUSED, Status.NAME_NOT_RESOLVED, Status.TLS, Status.TOO_BIG))
"""Faults that another attempt in a few seconds does not mend."""


class ApiFault(Exception):
    """A question has no answer: `status` of the table, `reason` a sentence without anything secret.

    `wait_s` is how long the server wants not to be asked; `passing`: it may be well the next time. `whole_site`: it is
    about the server, not about one document. `login`: it refuses who asks.
    """

    def __init__(
        self,
        status: int,
        reason: str,
        *,
        wait_s: float | None = None,
        passing: bool = False,
        whole_site: bool = False,
        login: bool = False,
    ) -> None:
        super().__init__(reason)
        self.status, self.reason, self.wait_s = status, reason, wait_s
        self.passing, self.whole_site, self.login = passing, whole_site, login
        self.error: TransportError | None = None

    @classmethod
    def of(cls, error: TransportError) -> ApiFault:
        """Return the fault of a request that got no response."""
        fault = cls(error.status, error.reason, passing=error.retryable, whole_site=error.whole_site)
        fault.error = error
        return fault

    def outcome(self) -> Outcome:
        """Return what it means for one document."""
        if self.error is not None:
            return outcome_of_error(self.error)
        if self.status == Status.TOO_BIG:
            return Excluded(Ruling(False, Gate.SIZE, self.reason, Status.TOO_BIG), Status.TOO_BIG)
        if self.passing:
            return Deferred(self.status, self.reason, self.wait_s, self.whole_site)
        if self.status in (Status.NOT_FOUND, Status.GONE):
            return Gone(self.status)
        return Failed(self.status, self.reason)

    def as_error(self, place: str) -> Unreachable:
        """Return what it means for a discovery of this place: LoginRefused or Unreachable."""
        if self.login:
            return LoginRefused(f"{place}: {self.reason}")
        return Unreachable(f"{place} cannot be listed: {self.reason}")


class DiscoverySession:
    """Sends the requests of a discovery one after another, at the pace of the source.

    It waits where the server asks for that, as `rest_s` reads it in a response, and tries again what may be well soon.
    """

    def __init__(
        self,
        send: Callable[[Request], Response | TransportError],
        rest_s: Callable[[Response], float | None],
        delay_s: Callable[[], float],
        clock: Clock,
    ) -> None:
        self._send, self._rest_s, self._delay_s, self._clock = send, rest_s, delay_s, clock
        self._last = -1e9

    def follow(self, exchange: Exchange[T]) -> Waiting[T]:
        """Have an exchange come to its end; yields empty batches meanwhile. Raises ApiFault."""
        try:
            request = next(exchange)
            while True:
                got = yield from self._answered(request)
                yield ()
                request = exchange.send(got)
        except StopIteration as stop:
            result: T = stop.value
            return result

    def _answered(self, request: Request) -> Waiting[Response | TransportError]:
        """Send a request until it has an answer that more patience would not better."""
        retries, patience = list(RETRIES_S), MOST_WAITED_S
        while True:
            yield from self._waited(self._last + self._delay_s() - self._clock.monotonic())
            self._last = self._clock.monotonic()
            got = self._send(request)
            rest = self._rest_s(got) if isinstance(got, Response) else None
            rest = None if rest is None else max(rest, 1.0)
            if rest is not None and rest <= patience:
                patience -= rest
                yield from self._waited(rest)
            elif rest is None and retries and _may_be_well_soon(got):
                yield from self._waited(retries.pop(0))
            else:
                return got

    def _waited(self, seconds: float) -> Waiting[None]:
        while seconds > 0:
            pause(min(seconds, STEP_S))
            seconds -= STEP_S
            yield ()


class Signs(Generic[T]):
    """Signs of life of an exchange, as an iterator; afterwards its `result`."""

    def __init__(self, waiting: Waiting[T]) -> None:
        self._waiting = waiting
        self.result: T

    def __iter__(self) -> Iterator[tuple[()]]:
        self.result = yield from self._waiting


def _may_be_well_soon(got: Response | TransportError) -> bool:
    if isinstance(got, TransportError):
        return got.retryable and got.status not in _AWAY
    return status_class(got.status) in (StatusClass.MOMENTARY, StatusClass.OVERLOADED)


async def visited(exchange: Exchange[T], fetcher: Fetcher, wire: VisitTrace, site: str) -> T:
    """Have an exchange come to its end within a visit, and count what it costs. Raises ApiFault."""
    try:
        request = next(exchange)
        while True:
            got = await fetcher.get(request._replace(sent=lambda: wire.sent(site)))
            wire.requests += got.requests
            wire.received += got.received
            if isinstance(got, Response):
                wire.decoded += got.decoded
            request = exchange.send(got)
    except StopIteration as stop:
        result: T = stop.value
        return result
