"""TAR: its dialects, what is no file, damage, hostile headers."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from cormorant.extract.archives.tar_archive import is_tar, pax_records
from tests.extract.archives.reading import contents, damaged, listed, members, survives

TEXT = b"All work and no play. " * 100


def tarred(form: int = tarfile.GNU_FORMAT, names: tuple[str, ...] = ("a.txt", "sub/b.txt")) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=form) as target:
        for number, name in enumerate(names):
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(TEXT) + number, 1_700_000_000
            target.addfile(info, io.BytesIO(TEXT + b"x" * number))
    return made.getvalue()


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_every_dialect_is_read(form: int) -> None:
    assert contents(tarred(form), "a.tar") == {"a.txt": TEXT, "sub/b.txt": TEXT + b"x"}
    assert members(tarred(form), "a.tar")[0].modified_at == 1_700_000_000.0
    assert listed(tarred(form), "a.tar").attributes == {"FileCount": 2, "UnpackedBytes": 2 * len(TEXT) + 1}


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_and_foreign_names_are_read(form: int) -> None:
    name = "ordner/" + "größe-" * 40 + ".txt"
    assert list(contents(tarred(form, (name, "b.txt")))) == [name, "b.txt"]


def test_a_name_in_an_older_charset_is_readable() -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", encoding="latin-1", format=tarfile.GNU_FORMAT) as target:
        target.addfile(tarfile.TarInfo("größe.txt"))
    assert list(contents(made.getvalue())) == ["größe.txt"]


def test_links_folders_and_devices_are_no_members() -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as target:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
            info = tarfile.TarInfo(f"no-file-{kind.decode()}")
            info.type, info.linkname = kind, "/etc/passwd"
            target.addfile(info)
        info = tarfile.TarInfo("a.txt")
        info.size = 1
        target.addfile(info, io.BytesIO(b"a"))
    assert contents(made.getvalue()) == {"a.txt": b"a"}


def test_a_sparse_file_is_named_and_not_unpacked() -> None:
    body = bytearray(tarred(names=("huge.bin", "b.txt")))
    info = tarfile.TarInfo("huge.bin")
    info.size, info.type = len(TEXT), tarfile.GNUTYPE_SPARSE
    body[:512] = info.tobuf(tarfile.GNU_FORMAT)
    first, second = members(bytes(body))
    assert (first.body, first.refusal) == (b"", "it is stored as a sparse file")
    assert second.body == TEXT + b"x"


def test_a_sparse_file_of_pax_is_named_and_not_unpacked() -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as target:
        info = tarfile.TarInfo("GNUSparseFile.0/huge.bin")
        info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.name": "huge.bin", "GNU.sparse.realsize": "9" * 15}
        target.addfile(info)
    [member] = members(made.getvalue())
    assert (member.path, member.refusal) == ("huge.bin", "it is stored as a sparse file")


def test_an_archive_that_is_cut_short_keeps_what_comes_before() -> None:
    body = tarred()[:4000]
    first, second = members(body)
    assert (first.body, first.refusal) == (TEXT, "")
    assert second.refusal == "it is damaged"
    assert TEXT.startswith(second.body)
    made = listed(body)
    assert made.text == "a.txt\nsub/b.txt"
    assert made.truncated
    assert made.fault == "It is cut short."


def test_a_broken_header_is_not_taken_for_the_end() -> None:
    body = bytearray(tarred())
    body[3072 + 20 : 3072 + 40] = b"\xff" * 20
    made = listed(bytes(body))
    assert made.text == "a.txt"
    assert made.fault == "It is damaged."


@pytest.mark.parametrize("size", [-1, 1 << 70])
def test_an_impossible_size_is_survived(size: int) -> None:
    body = bytearray(tarred())
    body[124:136] = b"\xff" * 12 if size < 0 else b"\x80" + (1 << 70).to_bytes(11, "big")
    body[148:156] = b"        "
    body[148:156] = b"%06o\0 " % sum(body[:512])
    assert not survives(bytes(body)) or [each.body for each in members(bytes(body))] == [b""]


def test_the_sizes_of_headers_make_no_number_too_large() -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as target:
        info = tarfile.TarInfo("a.txt")
        info.pax_headers = {"size": "9" * 19}
        target.addfile(info)
    assert listed(made.getvalue()).attributes == {"FileCount": 1, "UnpackedBytes": 1 << 53}


def test_pax_records_of_digits_take_no_quadratic_time() -> None:
    """CVE-2024-6232: a search for digits before a keyword, from each digit on."""
    assert pax_records(b"9" * 1_000_000) == {}
    assert pax_records(b"10 path=a\n" * 100_000) == {"path": "a"}
    assert pax_records(b"0 path=a\n") == {}
    assert pax_records(b"99999999999999999999 path=a\n") == {"path": "a"}


def test_a_file_proves_itself_by_its_first_block() -> None:
    assert is_tar(tarred()[:512])
    assert not is_tar(bytes(512))
    assert not is_tar(b"a" * 512)
    assert not is_tar(tarred()[:511])


def test_damaged_archives_are_survived() -> None:
    assert sum(map(survives, damaged(tarred(tarfile.PAX_FORMAT, ("größe" * 30, "b")), 300))) > 100


def test_names_of_the_zip_slip_suite_stay_inside(suite: Callable[[str], Path]) -> None:
    for file in sorted((suite("zip-slip") / "archives").glob("*.tar")):
        assert [each.path.split("/")[-1] for each in members(file.read_bytes())] == ["good.txt", "evil.txt"]
