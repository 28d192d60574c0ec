"""Referrals of a DFS namespace as servers write them, and as nobody should."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, strategies as st

from cormorant.sources.smb.dfs_referral import MAX_TARGETS, Referral, SharePlace, referral_of, referral_request

PATH = "\\files\\shares\\hr"


def answer(*targets: str, version: int = 4, consumed: int = 2 * len(PATH), flags: int = 0, size: int = 0) -> bytes:
    """An answer with one entry for each target, and its texts behind them."""
    fixed = 22 if version == 2 else 34
    texts, entries = b"", b""
    for number, target in enumerate(targets):
        offset = (len(targets) - number) * fixed + len(texts)
        texts += target.encode("utf-16-le") + b"\0\0"
        head = struct.pack("<HHHH", version, size or fixed, 0, flags)
        middle = struct.pack("<II" if version == 2 else "<I", *((0, 300) if version == 2 else (300,)))
        entries += head + middle + struct.pack("<HHH", offset, offset, offset) + bytes(16 if version != 2 else 0)
    return struct.pack("<HHI", consumed, len(targets), 0) + entries + texts


@pytest.mark.parametrize("version", [2, 3, 4])
def test_targets_in_the_order_of_the_server(version: int) -> None:
    got = referral_of(answer("\\b.example\\hr$", "\\c.example\\all\\h r\\\u00fc", version=version))
    there = (SharePlace("b.example", "hr$"), SharePlace("c.example", "all", (b"h r", b"\xc3\xbc")))
    assert got == Referral(len(PATH), there, 300)


@pytest.mark.parametrize("target", ["", "\\", "\\host", "\\host\\a\nb", "\\host\\..\\x", "\\host\\a/b"])
def test_a_target_that_is_no_share_is_left_out(target: str) -> None:
    assert referral_of(answer(target, "\\b\\c")).targets == (SharePlace("b", "c"),)


@pytest.mark.parametrize(
    "bad",
    [b"", answer("\\b\\c")[:20], answer("\\b\\c", version=1), answer("\\b\\c", version=9), answer("\\b\\c", size=2)],
)
def test_an_answer_that_cannot_be_read(bad: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - one sort of error for all of them
        referral_of(bad)


def test_a_list_of_names_is_no_target() -> None:
    assert referral_of(answer("\\b\\c", flags=2)).targets == ()


def test_no_more_targets_than_a_bound() -> None:
    assert len(referral_of(answer(*["\\b\\c"] * 300)).targets) == MAX_TARGETS


@given(st.binary(max_size=400))
def test_any_bytes_end_in_a_referral_or_a_value_error(data: bytes) -> None:
    try:
        got = referral_of(data)
    except ValueError:
        return
    assert len(got.targets) <= MAX_TARGETS


def test_the_question() -> None:
    assert referral_request("\\a\\b") == b"\x04\x00" + "\\a\\b".encode("utf-16-le") + b"\0\0"


def test_case_does_not_count_in_a_place() -> None:
    place = SharePlace("Files", "Shares", (b"A", b"b"))
    assert SharePlace("files", "shares", (b"a",)).holds(place)
    assert not place.holds(SharePlace("files", "shares", (b"a",)))
    assert not SharePlace("files", "other").holds(place)
