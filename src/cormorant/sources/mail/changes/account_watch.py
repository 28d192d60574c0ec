"""Watch on the folders of an account, kept from one wait to the next, so that nothing is missed between two.

    NOTIFY (RFC 5465)    one connection, on which the server reports every folder that is taken; STATUS now and then,
                         since a server may not see a message that another program puts into a Maildir
    IDLE (RFC 2177)      a connection for each of the first folders
    STATUS               all others, asked from time to time

The first wait, and each that has to connect again, reports a change: messages that came before are in no report.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from selectors import EVENT_READ, DefaultSelector
from threading import Event, Lock
from typing import Final, NamedTuple

from cormorant.base.clock import Clock
from cormorant.base.errors import CormorantError, Unreachable
from cormorant.sources.mail.fetch_answer import ImapFolder
from cormorant.sources.mail.wire import BROKEN, REFUSED, ImapConnection, broken_sentence

RENEWED_S: Final = 25 * 60.0
"""Seconds after which IDLE is begun again; a server may end the session after 29 minutes (RFC 2177 3)."""
POLL_S: Final = 30.0
"""Seconds between two looks at the folders that no connection waits for."""
CHECK_S: Final = 300.0
"""The same where the server reports them."""
PACE_S: Final = 0.5
"""Seconds that lie between two looks at least for each such folder."""
HELD_S: Final = 60.0
"""Seconds after which a connection that breaks off has held: it is made again at once."""
MAX_NOTIFIED: Final = 500
"""Folders that NOTIFY names one by one."""
STEP_S: Final = 1.0
"""Seconds after which a wait sees that it is to end."""


class Waiting(NamedTuple):
    """A connection on which the server reports changes of a folder."""

    connection: ImapConnection
    folder: str


class AccountWatch:
    """Connections that wait for changes. `wait` is called from one thread, `close` from any."""

    def __init__(
        self, connect: Callable[[], ImapConnection], folders: Callable[[ImapConnection], Sequence[ImapFolder]],
        clock: Clock, most_idle: int, named: str,
    ) -> None:  # fmt: skip
        self._connect, self._folders, self._clock = connect, folders, clock
        self._most_idle, self._named = most_idle, named
        self._ended, self._lock = Event(), Lock()
        self._waiting = list[Waiting]()
        self._polling: ImapConnection | None = None
        self._polled: dict[str, tuple[int, ...]] = {}
        self._began = self._renew_at = self._poll_at = self._poll_s = 0.0

    def wait(self, seconds: float) -> bool:
        """Wait until messages come or go, True then; False when the time is over or it was closed.

        A wait that connects returns True at once, since the server reports only changes from then on. Raises
        Unreachable and LoginRefused.
        """
        with self._lock:
            try:
                return self._waited(self._clock.monotonic() + seconds)
            except (*BROKEN, REFUSED) as error:
                held = bool(self._began) and self._clock.monotonic() - self._began >= HELD_S
                self._drop()
                if held:
                    return True
                raise Unreachable(broken_sentence(self._named, error)) from None
            except CormorantError:
                self._drop()
                raise

    def close(self) -> None:
        """End a wait and let go of the connections."""
        self._ended.set()
        with self._lock:
            self._drop()

    def _waited(self, until: float) -> bool:
        if not self._began and not self._ended.is_set():
            self._open()
            return True
        while not self._ended.is_set() and (left := until - self._clock.monotonic()) > 0:
            now = self._clock.monotonic()
            if now >= self._renew_at:
                self._renew(now)
            if self._polled and now >= self._poll_at and self._poll(now):
                return True
            if self._take_reports():
                return True
            self._receive(min(left, STEP_S))
        return self._take_reports()

    # ------------------------------------------------------- connections

    def _open(self) -> None:
        """Make the connections: those that wait, and one that asks for the numbers of the other folders."""
        first = self._polling = self._connect()
        folders = sorted((each.name for each in self._folders(first)), key=lambda name: name.upper() != "INBOX")
        self._poll_s = POLL_S
        for name in folders[: self._most_idle] if "IDLE" in first.capabilities else ():
            others = folders[1:] if name == folders[0] else []
            if self._idle_in(name, others):
                self._poll_s = CHECK_S
                break
        watched = {each.folder for each in self._waiting}
        self._polled = {name: first.folder_status(name) for name in folders if name not in watched}
        if not self._polled:
            first.leave()
            self._polling = None
        now = self._clock.monotonic()
        self._began, self._renew_at, self._poll_at = now, now + RENEWED_S, now + self._pause_s

    def _idle_in(self, folder: str, others: Sequence[str]) -> bool:
        """Have a connection wait in a folder; returns whether the server reports the others on it as well."""
        connection = self._connect()
        try:
            is_open = not connection.examine(folder)
            reports = is_open and 0 < len(others) <= MAX_NOTIFIED and connection.notify(others)
            idles = is_open and connection.begin_idle()
        except BaseException:
            connection.shutdown()
            raise
        if idles:
            self._waiting.append(Waiting(connection, folder))
        else:
            connection.leave()
        return reports and idles

    def _drop(self) -> None:
        """Let go of all connections."""
        for each in (*(each.connection for each in self._waiting), *([self._polling] if self._polling else [])):
            with suppress(OSError):
                each.shutdown()
        self._waiting, self._polling, self._polled, self._began = [], None, {}, 0.0

    # ------------------------------------------------------- changes

    def _renew(self, now: float) -> None:
        """Begin each IDLE again, which keeps the session."""
        self._renew_at = now + RENEWED_S
        for each in self._waiting:
            each.connection.renew_idle()

    @property
    def _pause_s(self) -> float:
        return max(self._poll_s, PACE_S * len(self._polled))

    def _poll(self, now: float) -> bool:
        """Ask for the numbers of the folders that no connection waits for; returns whether any is another."""
        self._poll_at = now + self._pause_s
        if self._polling is None:
            return False
        before = self._polled
        self._polled = {name: self._polling.folder_status(name) for name in before}
        return self._polled != before

    def _take_reports(self) -> bool:
        """Return whether a change was reported on any connection since the last time."""
        changes = [each.connection.pop_change() for each in self._waiting]
        return any(changes)

    def _receive(self, seconds: float) -> None:
        """Wait for a report of the server; a line that comes in pieces waits for its end."""
        if not self._waiting:
            self._ended.wait(seconds)
            return
        ready = [each for each in self._waiting if each.connection.has_received]
        if not ready:
            with DefaultSelector() as selector:
                for each in self._waiting:
                    selector.register(each.connection.socket(), EVENT_READ, each)
                ready = [key.data for key, _ in selector.select(seconds)]
        for each in ready:
            each.connection.receive_reports()
