"""Safe access to the file system, relative to open folders.

Every name is opened beneath the folder above it, and judged by the open descriptor.

    open_root()    -> the folder, or Unreachable with what to do
    located()      -> the folder a file lies in and its name there, links resolved by hand and never out of the root
    opened_file()  -> a descriptor of a regular file

Nothing is opened by a path that another program could change in between: each component is opened from the descriptor
of the one before with O_NOFOLLOW, and what fstat says of the open descriptor is what counts.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from cormorant.base.errors import Unreachable
from cormorant.sources.trees.tree_urls import readable

MAX_LINKS = 40
"""Symbolic links followed on the way to one file, as path_resolution(7) has it."""

GONE = (errno.ENOENT, errno.ENOTDIR)
"""Errors of the system for a name that is no more."""
DENIED = (errno.EACCES, errno.EPERM)
"""Errors of the system if the account may not."""
MOMENTARY = (errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.ENOTCONN, errno.EHOSTDOWN, errno.EHOSTUNREACH)
"""Errors of the system if the disk, or the server of a share, does not answer as it should."""
SCARCE = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
"""Errors of the system if the machine is short of something."""

_PASS_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LIST_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

Passing = Callable[[int], object]


class Astray(Exception):
    """A way that is not taken: a symbolic link, or something that is not a regular file. `rule` says which rule."""

    def __init__(self, rule: str, kind: int = 0) -> None:
        super().__init__(rule)
        self.rule, self.kind = rule, kind


class Identity(NamedTuple):
    """The identity of a folder. `filesystem` survives another numbering of devices, where the file system has an id."""

    device: int
    inode: int
    filesystem: int = 0

    def is_same(self, other: Identity) -> bool:
        """Say whether both are one folder: devices may get other numbers at each start of the machine."""
        if self.inode != other.inode:
            return False
        return self.device == other.device or (self.filesystem == other.filesystem != 0)


def open_root(path: bytes) -> int:
    """Open the folder of a source for listing. Raises Unreachable, saying why not and what to do."""
    shown = readable(path)
    try:
        return os.open(path, _LIST_FLAGS)
    except FileNotFoundError:
        raise Unreachable(f"The folder {shown} is not there. Mount it, or correct the source's path.") from None
    except NotADirectoryError:
        raise Unreachable(f"{shown} is not a folder. Correct the source's path; it names a folder.") from None
    except PermissionError:
        raise Unreachable(f"The folder {shown} may not be read. Let the crawler's account list it.") from None
    except OSError as error:
        raise Unreachable(f"The folder {shown} cannot be opened: {error.strerror}. Check its mount.") from None


def identity_of(fd: int) -> Identity:
    """Say which folder is open."""
    status = os.fstat(fd)
    try:
        filesystem = os.fstatvfs(fd).f_fsid
    except OSError:
        filesystem = 0
    return Identity(status.st_dev, status.st_ino, filesystem)


def is_empty(fd: int) -> bool:
    """Say whether an open folder has nothing in it."""
    with os.scandir(fd) as entries:
        return next(entries, None) is None


def open_folder(name: bytes, parent: int) -> int:
    """Open a folder inside an open one for listing, not following a link. Raises OSError."""
    return os.open(name, _LIST_FLAGS | os.O_NOFOLLOW, dir_fd=parent)


def reopen_folder(parts: Sequence[bytes], root: int) -> int:
    """Open a folder far below the root again. The caller compares its identity with what it was. Raises OSError."""
    at = os.dup(root)
    for begin in range(0, len(parts), 15):
        # 15 names of at most 255 bytes stay below PATH_MAX.
        path = b"/".join(parts[begin : begin + 15])
        try:
            below = os.open(path, _LIST_FLAGS, dir_fd=at)
        finally:
            os.close(at)
        at = below
    return at


@contextmanager
def located(
    root: tuple[int, bytes], parts: Sequence[bytes], follow: bool, passing: Passing
) -> Iterator[tuple[int, bytes]]:
    """Go down to a file's folder; give its descriptor and the file's name in it.

    `root` is the open folder of the source and its path. `passing` is called with each folder on the way. With
    `follow`, symbolic links are resolved as long as they stay below the root. Raises Astray or OSError.
    """
    way = _Way(root, follow, passing)
    try:
        name = way.down(parts)
        yield way.at, name
    finally:
        os.close(way.at)


class _Way:
    """A way down from the root. `at` is the open folder that `done` leads to; `todo` is what comes, the next last."""

    def __init__(self, root: tuple[int, bytes], follow: bool, passing: Passing) -> None:
        self._root, self._path = root
        self._follow, self._passing = follow, passing
        self._links = 0
        self._done: list[bytes] = []
        self._todo: list[bytes] = []
        self.at = os.dup(self._root)

    def down(self, parts: Sequence[bytes]) -> bytes:
        """Go down to the last name that is no link."""
        self._todo = list(reversed(parts))
        self._passing(self.at)
        while self._todo:
            name = self._todo.pop()
            if name == b"..":
                self._up()
            elif self._todo:
                self._into(name)
            elif not stat.S_ISLNK(os.stat(name, dir_fd=self.at, follow_symlinks=False).st_mode):
                return name
            else:
                self._resolve(name)
        return b"."

    def _into(self, name: bytes) -> None:
        """Enter a folder, or follow a link to one."""
        try:
            below = os.open(name, _PASS_FLAGS, dir_fd=self.at)
        except OSError as error:
            if error.errno not in (errno.ENOTDIR, errno.ELOOP, errno.EMLINK):
                raise
            if not stat.S_ISLNK(os.stat(name, dir_fd=self.at, follow_symlinks=False).st_mode):
                raise
            self._resolve(name)
            return
        os.close(self.at)
        self.at = below
        self._done.append(name)
        self._passing(below)

    def _up(self) -> None:
        """Take a `..` of a link: go down again from the root, one folder less."""
        if not self._done:
            raise Astray("symbolic links out of the folder")
        self._todo.extend(reversed(self._done[:-1]))
        self._again()

    def _resolve(self, name: bytes) -> None:
        """Put the target of a link in place of its name."""
        if not self._follow:
            raise Astray("symlinks = false")
        self._links += 1
        if self._links > MAX_LINKS:
            raise Astray("symbolic links in a circle")
        try:
            target = os.readlink(name, dir_fd=self.at)
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
            target = name  # it has become something else in the meantime, and is looked at again
        if target.startswith(b"/"):
            target = self._below_root(target)
            self._again()
        names = [each for each in target.split(b"/") if each not in (b"", b".")]
        self._todo.extend(reversed(names))

    def _below_root(self, target: bytes) -> bytes:
        """Return what an absolute target is from the root down."""
        for path in (self._path, os.path.realpath(self._path)):
            inside = path.rstrip(b"/") + b"/"
            if (target + b"/").startswith(inside):
                return target[len(inside) :]
        raise Astray("symbolic links out of the folder")

    def _again(self) -> None:
        """Stand at the root once more."""
        again = os.dup(self._root)
        os.close(self.at)
        self.at = again
        self._done.clear()


@contextmanager
def opened_file(name: bytes, parent: int) -> Iterator[int]:
    """Open a regular file in an open folder. Raises Astray for anything else, or OSError.

    It is looked at before, so that no device is opened, and after, since it may have been swapped in between.
    """
    _only_files(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)
    fd = os.open(name, _READ_FLAGS, dir_fd=parent)
    try:
        _only_files(os.fstat(fd).st_mode)
        yield fd
    finally:
        os.close(fd)


def _only_files(mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    if stat.S_ISLNK(mode):
        raise Astray("symlinks = false")
    raise Astray("folders are collections" if stat.S_ISDIR(mode) else "only regular files", stat.S_IFMT(mode))


def read_up_to(fd: int, size: int) -> bytes:
    """Read the beginning of an open file, at most `size` bytes."""
    pieces, left = [], size
    while left > 0:
        piece = os.read(fd, min(left, 1 << 20))
        if not piece:
            break
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)
