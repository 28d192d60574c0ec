"""Walk through the folders of a server: several connections list one folder each, and hand on what they find.

    folders to enter --take--> a thread lists one --batches--> bounded queue --files()--> discovery
           ^                        `--folders below it--.
           `---------------------------------------------'

The folder that was found last is entered first, so that memory holds the names of folders beside the way and no more.
"""

from __future__ import annotations

import queue
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from functools import lru_cache
from threading import Condition, Event, Thread
from typing import Final, NamedTuple

from cormorant.base.errors import CormorantError, Unreachable
from cormorant.base.log import logger
from cormorant.model.acl import ACL, PUBLIC
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl
from cormorant.model.status import Status
from cormorant.model.url import MAX_ADDRESS
from cormorant.sources.connection_pool import ConnectionPool
from cormorant.sources.remote.protocol import (
    ConnectionBroken,
    EntryKind,
    RemoteClient,
    RemoteEntry,
    RemoteRefusal,
    ServerFull,
)
from cormorant.sources.trees.filters import TreeGates
from cormorant.sources.trees.rights import tag_of, within
from cormorant.sources.trees.tree_urls import TreeNaming

_log = logger(__name__)
BATCH: Final = 500
"""Files handed on at once."""
MAX_UNLISTED: Final = 10_000
"""Folders that may fail to be listed; with more the listing as a whole has failed."""
MAX_LEVELS: Final = 200
"""Folders within one another; more is a server that makes them up, or a loop of links that it follows."""
MAX_ENTRIES: Final = 10_000_000
"""Entries of one folder, of which a store without folders has none; more is a server that lists for ever."""
MAX_WAITING: Final = 1_000_000
"""Folders still to be entered, whose names are kept."""
TRIES: Final = 3
"""Connections on which one folder is tried."""
QUIET_S: Final = 3.0
"""Seconds without a file after which an empty batch says that the walk goes on."""
_POLL_S: Final = 0.5

_ENDLESS: Final = RemoteRefusal(Status.UNREADABLE, f"It has more than {MAX_ENTRIES:,} entries.")

Parts = tuple[bytes, ...]


class _Folder(NamedTuple):
    """A folder still to be entered, and who may come as far as it; None where nobody asks."""

    parts: Parts
    rights: ACL | None


class RemoteWalk:
    """One walk through the folders of a server.

    `unlisted`, `closed` and `vetoed` are as in `sources.protocol.Source`; `entries` counts what was met.
    """

    def __init__(
        self,
        pool: ConnectionPool[RemoteClient],
        naming: TreeNaming,
        gates: TreeGates,
        parallel: int,
        veto: Callable[[str], bool] | None = None,
    ) -> None:
        self.unlisted: list[str] = []
        self.closed: list[str] = []
        self.vetoed: list[str] = []
        self.entries = 0
        self._pool, self._naming, self._gates, self._veto = pool, naming, gates, veto
        self._settings, self._parallel = gates.settings, parallel
        self._patience_s = gates.settings.visit_s + QUIET_S
        self._folders: list[_Folder] = [_Folder((), PUBLIC if gates.settings.owner_grants else None)]
        self._under_way, self._threads = 0, parallel
        self._changed = Condition()
        self._stopped = Event()
        self._out: queue.Queue[list[DiscoveredUrl] | BaseException | None] = queue.Queue(2 * parallel)
        self._enters_again = lru_cache(maxsize=10_000)(self._enters)

    def files(self) -> Generator[list[DiscoveredUrl], None, None]:
        """Yield every file in batches, and empty batches while there is none.

        Raises Unreachable when the root cannot be listed to its end, or the server does not answer any more.
        """
        threads = [Thread(target=self._list_folders, daemon=True, name=f"walk-{n}") for n in range(self._parallel)]
        for each in threads:
            each.start()
        try:
            yield from self._batches(len(threads))
        finally:
            self.stop()

    def _batches(self, running: int) -> Iterator[list[DiscoveredUrl]]:
        quiet_s, entries = 0.0, 0
        while running:
            try:
                got = self._out.get(timeout=QUIET_S)
            except queue.Empty:
                quiet_s = quiet_s + QUIET_S if entries == self.entries else 0.0
                entries = self.entries
                if quiet_s > self._patience_s:
                    raise Unreachable(f"The server has not answered for {quiet_s:g} seconds. Check it.") from None
                yield []
                continue
            quiet_s = 0.0
            if isinstance(got, BaseException):
                raise got
            if got is None:
                running -= 1
            else:
                yield got

    def stop(self) -> None:
        """Have the threads end after what they are at."""
        self._stopped.set()
        with self._changed:
            self._changed.notify_all()

    def _list_folders(self) -> None:
        """List one folder after the other until none is left: the life of a thread."""
        known: BaseException | None = None
        try:
            with suppress(ServerFull):
                self._list_each()
        except (CormorantError, ConnectionBroken, RemoteRefusal, OSError) as error:
            known = error  # raised again where the walk is iterated
        finally:
            self._put(known or sys.exc_info()[1])

    def _list_each(self) -> None:
        while (folder := self._take()) is not None:
            try:
                self._list(folder)
            finally:
                self._done()

    def _take(self) -> _Folder | None:
        """Take the folder that was found last; None when all is done or the walk was stopped."""
        with self._changed:
            while not self._folders and self._under_way and not self._stopped.is_set():
                self._changed.wait(_POLL_S)
            if self._stopped.is_set() or not self._folders:
                return None
            self._under_way += 1
            return self._folders.pop()

    def _done(self) -> None:
        with self._changed:
            self._under_way -= 1
            self._changed.notify_all()

    def _leave_to_others(self, folder: _Folder) -> bool:
        """Give a folder back when the server takes fewer connections than there are threads; not the last of them."""
        with self._changed:
            if self._threads == 1:
                return False
            self._threads -= 1
            self._folders.append(folder)
            return True

    def _enter_later(self, found: list[_Folder]) -> None:
        with self._changed:
            if len(self._folders) + len(found) > MAX_WAITING:
                raise _too_many()
            self._folders += found
            self._changed.notify_all()

    def _put(self, what: list[DiscoveredUrl] | BaseException | None) -> None:
        while not self._stopped.is_set():
            try:
                self._out.put(what, timeout=_POLL_S)
            except queue.Full:
                continue
            return

    def _list(self, folder: _Folder) -> None:
        """List one folder, on another connection when one breaks. Raises ServerFull where others go on without this."""
        for attempt in range(1, TRIES + 1):
            try:
                with self._pool.connection() as client:
                    self._list_by(client, folder)
            except ConnectionBroken as broken:
                if isinstance(broken, ServerFull) and self._leave_to_others(folder):
                    raise
                if attempt == TRIES:
                    raise Unreachable(f"{broken.sentence} Check the server, and the network to it.") from broken
            else:
                return

    def _list_by(self, client: RemoteClient, folder: _Folder) -> None:
        try:
            self._stream(client, folder)
        except RemoteRefusal as refusal:
            if not folder.parts:
                raise Unreachable(
                    f"The folder of the source cannot be listed: {refusal.sentence} Check the setting url, and the "
                    "rights of its user."
                ) from refusal
            address = self._naming.address(folder.parts) + "/"
            _log.warning("folder not listed", extra={"address": address, "reason": refusal.sentence})
            self._note(address, denied=refusal.status == Status.FORBIDDEN)

    def _stream(self, client: RemoteClient, folder: _Folder) -> None:
        """Hand on the files of a folder as they come, and keep its folders, also when the listing ends in a refusal."""
        found, below = list[DiscoveredUrl](), list[_Folder]()
        try:
            for number, entry in enumerate(client.entries(folder.parts)):
                if number >= MAX_ENTRIES and len(entry.parts) == 1:
                    raise _ENDLESS
                self._take_in(entry, folder, found, below)
                if len(found) >= BATCH:
                    self._put(list(found))
                    found.clear()
                if self._stopped.is_set():
                    return
        except RemoteRefusal:
            self._hand_on(found, below)
            raise
        self._hand_on(found, below)

    def _hand_on(self, found: list[DiscoveredUrl], below: list[_Folder]) -> None:
        self._put(found)
        self._enter_later(below)

    def _take_in(self, entry: RemoteEntry, folder: _Folder, found: list[DiscoveredUrl], below: list[_Folder]) -> None:
        """Put an entry among the files that were found, or among the folders to be entered, or leave it out."""
        with self._changed:
            self.entries += 1
        parts = (*folder.parts, *entry.parts)
        if self._is_out(folder.parts, parts):
            return
        rights = _inner(folder.rights, entry.acl)
        if entry.kind is EntryKind.FILE:
            found.append(self._found(parts, entry, rights))
        elif entry.kind is EntryKind.FOLDER and self._enters(parts):
            below.append(_Folder(parts, rights))
            if len(below) > MAX_WAITING:
                raise _too_many()

    def _is_out(self, folder: Parts, parts: Parts) -> bool:
        """Say whether an entry is hidden, or lies in a folder that is not walked where the store knows none."""
        if not self._settings.hidden and any(part.startswith(b".") for part in parts[len(folder) :]):
            return True
        return not all(self._enters_again(parts[:length]) for length in range(len(folder) + 1, len(parts)))

    def _found(self, parts: Parts, entry: RemoteEntry, rights: ACL | None) -> DiscoveredUrl:
        version = f"{entry.version}-{tag_of(rights)}" if rights is not None else entry.version
        return DiscoveredUrl(
            self._naming.address(parts), self._naming.site, len(parts) - 1, DiscoveredBy.LISTING, validator=version,
            display=entry.display,
        )  # fmt: skip

    def _enters(self, parts: Parts) -> bool:
        """Say whether a folder is to be walked: not too deep, with something to take, and no plug-in says no."""
        levels = self._settings.levels
        if (levels is not None and len(parts) > levels) or self._gates.leaves_out(parts):
            return False
        address = self._naming.address(parts) + "/"
        if len(address) >= MAX_ADDRESS:  # nothing below it can be a document
            return False
        if len(parts) > MAX_LEVELS:
            self._note(address, denied=False)
            return False
        if self._veto is None:
            return True
        try:
            if not self._veto(address):
                return True
            self.vetoed.append(address)
        except CormorantError:
            self._note(address, denied=False)
        return False

    def _note(self, address: str, *, denied: bool) -> None:
        """Note a folder whose content is not known, so that nothing below it is taken for gone."""
        with self._changed:
            self.unlisted.append(address)
            if denied and self._settings.owner_grants:
                self.closed.append(address)
            if len(self.unlisted) > MAX_UNLISTED:
                raise Unreachable(
                    f"More than {MAX_UNLISTED} folders could not be listed. Check the rights of the user on the server."
                )


def _too_many() -> Unreachable:
    return Unreachable(
        f"More than {MAX_WAITING:,} folders were found that are still to be listed. Check the server, or set depth or "
        "exclude."
    )


def _inner(outer: ACL | None, own: ACL | None) -> ACL | None:
    """Return the readers of files in a folder, by the rights of both; None where nobody asks."""
    if outer is None or own is None:
        return outer
    return within(outer, own)
