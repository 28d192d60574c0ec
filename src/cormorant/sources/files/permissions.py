"""File permissions as the file system states them, which say who may read a file.

How mode bits and access lists become grants and denies is in `sources.trees.rights`. Reading a file also takes leave to
pass through every folder above it, up to the source's own.
"""

from __future__ import annotations

import errno
import grp
import os
import pwd
import stat
import struct
import sys

from cormorant.model.acl import ACL, EVERYONE, NOBODY, PUBLIC
from cormorant.sources.trees.rights import PASS, READ, AclEntry, entries_of_mode, judge, within

_ENTRY = struct.Struct("<HHI")
_NO_LIST = (errno.ENODATA, errno.ENOTSUP, errno.ENOSYS) if sys.platform == "linux" else ()


class Names:
    """Names of users and groups, looked up once each; a number without a name stands for itself."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], str] = {}

    def principal(self, sort: str, number: int) -> str:
        """Return `user:ada` or `group:staff`."""
        key = sort, number
        if key not in self._known:
            try:
                name = pwd.getpwuid(number).pw_name if sort == "user" else grp.getgrgid(number).gr_name
            except KeyError:
                name = str(number)
            self._known[key] = f"{sort}:{name}"
        return self._known[key]


def readers(fd: int, status: os.stat_result, names: Names) -> ACL:
    """Return who may read an open file, its folders left aside. NOBODY when its access list cannot be read."""
    return _rights(fd, status, READ, names)


def passers(fd: int, status: os.stat_result, names: Names) -> ACL:
    """Return who may pass through an open folder."""
    acl = _rights(fd, status, PASS, names)
    return ACL(PUBLIC.grants, acl.denies) if EVERYONE in acl.grants else acl


class Chain:
    """The rights on a way down: `rights` is who may come as far as the last folder; None: nobody asks."""

    def __init__(self, names: Names, start: ACL | None) -> None:
        self._names = names
        self.rights = start

    def through(self, fd: int) -> ACL | None:
        """Go through an open folder."""
        if self.rights is not None:
            self.rights = within(self.rights, passers(fd, os.fstat(fd), self._names))
        return self.rights


def what_closes(path: str | bytes | None, status: os.stat_result, bit: int, names: Names) -> str:
    """Say what keeps others than the owner from reading a file or passing through a folder; "" where nothing does.

    `path` is where its access list is asked for, None where only the mode counts.
    """
    mode = status.st_mode
    if not mode & bit or not mode & bit << 3:
        return f"mode {stat.S_IMODE(mode):o}"
    try:
        entries = _listed(path) if path is not None else []
    except OSError as error:
        return "" if error.errno in (errno.ENOENT, errno.ENOTDIR) else "access list that cannot be read"
    if not entries:
        return ""
    acl = judge(entries, (status.st_uid, status.st_gid), bit, names)
    kept_out = set(acl.denies) - {names.principal("user", status.st_uid)}
    return "" if EVERYONE in acl.grants and not kept_out else "access list"


def _rights(fd: int, status: os.stat_result, bit: int, names: Names) -> ACL:
    try:
        # By way of /proc, since a descriptor that is good for passing only cannot be asked itself.
        entries = _listed(f"/proc/self/fd/{fd}")
    except OSError:
        return NOBODY
    return judge(entries or entries_of_mode(status.st_mode), (status.st_uid, status.st_gid), bit, names)


def _listed(path: str | bytes) -> list[AclEntry]:
    """Read the access list of a file; empty where there is none beside the mode."""
    if sys.platform != "linux":
        return []
    try:
        packed = os.getxattr(path, "system.posix_acl_access")
    except OSError as error:
        if error.errno in _NO_LIST:
            return []
        raise
    return [AclEntry(*entry) for entry in _ENTRY.iter_unpack(packed[4:])]
