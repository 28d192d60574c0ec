"""Documents in the storages of OLE objects."""

from __future__ import annotations

import struct

from cormorant.extract.detect.compound_file import CompoundFile, kind_of
from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.ole.compound_writer import Tree, write_compound
from cormorant.extract.ole.object_storage import embedded_object, object_name, unpack_object


def of(tree: Tree) -> EmbeddedFile | None:
    return embedded_object(CompoundFile(write_compound(tree)).root)


def native(name: str, body: bytes, after: bytes = b"") -> bytes:
    path = b"C:\\Users\\anna\\" + name.encode("cp1252", "replace")
    before = struct.pack("<H", 2) + name.encode("cp1252", "replace") + b"\0" + path + b"\0" + struct.pack("<HH", 0, 3)
    data = before + struct.pack("<I", len(path) + 1) + path + b"\0" + struct.pack("<I", len(body)) + body + after
    return struct.pack("<I", len(data)) + data


def test_a_dropped_file_has_its_name() -> None:
    assert of({"\x01Ole10Native": native("plan.pdf", b"%PDF-")}) == EmbeddedFile("plan.pdf", b"%PDF-")
    names = b"".join(
        struct.pack("<I", len(each)) + each.encode("utf-16-le") for each in ("C:\\Пл.txt", "План.txt", "C:\\План.txt")
    )
    assert of({"\x01Ole10Native": native("????.txt", b"x", names)}) == EmbeddedFile("План.txt", b"x")


def test_the_name_of_an_object_is_that_of_its_file() -> None:
    root = CompoundFile(write_compound({"\x01Ole10Native": native("plan.pdf", b"x"), "Workbook": b"x"})).root
    assert object_name(root) == "plan.pdf"
    assert object_name(CompoundFile(write_compound({"Workbook": b"x"})).root) == ""


def test_documents_of_each_kind_are_found() -> None:
    assert of({"Package": b"PK\x03\x04"}) == EmbeddedFile("", b"PK\x03\x04")
    assert of({"EmbeddedOdf": b"PK\x03\x04"}) == EmbeddedFile("", b"PK\x03\x04")
    assert of({"CONTENTS": b"\0\0%PDF-1.4 x"}) == EmbeddedFile("", b"%PDF-1.4 x", "application/pdf")
    assert of({"Contents": b"{\\rtf1 x}"}) == EmbeddedFile("", b"{\\rtf1 x}", "application/rtf")
    file = of({"WordDocument": b"text", "1Table": b"x"})
    assert file is not None
    assert (file.mime, kind_of(file.body)) == ("application/msword", "application/msword")


def test_pictures_and_formulas_are_no_documents() -> None:
    assert of({"CONTENTS": b"BM picture", "\x01Ole": b""}) is None
    assert of({"Equation Native": b"x = y"}) is None
    assert of({"\x01Ole10Native": struct.pack("<I", 900) + b"\xff" * 900}) is None


def test_a_file_that_is_no_ole_file_has_no_document() -> None:
    assert unpack_object(b"nothing") is None
    assert unpack_object(write_compound({"Package": b"PK"})) == EmbeddedFile("", b"PK")


def test_a_size_beyond_the_end_gives_the_bytes_that_are_there() -> None:
    data = native("a.txt", b"abc")
    longer = data.replace(struct.pack("<I", 3) + b"abc", struct.pack("<I", 0xFFFFFFF0) + b"abc")
    assert of({"\x01Ole10Native": longer}) == EmbeddedFile("a.txt", b"abc")
