from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Mapping

import pytest

from cormorant.extract.document.zip_package import ZipPackage
from cormorant.extract.document.zip_repair import with_directory
from cormorant.extract.errors import Unreadable

FILES = {"a.xml": b"<a>first</a>", "b/c.xml": bytes(range(256)) * 400, "d.bin": b"", "last.xml": b"<z/>" * 5_000}


class _Pipe(io.RawIOBase):
    """Output that cannot go back, so that sizes stand behind the data as they do in documents written to a network."""

    def __init__(self) -> None:
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        piece = memoryview(data)  # type: ignore[arg-type]
        self.data += piece
        return len(piece)


def archive(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED, *, streamed: bool = False) -> bytes:
    out = _Pipe() if streamed else io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as zipped:
        for name, data in files.items():
            zipped.writestr(name, data)
    return bytes(out.data) if isinstance(out, _Pipe) else out.getvalue()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("streamed", [False, True])
def test_files_are_found_without_a_directory(method: int, streamed: bool) -> None:
    data = archive(FILES, method, streamed=streamed)
    package = ZipPackage(with_directory(data[: data.rindex(b"PK\1\2", 0, data.rindex(b"PK\5\6") - 200)]))
    assert package.names[:3] == list(FILES)[:3]
    assert {name: package.read(name) for name in list(FILES)[:3]} == {name: FILES[name] for name in list(FILES)[:3]}


def test_the_beginning_of_a_file_that_was_cut_is_read() -> None:
    text = b"".join(b"line %d\n" % number for number in range(50_000))
    data = archive({"a.txt": b"whole", "b.txt": text})
    package = ZipPackage(with_directory(data[: len(data) // 2]))
    assert package.read("a.txt") == b"whole"
    assert package.read("b.txt") is None
    rest = package.read_damaged("b.txt")
    assert len(rest) > 100_000
    assert text.startswith(rest)


def test_a_damaged_file_is_read_up_to_the_damage() -> None:
    text = b"".join(b"line %d\n" % number for number in range(50_000))
    data = bytearray(archive({"b.txt": text}))
    data[len(data) // 2] ^= 0x55
    package = ZipPackage(bytes(data))
    rest = package.read_damaged("b.txt")
    assert len(rest) > 50_000
    assert text.startswith(rest[:50_000])
    assert package.read_damaged("nowhere") == b""


@pytest.mark.parametrize("body", [b"", b"PK", b"PK\3\4", b"x" * 100, b"PK\3\4" * 1_000])
def test_what_holds_no_files_is_returned_as_it_is(body: bytes) -> None:
    assert with_directory(body) is body


def test_changed_and_cut_archives_end_well() -> None:
    chance = random.Random(5)
    body = archive(FILES, streamed=True)
    for _ in range(300):
        changed = bytearray(body[: chance.randrange(len(body))])
        for _ in range(chance.randrange(6)):
            if changed:
                changed[chance.randrange(len(changed))] = chance.randrange(256)
        try:
            package = ZipPackage(with_directory(bytes(changed)))
        except Unreadable:
            continue
        for name in package.names:
            package.read_damaged(name)


def test_many_marks_take_no_time() -> None:
    assert len(with_directory(b"PK\3\4" + b"PK\3\4" * 1_000_000)) < 20_000_000
