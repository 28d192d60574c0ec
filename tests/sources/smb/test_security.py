"""Security descriptors as grants and denies, and hostile ones."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, strategies as st

from cormorant.model.acl import NOBODY, PUBLIC
from cormorant.sources.smb.security import readers_of, sid_text

EVERYONE, ADMINS, ADA = "S-1-1-0", "S-1-5-32-544", "S-1-5-21-1-2-3-1104"
NAMES = {EVERYONE: "everyone", ADA: "user:ada"}
ALLOW, DENY, ALLOW_IF, AUDIT = 0, 1, 9, 2
READ, WRITE, ALL = 0x1, 0x2, 0x10000000


def sid(text: str) -> bytes:
    parts = [int(each) for each in text.split("-")[2:]]
    return (
        struct.pack("<BB", 1, len(parts) - 1)
        + parts[0].to_bytes(6, "big")
        + struct.pack(f"<{len(parts) - 1}I", *parts[1:])
    )


def descriptor(*entries: tuple[int, int, int, str], control: int = 0x8004) -> bytes:
    packed = b"".join(
        struct.pack("<BBHI", kind, flags, 8 + len(sid(who)), mask) + sid(who) for kind, flags, mask, who in entries
    )
    return struct.pack("<BBHIIII", 1, 0, control, 0, 0, 0, 20) + struct.pack(
        "<BBHHH", 2, 0, 8 + len(packed), len(entries), 0
    ) + packed  # fmt: skip


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


def test_without_an_access_list_everybody_may_do_everything() -> None:
    assert readers_of(descriptor(control=0x8000), NAMES) == PUBLIC


def test_sids_are_written_as_windows_does() -> None:
    assert [sid_text(sid(each)) for each in (EVERYONE, ADMINS, ADA)] == [EVERYONE, ADMINS, ADA]


def test_a_descriptor_that_is_cut_opens_nothing() -> None:
    whole = descriptor((ALLOW, 0, READ, EVERYONE), (ALLOW, 0, READ, ADA))
    assert all(readers_of(whole[:length], NAMES) == NOBODY for length in range(len(whole)))


@given(st.binary(max_size=200))
def test_any_bytes_are_read_without_an_exception(data: bytes) -> None:
    readers_of(b"\1\0\4\x80" + bytes(12) + b"\x14\0\0\0" + data, NAMES)
