"""Title, author and the like of documents in OLE files."""

from __future__ import annotations

import random
import struct

from cormorant.extract.detect.compound_file import CompoundFile
from cormorant.extract.ole.compound_writer import write_compound
from cormorant.extract.ole.properties import DOCUMENT_SUMMARY, SUMMARY, OfficeProperties, read_properties


def value(kind: int, data: bytes) -> bytes:
    return struct.pack("<I", kind) + data + bytes(-len(data) % 4)


def text(words: str, codec: str = "cp1252") -> bytes:
    data = words.encode(codec) + (b"\0\0" if codec == "utf-16-le" else b"\0")
    return value(0x1E, struct.pack("<I", len(data)) + data)


def wide(words: str) -> bytes:
    return value(0x1F, struct.pack("<I", len(words) + 1) + words.encode("utf-16-le") + b"\0\0")


def property_set(values: dict[int, bytes]) -> bytes:
    place = 8 + 8 * len(values)
    pairs, data = b"", b""
    for number, each in values.items():
        pairs += struct.pack("<II", number, place + len(data))
        data += each
    return struct.pack("<II", place + len(data), len(values)) + pairs + data


def stream(*sets: dict[int, bytes]) -> bytes:
    written = [property_set(each) for each in sets]
    place = 28 + 20 * len(sets)
    head = struct.pack("<HHI16sI", 0xFFFE, 0, 0, b"", len(sets))
    for each in written:
        head += bytes(16) + struct.pack("<I", place)
        place += len(each)
    return head + b"".join(written)


def read(summary: dict[int, bytes], *document: dict[int, bytes]) -> OfficeProperties:
    streams = {SUMMARY: stream(summary), DOCUMENT_SUMMARY: stream(*document) if document else b""}
    return read_properties(CompoundFile(write_compound(streams)).root)


def test_properties_become_title_and_attributes() -> None:
    found = read(
        {2: text("The plan"), 3: text("Plans"), 4: text("Anna; Bert"), 5: text("a, b; a"), 6: text("All\r\nof it")},
        {2: text("Papers"), 15: text("Muster GmbH")},
    )
    assert found.title == "The plan"
    assert found.attributes == {
        "Subject": "Plans", "Description": "All of it", "Author": ("Anna", "Bert"), "Keywords": ("a", "b"),
        "Category": "Papers", "Company": "Muster GmbH",
    }  # fmt: skip


def test_text_is_in_the_code_page_that_the_set_names() -> None:
    def page(number: int) -> bytes:
        return value(2, struct.pack("<H", number))

    assert read({1: page(1251), 2: text("План", "cp1251")}).title == "План"
    assert read({1: page(65001), 2: text("План", "utf-8")}).title == "План"
    assert read({1: page(1200), 2: text("План", "utf-16-le")}).title == "План"
    assert read({2: wide("План")}).title == "План"
    assert read({1: page(4711), 2: text("Caf\u00e9")}).title == "Caf\u00e9"


def test_properties_under_names_of_the_user_are_attributes() -> None:
    names = struct.pack("<I", 6)
    listed = ("Client", "Version", "Due", "_PID_GUID", "Protection", "At")
    for number, name in enumerate(listed, 2):
        names += struct.pack("<II", number, len(name) + 1) + name.encode() + b"\0"
    day = 116_444_736_000_000_000 + 20_526 * 864_000_000_000
    found = read(
        {}, {},
        {
            0: names, 2: text("Muster"), 3: value(5, struct.pack("<d", 1.5)), 4: value(0x40, struct.pack("<Q", day)),
            5: text("{x}"), 6: text("none"), 7: value(0x40, struct.pack("<Q", day + 36_610_000_000 * 10)),
        },
    )  # fmt: skip
    assert found.attributes == {
        "Client": "Muster", "Version": 1.5, "Due": "2026-03-14", "At": "2026-03-14 10:10:10",
    }  # fmt: skip


def test_damaged_properties_are_left_out() -> None:
    assert read_properties(CompoundFile(write_compound({SUMMARY: b"\xfe\xff" + bytes(20)})).root) == ("", {})
    huge = value(0x1E, struct.pack("<I", 0xFFFFFFF0) + b"Plan\0")
    assert read({2: huge, 4: value(0x40, b"\xff" * 8)}).title == "Plan"


def test_mutations_raise_nothing() -> None:
    names = struct.pack("<III", 1, 2, 2) + b"n\0"
    sound = stream(
        {1: value(2, b"\xe4\x04"), 2: text("Plan"), 0: names, 3: value(0x40, bytes(8))}, {0: names, 2: text("x")}
    )
    chance = random.Random(6)
    for _ in range(300):
        body = bytearray(sound)
        for _ in range(chance.randrange(1, 10)):
            body[chance.randrange(len(body))] = chance.choice((0, 1, 0x1E, 0x40, 0xFF, chance.randrange(256)))
        read_properties(CompoundFile(write_compound({SUMMARY: bytes(body), DOCUMENT_SUMMARY: bytes(body)})).root)
