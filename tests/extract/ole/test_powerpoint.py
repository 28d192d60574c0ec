"""Text of PowerPoint 97-2003 documents from every place where text can stand."""

from __future__ import annotations

import random
import struct

import pytest

from cormorant.extract.detect.compound_file import CompoundFile
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.compound_writer import write_compound
from cormorant.extract.ole.powerpoint import extract_ppt
from cormorant.model.content import Extraction
from tests.extract.ole.binary_documents import (
    Page,
    characters,
    container,
    outline,
    powerpoint_document,
    record,
    shape,
    slide,
    string,
)

TASK = ExtractionTask("application/vnd.ms-powerpoint", "https://example.org/talks/plan.ppt")
NOTES, MASTER = 0x03F0, 0x03F8


def read(body: bytes) -> Extraction:
    return extract_ppt(body, TASK)


def lines_of(*slides: bytes) -> list[str]:
    return read(powerpoint_document([Page(each) for each in slides])).text.split("\n")


def test_slides_are_read_in_the_order_of_their_list() -> None:
    assert lines_of(slide(shape(characters("One"))), slide(shape(characters("Two")))) == ["One", "", "Two"]


def test_text_in_bytes_and_lines_within_a_paragraph_are_read() -> None:
    page = slide(shape(record(0x0FA8, b"caf\xe9 \x93x\x94")), shape(characters("a\rb\x0bc 漢😀")))
    assert lines_of(page) == ["café “x”", "a", "b", "c 漢😀"]


def test_groups_tables_and_word_art_are_read() -> None:
    words = "Word art".encode("utf-16-le") + b"\0\0"
    described = "A map of the site".encode("utf-16-le") + b"\0\0"
    table = struct.pack("<HIHI", 0xC0C0, len(words), 0xC381, len(described)) + words + described
    drawn = record(0xF00B, table, instance=2)
    drawn = struct.pack("<H", 2 << 4 | 3) + drawn[2:]
    group = container(0xF003, shape(characters("Cell A")), shape(characters("Cell B")))
    assert lines_of(slide(group, shape(drawn=drawn))) == ["Cell A", "Cell B", "Word art", "A map of the site"]


def test_text_of_placeholders_may_lie_in_the_outline() -> None:
    page = slide(shape(record(0x0F9E, struct.pack("<I", 1))), shape(characters("Own")))
    found = read(powerpoint_document([Page(page, outline=outline("Not shown by a shape", "Shown"))]))
    assert found.text.split("\n") == ["Shown", "Own", "Not shown by a shape"]


def test_notes_follow_their_slide() -> None:
    first, second = slide(shape(characters("One")), notes=77), slide(shape(characters("Two")))
    notes = slide(shape(characters("Speak slowly")), kind=NOTES)
    found = read(powerpoint_document([Page(first), Page(second)], notes=[Page(notes, 77)]))
    assert found.text.split("\n") == ["One", "Speak slowly", "", "Two"]


def test_comments_footers_and_what_a_master_shows_are_found_once() -> None:
    footers = container(0x0FD9, record(0x0FDA, struct.pack("<HH", 0, 0x20)), string("Hidden", 1), string("Footer", 2))
    comment = container(0x2EE0, string("Ann", 0), string("Please check", 1), string("A", 2))
    tags = container(0x1388, container(0x138A, string("___PPT10"), record(0x138B, comment)))
    page = slide(shape(characters("Body")), after=footers + tags)
    prompt = shape(characters("Click to edit Master title style"), placeholder=True)
    master = slide(prompt, shape(characters("Company")), kind=MASTER)
    found = read(powerpoint_document([Page(page), Page(page[:])], masters=[Page(master)], document=footers))
    assert found.text.split("\n") == ["Body", "", "Body", "", "Footer", "Please check", "Company"]


def test_a_stand_in_for_a_slide_number_is_no_text() -> None:
    numbered = shape(characters("Page * of 3*"), record(0x0FD8, struct.pack("<I", 5)))
    assert lines_of(slide(numbered, shape(characters("*"), record(0x0FF7, bytes(8))))) == ["Page   of 3*"]


def test_a_hyperlink_has_its_words_and_its_target() -> None:
    target = container(0x0FD7, record(0x0FD3, struct.pack("<I", 3)), string("name"), string("https://example.com/a", 1))
    linked = container(0x0FF2, record(0x0FF3, struct.pack("<II8x", 0, 3))) + record(0x0FDF, struct.pack("<II", 5, 9))
    page = slide(shape(characters("😀 a here b"), linked))
    found = read(powerpoint_document([Page(page)], document=container(0x0409, target)))
    assert [(link.address, link.text) for link in found.links] == [("https://example.com/a", "here")]


def test_an_edit_replaces_what_it_wrote_again() -> None:
    old = slide(shape(characters("Old")))
    body = powerpoint_document([Page(old)])
    root = CompoundFile(body).root
    stream, user = root.read("PowerPoint Document") or b"", root.read("Current User") or b""
    edit = struct.unpack_from("<I", user, 16)[0]
    new = slide(shape(characters("New")))
    directory = len(stream) + len(new)
    stream += new + record(0x1772, struct.pack("<II", 1 << 20 | 2, len(stream)))
    newest = len(stream)
    stream += record(0x0FF5, struct.pack("<IIIIIIHH", 0, 0, edit, directory, 1, 3, 0, 0))
    user = user[:16] + struct.pack("<I", newest)
    found = read(write_compound({"PowerPoint Document": stream, "Current User": user}))
    assert found.text == "New"
    assert not found.truncated


def test_edits_that_lead_to_each_other_end() -> None:
    root = CompoundFile(powerpoint_document([Page(slide(shape(characters("One"))))])).root
    stream, user = bytearray(root.read("PowerPoint Document") or b""), root.read("Current User") or b""
    edit = struct.unpack_from("<I", user, 16)[0]
    struct.pack_into("<I", stream, edit + 16, edit)
    assert read(write_compound({"PowerPoint Document": bytes(stream), "Current User": user})).text == "One"


def test_an_encrypted_presentation_is_protected() -> None:
    with pytest.raises(Protected):
        read(powerpoint_document([], encrypted=True))


def test_a_presentation_for_two_versions_is_read_in_its_newer_one() -> None:
    root = CompoundFile(powerpoint_document([Page(slide(shape(characters("One"))))])).root
    inner = {name: root.read(name) or b"" for name in ("PowerPoint Document", "Current User")}
    assert read(write_compound({"PowerPoint Document": b"95", "PP97_DUALSTORAGE": inner})).text == "One"


def test_slides_without_a_directory_are_found_and_prompts_are_not() -> None:
    pages = [Page(slide(shape(characters("One")))), Page(slide(shape(characters("Two"))))]
    master = slide(shape(characters("Click to edit"), placeholder=True), kind=MASTER)
    root = CompoundFile(powerpoint_document(pages, masters=[Page(master)])).root
    found = read(write_compound({"PowerPoint Document": root.read("PowerPoint Document") or b""}))
    assert found.text.split("\n") == ["One", "Two"]
    assert found.truncated
    assert found.fault


def test_text_in_broken_records_is_found() -> None:
    stream = bytes(100) + b"\xff" * 33 + characters("Lost and found") + b"\x00\x07"
    assert read(write_compound({"PowerPoint Document": stream})).text == "Lost and found"


@pytest.mark.parametrize("stream", [b"", bytes(10), bytes(5000)])
def test_a_presentation_without_anything_is_unreadable(stream: bytes) -> None:
    with pytest.raises(Unreadable):
        read(write_compound({"PowerPoint Document": stream}))


def test_a_list_that_names_one_slide_without_end_costs_little() -> None:
    page = slide(shape(characters("x" * 5_000)))
    lists = record(0x0FF0, record(0x03F3, struct.pack("<IIiII", 2, 0, 0, 256, 0)) * 50_000, container=True)
    found = read(powerpoint_document([Page(page)], document=lists))
    assert found.text.count("x") < 2_000_000


def test_mutations_raise_nothing_but_unreadable_and_protected() -> None:
    comment = container(0x2EE0, string("Ann", 0), string("Please check", 1))
    page = slide(shape(characters("One *"), record(0x0FD8, bytes(4))), notes=77, after=comment)
    notes = slide(shape(characters("Speak slowly")), kind=NOTES)
    sound = powerpoint_document([Page(page, outline=outline("a", "b"))], notes=[Page(notes, 77)])
    chance = random.Random(3)
    for _ in range(300):
        body = bytearray(sound)
        for _ in range(chance.randrange(1, 20)):
            body[chance.randrange(512, len(body))] = chance.choice((0, 1, 0x0F, 0xFF, chance.randrange(256)))
        try:
            read(bytes(body[: chance.randrange(len(body) // 2, len(body) + 1)]))
        except (Unreadable, Protected):
            continue
