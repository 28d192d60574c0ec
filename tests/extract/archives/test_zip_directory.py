from __future__ import annotations

import struct
import zlib

import pytest

from cormorant.extract.archives.zip_directory import UNKNOWN, data_offset, read_directory
from cormorant.extract.errors import Unreadable


def directory(
    raw: bytes, *, flags: int = 0, extra: bytes = b"", sizes: tuple[int, int, int] = (0, 0, 0), comment: bytes = b""
) -> bytes:
    """Return the directory of an archive of one member, and nothing else. `sizes`: packed, unpacked, offset."""
    packed, size, offset = sizes
    lengths = (len(raw), len(extra), 0, 0, 0, 0, offset)
    central = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, flags, 8, 0, 0x5C6E, 0, packed, size, *lengths)
    central += raw + extra
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(central), 0, len(comment))
    return central + end + comment


def unicode_path(name: bytes, raw: bytes) -> bytes:
    data = b"\x01" + struct.pack("<L", zlib.crc32(raw)) + name
    return struct.pack("<2H", 0x7075, len(data)) + data


@pytest.mark.parametrize(
    ("raw", "flags", "extra", "name"),
    [
        ("größe.txt".encode("cp437"), 0, b"", "größe.txt"),
        ("größe.txt".encode(), 0x800, b"", "größe.txt"),
        ("größe.txt".encode(), 0, b"", "größe.txt"),
        (b"gr\xff\xfe.txt", 0x800, b"", "gr\ufffd\ufffd.txt"),
        (b"plan.txt", 0, unicode_path("план.txt".encode(), b"plan.txt"), "план.txt"),
        (b"plan.txt", 0, unicode_path("план.txt".encode(), b"other.txt"), "plan.txt"),
        (b"plan.txt", 0, unicode_path(b"\xff", b"plan.txt"), "plan.txt"),
    ],
)  # fmt: skip
def test_a_name_is_decoded_as_its_archive_says(raw: bytes, flags: int, extra: bytes, name: str) -> None:
    [header] = read_directory(directory(raw, flags=flags, extra=extra)).headers
    assert header.name == name


def test_sizes_beyond_32_bits_stand_in_an_extra_field() -> None:
    extra = struct.pack("<2H3Q", 1, 24, 5_000_000_000, 4_999_999_999, 77)
    [header] = read_directory(directory(b"a", extra=extra, sizes=(0xFFFFFFFF,) * 3)).headers
    assert (header.size, header.packed, header.offset) == (5_000_000_000, 4_999_999_999, 77)


def test_a_directory_of_zip64_is_found() -> None:
    made = directory(b"a.txt")
    central, end = made[:-22], made[-22:]
    wide = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, len(central), 0)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, len(central), 1)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    assert [each.name for each in read_directory(central + wide + locator + end).headers] == ["a.txt"]


def test_the_time_of_unix_counts_more_than_that_of_dos() -> None:
    stamp = struct.pack("<2HBL", 0x5455, 5, 1, 1_773_480_600)
    [with_field] = read_directory(directory(b"a", extra=stamp)).headers
    [without] = read_directory(directory(b"a")).headers
    assert with_field.modified_at == 1_773_480_600.0
    assert without.modified_at == 1_773_446_400.0


def test_bytes_before_and_behind_the_archive_do_no_harm() -> None:
    made = read_directory(b"stub" * 100 + directory(b"a.txt", comment=b"note") + b"trailing rubbish")
    assert [each.name for each in made.headers] == ["a.txt"]
    assert made.headers[0].offset == 400
    assert made.comment == "note"


def test_a_huge_count_is_not_believed() -> None:
    body = bytearray(directory(b"a.txt"))
    body[-12:-10] = body[-14:-12] = b"\xff\xff"
    with pytest.raises(Unreadable):
        read_directory(bytes(body))


def test_data_begin_behind_the_local_header() -> None:
    local = struct.pack("<4s5H3L2H", b"PK\x03\x04", 20, 0, 0, 0, 0, 0, 0, 0, 3, 5)
    assert data_offset(local + b"abc12345data", 0) == 38
    assert data_offset(local, 1) == UNKNOWN
    assert data_offset(b"", 5) == UNKNOWN
