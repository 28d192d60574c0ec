"""Messages, appointments and contacts of Outlook, and what is attached to them."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence

import pytest

from cormorant.extract.detect.compound_file import CompoundFile
from cormorant.extract.errors import Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.compound_writer import Tree, write_compound
from cormorant.extract.outlook.attachments import outlook_embedded_files
from cormorant.extract.outlook.msg import extract_msg
from cormorant.model.content import Extraction
from tests.extract.ole.binary_documents import Properties, message_tree

TASK = ExtractionTask("application/vnd.ms-outlook", "https://example.org/mail/plan.msg")
SUBJECT, BODY, RTF, HTML, NAME, ADDRESS, KIND = 0x0037, 0x1000, 0x1009, 0x1013, 0x3001, 0x39FE, 0x0C15
MAIL: Properties = {
    SUBJECT: "The plan", 0x0042: "Anna Beispiel", 0x5D02: "anna@example.org", BODY: "It begins at ten.\r\n",
    0x0039: 134_000_000_000_000_000,
}  # fmt: skip
TO: Properties = {NAME: "Bert Muster", ADDRESS: "bert@example.org", KIND: 1}
COPY: Properties = {NAME: "'carl@example.org'", ADDRESS: "carl@example.org", KIND: 2}
FILE: Properties = {0x3707: "plan.pdf", 0x3704: "PLAN~1.PDF", 0x3701: b"%PDF-1.4", 0x370E: "application/pdf"}
PICTURE: Properties = {0x3707: "image001.png", 0x3701: b"\x89PNG", 0x3712: "image001@x", 0x3714: 4}


def message(
    properties: Properties, recipients: Sequence[Properties] = (), attachments: Sequence[Properties] = ()
) -> bytes:
    return write_compound(message_tree(properties, recipients, attachments))


def read(body: bytes) -> Extraction:
    return extract_msg(body, TASK)


def test_a_message_says_who_wrote_what_to_whom_and_when() -> None:
    found = read(message(MAIL, [TO, COPY], [FILE, PICTURE]))
    assert found.text.split("\n") == [
        "From: Anna Beispiel <anna@example.org>", "To: Bert Muster <bert@example.org>", "Cc: carl@example.org",
        "Date: 2025-08-18 14:13", "Subject: The plan", "", "It begins at ten.", "", "Attachment: plan.pdf",
    ]  # fmt: skip
    assert found.title == "The plan"
    assert found.attributes["Author"] == "Anna Beispiel <anna@example.org>"
    assert found.attributes["To"] == ("Bert Muster <bert@example.org>",)
    assert not found.truncated


def test_recipients_are_those_on_display_when_no_others_are_there() -> None:
    found = read(message({SUBJECT: "x", 0x0E04: "Bert; 'Carl'", 0x0E03: "Dora"}))
    assert found.text.split("\n")[:2] == ["To: Bert, Carl", "Cc: Dora"]


def test_alternative_texts_of_pictures_are_text() -> None:
    page = b'<p>It begins at ten.</p><img alt="Way to the hall"><img alt="image001.png">'
    assert read(message({HTML: page})).text.split() == ["It", "begins", "at", "ten.", "Way", "to", "the", "hall"]
    assert read(message({**MAIL, HTML: page})).text.endswith("It begins at ten.\n\nWay to the hall")


def test_a_body_of_html_is_read_as_a_page() -> None:
    page = (
        '<html><body><p>Gr\u00fc\u00dfe</p><a href="https://example.com/a">here</a><script>x()</script></body></html>'
    )
    found = read(message({SUBJECT: "x", HTML: page.encode("cp1252"), 0x3FDE: 1252}))
    assert found.text.split("\n")[2:] == ["Gr\u00fc\u00dfe", "", "here"]
    assert [(link.address, link.text) for link in found.links] == [("https://example.com/a", "here")]


def test_plain_text_keeps_the_links_of_its_page() -> None:
    page = b'<a href="https://example.com/a">here</a> <a href="beside.html">beside</a>'
    found = read(message({BODY: "Look here", HTML: page}))
    assert found.text == "Look here"
    assert [link.address for link in found.links] == ["https://example.com/a"]


def test_a_body_of_rtf_is_read() -> None:
    rtf = rb"{\rtf1\ansi Hello {\b world}\par}"
    packed = struct.pack("<IIII", len(rtf) + 12, len(rtf), 0x414C454D, 0) + rtf
    assert read(message({RTF: packed})).text == "Hello world"


def test_a_page_wrapped_in_rtf_is_read_as_a_page() -> None:
    rtf = rb'{\rtf1\ansi\fromhtml1 {\*\htmltag <p>}\htmlrtf {\htmlrtf0 See{\*\htmltag <a href="https://example.com/b">}it}}'
    packed = struct.pack("<IIII", len(rtf) + 12, len(rtf), 0x414C454D, 0) + rtf
    found = read(message({RTF: packed}))
    assert found.text == "Seeit"
    assert [link.address for link in found.links] == ["https://example.com/b"]


def test_strings_of_bytes_are_in_the_code_page_of_the_message() -> None:
    tree = dict(message_tree({0x3FFD: 1251}))
    tree["__substg1.0_0037001E"] = "Привет".encode("cp1251")
    assert read(write_compound(tree)).title == "Привет"


def named(*numbers: tuple[str, int]) -> Tree:
    """Return numbers of properties without one: set and number there; they are counted from 0x8000."""
    sets = b"".join(bytes.fromhex(which) for which, _ in numbers)
    entries = b"".join(
        struct.pack("<IHH", number, (place + 3) << 1, place) for place, (_, number) in enumerate(numbers)
    )
    return {"__substg1.0_00020102": sets, "__substg1.0_00030102": entries, "__substg1.0_00040102": b""}


def test_an_appointment_has_a_place_and_a_time() -> None:
    of = "0220060000000000C000000000000046"
    values: Properties = {
        0x001A: "IPM.Appointment", SUBJECT: "Meeting", 0x8000: "Room 5", 0x8001: 134_000_000_000_000_000,
        0x8002: 134_000_036_000_000_000,
    }  # fmt: skip
    tree = {**message_tree(values), "__nameid_version1.0": named((of, 0x8208), (of, 0x820D), (of, 0x820E))}
    assert read(write_compound(tree)).text.split("\n")[2:] == ["Room 5", "2025-08-18 14:13 - 2025-08-18 15:13"]


def test_a_contact_has_its_addresses() -> None:
    values: Properties = {0x001A: "IPM.Contact", 0x3A08: "+49 30 123", 0x3A16: "Muster GmbH", 0x8000: "a@example.org"}
    tree = {**message_tree(values), "__nameid_version1.0": named(("0420060000000000C000000000000046", 0x8083))}
    assert read(write_compound(tree)).text.split("\n") == ["+49 30 123", "Muster GmbH", "a@example.org"]


def test_attachments_are_files_and_pictures_of_the_page_are_none() -> None:
    files = list(outlook_embedded_files(message(MAIL, [], [FILE, PICTURE, FILE]), TASK))
    assert [(file.path, file.body, file.mime) for file in files] == [
        ("plan.pdf", b"%PDF-1.4", "application/pdf"),
        ("plan (2).pdf", b"%PDF-1.4", "application/pdf"),
    ]


def test_pictures_that_the_page_shows_are_no_attachments() -> None:
    shown: Properties = {0x3707: "1.jpg", 0x3701: b"x", 0x3712: "<Pic%1@x>"}
    other: Properties = {0x3707: "photo.jpg", 0x3701: b"y", 0x3712: "other@x"}
    body = message({HTML: b'<p>x</p><img src="cid:pic%251@x">'}, [], [shown, other])
    assert [file.path for file in outlook_embedded_files(body, TASK)] == ["photo.jpg"]
    assert read(body).text.split("\n")[-1] == "Attachment: photo.jpg"


def test_an_attached_message_is_read_like_any_other() -> None:
    inner = message_tree({SUBJECT: "Inner", BODY: "Below", 0x0039: 134_000_000_000_000_000}, [TO], [FILE], header=24)
    attached: Properties = {NAME: "Inner", 0x3705: 5, 0x3701: inner}
    (file,) = outlook_embedded_files(message(MAIL, [], [attached]), TASK)
    assert (file.path, file.mime) == ("Inner.msg", "application/vnd.ms-outlook")
    found = read(file.body)
    assert found.title == "Inner"
    assert "Date: 2025-08-18 14:13" in found.text
    assert "To: Bert Muster" in found.text
    assert [each.path for each in outlook_embedded_files(file.body, TASK)] == ["plan.pdf"]


def test_an_attached_document_is_an_object() -> None:
    attached: Properties = {0x3707: "table", 0x3705: 6, 0x3701: {"Workbook": b"cells" * 900}}
    (file,) = outlook_embedded_files(message(MAIL, [], [attached]), TASK)
    assert (file.path, file.mime) == ("table", "application/vnd.ms-excel")
    assert CompoundFile(file.body).root.read("Workbook") == b"cells" * 900


def test_a_file_without_properties_is_unreadable() -> None:
    with pytest.raises(Unreadable):
        read(write_compound({"__properties_version1.0": b""}))


def test_mutations_raise_nothing_but_unreadable() -> None:
    inner = message_tree({SUBJECT: "Inner", BODY: "Below"}, header=24)
    sound = message({**MAIL, HTML: b"<p>x</p>"}, [TO, COPY], [FILE, {NAME: "i", 0x3701: inner}])
    chance = random.Random(4)
    for _ in range(300):
        body = bytearray(sound)
        for _ in range(chance.randrange(1, 20)):
            body[chance.randrange(512, len(body))] = chance.choice((0, 1, 0xFF, chance.randrange(256)))
        cut = bytes(body[: chance.randrange(len(body) // 2, len(body) + 1)])
        try:
            read(cut)
            list(outlook_embedded_files(cut, TASK))
        except Unreadable:
            continue
