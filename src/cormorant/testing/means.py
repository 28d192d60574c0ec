"""The tools of a source in its tests: real connections, and secrets of the test's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from cormorant.base.clock import SystemClock
from cormorant.base.errors import NotFoundError
from cormorant.net.egress.guard import Egress
from cormorant.net.egress.policy import AddressClass, Consent
from cormorant.net.http.client import Fetcher
from cormorant.net.http.messages import Request, Response, TransportError
from cormorant.plugins import Tools


class GivenSecrets:
    """Secrets by name. None is sealed."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = dict(values)

    def reveal(self, name: str) -> str:
        """Return the value of a secret. Raises NotFoundError."""
        if name not in self._values:
            raise NotFoundError(f"There is no secret {name!r} in this test: tools(secrets={{{name!r}: ...}}).")
        return self._values[name]

    def seal(self, data: bytes) -> bytes:
        """Return the data unchanged."""
        return data

    def unseal(self, data: bytes) -> bytes | None:
        """Return the data unchanged."""
        return data


class LoopFetcher:
    """A fetcher without a fixed event loop: each request has a connection of its own, on the running loop."""

    async def get(self, request: Request) -> Response | TransportError:
        """Send one request."""
        egress = _egress()
        fetcher = Fetcher(egress, width=1)
        try:
            return await fetcher.get(request)
        finally:
            await fetcher.close()
            await egress.close()

    def class_of(self, host: str, port: int, consent: Consent) -> AddressClass | None:  # noqa: ARG002 - none is kept
        """Return None: no resolved host is cached."""
        return None

    def address_of(self, host: str, port: int, consent: Consent) -> str | None:  # noqa: ARG002 - none is kept
        """Return None: no resolved host is cached."""
        return None

    async def look_up(self, host: str, port: int, consent: Consent) -> None:
        """Do nothing: each request resolves its host."""


def _egress() -> Egress:
    return Egress(SystemClock())


def tools(secrets: Mapping[str, str] | None = None) -> Tools:
    """Return the tools that a crawl gives to a source: a clock, network access to its servers, and these secrets.

    Without `secrets` it gets none, like a source that is only queried.
    """
    return Tools(
        cast("Fetcher", LoopFetcher()),
        SystemClock(),
        None if secrets is None else GivenSecrets(secrets),
        egress=_egress,
    )
