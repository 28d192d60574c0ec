from __future__ import annotations

from pathlib import Path

import pytest

from cormorant.store.blobs.pack_format import (
    HEAD_BYTES,
    EntryHeader,
    fits,
    head_bytes,
    pack_number,
    pack_numbers,
    pack_path,
    parse_head,
)
from tests.store.blobs.pages import MOMENT

WHERE = (7, 1000)


def test_head_round_trip() -> None:
    data = head_bytes(-5, b"payload", MOMENT, WHERE)
    head = parse_head(data, *WHERE)
    assert len(data) == HEAD_BYTES == 40
    assert isinstance(head, EntryHeader)
    assert (head.place, head.resource, head.kept_at) == ((7, 1000, 47), -5, MOMENT)
    assert fits(head, b"payload")
    assert not fits(head, b"payloaD")
    assert not fits(head, b"payloa")


def test_every_bit_of_a_head_counts() -> None:
    data = bytearray(head_bytes(5, b"payload", MOMENT, WHERE))
    for bit in range(len(data) * 8):
        data[bit // 8] ^= 1 << bit % 8
        assert isinstance(parse_head(bytes(data), *WHERE), str), bit
        data[bit // 8] ^= 1 << bit % 8


@pytest.mark.parametrize("where", [(7, 1001), (8, 1000)])
def test_an_entry_is_valid_only_where_it_was_written(where: tuple[int, int]) -> None:
    assert isinstance(parse_head(head_bytes(5, b"payload", MOMENT, WHERE), *where), str)


def test_numbers_grow_with_time_and_fit_a_signed_column() -> None:
    early, late = pack_number(MOMENT, "f" * 32), pack_number(MOMENT + 1, "0" * 32)
    assert early < late < 1 << 63
    assert pack_number(float(1 << 33) - 1, "f" * 8) < 1 << 63


def test_packs_are_listed_oldest_first_and_strangers_passed_over(tmp_path: Path) -> None:
    numbers = [pack_number(MOMENT + 400_000 * n, f"{n:08x}") for n in range(3)]
    for number in reversed(numbers):
        path = pack_path(tmp_path, number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        (path.parent / "notes.pack").touch()
        (path.parent / "0000000000000001.pack").touch()
    (tmp_path / "packs" / "lost+found").mkdir()
    assert len({pack_path(tmp_path, number).parent for number in numbers}) > 1
    assert list(pack_numbers(tmp_path)) == numbers
    assert list(pack_numbers(tmp_path / "nowhere")) == []
