"""Find what closes a file of a folder to others on the machine, where everyone is to find it.

    closed_above(root)   -> the folder above the source's own that keeps others out
    Closures.of_folder() -> of a folder on the way, by its own rights or those of one around it
    Closures.of_file()   -> of a file, likewise

Everything is known from the listing that is made anyway: a mode costs nothing, an access list one call, and that is
left out where it would ask a server. Where the rights are made up by the mount, `blind` names its file system: there a
mode says nothing.
"""

from __future__ import annotations

import os
from typing import Final

from cormorant.model.exposure import Closure
from cormorant.sources.files.permissions import Names, what_closes
from cormorant.sources.trees.rights import PASS, READ
from cormorant.sources.trees.tree_urls import readable

MADE_UP: Final = frozenset(("cifs", "smb3", "smbfs", "vfat", "exfat", "ntfs", "ntfs3", "fuseblk", "9p", "hfsplus"))
"""File systems whose modes come from the options of the mount."""
REAL_MODES: Final = frozenset(("modefromsid", "cifsacl", "posix", "permissions"))
"""Options of such a mount by which the modes are those of the server or the disk."""
REMOTE: Final = frozenset(("nfs", "nfs4", "ceph", "afs", "fuse.sshfs"))
"""File systems that would ask a server for each access list."""


class Closures:
    """Rights on the way of one walk, as others have them. `above` closes the whole folder from the outside."""

    def __init__(self, root: bytes, device: int, names: Names) -> None:
        self._names = names
        self.above = closed_above(root, names)
        kind, options = _mount_of(device)
        self.blind = kind if kind in MADE_UP and REAL_MODES.isdisjoint(options) else ""
        self._lists = kind not in REMOTE

    def of_folder(self, fd: int, status: os.stat_result, outer: Closure | None, parts: list[bytes]) -> Closure | None:
        """Return what closes what lies in an open folder; `outer` is what closes the folder itself."""
        if outer is not None and not outer.above:
            return outer
        why = what_closes(f"/proc/self/fd/{fd}", status, PASS, self._names)
        shown = readable(b"/".join(parts)) if parts else "itself"
        return Closure(f"folder {shown}, {why}", shown) if why else outer

    def of_file(self, fd: int, name: bytes, status: os.stat_result, outer: Closure | None) -> Closure | None:
        """Return what closes a file in an open folder; `outer` is what closes that."""
        if outer is not None and not outer.above:
            return outer
        path = b"/proc/self/fd/%d/%s" % (fd, name) if self._lists else None
        why = what_closes(path, status, READ, self._names)
        return Closure(why, readable(name)) if why else outer

    def way(self) -> LinkedPath:
        """Begin at the root to follow one symbolic link."""
        return LinkedPath(self)


class LinkedPath:
    """Rights of others on a way down that symbolic links lead along."""

    def __init__(self, closures: Closures) -> None:
        self._closures = closures
        self.closure = closures.above

    def through(self, fd: int) -> None:
        """Go through an open folder."""
        self.closure = self._closures.of_folder(fd, os.fstat(fd), self.closure, [b"on the way"])


def closed_inside(root: bytes, path: bytes) -> str:
    """Say what closes a file to others, from the source's folder down to the file itself; "" where nothing does.

    Raises OSError.
    """
    names, at = Names(), root
    for part in path[len(root) :].strip(b"/").split(b"/"):
        status = os.stat(at)  # noqa: PTH116 - pathlib takes no bytes
        if why := what_closes(at, status, PASS, names):
            return f"folder {readable(at)}, {why}"
        at = os.path.join(at, part)  # noqa: PTH118 - the same
    return what_closes(at, os.stat(at), READ, names)  # noqa: PTH116 - the same


def closed_above(root: bytes, names: Names) -> Closure | None:
    """Return the outermost folder above a source's own that not everybody may pass through; None without one."""
    at = b"/"
    for part in os.path.realpath(root).split(b"/")[1:]:
        try:
            why = what_closes(at, os.stat(at), PASS, names)  # noqa: PTH116 - pathlib takes no bytes
        except OSError:
            why = ""
        if why:
            return Closure(f"folder {readable(at)}, {why}", readable(at), above=True)
        at = os.path.join(at, part)  # noqa: PTH118 - the same
    return None


def _mount_of(device: int) -> tuple[str, frozenset[str]]:
    """Return the sort of a mounted file system and the options of its mount; an empty sort where that is not known."""
    wanted = f"{os.major(device)}:{os.minor(device)}"
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as lines:  # noqa: PTH123 - one file
            line = next((each for each in lines if each.split(" ", 3)[2] == wanted), "")
        kind, _, options = line.partition(" - ")[2].strip().split(" ", 2)
    except (OSError, ValueError, IndexError):
        return "", frozenset()
    return kind, frozenset(options.split(","))
