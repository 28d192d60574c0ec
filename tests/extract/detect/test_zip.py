from __future__ import annotations

import io
import struct
import zipfile
import zlib

import pytest
from hypothesis import given, strategies as st

from cormorant.extract.detect import zip as zip_files
from cormorant.extract.detect.zip import check, entries
from cormorant.extract.errors import Protected, Unreadable
from tests.extract.writers import docx, zipped


def test_the_directory_is_listed() -> None:
    body = b"a stub before it" + zipped({"a.txt": "x" * 100, "b/c": ""})
    assert [(entry.name, entry.size) for entry in entries(body)] == [("a.txt", 100), ("b/c", 0)]
    check(body)


def test_ordinary_documents_pass() -> None:
    check(docx(*["A paragraph that repeats itself."] * 2_000))


def test_a_bomb_is_stopped_by_its_ratio() -> None:
    with pytest.raises(Unreadable, match="200 times"):
        check(zipped({"bomb": bytes(30_000_000)}))


def test_a_bomb_that_lies_about_its_size_is_stopped_too() -> None:
    body = bytearray(zipped({"bomb": bytes(30_000_000)}))
    place = body.rindex(b"PK\x01\x02")
    struct.pack_into("<L", body, place + 24, 10)
    struct.pack_into("<L", body, 22, 10)
    assert next(entries(bytes(body))).size == 10
    with pytest.raises(Unreadable, match="200 times"):
        check(bytes(body))


def test_files_that_overlap_count_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_files, "MAX_BYTES", 50_000_000)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(bytes(4_000_000)) + packer.flush()
    local = struct.pack("<4s2B4HL2L2H", b"PK\3\4", 20, 0, 0, 8, 0, 0, 0, len(data), 4_000_000, 1, 0) + b"a" + data
    local += bytes(4_000_000)  # keeps the ratio small
    one = struct.pack(
        "<4s4B4HL2L5H2L", b"PK\1\2", 20, 0, 20, 0, 0, 8, 0, 0, 0, len(data), 4_000_000, 1, 0, 0, 0, 0, 0, 0
    )
    directory = (one + b"a") * 100
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 100, 100, len(directory), len(local), 0)
    with pytest.raises(Unreadable, match="MiB"):
        check(local + directory + end)


def test_too_many_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_files, "MAX_ENTRIES", 5)
    check(zipped({str(number): "" for number in range(5)}))
    with pytest.raises(Unreadable, match="more than 5 files"):
        check(zipped({str(number): "" for number in range(6)}))


def test_an_encrypted_file_is_said_to_be_protected() -> None:
    body = bytearray(zipped({"a": "x"}))
    body[body.rindex(b"PK\1\2") + 8] |= 1
    with pytest.raises(Protected):
        check(bytes(body))


@pytest.mark.parametrize("cut", [1, 30, 100])
def test_an_archive_cut_short_is_refused(cut: int) -> None:
    with pytest.raises(Unreadable, match="cut short"):
        check(docx("x")[:-cut])


def test_damaged_data_is_refused() -> None:
    body = bytearray(zipped({"a": bytes(range(256)) * 100}))
    body[40:60] = b"\xff" * 20
    with pytest.raises(Unreadable, match="damaged"):
        check(bytes(body))


def test_a_file_elsewhere_than_its_directory_says_is_refused() -> None:
    body = bytearray(zipped({"a": "x"}))
    struct.pack_into("<L", body, body.rindex(b"PK\1\2") + 42, 7)
    with pytest.raises(Unreadable, match="not where"):
        check(bytes(body))


def test_other_methods_of_packing_count_as_declared() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as packed:
        packed.writestr("a", "x" * 100)
    check(out.getvalue())


@given(st.binary(), st.binary())
def test_any_bytes_pass_or_are_refused(before: bytes, after: bytes) -> None:
    for body in (b"PK\3\4" + before + b"PK\5\6" + after, before + zipped({"a": "x"}) + after):
        try:
            check(body)
        except (Unreadable, Protected):
            continue
