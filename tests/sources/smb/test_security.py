"""Security descriptors as grants and denies, and hostile ones."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, strategies as st

from cormorant.model.acl import ACL, NOBODY, PUBLIC
from cormorant.sources.smb.lsa import sid_bytes
from cormorant.sources.smb.security import sid_text
from cormorant.sources.smb.sid_names import SidNames

EVERYONE, ADMINS, ADA = "S-1-1-0", "S-1-5-32-544", "S-1-5-21-1-2-3-1104"
NAMES = {EVERYONE: "everyone", ADA: "user:ada"}
ALLOW, DENY, ALLOW_IF, AUDIT = 0, 1, 9, 2
READ, WRITE, ALL = 0x1, 0x2, 0x10000000


def readers_of(descriptor: bytes, names: dict[str, str]) -> ACL:
    """The readers where no account is looked up."""
    return SidNames(names, "off").readers(descriptor, lambda _: {})


def descriptor(*entries: tuple[int, int, int, str], control: int = 0x8004, owner: str = "") -> bytes:
    packed = b"".join(
        struct.pack("<BBHI", kind, flags, 8 + len(sid_bytes(who)), mask) + sid_bytes(who)
        for kind, flags, mask, who in entries
    )
    access = struct.pack("<BBHHH", 2, 0, 8 + len(packed), len(entries), 0) + packed
    head = struct.pack("<BBHIIII", 1, 0, control, 20 + len(access) if owner else 0, 0, 0, 20)
    return head + access + (sid_bytes(owner) if owner else b"")


@pytest.mark.parametrize(
    ("entries", "grants", "denies"),
    [
        ([(ALLOW, 0, READ, EVERYONE)], ("everyone",), ()),
        ([(ALLOW, 0, READ, ADA), (ALLOW, 0, ALL, ADMINS)], (f"group:{ADMINS}", "user:ada"), ()),
        ([(DENY, 0, READ, ADA), (ALLOW, 0, READ, EVERYONE)], ("everyone",), ("user:ada",)),
        ([(ALLOW, 0, READ, EVERYONE), (DENY, 0x10, ALL, ADA)], ("everyone",), ("user:ada",)),
        ([(ALLOW, 0, WRITE, EVERYONE)], (), ()),
        ([(ALLOW, 0x08, READ, EVERYONE)], (), ()),
        ([(ALLOW_IF, 0, READ, EVERYONE)], (), ()),
        ([(AUDIT, 0, READ, EVERYONE)], (), ()),
        ([], (), ()),
    ],
)
def test_access_lists(
    entries: list[tuple[int, int, int, str]], grants: tuple[str, ...], denies: tuple[str, ...]
) -> None:
    acl = readers_of(descriptor(*entries), NAMES)
    assert (acl.grants, acl.denies) == (grants, denies)


def test_rights_of_the_owner_are_those_of_an_account() -> None:
    given = descriptor((ALLOW, 0, READ, "S-1-3-4"), (DENY, 0, READ, ADMINS), owner=ADA)
    assert readers_of(given, NAMES) == ACL(("user:ada",), (f"group:{ADMINS}",))
    assert readers_of(descriptor((ALLOW, 0, READ, "S-1-3-4")), NAMES) == ACL(("group:S-1-3-4",))


def test_without_an_access_list_everybody_may_do_everything() -> None:
    assert readers_of(descriptor(control=0x8000), NAMES) == PUBLIC


def test_sids_are_written_as_windows_does() -> None:
    assert [sid_text(sid_bytes(each)) for each in (EVERYONE, ADMINS, ADA)] == [EVERYONE, ADMINS, ADA]


def test_a_descriptor_that_is_cut_opens_nothing() -> None:
    whole = descriptor((ALLOW, 0, READ, EVERYONE), (ALLOW, 0, READ, ADA))
    assert all(readers_of(whole[:length], NAMES) == NOBODY for length in range(len(whole)))


@given(st.binary(max_size=200))
def test_any_bytes_are_read_without_an_exception(data: bytes) -> None:
    readers_of(b"\1\0\4\x80" + bytes(12) + b"\x14\0\0\0" + data, NAMES)
