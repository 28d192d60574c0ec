from __future__ import annotations

import struct

import pytest

from cormorant.extract.errors import Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.rtf.reader import extract_rtf, rtf_embedded_files

TASK = ExtractionTask("application/rtf", "https://h.example/file.rtf")


def prefixed(text: str) -> bytes:
    raw = text.encode("latin-1") + b"\0" if text else b""
    return struct.pack("<I", len(raw)) + raw


def packed(name: str, body: bytes, wide: str = "") -> bytes:
    """Return an OLE 1.0 object of the class Package, as Windows makes of a file that is dropped into a document."""
    path = f"C:\\Users\\ann\\{name}".encode("latin-1") + b"\0"
    native = b"\x02\0" + name.encode("latin-1") + b"\0" + path + b"\0\0\x03\0" + struct.pack("<I", len(path)) + path
    native += struct.pack("<I", len(body)) + body
    if wide:
        for label in (f"C:\\tmp\\{wide}", wide, f"C:\\Users\\{wide}"):
            native += struct.pack("<I", len(label)) + label.encode("utf-16-le")
    start = struct.pack("<II", 0x501, 2) + prefixed("Package") + prefixed("") + prefixed("")
    return start + struct.pack("<I", len(native)) + native


def rtf(*objects: bytes) -> bytes:
    made = (rb"{\object\objemb{\*\objclass Package}{\*\objdata " + data + rb"}{\result icon}}" for data in objects)
    return rb"{\rtf1 before " + b" ".join(made) + rb" after}"


def digits(data: bytes) -> bytes:
    text = data.hex().encode()
    return b"\r\n".join(text[place : place + 64] for place in range(0, len(text), 64))


def test_a_file_in_an_object_is_found_with_its_name() -> None:
    made = rtf(digits(packed("notes.txt", b"inner words")), digits(packed("????.txt", b"x", "日本.txt")))
    files = list(rtf_embedded_files(made, TASK))
    assert [(file.path, file.body) for file in files] == [("notes.txt", b"inner words"), ("日本.txt", b"x")]
    said = extract_rtf(made, TASK).text
    assert said.split("\n") == ["before icon icon after", "notes.txt", "日本.txt"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"zz",
        b"0",
        b"010500000200000008000000",
        digits(packed("a.txt", b"x")[:30]),
        digits(packed("a.txt", b"x").replace(b"Package", b"Unknown")),
        digits(b"\x01\x05\0\0\x02\0\0\0\xff\xff\xff\xff"),
        digits(packed("a.txt", b"x") + b"\xff" * 40),
        digits(b"\xd0\xcf\x11\xe0 cut short"),
    ],
)
def test_a_damaged_object_ends_nothing(data: bytes) -> None:
    made = rtf(data, digits(packed("whole.txt", b"y")))
    assert list(rtf_embedded_files(made, TASK))[-1].path == "whole.txt"
    assert "after" in extract_rtf(made, TASK).text


def test_a_document_without_objects_has_no_files() -> None:
    assert list(rtf_embedded_files(rtf(), TASK)) == []
    with pytest.raises(Unreadable):
        list(rtf_embedded_files(b"no rtf", TASK))
