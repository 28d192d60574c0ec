"""Text in the metafiles of Word, Excel and PowerPoint documents, and the pictures that only show a document."""

from __future__ import annotations

import struct
import zlib

import pytest

from cormorant.extract.detect.compound_file import CompoundFile
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.compound_writer import Tree, storage_tree, write_compound
from cormorant.extract.ole.excel import extract_xls
from cormorant.extract.ole.pictures import BlipText
from cormorant.extract.ole.powerpoint import extract_ppt
from cormorant.extract.ole.word import extract_doc
from tests.clocks import cpu_s
from tests.extract.formats.metafile_writer import emf, text, wmf, wmf_text
from tests.extract.ole import biff_writer
from tests.extract.ole.binary_documents import (
    Page,
    Run,
    characters,
    container,
    powerpoint_document,
    record,
    shape,
    slide,
    sprm,
    word_document,
)

TASK = ExtractionTask("", "https://example.org/a")
DRAWINGS = 50
PUMP, VALVE = emf(text("Pump")), emf(text("Valve"))
DOCUMENT: Tree = {"WordDocument": b"x" * 600}
FORMULA: Tree = {"Equation Native": b"x"}


def blip(picture: bytes, kind: int = 0xF01A, *, packed: bool = True, twice: bool = False) -> bytes:
    """Return the record of a metafile: [MS-ODRAW] 2.2.24."""
    data = zlib.compress(picture) if packed else picture
    about = struct.pack("<I16x8xIBB", len(picture), len(data), 0 if packed else 0xFE, 0)
    instance = (0x3D4 if kind == 0xF01A else 0x216) + twice
    return record(kind, bytes(16) * (1 + twice) + about + data, instance=instance)


def entry(picture: bytes = b"", place: int = 0xFFFFFFFF) -> bytes:
    """Return an entry of a blip store: the record of a picture, or its place in another stream."""
    return record(0xF007, bytes(28) + struct.pack("<I4x", place) + picture)


def store(*entries: bytes) -> bytes:
    """Return a drawing group with these entries."""
    return container(0xF000, container(0xF001, *entries))


def shows(number: int) -> bytes:
    """Return the properties of a shape that shows a picture."""
    return record(0xF00B, struct.pack("<HI", 0x4104, number), instance=1)


def presentation(*numbers: int, objects: tuple[Tree, ...] = (), preview: int = 0) -> bytes:
    """Return a presentation of two pictures, of which a slide shows some, and one for an object."""
    reference = container(0xF011, record(0x0BC1, struct.pack("<I", 1)))
    drawn = [shape(drawn=shows(number)) for number in numbers]
    if preview:
        drawn.append(container(0xF004, shows(preview), reference))
    pictures = blip(PUMP) + blip(VALVE, twice=True)
    group = container(0x040B, store(entry(place=0), entry(place=len(blip(PUMP)))))
    body = powerpoint_document(
        [Page(slide(shape(characters("Slide")), *drawn))],
        document=group,
        objects=[record(0x1011, write_compound(each)) for each in objects],
    )
    return with_stream(body, "Pictures", pictures)


def with_stream(body: bytes, name: str, data: bytes) -> bytes:
    """Return an OLE file with a further stream."""
    return write_compound({**storage_tree(CompoundFile(body).root), name: data})


@pytest.mark.parametrize(
    "picture",
    [
        blip(PUMP),
        blip(PUMP, packed=False),
        blip(PUMP, twice=True),
        blip(wmf(wmf_text(b"Pump"), placeable=False), 0xF01B),
        entry(blip(PUMP)),
        container(0xF000, container(0xF001, entry(blip(PUMP)))),
    ],
)
def test_metafiles_are_found_among_records(picture: bytes) -> None:
    assert list(BlipText().inline(b"xx" + record(0xF00B, b"abc") + picture, 2)) == ["Pump"]


def test_other_pictures_and_broken_ones_say_nothing() -> None:
    for data in (record(0xF01E, b"\x89PNG" * 20), blip(PUMP)[:60], blip(b"nothing"), blip(PUMP)[:40] + bytes(40)):
        assert list(BlipText().inline(data)) == []
    for size in range(len(entry(blip(PUMP)))):
        list(BlipText().stored(entry(blip(PUMP))[:size], b"", {1}))
    assert list(BlipText().stored(entry(place=0xFFFFFF00), b"short", {1})) == []


def test_entries_that_share_a_picture_unpack_it_so_often_and_no_more() -> None:
    bomb = blip(emf(bytes(30_000_000)))
    group = store(*[entry(place=0)] * 3_000)
    assert cpu_s(lambda: list(BlipText().stored(group, bomb, range(9_999))), 1) < 5


def test_pictures_in_the_line_of_a_word_document_are_read() -> None:
    run = Run(0, 1, sprm(0x6A03, bytes(4)) + sprm(0x0855, b"\1"))
    drawn = entry(blip(PUMP))
    data = struct.pack("<IHH", 68 + len(drawn), 68, 0x64) + bytes(60) + drawn
    assert extract_doc(word_document(["\x01 text\r"], runs=[run], streams={"Data": data}), TASK).text == "text\n\nPump"


@pytest.mark.parametrize(
    ("objects", "wanted"),
    [({"_1": DOCUMENT}, "shown"), ({"_1": FORMULA}, "shown\n\nPump"), ({}, "shown\n\nPump")],
)
def test_a_picture_of_an_object_is_read_unless_the_object_is_a_document(objects: Tree, wanted: str) -> None:
    main = "\x13 EMBED Word.Document.8 \x14\x01\x15shown\r"
    place = main.index("\x01")
    run = Run(place, place + 1, sprm(0x6A03, bytes(4)) + sprm(0x0855, b"\1"))
    drawn = entry(blip(PUMP))
    data = struct.pack("<IHH", 68 + len(drawn), 68, 0x64) + bytes(60) + drawn
    body = word_document([main], runs=[run], streams={"Data": data, "ObjectPool": objects})
    assert extract_doc(body, TASK).text == wanted


def test_pictures_before_the_text_of_a_word_document_are_read_where_a_shape_shows_them() -> None:
    drawings = store(entry(blip(PUMP)), entry(blip(VALVE))) + b"\0" + container(0xF002, container(0xF004, shows(2)))
    body = word_document(["text\r"], structures={DRAWINGS: drawings})
    assert extract_doc(body, TASK).text == "text\n\nValve"


def test_pictures_of_slides_are_read() -> None:
    assert extract_ppt(presentation(1, 2), TASK).text == "Slide\n\nPump\nValve"
    assert extract_ppt(presentation(2), TASK).text == "Slide\n\nValve"
    assert extract_ppt(presentation(9), TASK).text == "Slide"


def test_a_picture_on_a_slide_that_shows_a_document_is_left_out() -> None:
    assert extract_ppt(presentation(1, objects=(DOCUMENT,), preview=2), TASK).text == "Slide\n\nPump"
    assert extract_ppt(presentation(objects=(DOCUMENT, FORMULA), preview=2), TASK).text == "Slide\n\nValve"


def workbook(objects: Tree, obj: bytes) -> bytes:
    """Return a workbook of a sheet that shows its second picture."""
    drawing = biff_writer.record(0xEC, container(0xF004, shows(2)))
    group = store(entry(blip(PUMP)), entry(blip(VALVE)))
    pieces = biff_writer.record(0xEB, group[:90]) + biff_writer.record(0xEB, group[90:200])
    pieces += biff_writer.record(0x3C, group[200:])
    sheet = biff_writer.sheet(biff_writer.label(0, "cell"), drawing, obj)
    return write_compound({"Workbook": biff_writer.stream({"Stock": sheet}, before=pieces), **objects})


def test_pictures_of_sheets_are_read_unless_they_show_a_document() -> None:
    about = struct.pack("<HHHH", 0x15, 0x12, 8, 1) + bytes(14)
    plain = biff_writer.record(0x5D, about)
    embedded = biff_writer.record(0x5D, about + struct.pack("<HH", 9, 4) + bytes(4))
    assert extract_xls(workbook({}, plain), TASK).text == "Stock\ncell\n\nValve"
    assert extract_xls(workbook({"MBD01": DOCUMENT}, embedded), TASK).text == "Stock\ncell"
    assert extract_xls(workbook({"MBD01": FORMULA}, embedded), TASK).text == "Stock\ncell\n\nValve"
