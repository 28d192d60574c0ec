"""A backup as a file: whole, or refused; other people's bytes lead nowhere."""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from cormorant.base.errors import ArchiveDamaged, ConflictError, DataFolderError, NotFoundError
from cormorant.operate.storage import archive, backups
from cormorant.operate.storage.archive import About, ArchiveChunk, Manifest, Pack

ABOUT = About("0013", "1.0", 1_790_000_000.0, copies=True, store="sqlite")
ROWS = [(1, "a", None, 1.5, b"\0\xff", True), (-(1 << 63), "東", 3, -0.0, b"", False)]
COLUMNS = ["id", "name", "number", "at", "hash", "indexed"]
PACK = bytes(range(256)) * 20


def chunks(data: bytes, size: int = 1000) -> Iterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A small archive."""
    target = tmp_path / "made.tar"
    with archive.writing(target, ABOUT) as writer:
        writer.rows("site", COLUMNS, ROWS)
        writer.rows("site", COLUMNS, ROWS[:1])
        writer.rows("content", ["id"], [])
        writer.manifest.counters = {"site": 7}
        writer.pack(0xABC, len(PACK), chunks(PACK))
    return target


def read(path: Path) -> tuple[list[Any], Manifest]:
    found = Manifest()
    return [
        (part.number, part.size, b"".join(part.chunks)) if isinstance(part, Pack) else part
        for part in archive.parts(path, found)
    ], found


def test_what_is_written_is_read(made: Path) -> None:
    parts, found = read(made)
    assert parts == [
        ArchiveChunk("site", COLUMNS, ROWS), ArchiveChunk("site", COLUMNS, ROWS[:1]),
        ArchiveChunk("content", ["id"], []),
        (0xABC, len(PACK), PACK),
    ]  # fmt: skip
    assert (found.tables, found.counters) == ({"site": 3, "content": 0}, {"site": 7})
    checked = archive.check(made)
    assert (checked.about, checked.manifest) == (ABOUT, found)
    assert checked.digests == {0xABC: hashlib.sha256(PACK).digest()}
    assert made.stat().st_mode & 0o777 == 0o600
    with tarfile.open(made) as tar:
        assert tar.getnames()[0] == "about.json", "anybody can look into it"


def test_one_that_is_cut_short_is_refused_wherever_it_ends(made: Path) -> None:
    whole = made.read_bytes()
    with tarfile.open(made) as tar:
        end = tar.getmember(archive.MANIFEST)
    last = end.offset_data + end.size
    for length in [0, 1, 511, 512, 513, *range(600, last, 97), last - 1]:
        made.write_bytes(whole[:length])
        with pytest.raises(ArchiveDamaged):
            archive.check(made)


def test_one_that_was_changed_is_refused_or_reads_the_same(made: Path) -> None:
    whole, before = made.read_bytes(), read(made)
    chance = random.Random(3)
    refused = 0
    for _ in range(400):
        data = bytearray(whole)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        made.write_bytes(data)
        try:
            assert read(made) == before
        except ArchiveDamaged:
            refused += 1
    assert refused > 100, "the rest is padding that nobody reads"


def forged(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    """An archive with these members between its beginning and no end."""
    with tarfile.open(path, "w") as tar:
        about = json.dumps(
            {"schema": "0013", "program": "1", "made_at": 1.0, "copies": True, "store": "", "format": 1, "what": ""}
        ).encode()
        for info, data in ((named(archive.ABOUT), about), *members):
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def named(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def test_one_of_a_newer_schema_is_told_so_before_its_checksum_is_judged(made: Path) -> None:
    whole = made.read_bytes()
    newer = whole.replace(f'"schema": "{ABOUT.schema}"'.encode(), b'"schema": "9999"', 1)
    assert newer != whole
    made.write_bytes(newer)
    with pytest.raises(ArchiveDamaged, match=r"is of version 9999, and this program knows .* Install a newer version"):
        backups.checked(made)


BOMB = zstandard.ZstdCompressor().compress(bytes(1 << 20))
LYING = b"\x28\xb5\x2f\xfd\xe0" + (1 << 60).to_bytes(8, "little") + b"\x01\x00\x00"


@pytest.mark.parametrize(
    ("info", "data"),
    [
        (named("../../etc/passwd"), b"x"),
        (named("/etc/passwd"), b"x"),
        (named("packs/../../../etc/x"), b"x"),
        (named("packs/0000000000000abc", tarfile.SYMTYPE, "/etc/passwd"), b""),
        (named("packs/0000000000000abc", tarfile.LNKTYPE, archive.ABOUT), b""),
        (named("packs/0000000000000abc", tarfile.CHRTYPE), b""),
        (named("rows/site/00000001"), b"no zstd"),
        (named("rows/site/00000001"), BOMB),
        (named("rows/site/00000001"), LYING),
        (named("rows/site; drop/00000001"), b""),
        (named("rows/site/00000001"), zstandard.ZstdCompressor().compress(b"\x92\x01\x02")),
        (named(archive.MANIFEST), b"[1, 2]"),
        (named(archive.MANIFEST), b'{"tables": {"site": "many"}}'),
        (named(archive.MANIFEST), b"\xff\xfe"),
        (named(archive.MANIFEST), b"{}"),
    ],
)
def test_what_others_put_into_one_is_refused(info: tarfile.TarInfo, data: bytes, tmp_path: Path) -> None:
    with pytest.raises(ArchiveDamaged):
        read(forged(tmp_path / "forged.tar", (info, data)))
    assert {each.name for each in tmp_path.iterdir()} == {"forged.tar"}


def test_what_is_none(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        archive.check(tmp_path / "nowhere")
    with pytest.raises(DataFolderError):
        archive.check(tmp_path)
    for data in (b"", b"text", b"\0" * 5000):
        (tmp_path / "other").write_bytes(data)
        with pytest.raises(ArchiveDamaged):
            archive.check(tmp_path / "other")
    with tarfile.open(tmp_path / "photos.tar", "w") as tar:
        tar.addfile(named("about.jpg"), io.BytesIO())
    with pytest.raises(ArchiveDamaged, match="no backup or export"):
        archive.check(tmp_path / "photos.tar")


def test_one_of_a_newer_format_says_so(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "newer.tar", "w") as tar:
        info, data = named(archive.ABOUT), b'{"format": 2, "sealed": true}'
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
    with pytest.raises(ArchiveDamaged, match="of format 2, and this program reads 1"):
        archive.check(tmp_path / "newer.tar")


def test_nothing_is_left_of_one_that_could_not_be_finished(tmp_path: Path, made: Path) -> None:
    before = made.read_bytes()

    def broken() -> Iterator[bytes]:
        yield PACK[:10]
        raise DataFolderError("the disk")

    with pytest.raises(DataFolderError), archive.writing(made, ABOUT) as writer:
        writer.pack(1, len(PACK), broken())
    assert made.read_bytes() == before
    assert {each.name for each in tmp_path.iterdir()} == {made.name}


def test_a_disk_that_keeps_something_else_is_noticed(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = made.read_bytes()
    sync = os.fsync

    def spoil(descriptor: int) -> None:
        sync(descriptor)
        partial = made.with_name(f"{made.name}.part")
        data = bytearray(partial.read_bytes())
        data[data.index(PACK[:100]) + 5] ^= 1
        partial.write_bytes(data)

    monkeypatch.setattr(os, "fsync", spoil)
    with pytest.raises(ArchiveDamaged), archive.writing(made, ABOUT) as writer:
        writer.pack(0xABC, len(PACK), chunks(PACK))
    assert made.read_bytes() == before


def test_only_an_archive_is_replaced(tmp_path: Path, made: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(ConflictError, match="no backup of cormorant"), archive.writing(tmp_path / "thesis.txt", ABOUT):
        pass
    assert (tmp_path / "thesis.txt").read_text() == "years of work"
    with archive.writing(made, ABOUT):
        pass
    assert read(made)[0] == []
