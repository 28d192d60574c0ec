"""ZIP: methods, encryption, what is no file, damage."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from cormorant.extract.errors import Unreadable
from tests.extract.archives.reading import contents, damaged, listed, members, survives

TEXT = b"The quick brown fox jumps over the lazy dog. " * 200


def zipped(method: int = zipfile.ZIP_DEFLATED, names: tuple[str, ...] = ("a.txt", "b.txt", "c.txt")) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as target:
        for number, name in enumerate(names):
            target.writestr(name, TEXT + name.encode() * number)
    return made.getvalue()


def entry(name: bytes, packed: bytes, *, method: int = 0, flags: int = 0, size: int = -1, mode: int = 0) -> bytes:
    """Return an archive of one member, its headers written by hand."""
    size = len(packed) if size < 0 else size
    fields = struct.pack("<3H2H3L2H", 20, flags, method, 0, 0x5C6E, 0, len(packed), size, len(name), 0)
    local = b"PK\x03\x04" + fields + name + packed
    rest = struct.pack("<3H2L", 0, 0, 0, mode << 16, 0)
    central = b"PK\x01\x02" + struct.pack("<H", 3 << 8 | 20) + fields + rest + name
    return local + central + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(central), len(local), 0)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_members_of_every_common_method_are_unpacked(method: int) -> None:
    made = contents(zipped(method))
    assert made == {"a.txt": TEXT, "b.txt": TEXT + b"b.txt", "c.txt": TEXT + b"c.txtc.txt"}


@pytest.mark.parametrize(("method", "pack"), [(93, zstandard.compress), (95, lzma.compress)])
def test_members_of_newer_methods_are_unpacked(method: int, pack: Callable[[bytes], bytes]) -> None:
    assert contents(entry(b"a.txt", pack(TEXT), method=method, size=len(TEXT))) == {"a.txt": TEXT}


@pytest.mark.parametrize(("method", "name"), [(9, "Deflate64"), (98, "PPMd"), (77, "method 77")])
def test_a_method_that_is_not_read_is_named(method: int, name: str) -> None:
    [member] = members(entry(b"a.txt", b"xyz", method=method))
    assert member.refusal == f"it is compressed by {name}, which is not read"


def test_an_encrypted_member_is_named_and_the_others_are_read() -> None:
    body = bytearray(zipped())
    for mark, shift in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        body[body.find(mark) + shift] |= 1
    made = members(bytes(body))
    assert [(each.path, each.refusal) for each in made] == [
        ("a.txt", "it needs a password"), ("b.txt", ""), ("c.txt", ""),
    ]  # fmt: skip
    assert made[1].body == TEXT + b"b.txt"
    assert "Protection" not in listed(bytes(body)).attributes


def test_an_archive_of_encrypted_members_says_so() -> None:
    made = listed(entry(b"secret.txt", b"xyz", flags=1))
    assert made.text == "secret.txt"
    assert made.attributes["Protection"] == "password"


def test_folders_links_and_devices_are_no_members() -> None:
    assert members(zipped(names=("folder/", "folder\\"))) == []
    assert members(entry(b"link", b"/etc/passwd", mode=0o120777)) == []
    assert members(entry(b"device", b"", mode=0o020666)) == []
    assert contents(entry(b"-", b"piped", mode=0o010600)) == {"-": b"piped"}


def test_a_member_whose_data_are_damaged_gives_what_comes_before() -> None:
    lines = b"".join(b"line %d of many\n" % number for number in range(40_000))
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("long.txt", lines)
        target.writestr("b.txt", TEXT)
    body = bytearray(made.getvalue())
    body[len(body) // 2 : len(body) // 2 + 20] = b"\xff" * 20
    first, second = members(bytes(body))
    assert first.refusal == "it is damaged"
    assert 0 < len(first.body) < len(lines)
    assert lines.startswith(first.body[:30_000])
    assert (second.body, second.refusal) == (TEXT, "")


def test_an_archive_without_its_end_is_read_member_by_member() -> None:
    body = zipped()
    body = body[: body.find(b"PK\x01\x02")]
    assert contents(body) == {"a.txt": TEXT, "b.txt": TEXT + b"b.txt", "c.txt": TEXT + b"c.txtc.txt"}
    made = listed(body)
    assert made.truncated
    assert made.fault == "Its directory is damaged or cut off, and members were found without it."


def test_an_archive_that_is_cut_within_a_member_keeps_those_before() -> None:
    body = zipped(zipfile.ZIP_STORED)
    body = body[: len(TEXT) + 100 + len(TEXT) // 2]
    made = members(body)
    assert [(each.path, each.refusal) for each in made] == [("a.txt", ""), ("b.txt", "it is damaged")]
    assert TEXT.startswith(made[1].body[:1000])


def test_a_streamed_archive_without_its_end_is_read() -> None:
    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.made = bytearray()

        def writable(self) -> bool:
            return True

        def write(self, data: bytes) -> int:  # type: ignore[override]
            self.made += data
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("a.txt", TEXT)
        target.writestr("b.txt", b"second")
    body = bytes(pipe.made)
    assert contents(body[: body.find(b"PK\x01\x02")]) == {"a.txt": TEXT, "b.txt": b"second"}


def test_a_member_that_is_not_where_the_directory_says_is_refused() -> None:
    body = zipped()
    body = body.replace(b"PK\x03\x04", b"PK\x03\x05", 1)
    assert [each.refusal for each in members(body)] == ["it is damaged", "", ""]


@pytest.mark.parametrize(
    "body",
    [
        b"PK\x07\x08PK\x03\x04" + zipped()[4:500],
        b"middle of a split one" + struct.pack("<4s4H2LH", b"PK\x05\x06", 3, 0, 1, 1, 46, 10, 0),
    ],
)
def test_a_part_of_a_split_archive_says_so(body: bytes) -> None:
    with pytest.raises(Unreadable, match="split over several files, of which this is one and the others are missing"):
        listed(body)


def test_overlapping_members_are_bounded_by_what_comes_out() -> None:
    """The bomb of David Fifield: many entries of a directory that lead to the same data."""
    body = entry(b"a", zlib.compress(bytes(1_000_000), 9)[2:-4], method=8, size=1_000_000)
    place = body.find(b"PK\x01\x02")
    central = body[place:-22] * 50
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 50, 50, len(central), place, 0)
    assert sum(len(each.body) for each in members(body[:place] + central + end)) == 50_000_000


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_damaged_archives_are_survived(method: int) -> None:
    assert sum(map(survives, damaged(zipped(method, ("a.txt", "b.txt")), 300))) > 100


def test_names_of_the_zip_slip_suite_stay_inside(suite: Callable[[str], Path]) -> None:
    for file in sorted((suite("zip-slip") / "archives").glob("*.zip")):
        assert [each.path.split("/")[-1] for each in members(file.read_bytes())] == ["good.txt", "evil.txt"]
        assert all(".." not in each.path for each in members(file.read_bytes()))
