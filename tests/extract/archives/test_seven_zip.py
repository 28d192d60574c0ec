from __future__ import annotations

import bz2
import lzma
import struct
import zlib

import pytest

from cormorant.extract.errors import Protected, Unreadable
from tests.extract.archives import seven_zip_writer as writer
from tests.extract.archives.reading import contents, damaged, listed, members, survives
from tests.extract.archives.seven_zip_writer import Coder

TEXT = b"Any sufficiently advanced technology. " * 300
FILES = [("a.txt", TEXT), ("sub/größe.txt", b"second"), ("c.txt", TEXT[:77])]
ALL = b"".join(data for _, data in FILES)


@pytest.mark.parametrize("encoded", [False, True])
def test_the_files_of_a_solid_archive_are_read(encoded: bool) -> None:
    packed, coder = writer.lzma2(ALL)
    body = writer.archive(FILES, coders=[coder], packed=packed, encoded=encoded)
    assert contents(body, "a.7z") == dict(FILES)
    assert listed(body).text == "a.txt\nsub/größe.txt\nc.txt"
    assert listed(body).attributes == {"FileCount": 3, "UnpackedBytes": len(ALL)}
    assert members(body)[0].modified_at == 13_200_000_000 - 11_644_473_600


@pytest.mark.parametrize(
    ("packed", "coder"),
    [
        (ALL, Coder(writer.COPY)),
        writer.lzma1(ALL),
        (zlib.compress(ALL)[2:-4], Coder(b"\x04\x01\x08")),
        (bz2.compress(ALL), Coder(b"\x04\x02\x02")),
    ],
)
def test_every_coder_of_the_standard_library_is_read(packed: bytes, coder: Coder) -> None:
    assert contents(writer.archive(FILES, coders=[coder], packed=packed)) == dict(FILES)


def test_a_filter_before_the_compression_is_undone() -> None:
    program = b"".join(b"\xe8" + struct.pack("<L", number) + b"code" for number in range(5_000))
    filters = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "dict_size": 1 << 16}]
    packed = lzma.compress(program, lzma.FORMAT_RAW, filters=filters)
    coders = [Coder(writer.BCJ), Coder(writer.LZMA2, bytes((8,)))]
    assert contents(writer.archive([("a.exe", program)], coders=coders, packed=packed)) == {"a.exe": program}


def test_differences_are_undone() -> None:
    filters = [{"id": lzma.FILTER_DELTA, "dist": 4}, {"id": lzma.FILTER_LZMA2, "dict_size": 1 << 16}]
    packed = lzma.compress(TEXT, lzma.FORMAT_RAW, filters=filters)
    coders = [Coder(b"\x03", bytes((3,))), Coder(writer.LZMA2, bytes((8,)))]
    assert contents(writer.archive([("a.txt", TEXT)], coders=coders, packed=packed)) == {"a.txt": TEXT}


def test_empty_files_are_members_and_folders_and_links_are_none() -> None:
    files = [("folder", b""), ("empty.txt", b""), ("link", b"/etc/passwd"), ("a.txt", b"a")]
    body = writer.archive(files, attributes=[writer.DIRECTORY, 0x20, writer.LINK, 0x20])
    assert contents(body) == {"empty.txt": b"", "a.txt": b"a"}


def test_members_behind_one_that_nobody_reads_are_right() -> None:
    packed, coder = writer.lzma2(ALL)
    assert [each.body for each in members(writer.archive(FILES, coders=[coder], packed=packed), start=2)] == [TEXT[:77]]


@pytest.mark.parametrize(
    ("method", "refusal"),
    [
        (writer.AES, "it needs a password"),
        (writer.PPMD, "it is compressed by PPMd, which is not read"),
        (b"\x7f\x01", "it is compressed by method 7f01, which is not read"),
    ],
)
def test_files_that_cannot_be_unpacked_are_named(method: bytes, refusal: str) -> None:
    body = writer.archive(FILES, coders=[Coder(method, b"12345")])
    assert [(each.path, each.body, each.refusal) for each in members(body)] == [
        (name, b"", refusal) for name, _ in FILES
    ]


def test_encrypted_names_protect_the_archive() -> None:
    header = b"\x17" + writer.streams(b"secret", [Coder(writer.AES, b"12345")], [6])
    start = struct.pack("<QQL", 6, len(header), 0)
    with pytest.raises(Protected):
        listed(b"7z\xbc\xaf\x27\x1c\0\x04" + bytes(4) + start + b"secret" + header)


def test_an_archive_that_is_cut_short_says_so() -> None:
    with pytest.raises(Unreadable, match="cut short, or the first of several parts"):
        listed(writer.archive(FILES)[:-1])
    with pytest.raises(Unreadable, match="cut short"):
        listed(b"7z\xbc\xaf\x27\x1c\0\x04")


def test_damaged_data_give_what_comes_before() -> None:
    long = b"".join(b"line %d\n" % number for number in range(50_000))
    packed, coder = writer.lzma2(long + b"second")
    packed = packed[: len(packed) // 2] + bytes(len(packed) - len(packed) // 2)
    first, second = members(writer.archive([("a", long), ("b", b"second")], coders=[coder], packed=packed))
    assert 0 < len(first.body) < len(long)
    assert long.startswith(first.body)
    assert first.refusal == second.refusal == "it is damaged"


def test_a_dictionary_that_is_too_large_is_refused() -> None:
    packed, _ = writer.lzma2(TEXT)
    [member] = members(writer.archive([("a", TEXT)], coders=[Coder(writer.LZMA2, bytes((40,)))], packed=packed))
    assert (member.body, member.refusal) == (b"", "it is damaged")


@pytest.mark.parametrize(
    "header",
    [
        b"\x01\x05\xff" + b"\xff" * 8 + bytes(100),
        b"\x01\x04\x06\0\xff" + b"\xff" * 8 + bytes(100),
        b"\x01\x04\x07\x0b\x01\0\x21" + bytes(100),
        b"\x17\0",
        b"\x01\x02" + b"\x02\xff" * 50,
    ],
)
def test_a_count_that_is_too_large_is_not_believed(header: bytes) -> None:
    start = struct.pack("<QQL", 0, len(header), 0)
    with pytest.raises(Unreadable):
        listed(b"7z\xbc\xaf\x27\x1c\0\x04" + bytes(4) + start + header)


@pytest.mark.parametrize("encoded", [False, True])
def test_damaged_archives_are_survived(encoded: bool) -> None:
    packed, coder = writer.lzma2(ALL)
    body = writer.archive(FILES, coders=[coder], packed=packed, encoded=encoded)
    assert sum(map(survives, damaged(body, 300))) > 10
