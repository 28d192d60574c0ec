"""Messages in the form of winmail.dat."""

from __future__ import annotations

import random
import struct

import pytest

from cormorant.extract.errors import Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.compound_writer import write_compound
from cormorant.extract.ole.embedded import ole_embedded_files
from cormorant.extract.ole.tnef import TNEF_MAGIC, extract_tnef
from cormorant.model.content import Extraction

TASK = ExtractionTask("application/vnd.ms-tnef", "https://example.org/winmail.dat")
CODE_PAGE, SUBJECT, BODY, FROM, SENT, PROPERTIES = 0x69007, 0x18004, 0x2800C, 0x8000, 0x38005, 0x69003
RECIPIENTS, NEW, TITLE, DATA, ATTACHED = 0x69004, 0x69002, 0x18010, 0x6800F, 0x69005
RFC_ID = bytes.fromhex("0703020000000000C000000000000046")


def tnef(*attributes: tuple[int, bytes]) -> bytes:
    body = TNEF_MAGIC + b"\1\0"
    for number, data in attributes:
        level = 2 if number in (NEW, TITLE, DATA, ATTACHED) else 1
        body += struct.pack("<BII", level, number, len(data)) + data + struct.pack("<H", sum(data) & 0xFFFF)
    return body


def value(tag: int, kind: int, *data: bytes, name: bytes = b"") -> bytes:
    found = struct.pack("<HH", kind, tag) + name
    if kind & 0x1000 or kind in (0x0D, 0x1E, 0x1F, 0x0102):
        found += struct.pack("<I", len(data))
        return found + b"".join(struct.pack("<I", len(each)) + each + bytes(-len(each) % 4) for each in data)
    return found + b"".join(data)


def properties(*values: bytes) -> bytes:
    return struct.pack("<I", len(values)) + b"".join(values)


def text(tag: int, words: str) -> bytes:
    return value(tag, 0x1F, words.encode("utf-16-le") + b"\0\0")


def read(*attributes: tuple[int, bytes]) -> Extraction:
    return extract_tnef(tnef(*attributes), TASK)


def test_a_message_of_properties_is_read() -> None:
    rows = struct.pack("<I", 1) + properties(text(0x3001, "Bert"), text(0x39FE, "bert@example.org"))
    values = properties(
        text(0x37, "The plan"), text(0x42, "Anna"), text(0x1000, "At ten."),
        value(0x39, 0x40, struct.pack("<Q", 134_000_000_000_000_000)),
    )  # fmt: skip
    found = read((CODE_PAGE, struct.pack("<II", 1252, 0)), (RECIPIENTS, rows), (PROPERTIES, values))
    assert found.text.split("\n") == [
        "From: Anna", "To: Bert <bert@example.org>", "Date: 2025-08-18 14:13", "Subject: The plan", "", "At ten.",
    ]  # fmt: skip
    assert found.title == "The plan"


def test_an_old_message_is_read_in_its_code_page() -> None:
    sender = struct.pack("<HHHH", 4, 20, 5, 21) + b"Anna\0" + b"SMTP:anna@example.org"
    found = read(
        (CODE_PAGE, struct.pack("<II", 1251, 0)), (FROM, sender), (SUBJECT, "Привет".encode("cp1251") + b"\0"),
        (SENT, struct.pack("<7H", 2001, 2, 3, 4, 5, 6, 0)), (BODY, "мир".encode("cp1251") + b"\0"),
    )  # fmt: skip
    assert found.text.split("\n") == [
        "From: Anna <anna@example.org>", "Date: 2001-02-03 04:05", "Subject: Привет", "", "мир",
    ]  # fmt: skip


def test_properties_with_names_and_with_several_values_are_passed() -> None:
    of = bytes.fromhex("2903020000000000C000000000000046")
    words = "Keywords\0".encode("utf-16-le")
    name = of + struct.pack("<II", 1, len(words)) + words + bytes(-len(words) % 4)
    values = properties(
        value(0x8001, 0x101F, "red\0".encode("utf-16-le"), "green\0".encode("utf-16-le"), name=name),
        value(0x8002, 0x0B, b"\1\0\0\0", name=of + struct.pack("<II", 0, 0x8506)),
        text(0x1000, "Body"),
    )
    found = read((PROPERTIES, values))
    assert found.text == "Body"
    assert found.attributes["Keywords"] == ("red", "green")


def test_attachments_have_names_and_bytes() -> None:
    body = tnef(
        (BODY, b"See below\0"), (NEW, bytes(14)), (TITLE, b"PLAN~1.TXT\0"), (DATA, b"text"),
        (ATTACHED, properties(text(0x3707, "plan for ten.txt"))), (NEW, bytes(14)), (TITLE, b"b.txt\0"), (DATA, b"b"),
    )  # fmt: skip
    assert extract_tnef(body, TASK).text.split("\n")[2:] == [
        "Attachment: plan for ten.txt",
        "Attachment: b.txt",
    ]
    assert [(file.path, file.body) for file in ole_embedded_files(body, TASK)] == [
        ("plan for ten.txt", b"text"),
        ("b.txt", b"b"),
    ]


def test_an_attached_message_is_one_like_the_outer_one() -> None:
    inner = tnef((SUBJECT, b"Inner\0"), (BODY, b"Below\0"))
    attached = properties(text(0x3001, "Inner"), value(0x3701, 0x0D, RFC_ID + inner))
    (file,) = ole_embedded_files(tnef((NEW, bytes(14)), (ATTACHED, attached)), TASK)
    assert (file.path, file.mime) == ("Inner.dat", "application/vnd.ms-tnef")
    assert extract_tnef(file.body, TASK).title == "Inner"


def test_an_attached_object_is_its_document() -> None:
    sheet = write_compound({"Workbook": b"cells"})
    attached = properties(value(0x3701, 0x0D, bytes(16) + sheet))
    (file,) = ole_embedded_files(tnef((NEW, bytes(14)), (TITLE, b"t\0"), (ATTACHED, attached)), TASK)
    assert (file.path, file.mime) == ("t", "application/vnd.ms-excel")


def test_a_message_that_was_cut_shows_its_beginning() -> None:
    found = extract_tnef(tnef((SUBJECT, b"Plan\0"), (BODY, b"long text " * 50))[:-100], TASK)
    assert found.title == "Plan"
    assert "long text" in found.text
    assert found.truncated


def test_what_follows_the_last_attribute_is_no_damage() -> None:
    body = tnef((BODY, b"Body\0"))
    assert not extract_tnef(body + bytes(40), TASK).truncated


def test_another_file_is_unreadable() -> None:
    with pytest.raises(Unreadable):
        extract_tnef(b"no message", TASK)


def test_mutations_raise_nothing_but_unreadable() -> None:
    rows = struct.pack("<I", 1) + properties(text(0x3001, "Bert"))
    attached = properties(text(0x3707, "plan.txt"), value(0x3701, 0x0D, RFC_ID + tnef((BODY, b"x\0"))))
    values = properties(text(0x37, "The plan"), value(0x8001, 0x101F, b"a\0", b"b\0", name=bytes(24)))
    sound = tnef((RECIPIENTS, rows), (PROPERTIES, values), (BODY, b"b\0"), (NEW, bytes(14)), (ATTACHED, attached))
    chance = random.Random(5)
    for _ in range(300):
        body = bytearray(sound)
        for _ in range(chance.randrange(1, 10)):
            body[chance.randrange(4, len(body))] = chance.choice((0, 1, 0xFF, chance.randrange(256)))
        extract_tnef(bytes(body), TASK)
        list(ole_embedded_files(bytes(body), TASK))
