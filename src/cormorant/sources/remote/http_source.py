"""Remote files source whose requests are HTTP's: they are sent from the event loop of a visit."""

from __future__ import annotations

from typing import TypeVar

from cormorant.base.errors import Unreachable
from cormorant.net.http.client import Fetcher
from cormorant.sources.remote.settings import HttpRemoteSettings
from cormorant.sources.remote.source import RemoteFilesSource

H = TypeVar("H", bound=HttpRemoteSettings)


class HttpFilesSource(RemoteFilesSource[H]):
    """A folder of a server that is asked by HTTP. Subclasses override `read`, and send requests by `fetcher`."""

    _apart: Fetcher | None = None

    @property
    def fetcher(self) -> Fetcher:
        """The fetcher of visits; one of its own where the source trusts an authority of its own."""
        if self.tools.fetcher is None:
            raise Unreachable("Nothing may be connected to here.")
        if not self.settings.ca:
            return self.tools.fetcher
        self._apart = self._apart or self.tools.fetcher.apart()
        return self._apart

    async def close(self) -> None:
        """Let go of the connections."""
        await super().close()
        if self._apart is not None:
            await self._apart.close()
            self._apart = None
