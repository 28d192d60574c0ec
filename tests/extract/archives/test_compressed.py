from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zlib
from collections.abc import Callable

import pytest
import zstandard

from cormorant.extract.archives.compressed import inner_name
from cormorant.extract.errors import Unreadable
from tests.extract.archives.reading import contents, damaged, listed, members, survives

TEXT = b"".join(b"line %d of a long text\n" % number for number in range(30_000))
PACKERS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gz", gzip.compress),
    ("bz2", lambda data: bz2.compress(data, 1)),
    ("xz", lzma.compress),
    ("zst", zstandard.compress),
]


def tarred() -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as target:
        for name in ("a.txt", "b.txt"):
            info = tarfile.TarInfo(name)
            info.size = len(TEXT)
            target.addfile(info, io.BytesIO(TEXT))
    return made.getvalue()


@pytest.mark.parametrize(("suffix", "pack"), PACKERS)
def test_a_compressed_file_is_named_without_its_suffix(suffix: str, pack: Callable[[bytes], bytes]) -> None:
    body = pack(TEXT)
    assert contents(body, f"report.txt.{suffix}") == {"report.txt": TEXT}
    made = listed(body, f"report.txt.{suffix}")
    assert made.text == "report.txt"
    assert made.attributes == {"FileCount": 1, "UnpackedBytes": len(TEXT)}


@pytest.mark.parametrize(("suffix", "pack"), PACKERS)
def test_a_compressed_archive_is_read_through(suffix: str, pack: Callable[[bytes], bytes]) -> None:
    body = pack(tarred())
    assert contents(body, f"site.tar.{suffix}") == {"a.txt": TEXT, "b.txt": TEXT}


@pytest.mark.parametrize(("suffix", "pack"), PACKERS)
def test_compressed_streams_that_follow_one_another_are_one_file(suffix: str, pack: Callable[[bytes], bytes]) -> None:
    body = pack(b"first ") + pack(b"second ") + pack(b"third")
    assert contents(body, f"a.{suffix}") == {"a": b"first second third"}


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz"])
def test_a_file_that_is_cut_short_keeps_its_beginning(suffix: str) -> None:
    body = dict(PACKERS)[suffix](TEXT)
    [member] = members(body[: len(body) * 3 // 4], f"a.txt.{suffix}")
    assert TEXT.startswith(member.body)
    assert member.refusal == "it is damaged"
    assert listed(body[: len(body) * 3 // 4], f"a.txt.{suffix}").fault == "It is damaged."


def test_a_zstandard_file_that_is_cut_short_keeps_its_beginning() -> None:
    [member] = members(zstandard.compress(TEXT)[:-10], "a.txt.zst")
    assert member.body
    assert TEXT.startswith(member.body)
    assert member.refusal == "it is damaged"


def test_a_name_in_the_header_of_gzip_counts_first() -> None:
    made = io.BytesIO()
    with gzip.GzipFile("plan.csv", "wb", fileobj=made, mtime=1_700_000_000) as target:
        target.write(b"1;2")
    [member] = members(made.getvalue(), "download.gz")
    assert (member.path, member.body, member.modified_at) == ("plan.csv", b"1;2", 1_700_000_000.0)


@pytest.mark.parametrize(
    ("name", "inner"),
    [
        ("a.txt.gz", "a.txt"), ("x/a.txt.BZ2", "a.txt"), ("site.tgz", "site.tar"), ("drawing.svgz", "drawing.svg"),
        ("data", "data"), (".gz", ".gz"), ("", "file"),
    ],
)  # fmt: skip
def test_the_inner_name_is_the_outer_one_without_its_suffix(name: str, inner: str) -> None:
    assert inner_name(name) == inner


def test_bytes_behind_the_stream_are_no_part_of_it() -> None:
    assert contents(gzip.compress(b"text") + bytes(512) + b"rubbish", "a.gz") == {"a": b"text"}


def test_a_bomb_ends_at_its_limit() -> None:
    [member] = members(gzip.compress(bytes(65 << 20), 1), "bomb.gz")
    assert (member.path, member.body, member.refusal) == ("bomb", b"", "larger than 64 MiB")


def test_a_dictionary_that_is_too_large_is_refused() -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 4096}]
    body = bytearray(lzma.compress(b"text", filters=filters))
    body[16] = 40  # 4 GiB less one byte
    body[20:24] = zlib.crc32(body[12:20]).to_bytes(4, "little")
    with pytest.raises(Unreadable):
        listed(bytes(body), "a.xz")


def test_nothing_can_be_read_of_a_file_damaged_at_its_beginning() -> None:
    with pytest.raises(Unreadable, match="damaged at its beginning"):
        listed(b"\x1f\x8b\x08" + b"\xff" * 100, "a.gz")


@pytest.mark.parametrize(("suffix", "pack"), PACKERS)
def test_damaged_files_are_survived(suffix: str, pack: Callable[[bytes], bytes]) -> None:
    body = pack(TEXT[:20_000])
    read = sum(survives(each) for each in damaged(body, 100))
    assert read > 5
