"""HTTP for code without an event loop: a receiver's thread, or the discovery of a source."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from cormorant.net.egress.guard import Egress
from cormorant.net.http.client import Fetcher
from cormorant.net.http.messages import Request, Response, TransportError


class HttpSession:
    """Sends one request after another on an event loop of its own, over kept connections.

    Every connection is judged by the `egress` that is made with the first request. Calls come one at a time, from
    threads without an event loop.
    """

    def __init__(self, egress: Callable[[], Egress]) -> None:
        self._make = egress
        self._runner: asyncio.Runner | None = None
        self._way: tuple[Egress, Fetcher] | None = None

    def send(self, request: Request) -> Response | TransportError:
        """Send a request and wait for its response, within the limits of the request."""
        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(self._send(request))

    async def _send(self, request: Request) -> Response | TransportError:
        if self._way is None:
            egress = self._make()
            self._way = egress, Fetcher(egress, width=1)
        return await self._way[1].get(request)

    def close(self) -> None:
        """Close the connections. A later `send` opens new ones."""
        if self._runner is not None:
            self._runner.run(self._leave())
            self._runner.close()
            self._runner = None

    async def _leave(self) -> None:
        if self._way is not None:
            egress, fetcher = self._way
            self._way = None
            await fetcher.close()
            await egress.close()
