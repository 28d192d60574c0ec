"""Notifications of the kernel about changes below a folder (inotify(7)), as a hint that it is worth listing.

    open: a watch for every folder that is listed --event--> concerns a file that is listed? --> changed
                                      `--a new folder--> watched with everything below it

Nothing depends on them: what they miss, like changes that another machine makes on a share, the next listing finds.
Folders that a rule leaves out are not watched. Where the system grants no more watches, the first folders have them.

The library calls are made through ctypes, which lets other threads run meanwhile: a package that walks the tree in
native code held them up for a second at 20,000 folders, and would for good at a share whose server is gone.
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from cormorant.base.errors import Unreachable
from cormorant.base.log import logger
from cormorant.sources.trees.tree_urls import readable

_log = logger(__name__)
_CLOSE_WRITE, _ATTRIB, _MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x8, 0x4, 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _UNMOUNT, _OVERFLOW, _IGNORED, _IS_FOLDER = 0x400, 0x800, 0x2000, 0x4000, 0x8000, 0x4000_0000
_ONLY_FOLDERS, _NO_LINK, _EXCEPT_UNLINKED = 0x100_0000, 0x200_0000, 0x400_0000
_WANTED: Final = _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF
_FLAGS: Final = _ONLY_FOLDERS | _NO_LINK | _EXCEPT_UNLINKED
_EVENT: Final = struct.Struct("iIII")
_READ: Final = 256 << 10
_LIMIT_FILE: Final = "/proc/sys/fs/inotify/max_user_watches"

REMOTE: Final = frozenset((
    "9p", "afs", "ceph", "cifs", "davfs", "fuse", "fuse.rclone", "fuse.sshfs", "glusterfs", "lustre", "ncpfs", "nfs",
    "nfs4", "smb3", "smbfs", "virtiofs",
))  # fmt: skip
"""File systems whose changes on other machines the kernel does not notice."""

Concerns = Callable[[bytes, bool], bool]
"""Says of a path below the folder, and whether it is a folder, if it is listed."""


class FolderWatch:
    """Watches over a folder and everything below it, for one thread. Raises Unreachable where nothing can be watched.

    `concerns` is asked of each path, relative to the folder. `rights`: changes of owners and modes count too.
    """

    def __init__(self, root: bytes, concerns: Concerns, *, rights: bool) -> None:
        self._open_ones: tuple[int, ...] = ()
        if not is_possible():
            raise Unreachable("This system has no inotify, so folders are not watched. A schedule lists them instead.")
        self._root, self._concerns = os.path.realpath(root), concerns
        self._mask = _WANTED | _FLAGS | (_ATTRIB if rights else 0)
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._wake, self._waker = os.pipe()
        self._open_ones = (self._wake, self._waker)
        self._folders: dict[int, bytes] = {}
        self._begin()

    def _begin(self) -> None:
        """Watch every folder there is now."""
        self._fd = int(self._libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK))
        if self._fd < 0:
            reason = os.strerror(ctypes.get_errno()).lower()
            raise Unreachable(f"No folder can be watched: {reason}. Raise fs.inotify.max_user_instances of the system.")
        self._open_ones = (self._wake, self._waker, self._fd)
        self._folders, self._full = {}, False
        self._add_all(b"")
        if not self._folders:
            raise Unreachable(f"The folder {readable(self._root)} cannot be watched. Check that it is there.")

    def wait(self, timeout_s: float) -> bool:
        """Wait until something changes that is listed; False when the time is over, or it was closed."""
        poll = select.poll()
        for fd in (self._fd, self._wake):
            poll.register(fd, select.POLLIN)
        ready = [fd for fd, _ in poll.poll(timeout_s * 1_000)]
        if self._wake in ready or not ready:
            return False
        with suppress(BlockingIOError):
            return self._take(os.read(self._fd, _READ))
        return False

    def end(self) -> None:
        """End a wait, from any thread."""
        with suppress(OSError):
            os.write(self._waker, b".")

    def close(self) -> None:
        """Let go of all watches. Called by the thread that waits."""
        descriptors, self._open_ones = self._open_ones, ()
        for fd in descriptors:
            os.close(fd)

    def __del__(self) -> None:
        self.close()

    def _take(self, events: bytes) -> bool:
        """Take in what the kernel reports; returns whether anything that is listed changed."""
        changed = False
        for number, mask, name in _read(events):
            if mask & _OVERFLOW:
                os.close(self._fd)
                self._begin()
                return True
            folder = self._folders.get(number)
            if mask & _IGNORED:
                self._folders.pop(number, None)
            elif folder is not None:
                changed |= self._change(folder, mask, name)
        return changed

    def _change(self, folder: bytes, mask: int, name: bytes) -> bool:
        if not name:  # of a watched folder itself: entries in it have notices of their own, but for the whole
            if folder == b"" and mask & (_DELETE_SELF | _MOVE_SELF | _UNMOUNT):
                raise Unreachable(f"The folder {readable(self._root)} was moved, removed or unmounted. Bring it back.")
            return False
        path = folder + b"/" + name if folder else name
        is_folder = bool(mask & _IS_FOLDER)
        if not self._concerns(path, is_folder):
            return False
        if is_folder and mask & (_CREATE | _MOVED_TO):
            self._add_all(path)
        if is_folder and mask & _MOVED_FROM:
            self._drop(path)
        return True

    def _add_all(self, path: bytes) -> None:
        """Watch a folder and those below it, none through links."""
        left = [path]
        while left and not self._full:
            at = left.pop()
            number = self._add(at)
            if number >= 0:
                self._folders[number] = at
                left += self._below(at)

    def _below(self, path: bytes) -> Iterator[bytes]:
        with suppress(OSError), os.scandir(self._full_path(path)) as entries:
            for entry in entries:
                below = path + b"/" + entry.name if path else entry.name
                if entry.is_dir(follow_symlinks=False) and self._concerns(below, True):
                    yield below

    def _add(self, path: bytes) -> int:
        number = int(self._libc.inotify_add_watch(self._fd, self._full_path(path), ctypes.c_uint32(self._mask)))
        if number < 0 and ctypes.get_errno() == errno.ENOSPC:
            self._full = True
            limit = f"fs.inotify.max_user_watches is {watch_limit():,}"
            _log.warning("watch limit", extra={"folder": readable(self._root), "limit": limit})
        return number

    def _drop(self, path: bytes) -> None:
        """Watch a folder no more that was moved away, nor those below it."""
        for number, at in list(self._folders.items()):
            if at == path or at.startswith(path + b"/"):
                self._libc.inotify_rm_watch(self._fd, number)
                del self._folders[number]

    def _full_path(self, path: bytes) -> bytes:
        return self._root + b"/" + path if path else self._root


def _read(events: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield watch, mask and name of each event."""
    at = 0
    while at + _EVENT.size <= len(events):
        number, mask, _, length = _EVENT.unpack_from(events, at)
        at += _EVENT.size
        yield number, mask, events[at : at + length].rstrip(b"\0")
        at += length


def is_possible() -> bool:
    """Return whether this system tells of changes."""
    return sys.platform == "linux"


def watch_limit() -> int:
    """Return the number of folders that the system lets one account watch, 0 when it does not say."""
    with suppress(OSError, ValueError):
        return int(Path(_LIMIT_FILE).read_text(encoding="ascii"))
    return 0


def remote_mount(root: bytes) -> str:
    """Return the file system that a folder lies on, when other machines change it unnoticed, else "".

    The list of mounts is read, and the folder is not touched: its server may be gone.
    """
    path = os.path.abspath(root)  # noqa: PTH100 - bytes, which a name need not be text for
    best, kind = b"", ""
    with suppress(OSError), open("/proc/self/mountinfo", "rb") as lines:  # noqa: PTH123 - one file
        for line in lines:
            head, _, tail = line.partition(b" - ")
            fields = head.split(b" ")
            mount = _unescaped(fields[4]).rstrip(b"/") if len(fields) > 4 else b"?"
            if (path + b"/").startswith(mount + b"/") and len(mount) >= len(best):
                best, kind = mount, tail.split(b" ", 1)[0].decode(errors="replace")
    return kind if kind in REMOTE else ""


def _unescaped(text: bytes) -> bytes:
    for code, character in ((b"\\040", b" "), (b"\\011", b"\t"), (b"\\012", b"\n"), (b"\\134", b"\\")):
        text = text.replace(code, character)
    return text
