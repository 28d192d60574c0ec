"""Watch over a share: a connection that waits for notices, and is taken up again where it breaks."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Final

from cormorant.base.clock import Clock
from cormorant.base.errors import Unreachable
from cormorant.sources.remote.protocol import ConnectionBroken, RemoteRefusal
from cormorant.sources.smb.change_notices import ChangeNotices, Concerns
from cormorant.sources.smb.client import SmbClient

SHORT_S: Final = 30.0
"""Seconds that a watch has to hold for a broken one to be taken up again at once."""


class ShareWatch:
    """Waits for changes of a share, for one thread. `end` may be called from another."""

    def __init__(self, connect: Callable[[], SmbClient], concerns: Concerns, clock: Clock) -> None:
        self._connect, self._concerns, self._clock = connect, concerns, clock
        self._client: SmbClient | None = None
        self._notices: ChangeNotices | None = None
        self._ended, self._since = Event(), 0.0

    def wait(self, timeout_s: float) -> bool:
        """Wait until something changes; True also when watching begins, since nobody knows of changes before.

        Raises Unreachable and LoginRefused where the server cannot be watched.
        """
        if self._ended.is_set():
            return False
        try:
            if self._client is None or self._notices is None:
                self._begin()
                return True
            return self._client.wait(self._notices, timeout_s)
        except ConnectionBroken as broken:
            return self._take_up(broken)
        except RemoteRefusal as refusal:
            self._let_go()
            raise Unreachable(
                f"The share cannot be watched: {refusal.sentence} A schedule lists it instead."
            ) from refusal
        finally:
            if self._ended.is_set():
                self._let_go()

    def end(self) -> None:
        """End a wait soon; its thread closes the connection."""
        self._ended.set()
        if self._notices is not None:
            self._notices.end()

    def _begin(self) -> None:
        self._client = self._connect()
        self._notices = self._client.notices(self._concerns, self._clock)
        self._since = self._clock.monotonic()

    def _take_up(self, broken: ConnectionBroken) -> bool:
        """Watch by a new connection at the next call, unless the one that broke was new itself."""
        was_new = self._notices is None or self._clock.monotonic() - self._since < SHORT_S
        self._let_go()
        if was_new and not self._ended.is_set():
            raise Unreachable(f"{broken.sentence} The share is not watched until the server answers.") from broken
        return False

    def _let_go(self) -> None:
        client, self._client, self._notices = self._client, None, None
        if client is not None:
            client.close()
