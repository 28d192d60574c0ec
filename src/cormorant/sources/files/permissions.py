"""File permissions as the file system states them, which say who may read a file.

Mode bits and POSIX access lists, as grants and denies.

acl(5), "access check algorithm", decides: the owner by the owner's entry, a named user by that one, a member of the
groups by theirs within the mask, everybody else by the last. Reading a file also takes leave to pass through every
folder above it, up to the source's own. Where a rule cannot be said in grants and denies exactly (a user in two groups,
one let in and one kept out), less is shown, never more.
"""

from __future__ import annotations

import errno
import grp
import os
import pwd
import stat
import struct
import sys
from typing import NamedTuple

import xxhash

from cormorant.model.acl import ACL, EVERYONE, NOBODY, PUBLIC

READ, PASS = 4, 1
"""Bits of a permission: to read a file, to pass through a folder."""

_ENTRY = struct.Struct("<HHI")
_OWNER, _USER, _OWNING_GROUP, _GROUP, _MASK, _OTHER = 1, 2, 4, 8, 16, 32
_NO_LIST = (errno.ENODATA, errno.ENOTSUP, errno.ENOSYS) if sys.platform == "linux" else ()


class AclEntry(NamedTuple):
    """One entry of an access list: its sort, the permission bits, and the number of the user or group."""

    tag: int
    bits: int
    number: int = 0


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


def within(outer: ACL, inner: ACL) -> ACL:
    """Return who is let in by both: a folder and what lies in it."""
    outer_open, inner_open = EVERYONE in outer.grants, EVERYONE in inner.grants
    both = {each for each in inner.grants if outer_open or each in outer.grants}
    both |= {each for each in outer.grants if inner_open}
    return ACL.of(both, (*outer.denies, *inner.denies))


def tag_of(acl: ACL) -> str:
    """Return a short text that is another one for other rights, to stand in a validator."""
    return xxhash.xxh3_64_hexdigest(repr((acl.grants, acl.denies)).encode("utf-8", "surrogateescape"))


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
    return judge(entries or _from_mode(status.st_mode), (status.st_uid, status.st_gid), bit, names)


def _from_mode(mode: int) -> list[AclEntry]:
    return [AclEntry(_OWNER, mode >> 6), AclEntry(_OWNING_GROUP, mode >> 3), AclEntry(_OTHER, mode)]


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


def judge(entries: list[AclEntry], owner: tuple[int, int], bit: int, names: Names) -> ACL:
    """Say who has the permission `bit` by these entries; `owner` are the file's user and group."""
    mask = next((entry.bits for entry in entries if entry.tag == _MASK), 7)
    everyone = any(entry.tag == _OTHER and entry.bits & bit for entry in entries)
    users: dict[str, bool] = {}
    groups: dict[str, bool] = {}
    for tag, bits, number in entries:
        if tag == _USER:
            users.setdefault(names.principal("user", number), bool(bits & mask & bit))
        elif tag in (_OWNING_GROUP, _GROUP):
            name = names.principal("group", owner[1] if tag == _OWNING_GROUP else number)
            groups[name] = groups.get(name, False) or bool(bits & mask & bit)
    users[names.principal("user", owner[0])] = any(entry.tag == _OWNER and entry.bits & bit for entry in entries)
    grants = [name for name, may in (users | groups).items() if may] + [EVERYONE] * everyone
    let_in = everyone or any(groups.values())
    denies = [name for name, may in users.items() if not may and let_in]
    denies += [name for name, may in groups.items() if not may and everyone]
    return ACL.of(grants, denies)
