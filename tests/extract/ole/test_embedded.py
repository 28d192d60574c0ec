"""Files embedded in Word and PowerPoint documents."""

from __future__ import annotations

import struct
import zlib

import pytest

from cormorant.extract.detect.compound_file import CompoundFile
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.compound_writer import write_compound
from cormorant.extract.ole.embedded import ole_embedded_files
from tests.extract.ole.binary_documents import powerpoint_document, record, word_document

TASK = ExtractionTask("", "https://example.org/a")
SHEET = {"Workbook": b"cells" * 1000}


def test_objects_of_a_word_document_are_files() -> None:
    pool = {"_1": SHEET, "_2": {"Package": b"PK\x03\x04"}, "_3": {"\x01Ole": b""}}
    sheet, package = ole_embedded_files(word_document(["x\r"], streams={"ObjectPool": pool}), TASK)
    assert sheet.mime == "application/vnd.ms-excel"
    assert CompoundFile(sheet.body).root.read("Workbook") == SHEET["Workbook"]
    assert package.body == b"PK\x03\x04"


def test_objects_of_a_presentation_are_unpacked() -> None:
    sheet = write_compound(SHEET)
    packed = record(0x1011, struct.pack("<I", len(sheet)) + zlib.compress(sheet), instance=1)
    plain = record(0x1011, write_compound({"Package": b"PK\x03\x04"}))
    broken = record(0x1011, struct.pack("<I", 9) + b"no zlib", instance=1)
    first, second = ole_embedded_files(powerpoint_document([], objects=[packed, plain, broken]), TASK)
    assert CompoundFile(first.body).root.read("Workbook") == SHEET["Workbook"]
    assert second.body == b"PK\x03\x04"


def test_files_are_made_one_after_the_other() -> None:
    pool = {f"_{number}": SHEET for number in range(50)}
    files = ole_embedded_files(word_document(["x\r"], streams={"ObjectPool": pool}), TASK)
    assert next(files).mime == "application/vnd.ms-excel"
    assert sum(1 for _ in files) == 49


def test_what_is_no_ole_file_is_unreadable_and_an_encrypted_one_protected() -> None:
    with pytest.raises(Unreadable):
        list(ole_embedded_files(b"nothing", TASK))
    with pytest.raises(Protected):
        list(ole_embedded_files(powerpoint_document([], encrypted=True), TASK))
