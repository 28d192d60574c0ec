"""Rights of POSIX file systems as grants and denies: mode bits and access lists.

acl(5), "access check algorithm", decides: the owner by the owner's entry, a named user by that one, a member of the
groups by theirs within the mask, everybody else by the last. Where a rule cannot be said in grants and denies exactly
(a user in two groups, one let in and one kept out), less is shown, never more.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import xxhash

from cormorant.model.acl import ACL, EVERYONE

READ, PASS = 4, 1
"""Bits of a permission: to read a file, to pass through a folder."""
_OWNER, _USER, _OWNING_GROUP, _GROUP, _MASK, _OTHER = 1, 2, 4, 8, 16, 32


class PrincipalNames(Protocol):
    """Names of users and groups by their numbers."""

    def principal(self, sort: str, number: int) -> str:
        """Return `user:ada` or `group:staff`; a number without a name stands for itself."""
        ...


class AclEntry(NamedTuple):
    """One entry of an access list: its sort, the permission bits, and the number of the user or group."""

    tag: int
    bits: int
    number: int = 0


def entries_of_mode(mode: int) -> list[AclEntry]:
    """Return the access list that mode bits stand for."""
    return [AclEntry(_OWNER, mode >> 6), AclEntry(_OWNING_GROUP, mode >> 3), AclEntry(_OTHER, mode)]


def within(outer: ACL, inner: ACL) -> ACL:
    """Return who is let in by both: a folder and what lies in it."""
    outer_open, inner_open = EVERYONE in outer.grants, EVERYONE in inner.grants
    both = {each for each in inner.grants if outer_open or each in outer.grants}
    both |= {each for each in outer.grants if inner_open}
    return ACL.of(both, (*outer.denies, *inner.denies))


def tag_of(acl: ACL) -> str:
    """Return a short text that is another one for other rights, to stand in a validator."""
    return xxhash.xxh3_64_hexdigest(repr((acl.grants, acl.denies)).encode("utf-8", "surrogateescape"))


def judge(entries: list[AclEntry], owner: tuple[int, int], bit: int, names: PrincipalNames) -> ACL:
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
