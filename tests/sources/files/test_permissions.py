"""Rights as grants and denies: never more than the file system gives."""

from __future__ import annotations

import errno
import os
import struct
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from cormorant.model.acl import ACL, EVERYONE, NOBODY, PUBLIC, Reader
from cormorant.sources.files.permissions import Names, readers
from cormorant.sources.trees.rights import PASS, READ, AclEntry, judge, within
from tests.sources.files.listing import content, listed, source

OWNER, USER, OWNING_GROUP, GROUP, MASK, OTHER = 1, 2, 4, 8, 16, 32
XATTR = "system.posix_acl_access"


class Numbers(Names):
    """Every user and group is called by its number."""

    def principal(self, sort: str, number: int) -> str:
        return f"{sort}:{number}"


def judged(*entries: AclEntry, bit: int = READ) -> ACL:
    return judge(list(entries), (1, 10), bit, Numbers())


def mode(octal: int) -> list[AclEntry]:
    return [AclEntry(OWNER, octal >> 6), AclEntry(OWNING_GROUP, octal >> 3), AclEntry(OTHER, octal)]


@pytest.mark.parametrize(
    ("octal", "grants", "denies"),
    [
        (0o644, ["user:1", "group:10", EVERYONE], []),
        (0o640, ["user:1", "group:10"], []),
        (0o600, ["user:1"], []),
        (0o000, [], []),
        (0o004, [EVERYONE], ["user:1", "group:10"]),
        (0o604, ["user:1", EVERYONE], ["group:10"]),
        (0o044, ["group:10", EVERYONE], ["user:1"]),
        (0o040, ["group:10"], ["user:1"]),
    ],
)
def test_mode_bits(octal: int, grants: list[str], denies: list[str]) -> None:
    assert judged(*mode(octal)) == ACL.of(grants, denies)


def test_passing_takes_another_bit_than_reading() -> None:
    assert judged(*mode(0o711), bit=PASS) == ACL.of(["user:1", "group:10", EVERYONE])
    assert judged(*mode(0o711)) == ACL.of(["user:1"])


def test_the_mask_holds_for_named_users_and_groups_only() -> None:
    entries = [AclEntry(OWNER, 7), AclEntry(USER, 7, 2), AclEntry(OWNING_GROUP, 7), AclEntry(GROUP, 7, 20)]
    assert judged(*entries, AclEntry(MASK, 3), AclEntry(OTHER, 0)) == ACL.of(["user:1"])
    assert judged(*entries, AclEntry(MASK, 4), AclEntry(OTHER, 0)) == ACL.of(
        ["user:1", "user:2", "group:10", "group:20"]
    )


def test_a_named_user_who_is_kept_out_is_denied_though_a_group_is_let_in() -> None:
    said = judged(
        AclEntry(OWNER, 6), AclEntry(USER, 0, 2), AclEntry(OWNING_GROUP, 4), AclEntry(MASK, 7), AclEntry(OTHER, 0)
    )
    assert said == ACL.of(["user:1", "group:10"], ["user:2"])


BITS = st.sampled_from([0, 4])
NAMED = st.dictionaries(st.integers(2, 3), BITS)
GROUPS = st.dictionaries(st.integers(11, 12), BITS)


@st.composite
def lists(draw: st.DrawFn) -> list[AclEntry]:
    """An access list of a file of user 1 and group 10."""
    entries = [
        AclEntry(OWNER, draw(BITS)),
        AclEntry(OWNING_GROUP, draw(BITS)),
        AclEntry(MASK, draw(BITS)),
        AclEntry(OTHER, draw(BITS)),
    ]
    entries += [AclEntry(USER, bits, number) for number, bits in draw(NAMED).items()]
    return entries + [AclEntry(GROUP, bits, number) for number, bits in draw(GROUPS).items()]


def posix(entries: list[AclEntry], user: int, groups: set[int]) -> bool:
    """The access check algorithm of acl(5), for a file of user 1 and group 10."""
    by = {(entry.tag, entry.number): entry.bits for entry in entries}
    mask = by[MASK, 0]
    if user == 1:
        return bool(by[OWNER, 0])
    if (USER, user) in by:
        return bool(by[USER, user] & mask)
    theirs = [by[OWNING_GROUP, 0]] * (10 in groups) + [by[GROUP, g] for g in groups if (GROUP, g) in by]
    return any(bits & mask for bits in theirs) if theirs else bool(by[OTHER, 0])


def reader(user: int, groups: set[int]) -> Reader:
    return Reader("r", frozenset((EVERYONE, f"user:{user}", *(f"group:{group}" for group in groups))))


@given(lists(), st.integers(1, 4), st.sets(st.integers(10, 13), max_size=3))
def test_nobody_sees_what_the_system_would_not_show(entries: list[AclEntry], user: int, groups: set[int]) -> None:
    if reader(user, groups).may_read(judged(*entries)):
        assert posix(entries, user, groups)


@given(lists(), st.integers(1, 4), st.integers(10, 13))
def test_who_is_in_one_group_sees_all_that_the_system_would_show(
    entries: list[AclEntry], user: int, group: int
) -> None:
    masked = not next(entry.bits for entry in entries if entry.tag == MASK)
    denied_by_own_group = user == 1 or masked or any(entry.tag == USER and entry.number == user for entry in entries)
    if posix(entries, user, {group}) and not denied_by_own_group:
        assert reader(user, {group}).may_read(judged(*entries))


PRINCIPALS = st.lists(st.sampled_from([EVERYONE, "user:1", "user:2", "group:10", "group:11"]))
ACLS = st.builds(ACL.of, PRINCIPALS, PRINCIPALS)


@given(ACLS, ACLS, st.integers(1, 3), st.sets(st.integers(10, 12)))
def test_who_may_read_in_a_folder_may_come_there_and_read(outer: ACL, inner: ACL, user: int, groups: set[int]) -> None:
    who = reader(user, groups)
    if who.may_read(within(outer, inner)):
        assert who.may_read(outer)
        assert who.may_read(inner)


@given(ACLS)
def test_a_folder_open_to_all_changes_nothing(acl: ACL) -> None:
    assert within(PUBLIC, acl) == acl
    assert within(acl, NOBODY).grants == ()


def test_a_file_is_found_by_those_who_may_come_to_it(folder: Path) -> None:
    (folder / "in").mkdir(mode=0o750)
    (folder / "in" / "a").touch(mode=0o644)
    names = Names()
    me, mine = names.principal("user", os.getuid()), names.principal("group", os.getgid())
    folder.chmod(0o755)
    place = source(folder, owner_grants=True)
    assert content(place, "in/a").acl == ACL.of([me, mine])
    (folder / "in").chmod(0o755)
    assert content(place, "in/a").acl == ACL.of([me, mine, EVERYONE])
    folder.chmod(0o700)
    assert content(place, "in/a").acl == ACL.of([me])
    assert content(source(folder), "in/a").acl is None


def test_a_user_without_a_name_is_called_by_number() -> None:
    assert Names().principal("user", 3_999_999_999) == "user:3999999999"
    assert Names().principal("user", 0) == "user:root"


def give_list(path: Path, *entries: AclEntry) -> None:
    packed = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
    try:
        os.setxattr(path, XATTR, packed)
    except OSError as error:
        if error.errno in (errno.ENOTSUP, errno.EPERM):
            pytest.skip("this file system has no access lists")
        raise


NO_ONE = 0xFFFFFFFF


def test_access_lists_are_read_from_the_file(folder: Path) -> None:
    (folder / "a").touch(mode=0o600)
    folder.chmod(0o755)
    give_list(
        folder / "a", AclEntry(OWNER, 6, NO_ONE), AclEntry(USER, 4, 1), AclEntry(OWNING_GROUP, 0, NO_ONE),
        AclEntry(GROUP, 4, 1),
        AclEntry(MASK, 4, NO_ONE), AclEntry(OTHER, 0, NO_ONE),
    )  # fmt: skip
    names = Names()
    acl = content(source(folder, owner_grants=True), "a").acl
    expected = [names.principal("user", os.getuid()), names.principal("user", 1), names.principal("group", 1)]
    assert acl == ACL.of(expected), "the mode's group bits are the mask, not the group's rights"


def test_a_change_of_rights_alone_is_another_version(folder: Path) -> None:
    (folder / "in").mkdir()
    (folder / "in" / "a").touch(mode=0o644)
    place = source(folder, owner_grants=True)
    versions = [listed(place)["in/a"]]
    (folder / "in" / "a").chmod(0o600)
    versions.append(listed(place)["in/a"])
    (folder / "in").chmod(0o750)
    versions.append(listed(place)["in/a"])
    folder.chmod(0o700)
    versions.append(listed(place)["in/a"])
    assert len(set(versions)) == 4
    plain = listed(source(folder))["in/a"]
    (folder / "in" / "a").chmod(0o644)
    assert listed(source(folder))["in/a"] == plain


def test_rights_that_cannot_be_read_let_nobody_in(folder: Path) -> None:
    (folder / "a").touch(mode=0o644)
    fd = os.open(folder / "a", os.O_RDONLY)
    status = os.fstat(fd)
    os.close(fd)
    # The descriptor is closed, so the list cannot be read any more.
    assert readers(fd, status, Names()) == NOBODY
