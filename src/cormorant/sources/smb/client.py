"""SMB client: the share of a source, and those to which the links of its DFS namespace lead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Final, TypeVar

from cormorant.base.clock import Clock
from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.model.status import Status
from cormorant.sources.remote.protocol import ConnectionBroken, RemoteEntry, RemoteFile, RemoteRefusal
from cormorant.sources.smb.change_notices import ChangeNotices, Concerns
from cormorant.sources.smb.dfs_referral import SharePlace
from cormorant.sources.smb.faults import LiesElsewhere, is_of_share
from cormorant.sources.smb.namespace import DfsNamespace, ResolvedPath
from cormorant.sources.smb.share import SmbShare

T = TypeVar("T")
MAX_TURNS: Final = 32
"""Links, and servers that do not answer, that are met on the way to one folder or file."""
MOST_SHARES: Final = 8
"""Shares behind links whose connections are kept; each takes a socket and a thread."""

MAX_BROKEN: Final = 2
"""Connections that may break while they do one thing; a file that breaks each of them must not let all servers rest."""


class StaleTarget(Exception):
    """The folder that a link leads to is not there: the referral is stale, or a replica is not complete."""


ShareOpener = Callable[[SharePlace], SmbShare]
"""Logs in to the share of a place. Raises Unreachable, LoginRefused and ConnectionBroken."""


class SmbClient:
    """One connection to the share of a source, and one to each share behind its links, made when it is needed.

    A fault of a server behind a link is a refusal of the folder or file that lies there, never one of the source.
    """

    def __init__(self, root: SmbShare, place: SharePlace, namespace: DfsNamespace, opened: ShareOpener) -> None:
        self._root, self._place, self._namespace, self._opened = root, place, namespace, opened
        self._shares = {place.root: root}

    def identity(self) -> str:
        """Return the number of the root folder on its disk, "" where the server gives none."""
        return self._done((), lambda share, parts: share.identity(parts))

    def entries(self, folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
        """Yield the entries of a folder."""
        used, found = self._done(folder, lambda share, parts: (share, _begun(share.entries(parts))))
        try:
            yield from found
        except (ConnectionBroken, Unreachable) as error:
            if used is self._root:
                raise
            self._let_go(used)
            raise _refusal_of(error) from error

    def read(self, parts: Sequence[bytes], limit: int) -> RemoteFile:
        """Return the beginning of a file."""
        return self._done(parts, lambda share, where: share.read(where, limit))

    def notices(self, concerns: Concerns, clock: Clock) -> ChangeNotices:
        """Begin to watch the folder of the source and everything below it on its own server."""
        return self._root.notices(self._place.folder, concerns, clock)

    def wait(self, notices: ChangeNotices, timeout_s: float) -> bool:
        """Wait for a change, as `ChangeNotices.wait` does."""
        return self._root.wait(notices, timeout_s)

    def close(self) -> None:
        """Close the connections."""
        for each in self._shares.values():
            each.close()

    def _done(self, parts: Sequence[bytes], act: Callable[[SmbShare, tuple[bytes, ...]], T]) -> T:
        """Do something where a path lies, and follow the links that are met on the way."""
        wanted = self._place._replace(folder=(*self._place.folder, *parts))
        until, left = self._namespace.tries_until(), MAX_BROKEN
        for _ in range(MAX_TURNS):
            path = self._namespace.resolved(wanted)
            place = path.place
            is_kept = place.root in self._shares
            share = self._share(place)
            if share is None:
                self._namespace.see_time(until)
                continue
            try:
                with suppress(LiesElsewhere):
                    return self._acted(share, path, act)
                self._namespace.add(place, share.referral(place))
            except StaleTarget:
                self._namespace.see_time(until)
            except (ConnectionBroken, Unreachable) as error:
                refusal = self._broken(share, place, error, is_kept=is_kept)
                left -= refusal is not None
                if refusal is not None and not left:
                    raise refusal from error
                self._namespace.see_time(until)
        raise RemoteRefusal(Status.UNREADABLE, "It lies behind too many links and servers of DFS.")

    def _broken(
        self, share: SmbShare, place: SharePlace, error: ConnectionBroken | Unreachable, *, is_kept: bool
    ) -> RemoteRefusal | None:
        """Close a connection that broke, and let its share rest; None if it may only have been closed meanwhile."""
        if share is self._root:
            raise error
        self._let_go(share)
        if is_kept and not isinstance(error, Unreachable):
            return None
        return self._rested(place, error)

    def _acted(self, share: SmbShare, path: ResolvedPath, act: Callable[[SmbShare, tuple[bytes, ...]], T]) -> T:
        """Do something at a place. Raises StaleTarget, and lets the target of its link rest, if that has no folder."""
        try:
            done = act(share, path.place.folder)
        except RemoteRefusal as refusal:
            target = path.target if refusal.status == Status.NOT_FOUND else None
            if target is None or not target.folder or _has_folder(share, target.folder):
                raise
            sentence = f"It lies on another server (DFS). {target.host} does not have the folder of the link."
            self._namespace.rest_target(target, RemoteRefusal(Status.SERVICE_UNAVAILABLE, sentence))
            raise StaleTarget from refusal
        self._namespace.note_used(path)
        return done

    def _share(self, place: SharePlace) -> SmbShare | None:
        """Return the connection to the share of a place; None where its server cannot be used, and rests."""
        share = self._shares.pop(place.root, None)
        if share is None:
            self._make_room()
            try:
                share = self._opened(place)
            except RemoteRefusal as refusal:  # each further attempt could lock the account
                self._namespace.rest(place, refusal)
                return None
            except (ConnectionBroken, Unreachable) as error:
                self._rested(place, error, whole_server=not is_of_share(error))
                return None
        self._shares[place.root] = share  # the one that was used last stands last
        return share

    def _make_room(self) -> None:
        """Close the connections to shares behind links that have not been used for longest."""
        kept = [each for each in self._shares.values() if each is not self._root]
        for each in kept[: max(0, len(kept) + 1 - MOST_SHARES)]:
            self._let_go(each)

    def _rested(
        self, place: SharePlace, error: ConnectionBroken | Unreachable, *, whole_server: bool = False
    ) -> RemoteRefusal:
        """Leave a share or its server alone for a while, and return what that means for those who ask for it."""
        refusal = _refusal_of(error)
        self._namespace.rest(place, refusal, whole_server=whole_server)
        return refusal

    def _let_go(self, share: SmbShare) -> None:
        """Close a connection to a share behind a link."""
        self._shares = {root: each for root, each in self._shares.items() if each is not share}
        share.close()


def _begun(entries: Iterator[RemoteEntry]) -> Iterator[RemoteEntry]:
    """Return the same entries, the first of which the server has given."""
    return chain([first], entries) if (first := next(entries, None)) is not None else iter(())


def _has_folder(share: SmbShare, folder: Sequence[bytes]) -> bool:
    """Return whether a share has a folder. Raises ConnectionBroken."""
    try:
        share.identity(folder)
    except RemoteRefusal as refusal:
        return refusal.status not in (Status.NOT_FOUND, Status.COLLECTION)
    return True


def _refusal_of(error: ConnectionBroken | Unreachable) -> RemoteRefusal:
    """Return what a fault of a server behind a link means for the folder or file that is asked for."""
    status = Status.UNAUTHORIZED if isinstance(error, LoginRefused) else Status.SERVICE_UNAVAILABLE
    return RemoteRefusal(status, f"It lies on another server (DFS). {error.sentence}")
