"""The long tail of formats is told apart by bytes and names, and which of them a Tika server reads is a setting."""

from __future__ import annotations

import struct

import pytest

from cormorant.extract.detect.formats import reader_of
from cormorant.extract.detect.sniff import sniff
from cormorant.extract.detect.tika_formats import EXTENSION_OF, EXTENSIONS, TIKA_FORMATS, TIKA_TYPES
from cormorant.extract.detect.tika_types import TikaTypes
from tests.tika import documents

NOISE = bytes(range(256)) * 8
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
APPLE = "application/vnd.apple."
PACKED = {"Index/Document.iwa": "x", "Index/Tables/DataList.iwa": "x", "Metadata/Properties.plist": "x"}
XPS = "application/vnd.ms-xpsdocument"


def ole(stream: str) -> bytes:
    """An OLE file with an empty stream: a header, the table of sectors and the directory ([MS-CFB] 2.2, 2.3, 2.6)."""
    none, end = 0xFFFFFFFF, 0xFFFFFFFE
    head = OLE + struct.pack("<16xHHHHH6xIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, end, 0, end, 0)
    table = struct.pack("<II", 0xFFFFFFFD, end)
    return (
        (head + struct.pack("<I", 0)).ljust(512, b"\xff")
        + table.ljust(512, b"\xff")
        + b"".join(
            f"{name}\0".encode("utf-16-le").ljust(64, b"\0")
            + struct.pack("<HBBIII36xII4x", 2 * len(name) + 2, kind, 1, none, none, child, end, 0)
            for name, kind, child in (("Root Entry", 5, 1), (stream, 2, none))
        ).ljust(512, b"\0")
    )


@pytest.mark.parametrize(
    ("body", "name", "mime"),
    [
        (documents.one("words"), "x", "application/onenote"),
        (bytes.fromhex("a12fff43d9ef764c9ee210ea5722765f") + NOISE, "x", "application/x-onenote-contents"),
        (documents.vsdx("words"), "x", "application/vnd.ms-visio.drawing"),
        (documents.vsdx("words"), "x.vstx", "application/vnd.ms-visio.template"),
        (documents.vsdx("words")[:900], "x.vsdx", "application/vnd.ms-visio.drawing"),
        (documents.xps("words"), "x", XPS),
        (documents.xps("words"), "x.oxps", "application/oxps"),
        (documents.pages("words"), "x.pages", APPLE + "pages"),
        (documents.pages("words"), "x.zip", "application/zip"),
        (documents.zipped(PACKED), "x", APPLE + "pages"),
        (documents.zipped(PACKED), "x.numbers", APPLE + "numbers"),
        (documents.zipped({"Index/Slide-1.iwa": "x"}), "x", APPLE + "keynote"),
        (documents.zipped({"Index.zip": "x"}), "x.key", APPLE + "keynote"),
        (documents.zipped({"Index.zip": "x"}), "x.zip", "application/zip"),
        (documents.zipped({"visio/a.txt": "x"}), "x.zip", "application/zip"),
        (documents.zipped({"mimetype": "application/vnd.sun.xml.writer"}), "x", "application/zip"),
        (ole("Props12"), "x", "application/vnd.ms-project"),
        (ole("VisioDocument"), "x", "application/vnd.visio"),
        (ole("Quill"), "x", "application/x-mspublisher"),
        (ole("WordDocument"), "x.mpp", "application/msword"),
        (b"ITSF\x03\0\0\0" + NOISE, "x", "application/vnd.ms-htmlhelp"),
        (b"AC1032\0\0\0\0" + NOISE, "x", "image/vnd.dwg"),
        (b"AC1032 is the name of a part.", "x.txt", "text/plain"),
        (b"!BDN" + NOISE, "x.ost", "application/vnd.ms-outlook-pst"),
        (b"\x00\x01\x00\x00Standard Jet DB\0" + NOISE, "x", "application/x-msaccess"),
        (b"\x30\x82" + NOISE, "contract.pdf.p7m", "application/pkcs7-mime"),
        (b"\x03\x5f" + NOISE, "table.dbf", "application/x-dbf"),
    ],
)  # fmt: skip
def test_formats_are_told_apart(body: bytes, name: str, mime: str) -> None:
    assert sniff("", body, name) == mime


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b"-----BEGIN PRIVATE KEY-----\nMIIE\n", "server.key"), (b"ssh-ed25519 AAAAC3Nz ada@mole\n", "id.pub"),
        (b"one, two and three\n", "x.one"), (b"0\nSECTION\n2\nENTITIES\n0\nTEXT\n1\nquay\n0\nEOF\n", "plan.dxf"),
    ],
)  # fmt: skip
def test_text_with_such_a_name_stays_text(body: bytes, name: str) -> None:
    assert sniff("", body, name) == "text/plain"


def test_other_bytes_with_such_a_name_are_something_else() -> None:
    assert sniff("", NOISE, "x.pub") == sniff("application/onenote", NOISE, "x") == "application/octet-stream"


def test_each_type_has_one_format_and_each_extension_one_type() -> None:
    types = [mime for each in TIKA_FORMATS for mime in each.media_types]
    extensions = [extension for each in TIKA_FORMATS for extension in each.extensions]
    assert len(types) == len(set(types))
    assert len(extensions) == len(set(extensions))
    assert set(EXTENSIONS.values()) - TIKA_TYPES == {"application/x-onenote-contents"}
    assert EXTENSION_OF["application/onenote"] == "one"


def test_by_default_tika_reads_what_nothing_else_does() -> None:
    types = TikaTypes("")
    unread = {mime for mime in TIKA_TYPES if reader_of(mime) is None}
    assert {mime for mime in TIKA_TYPES if mime in types} == unread
    assert "application/onenote" in unread
    assert "application/x-onenote-contents" not in types, "there is no text in it"
    for mime in ("application/pdf", "text/html", "text/plain", "image/png", "audio/mpeg", "application/octet-stream"):
        assert mime not in types, mime


def test_types_that_are_named_take_the_place_of_the_default() -> None:
    types = TikaTypes("audio/*, application/pdf")
    assert "audio/mpeg" in types
    assert "application/pdf" in types
    assert "application/onenote" not in types
    assert "application/onenote" in TikaTypes("Default audio/*")


def test_pages_are_never_read_by_tika() -> None:
    assert "text/html" not in TikaTypes("text/*")
    assert "text/csv" in TikaTypes("text/*")
    with pytest.raises(ValueError, match="would not find the links"):
        TikaTypes("application/xhtml+xml")


@pytest.mark.parametrize("words", ["audio", "*/*", "audio/mpeg;q=1", "a/b/c", "défaut"])
def test_what_is_no_type_is_named(words: str) -> None:
    with pytest.raises(ValueError, match="is no media type"):
        TikaTypes(words)
