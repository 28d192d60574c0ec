"""Text of Word 97-2003 documents from every place where text can stand."""

from __future__ import annotations

import random
import struct

import pytest

from cormorant.extract.detect.compound_file import CompoundFile
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.compound_writer import write_compound
from cormorant.extract.ole.word import extract_doc
from cormorant.model.content import Extraction
from tests.extract.ole.binary_documents import (
    ANCHORS,
    FONTS,
    PIECES,
    TEXT_AT,
    TEXT_BOXES,
    Run,
    clx,
    sprm,
    word_document,
)

TASK = ExtractionTask("application/msword", "https://example.org/papers/plan.doc")
DELETED = sprm(0x0800, b"\1")
ROW_END = sprm(0x2417, b"\1")


def read(body: bytes) -> Extraction:
    return extract_doc(body, TASK)


def text_of(main: str, *parts: str, runs: tuple[Run, ...] = (), paragraphs: tuple[Run, ...] = ()) -> str:
    return read(word_document((main, *parts), runs=runs, paragraphs=paragraphs)).text


def test_notes_headers_comments_and_boxes_are_found_once_after_the_text() -> None:
    parts = (
        "Body\x02 goes on\r", "\x02 A footnote\r", "\x03\r\x04\rA header\r\r", "", "\x05A comment\r",
        "\x02 An endnote\r", "In a box\r", "Box in a header\r",
    )  # fmt: skip
    found = read(word_document(parts))
    assert found.text.split("\n") == [
        "Body goes on", "In a box", "", "A header", "A footnote", "An endnote", "A comment", "Box in a header",
    ]  # fmt: skip
    assert not found.truncated


def test_words_are_parted_by_breaks_and_joined_at_soft_hyphens() -> None:
    assert text_of("one\ttwo\x0bthree\x0cfour\x0efive\r") == "one\ttwo\nthree\nfour\nfive"
    assert text_of("hyphen\x1fation, E\x1email\r") == "hyphenation, E-mail"


def test_a_field_shows_its_result_and_not_its_instruction() -> None:
    assert text_of("Page \x13 PAGE \x147\x15 of \x13 NUMPAGES \x1412\x15\r") == "Page 7 of 12"
    assert text_of('Word\x13 XE "entry" \x15s\r') == "Words"
    assert text_of('\x13 IF \x13 X \x141\x15 = 1 "a" "b" \x14yes\x15\r') == "yes"
    assert text_of("\x13 MACROBUTTON None Click here\x15 now\r") == "Click here now"


def test_a_word_keeps_its_place_below_its_reading() -> None:
    ruby = 'EQ \\* jc2 \\* "Font:MS Mincho" \\* hps11 \\o\\ad(\\s\\up 10(とうきょう),東京)'
    assert text_of(f"次は\x13 {ruby} \x15へ\rEnd\r").split("\n") == ["次は東京へ", "とうきょう", "", "End"]


def test_an_equation_field_shows_its_terms() -> None:
    assert text_of("y = \x13 EQ \\f(one,two) \x15 end\r").split() == ["y", "=", "one", "two", "end"]


def test_a_hyperlink_has_its_words_and_its_target() -> None:
    found = read(word_document(['See \x13 HYPERLINK "https://example.com/a" \\l "part" \x14these\x15 pages\r']))
    assert found.text == "See these pages"
    assert [(link.address, link.text) for link in found.links] == [("https://example.com/a", "these")]
    assert read(word_document(['\x13 HYPERLINK \\l "here" \x14down\x15\r'])).links == ()


def test_a_field_without_an_end_hides_no_text() -> None:
    assert text_of("Before \x13 all of this\rand this\r").split() == ["Before", "all", "of", "this", "and", "this"]
    assert text_of("\x13 A \x14 result") == "result"
    assert text_of("stray \x15marks \x14here") == "stray marks here"


def test_fields_nest_as_deep_as_they_like() -> None:
    assert text_of("\x13 A \x14" * 5_000 + "deep" + "\x15" * 5_000 + " end\r").endswith("end")


def test_deleted_text_is_left_out() -> None:
    assert text_of("It was old new.\r", runs=(Run(7, 11, DELETED),)) == "It was new."


def test_text_deleted_since_the_last_whole_save_is_left_out() -> None:
    units = "kept gone also gone kept"
    for change, modifier in (([], 1 << 8 | 0x41 << 1), ([DELETED], 1)):
        pieces = [(0, 5, TEXT_AT, 0), (5, 20, TEXT_AT + 10, modifier), (20, 24, TEXT_AT + 40, 0)]
        body = word_document([units], structures={PIECES: clx(pieces, change)})
        assert read(body).text == "kept kept"


def test_pieces_are_put_in_their_order() -> None:
    stored = "second first "
    pieces = [(0, 6, TEXT_AT + 14, 0), (6, 13, TEXT_AT, 0)]
    assert read(word_document([stored], structures={PIECES: clx(pieces)})).text == "first second"


def test_pieces_of_bytes_and_of_unicode_stand_side_by_side() -> None:
    narrow = "naïve “quoted” ".encode("cp1252") + b"?"
    stored = narrow.decode("utf-16-le") + "Ω漢"
    pieces = [(0, 15, TEXT_AT * 2 | 0x40000000, 0), (15, 17, TEXT_AT + 16, 0)]
    found = read(word_document([stored.ljust(17, "\r")], structures={PIECES: clx(pieces)}))
    assert found.text == "naïve “quoted” Ω漢"


def test_text_beyond_the_counted_parts_is_found() -> None:
    body = word_document(["short"], structures={PIECES: clx([(0, 10, TEXT_AT, 0)])})
    assert read(body).text == "short"
    longer = bytearray(CompoundFile(word_document(["main and more"])).root.read("WordDocument") or b"")
    struct.pack_into("<i", longer, 0x4C, 4)
    table = CompoundFile(word_document(["main and more"])).root.read("1Table") or b""
    assert read(write_compound({"WordDocument": bytes(longer), "1Table": table})).text.split() == [
        "main",
        "and",
        "more",
    ]


def test_emoji_are_one_character_wherever_a_run_ends() -> None:
    assert text_of("a 😀 b\r") == "a 😀 b"
    assert text_of("😀 x gone 😀y\r", runs=(Run(5, 10, DELETED),)) == "😀 x 😀y"


def test_symbols_are_those_of_their_font() -> None:
    names = b"".join(
        bytes((39 + len(name) * 2 + 2,)) + bytes(39) + name.encode("utf-16-le") + b"\0\0"
        for name in ("Arial", "Symbol", "Wingdings")
    )
    structures = {FONTS: struct.pack("<HH", 3, 0) + names}
    runs = (
        Run(0, 1, sprm(0x6A09, struct.pack("<HH", 1, 0xF061))),
        Run(2, 3, sprm(0x6A09, struct.pack("<HH", 2, 0xF0FC))),
        Run(4, 5, sprm(0x4A4F, struct.pack("<H", 1))),
    )
    body = word_document(["( ( \uf062 (x)\r"], runs=runs, structures=structures)
    assert read(body).text.split() == ["\u03b1", "\u03b2", "(x)"]


def test_cells_are_parted_by_tabs_and_rows_by_lines() -> None:
    rows = (Run(4, 5, ROW_END), Run(10, 11, ROW_END))
    assert text_of("A1\x07\x07\x07A2\x07B\x07\x07end\r", paragraphs=rows).split("\n")[:2] == ["A1", "A2\tB"]
    assert text_of("A1\x07\x07C1\x07\x07end\r", paragraphs=(Run(7, 8, ROW_END),)) == "A1\t\tC1\nend"
    assert text_of("A1\x07B1\x07\x07end\r") == "A1\tB1\nend"


def test_a_box_follows_the_paragraph_that_it_is_anchored_in() -> None:
    main = "First\x08 goes on\rSecond\r"
    boxes = "In the box\r"
    structures = {
        ANCHORS: struct.pack("<II", 5, len(main)) + struct.pack("<I22x", 1025),
        TEXT_BOXES: struct.pack("<II", 0, len(boxes)) + struct.pack("<14xI4x", 1025),
    }
    body = word_document([main, "", "", "", "", "", boxes], structures=structures)
    assert read(body).text.split("\n") == ["First goes on", "In the box", "", "Second"]


def form_field() -> bytes:
    choices = struct.pack("<HHH", 0xFFFF, 2, 0)
    choices += b"".join(struct.pack("<H", len(each)) + each.encode("utf-16-le") for each in ("Hamburg", "Dortmund"))
    empty = struct.pack("<HH", 0, 0)
    found = struct.pack("<IHHH", 0xFFFFFFFF, 2 | 1 << 2, 0, 0) + empty + struct.pack("<H", 0) + empty * 5 + choices
    return struct.pack("<IH", 0x44 + len(found), 0x44) + bytes(0x44 - 6) + found


def test_a_drop_down_field_shows_its_choice() -> None:
    main = "City: \x13 FORMDROPDOWN \x01\x15.\r"
    picture = Run(main.index("\x01"), main.index("\x01") + 1, sprm(0x6A03, struct.pack("<I", 8)))
    assert (
        read(word_document([main], runs=[picture], streams={"Data": bytes(8) + form_field()})).text == "City: Dortmund."
    )


def test_alternative_texts_of_pictures_are_found_unless_a_program_made_them() -> None:
    def picture(text: str) -> bytes:
        words = text.encode("utf-16-le") + b"\0\0"
        table = struct.pack("<HI", 0xC381, len(words)) + words
        drawn = (
            struct.pack("<HHI", 0x1F, 0xF004, len(table) + 8) + struct.pack("<HHI", 0x13, 0xF00B, len(table)) + table
        )
        return struct.pack("<IHH", 68 + len(drawn), 68, 0x64) + bytes(60) + drawn

    for text, found in (("A map of the site", ["A map of the site"]), ("Picture 1", []), ("C:\\map.jpg", [])):
        runs = [Run(0, 1, sprm(0x6A03, bytes(4)))]
        body = word_document(["\x01 text\r"], runs=runs, streams={"Data": picture(text)})
        assert read(body).text.split("\n") == ["text", *([""] if found else []), *found]


def test_the_name_of_a_dropped_file_is_found() -> None:
    native = (
        bytes(4)
        + b"\2\0plan.pdf\0C:\\plan.pdf\0\0\0\3\0"
        + struct.pack("<I", 1)
        + b"\0"
        + struct.pack("<I", 4)
        + b"%PDF"
    )
    body = word_document(["text\r"], streams={"ObjectPool": {"_1": {"\x01Ole10Native": native}}})
    assert read(body).text.split("\n")[-1] == "plan.pdf"


def test_an_encrypted_document_is_protected() -> None:
    with pytest.raises(Protected):
        read(word_document(["x\r"], flags=0x1300))


def test_a_document_of_word_6_is_read_in_the_code_page_of_its_language() -> None:
    text = "Привет, мир\r".encode("cp1251")
    stream = bytearray(0x300) + text
    struct.pack_into("<HH2xH", stream, 0, 0xA5DC, 101, 0x0419)
    struct.pack_into("<II", stream, 0x18, 0x300, 0x300 + len(text))
    struct.pack_into("<i", stream, 0x34, len(text))
    found = read(write_compound({"WordDocument": bytes(stream)}))
    assert found.text == "Привет, мир"
    assert not found.truncated


def test_a_document_without_its_table_shows_its_text_and_says_so() -> None:
    stream = CompoundFile(word_document(["The text alone is left\r"])).root.read("WordDocument") or b""
    found = read(write_compound({"WordDocument": stream}))
    assert found.text == "The text alone is left"
    assert found.truncated
    assert found.fault


def test_a_document_that_was_cut_shows_its_beginning() -> None:
    pieces = [(0, 5_000, TEXT_AT, 0)]
    found = read(word_document(["word " * 200], structures={PIECES: clx(pieces)}))
    assert found.text.startswith("word word")
    assert found.truncated


@pytest.mark.parametrize("stream", [b"", b"\xec\xa5" + bytes(100), bytes(2000), b"\xec\xa5\xc1\0" + bytes(2000)])
def test_a_document_without_text_is_unreadable(stream: bytes) -> None:
    with pytest.raises(Unreadable):
        read(write_compound({"WordDocument": stream}))


def test_title_and_author_are_those_of_its_properties() -> None:
    found = read(word_document(["x\r"]))
    assert (found.title, found.attributes) == ("plan.doc", {})


def test_huge_counts_and_pieces_end() -> None:
    pieces = [(0, 0x7FFFFFFF, TEXT_AT, 0)]
    body = word_document(["x" * 100], structures={PIECES: clx(pieces)})
    assert read(body).truncated
    many = clx([(number, number + 1, TEXT_AT, 0) for number in range(50_000)])
    assert read(word_document(["x"], structures={PIECES: many})).text.count("x") >= 50_000


def test_mutations_raise_nothing_but_unreadable_and_protected() -> None:
    main = 'First\x08 go\x13 HYPERLINK "a" \x14es\x15 on\x07\x07\rSecond \x13 FORMDROPDOWN \x01\x15\r'
    structures = {
        ANCHORS: struct.pack("<II", 5, len(main)) + struct.pack("<I22x", 1025),
        TEXT_BOXES: struct.pack("<II", 0, 3) + struct.pack("<14xI4x", 1025),
    }
    picture = Run(main.index("\x01"), main.index("\x01") + 1, sprm(0x6A03, bytes(4)))
    sound = word_document(
        [main, "note\r", "head\r", "", "comment\r", "end\r", "box\r"],
        runs=[Run(0, 2, DELETED), picture],
        paragraphs=[Run(20, 22, ROW_END)],
        structures=structures,
        streams={"Data": form_field(), "ObjectPool": {"_1": {"\x01Ole10Native": bytes(40)}}},
    )
    chance = random.Random(2)
    for _ in range(300):
        body = bytearray(sound)
        for _ in range(chance.randrange(1, 20)):
            body[chance.randrange(512, len(body))] = chance.choice((0, 1, 0x7F, 0xFF, chance.randrange(256)))
        try:
            read(bytes(body[: chance.randrange(len(body) // 2, len(body) + 1)]))
        except (Unreadable, Protected):
            continue
