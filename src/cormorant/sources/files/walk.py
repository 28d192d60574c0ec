"""Folder walk, which lists the files below a folder.

A walk that streams, without recursion and with a bounded number of open folders.

    enter a folder -> stream its entries: files are yielded, names of folders kept -> enter the next of those, or go up

However many files a folder has and however deep the tree is, memory holds the names of the folders still to be entered
and nothing else. Only the innermost folders stay open; one further out is opened again when the walk comes back to it,
and left alone when it is no longer the same.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from cormorant.base.errors import CormorantError, Unreachable
from cormorant.model.acl import ACL, PUBLIC
from cormorant.model.exposure import Closure
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl
from cormorant.sources.files.exposure import Closures, LinkedPath
from cormorant.sources.files.file_url import Naming
from cormorant.sources.files.openat import DENIED, GONE, MOMENTARY, SCARCE, Astray, located, open_folder, reopen_folder
from cormorant.sources.files.permissions import Chain, Names
from cormorant.sources.trees.filters import TreeGates
from cormorant.sources.trees.rights import tag_of
from cormorant.sources.trees.tree_urls import mime_of, quoted

KEPT_OPEN = 64
"""Folders open at once."""

MAX_UNLISTED = 10_000
"""Folders that may fail to be listed; with more the listing as a whole has failed."""

_VANISHED = (*GONE, errno.ELOOP)
_BROKEN_OFF = "The folder could not be listed to the end. Check its disk or mount, and the crawler's rights."


def validator_of(status: os.stat_result, folders: ACL | None) -> str:
    """Return a file's version: size, time of change in nanoseconds and inode.

    With `folders`, the rights on the way to it, also all that its own rights depend on: a change of an access list
    changes the time of the inode.
    """
    version = f"{status.st_size}-{status.st_mtime_ns}-{status.st_ino}"
    if folders is None:
        return version
    rights = f"{status.st_ctime_ns}-{status.st_mode:o}-{status.st_uid}-{status.st_gid}"
    return f"{version}-{rights}-{tag_of(folders)}"


class _Level:
    """A folder on the way from the root to where the walk is. `fd` is -1 while it is closed."""

    __slots__ = ("closure", "fd", "folders", "identity", "name", "rights")

    def __init__(self, name: bytes, fd: int, identity: tuple[int, int], rights: ACL | None) -> None:
        self.name, self.fd, self.identity, self.rights = name, fd, identity, rights
        self.closure: Closure | None = None
        self.folders: list[bytes] = []


class _Seen(NamedTuple):
    """A file as the walk met it: its version, and what closes it to others."""

    version: str
    closure: Closure | None


class _LinkedWay:
    """Rights on a way that a symbolic link leads along: of all users, and as far as they are closed to others."""

    def __init__(self, chain: Chain, closing: LinkedPath | None) -> None:
        self._chain, self._closing = chain, closing

    def through(self, fd: int) -> None:
        """Go through an open folder."""
        self._chain.through(fd)
        if self._closing is not None:
            self._closing.through(fd)

    @property
    def rights(self) -> ACL | None:
        """The ACL of those who may reach the last folder."""
        return self._chain.rights

    @property
    def closure(self) -> Closure | None:
        """The folder that closes it to others, if one does."""
        return self._closing.closure if self._closing is not None else None


class FolderWalk:
    """One walk through a folder.

    `unlisted` are the addresses of folders that could not be listed, with a slash, of links whose target could not be
    looked at, and of folders of which a plug-in did not say whether they may be entered. Of these, `closed` are those
    that the account may not enter, where the rights of files count: who may read what was known there is not known any
    more. `vetoed` are folders that a plug-in kept it out of. `entries` counts what was met, so that an empty folder
    differs from one whose files are all left out. `closures`, where it is set, says of each file what closes it to
    others.
    """

    def __init__(
        self, root: int, naming: Naming, gates: TreeGates, names: Names, veto: Callable[[str], bool] | None = None
    ) -> None:
        self.vetoed: list[str] = []
        self.closures: Closures | None = None
        self._veto = veto
        self.unlisted: list[str] = []
        self.closed: list[str] = []
        self.entries = 0
        self._root, self._naming, self._gates, self._names = root, naming, gates, names
        self._settings = gates.settings
        self._way: list[_Level] = []
        self._above: list[bytes] = []
        self._links: list[list[bytes]] = []
        self._entered: set[tuple[int, int]] = set()

    def files(self) -> Iterator[DiscoveredUrl | None]:
        """Yield every file; real folders first, then those that only a symbolic link leads to.

        None says that another folder was done, so that a long way without a file differs from a walk that stopped.
        """
        try:
            above = self.closures.above if self.closures is not None else None
            yield from self._enter(b"", os.dup(self._root), self._chain().rights, above)
            yield from self._onward()
            while self._links:
                yield from self._follow(self._links.pop())
                yield from self._onward()
        finally:
            while self._way:
                self._leave()

    def _onward(self) -> Iterator[DiscoveredUrl | None]:
        """Enter one folder after the other until none is left on the way."""
        while self._way:
            level = self._way[-1]
            if not level.folders:
                self._leave()
                continue
            name = level.folders.pop()
            fd = self._open(level, name)
            if fd is not None:
                yield from self._enter(name, fd, level.rights, level.closure)

    def _open(self, level: _Level, name: bytes) -> int | None:
        """Open a folder of the innermost level."""
        try:
            if level.fd < 0:
                level.fd = self._back_to(level.identity)
            return open_folder(name, level.fd)
        except OSError as error:
            if error.errno not in _VANISHED or _is_there(name, level.fd):
                self._miss([*self._parts(), name], error)
            return None

    def _back_to(self, identity: tuple[int, int]) -> int:
        """Open the folder where the walk is once more. Raises OSError when another one is there now."""
        fd = reopen_folder(self._parts(), self._root)
        if _identity(os.fstat(fd)) != identity:
            os.close(fd)
            raise OSError(errno.ESTALE, "another folder has taken its place")
        return fd

    def _enter(self, name: bytes, fd: int, above: ACL | None, outer: Closure | None) -> Iterator[DiscoveredUrl | None]:
        """Put a folder on the way and yield its files.

        `above` is who may come as far as the folder it lies in, `outer` what closes that to others.
        """
        status = os.fstat(fd)
        level = _Level(name, fd, _identity(status), Chain(self._names, above).through(fd))
        self._way.append(level)
        if self.closures is not None:
            level.closure = self.closures.of_folder(fd, status, outer, self._parts())
        if len(self._way) > KEPT_OPEN:
            self._close(self._way[-KEPT_OPEN - 1])
        if self._settings.symlinks and level.identity in self._entered:
            return
        if self._settings.symlinks:
            self._entered.add(level.identity)
        try:
            yield from self._list(level)
        except OSError as error:
            self._miss(self._parts(), error)
        yield None

    def _list(self, level: _Level) -> Iterator[DiscoveredUrl]:
        """Stream the entries of a folder. Raises OSError when the listing breaks off."""
        parts = self._parts()
        start, depth = self._naming.address([*parts, b""]), len(parts)
        with os.scandir(level.fd) as entries:
            for entry in entries:
                self.entries += 1
                name = os.fsencode(entry.name)
                seen = self._look(entry, level, [*parts, name])
                if seen is not None:
                    address = start + quoted(name)
                    yield DiscoveredUrl(
                        address,
                        self._naming.site,
                        depth,
                        DiscoveredBy.LISTING,
                        validator=seen.version,
                        closure=seen.closure,
                    )

    def _look(self, entry: os.DirEntry[str], level: _Level, parts: list[bytes]) -> _Seen | None:
        """Return what a file is like, or None. A folder is kept, to be entered when this one is done."""
        if parts[-1].startswith(b".") and not self._settings.hidden:
            return None
        if entry.is_dir(follow_symlinks=False):
            if self._enters(parts):
                level.folders.append(parts[-1])
            return None
        return self._linked(parts) if entry.is_symlink() else self._regular(entry, level, parts[-1])

    def _enters(self, parts: Sequence[bytes]) -> bool:
        """Say whether a folder is to be walked: not too deep, with something to take, and no plug-in says no."""
        levels = self._settings.levels
        if (levels is not None and len(parts) > levels) or self._gates.leaves_out(parts):
            return False
        if self._veto is None:
            return True
        address = self._naming.address(parts) + "/"
        try:
            if not self._veto(address):
                return True
            self.vetoed.append(address)
        except CormorantError as error:
            self._note(address, error)
        return False

    def _regular(self, entry: os.DirEntry[str], level: _Level, name: bytes) -> _Seen | None:
        """Return what a regular file is like; None for anything else, and for what has just vanished."""
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            if error.errno in _VANISHED:
                return None
            raise
        if not stat.S_ISREG(status.st_mode):
            return None
        return _Seen(validator_of(status, level.rights), self._closure(level.fd, name, status, level.closure))

    def _closure(self, fd: int, name: bytes, status: os.stat_result, outer: Closure | None) -> Closure | None:
        """Return what closes a file to others that is to be taken, as far as its name says."""
        if self.closures is None:
            return None
        found = self.closures.of_file(fd, name, status, outer)
        return None if found is None or self._gates.of_type(mime_of(name)) is not None else found

    def _linked(self, parts: list[bytes]) -> _Seen | None:
        """Return what the file is like that a symbolic link leads to. A link to a folder is kept for later."""
        if not self._settings.symlinks:
            return None
        way = self._linked_way()
        try:
            with located((self._root, self._naming.folder), parts, True, way.through) as (folder, name):
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                closure = self._closure(folder, name, status, way.closure)
        except Astray:
            return None
        except OSError as error:
            if error.errno in (*MOMENTARY, *SCARCE):
                raise
            if error.errno not in _VANISHED and error.errno != errno.ENAMETOOLONG:
                self._note(self._naming.address(parts), error)
            return None
        if stat.S_ISDIR(status.st_mode):
            self._links.append(parts)
        return _Seen(validator_of(status, way.rights), closure) if stat.S_ISREG(status.st_mode) else None

    def _follow(self, parts: list[bytes]) -> Iterator[DiscoveredUrl | None]:
        """Enter a folder that a symbolic link leads to, unless the walk has been there."""
        if not self._enters(parts):
            return
        way = self._linked_way()
        try:
            with located((self._root, self._naming.folder), parts, True, way.through) as (folder, name):
                fd = open_folder(name, folder)
        except (Astray, OSError) as error:
            self._miss(parts, error)
            return
        self._above = parts[:-1]
        yield from self._enter(parts[-1], fd, way.rights, way.closure)

    def _linked_way(self) -> _LinkedWay:
        return _LinkedWay(self._chain(), self.closures.way() if self.closures is not None else None)

    def _chain(self) -> Chain:
        return Chain(self._names, PUBLIC if self._settings.owner_grants else None)

    def _parts(self) -> list[bytes]:
        """The names from the root down to the innermost folder."""
        return [*self._above, *(level.name for level in self._way if level.name)]

    def _miss(self, parts: Sequence[bytes], error: Exception) -> None:
        """Note a folder whose content is not known."""
        if not parts:
            raise Unreachable(_BROKEN_OFF)
        self._note(self._naming.address(parts) + "/", error)

    def _note(self, address: str, error: Exception) -> None:
        """Note what is not known, so that neither it nor what lies below it is taken for gone."""
        if len(self.unlisted) >= MAX_UNLISTED:
            raise Unreachable(_BROKEN_OFF)
        self.unlisted.append(address)
        if self._settings.owner_grants and isinstance(error, OSError) and error.errno in DENIED:
            self.closed.append(address)

    def _leave(self) -> None:
        self._close(self._way.pop())
        if not self._way:
            self._above = []

    @staticmethod
    def _close(level: _Level) -> None:
        if level.fd >= 0:
            os.close(level.fd)
            level.fd = -1


def _is_there(name: bytes, folder: int) -> bool:
    """Return whether a folder that failed to open as gone is still in its parent (an automatic mount)."""
    try:
        return folder >= 0 and stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
