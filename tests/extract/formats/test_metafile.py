from __future__ import annotations

import gzip
import random
import struct

import pytest

from cormorant.extract.detect.media_types import EMF, WMF
from cormorant.extract.detect.sniff import sniff
from cormorant.extract.formats import metafile
from cormorant.extract.formats.metafile import PictureText, extract_metafile, read_metafile
from cormorant.extract.job import ExtractionTask
from tests.clocks import cpu_s
from tests.extract.formats.metafile_writer import (
    align,
    emf,
    font,
    many_texts,
    move,
    order,
    plus,
    plus_glyphs,
    plus_string,
    small_text,
    text,
    wmf,
    wmf_delete,
    wmf_font,
    wmf_order,
    wmf_placed_text,
    wmf_select,
    wmf_text,
)

TASK = ExtractionTask(EMF, "https://host.example/plans/pump.emf")


def lines(*orders: bytes) -> list[str]:
    """Return the lines of text in an enhanced metafile."""
    return read_metafile(emf(*orders)).lines


def test_a_picture_is_read_as_a_document() -> None:
    said = extract_metafile(emf(text("Pump"), text("Valve", 0, 90)), TASK)
    assert (said.text, said.title, said.truncated) == ("Pump\nValve", "pump.emf", False)
    assert extract_metafile(emf(), TASK).text == ""


def test_pictures_are_known_by_their_bytes() -> None:
    assert sniff("image/png", emf(text("x"))) == EMF
    assert sniff("image/x-emf", emf()) == EMF
    for placeable in (True, False):
        assert sniff("", wmf(wmf_text(b"x"), placeable=placeable), "a.wmf") == WMF
    assert sniff("", b"\1\0\0\0" + bytes(60), "a.emf") == "application/octet-stream"


def test_pieces_that_touch_are_one_word_and_others_stand_apart() -> None:
    assert lines(font("Arial"), text("Quok"), text("ka", 40), text("jumps", 80), text("high", 140)) == [
        "Quokka jumps high"
    ]
    assert lines(font("Arial"), *(text(each, 12 * place) for place, each in enumerate("pump"))) == ["pump"]
    assert lines(text("below", 0, 60), text("above", 0, 0), text("back", 0, 0)) == ["below", "above", "back"]


def test_a_wording_is_a_line_once() -> None:
    assert lines(text("shadow", 2, 2), text("shadow", 0, 0), text("other", 0, 90)) == ["shadow", "other"]


def test_text_may_go_on_where_the_last_one_ended() -> None:
    assert lines(align(1), move(50, 50), text("Quok"), text("ka"), move(300, 50), text("runs")) == ["Quokka runs"]
    assert lines(align(1), text("Quok", distances=False), text("ka", distances=False)) == ["Quokka"]


def test_text_may_be_placed_by_its_end_or_its_middle() -> None:
    assert lines(font("Arial"), align(2), text("Quok", 40), text("ka", 60)) == ["Quokka"]
    assert lines(font("Arial"), align(6), text("Quok", 20), text("ka", 50)) == ["Quokka"]


def test_all_orders_of_text_are_read() -> None:
    assert lines(many_texts("one", "two"), small_text("café", narrow=True), small_text("Привет", narrow=False)) == [
        "one",
        "two",
        "café Привет",
    ]


def test_bytes_are_read_in_the_charset_of_their_font() -> None:
    cyrillic, greek = "насос".encode("cp1251"), "αντλία".encode("cp1253")
    found = lines(font("Arial", 204), text(cyrillic), font("Arial", 161, number=2), text(greek, 0, 90))
    assert found == ["насос", "αντλία"]
    assert lines(text(b"pump\xe9")) == ["pumpé"]


def test_glyphs_and_signs_say_nothing() -> None:
    assert lines(text("\x13\x14", options=0x10), font("Wingdings"), text("l"), font("Arial"), text("on", 90)) == ["on"]
    assert lines(text("\uf0b7 item")) == ["item"]


def test_orders_of_emf_plus_are_read_where_the_usual_ones_do_not_draw_the_same() -> None:
    assert lines(plus(plus_string("Pump"), plus_string("Valve", 0, 50)), plus(plus_glyphs("inlet"))) == [
        "Pump",
        "Valve",
        "inlet",
    ]
    assert lines(text("Pump 7"), plus(plus_string("Pump"), plus_string("Valve", 0, 90))) == ["Pump 7", "Valve"]
    assert lines(plus(plus_glyphs("inlet", by_character=False))) == []


def test_metafiles_of_windows_3_are_read() -> None:
    orders = (wmf_text(b"Pump"), wmf_placed_text(b"Val", 0, 90), wmf_placed_text(b"ve", 30, 90, rectangle=True))
    for placeable in (True, False):
        assert read_metafile(wmf(*orders, placeable=placeable)) == (["Pump", "Valve"], True)


def test_objects_take_the_lowest_number_that_is_free() -> None:
    pen = wmf_order(0x02FA, bytes(10))
    orders = (
        pen, wmf_font(b"Arial", 161), wmf_delete(0), wmf_font(b"Arial", 204),
        wmf_select(0), wmf_text("насос".encode("cp1251")), wmf_select(1), wmf_text("ροή".encode("cp1253"), 0, 90),
    )  # fmt: skip
    assert read_metafile(wmf(*orders)).lines == ["насос", "ροή"]


def test_compressed_pictures_are_read_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_metafile(gzip.compress(emf(text("Pump")))).lines == ["Pump"]
    assert read_metafile(gzip.compress(emf(text("Pump")))[:40]).lines == []
    monkeypatch.setattr(metafile, "MAX_METAFILE", 1_000)
    found = read_metafile(gzip.compress(emf(text("Pump"), order(1, bytes(2_000)))))
    assert found == (["Pump"], False)


def test_all_pictures_of_a_document_share_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = emf(text("Pump"))
    monkeypatch.setattr(metafile, "MAX_BYTES", 2 * len(picture))
    pictures = PictureText()
    assert [pictures.lines(picture) for _ in range(3)] == [["Pump"], ["Pump"], []]


def test_a_picture_that_is_cut_short_is_read_up_to_there() -> None:
    said = extract_metafile(emf(text("Pump"), text("Valve", 0, 90))[:-40], TASK)
    assert (said.text, said.truncated) == ("Pump", True)
    assert said.fault


@pytest.mark.parametrize("size", [0, 7, 9, 0xFFFFFFF0, 0x7FFFFFFF])
def test_an_order_of_a_size_that_cannot_be_ends_the_picture(size: int) -> None:
    assert read_metafile(emf(text("Pump"), struct.pack("<II", 84, size) + bytes(64))) == (["Pump"], False)
    assert read_metafile(wmf(wmf_text(b"Pump"), struct.pack("<IH", size % 3, 0x0521))).lines == ["Pump"]


def test_broken_pictures_are_read_without_an_error() -> None:
    chance = random.Random(7)
    drawn = (text("Pump"), text(b"Valve"), many_texts("a", "b"), plus(plus_glyphs("c")))
    whole = emf(font("Arial", 204), align(1), *drawn)
    old = wmf(wmf_font(b"Arial"), wmf_select(0), wmf_text(b"Pump"), wmf_placed_text(b"Valve", rectangle=True))
    for picture in (whole, old):
        for _ in range(400):
            broken = bytearray(picture)
            for _ in range(chance.randrange(1, 6)):
                broken[chance.randrange(44, len(broken)) % len(broken)] = chance.randrange(256)
            read_metafile(bytes(broken[: chance.randrange(len(broken) // 2, len(broken) + 1)]))


def test_many_orders_take_little_time() -> None:
    pens = wmf(*[wmf_order(0x02FA, bytes(10))] * 50_000)
    assert cpu_s(lambda: read_metafile(pens), 1) < 2
    letters = emf(*[text("x", place, 0, step=10) for place in range(0, 200_000, 10)])
    assert cpu_s(lambda: read_metafile(letters), 1) < 2
