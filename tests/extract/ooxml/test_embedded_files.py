from __future__ import annotations

import struct

import pytest

from cormorant.extract.detect.compound_file import MAGIC
from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.errors import Unreadable
from cormorant.extract.ooxml.embedded_files import ooxml_embedded_files
from tests.extract.ooxml.package_writer import TASK, WORD, OfficePackage, paragraph, read_word, root, word, zipped

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def files(package: OfficePackage) -> list[EmbeddedFile]:
    return list(ooxml_embedded_files(package.data(), TASK))


def ole(**streams: bytes) -> bytes:
    """Return an OLE file of small streams, each filled up to a sector of the large kind so that one table does."""
    names = list(streams)
    bodies = [data + bytes(-len(data) % 512) for data in streams.values()]
    bodies = [data if len(data) >= 4096 else data + bytes(4096 - len(data)) for data in bodies]
    table = [0xFFFFFFFD]
    starts = []
    place = 2
    table.append(0xFFFFFFFE)
    for data in bodies:
        count = len(data) // 512
        starts.append(place)
        table += [*range(place + 1, place + count), 0xFFFFFFFE]
        place += count
    table += [0xFFFFFFFF] * (128 - len(table))
    entries = [_entry("Root Entry", 5, child=1, start=0xFFFFFFFE, size=0)]
    for number, (name, data) in enumerate(zip(names, bodies, strict=True)):
        following = number + 2 if number + 1 < len(names) else 0xFFFFFFFF
        entries.append(_entry(name, 2, right=following, start=starts[number], size=len(data)))
    directory = b"".join(entries).ljust(512, b"\0")
    header = (
        MAGIC
        + bytes(16)
        + struct.pack("<HHHHH6xIIIIIIIIII", 62, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0, 0)
    )
    header = header.ljust(512, b"\xff")
    return header + struct.pack("<128I", *table) + directory + b"".join(bodies)


def _entry(
    name: str, kind: int, *, child: int = 0xFFFFFFFF, right: int = 0xFFFFFFFF, start: int = 0, size: int = 0
) -> bytes:
    raw = name.encode("utf-16-le") + b"\0\0"
    return struct.pack("<64sHBBIII36xIII", raw, len(raw), kind, 1, 0xFFFFFFFF, right, child, start, size, 0)


def native(name: str, data: bytes) -> bytes:
    label = name.encode() + b"\0"
    body = (
        b"\2\0"
        + label
        + b"C:\\"
        + label
        + b"\0\0\3\0"
        + struct.pack("<I", len(label))
        + label
        + struct.pack("<I", len(data))
        + data
    )
    return struct.pack("<I", len(body)) + body


def test_an_embedded_workbook_is_yielded_as_it_is() -> None:
    package = word(paragraph("body"))
    data = zipped({"xl/workbook.xml": "<x/>"})
    package.relate(WORD, "package", package.add("word/embeddings/Sheet1.xlsx", data, XLSX))
    assert files(package) == [EmbeddedFile("Sheet1.xlsx", data, XLSX)]


def test_an_embedded_file_is_found_by_its_relationship_in_any_folder() -> None:
    package = word(paragraph("body"))
    package.relate(WORD, "package", package.add("elsewhere/a.docx", zipped({"a": "b"})))
    package.add("xl/embeddings/unreferenced.docx", zipped({"c": "d"}))
    package.add("word/media/image1.png", b"\x89PNG")
    assert [file.path for file in files(package)] == ["a.docx", "unreferenced.docx"]


def test_a_file_dropped_into_a_document_has_its_own_name_which_is_text_of_the_document() -> None:
    package = word(paragraph("body"))
    data = ole(**{"\x01Ole10Native": native("budget.csv", b"a;b" * 2_000)})
    package.relate(WORD, "oleObject", package.add("word/embeddings/oleObject1.bin", data))
    assert files(package) == [EmbeddedFile("budget.csv", b"a;b" * 2_000)]
    assert read_word(package).text == "body\n\nbudget.csv"


def test_an_embedded_document_of_the_old_kind_keeps_its_streams() -> None:
    package = word(paragraph("body"))
    package.relate(WORD, "oleObject", package.add("word/embeddings/oleObject1.bin", ole(WordDocument=b"x" * 5_000)))
    (file,) = files(package)
    assert (file.path, file.mime) == ("oleObject1.doc", "application/msword")
    assert file.body.startswith(MAGIC)


def test_previews_and_formulas_are_no_files() -> None:
    package = word(paragraph("body"))
    package.add("word/embeddings/oleObject1.bin", ole(**{"Equation Native": b"x"}))
    package.add("word/embeddings/oleObject2.bin", b"unknown")
    package.add("word/embeddings/image.emf", b"\1\0\0\0", "image/x-emf")
    assert files(package) == []


def test_the_workbook_behind_a_chart_is_no_file() -> None:
    package = word(paragraph("body"))
    mime = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml"
    package.relate(WORD, "chart", package.add("word/charts/chart1.xml", root("c:chartSpace", ""), mime))
    package.relate("word/charts/chart1.xml", "package", package.add("word/embeddings/Sheet1.xlsx", zipped({"a": "b"})))
    assert files(package) == []


def test_imported_documents_are_files_and_imported_pages_are_text() -> None:
    package = word('<w:altChunk r:id="rId1"/><w:altChunk r:id="rId2"/>')
    package.relate(WORD, "aFChunk", package.add("word/chunk1.rtf", r"{\rtf1 x}"))
    package.relate(WORD, "aFChunk", package.add("word/chunk2.html", "<p>page</p>"))
    assert [file.path for file in files(package)] == ["chunk1.rtf"]
    assert read_word(package).text == "page"


def test_they_come_one_at_a_time() -> None:
    package = word("")
    for number in range(3):
        package.add(f"word/embeddings/{number}.docx", zipped({"a": "b"}))
    found = ooxml_embedded_files(package.data(), TASK)
    assert next(found).path == "0.docx"
    assert next(found).path == "1.docx"


def test_what_is_no_archive_is_unreadable() -> None:
    with pytest.raises(Unreadable):
        list(ooxml_embedded_files(b"PK", TASK))
