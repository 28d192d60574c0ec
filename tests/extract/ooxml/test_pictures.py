"""Text in the metafiles of Office Open XML documents."""

from __future__ import annotations

import gzip

import pytest

from cormorant.extract.ole.compound_writer import write_compound
from tests.extract.formats.metafile_writer import emf, text, wmf, wmf_text
from tests.extract.ooxml.package_writer import WORD, OfficePackage, paragraph, read_show, read_word, show, word
from tests.extract.ooxml.workbook_writer import book, read

PUMP = emf(text("Pump"))
DOCUMENT = write_compound({"WordDocument": b"x" * 5_000})
FORMULA = write_compound({"Equation Native": b"x"})


def with_object(data: bytes, shown: str = '<v:imagedata r:id="rId2"/>') -> OfficePackage:
    """Return a text document with an embedded object and the picture that shows it."""
    inside = f'<v:shape>{shown}</v:shape><o:OLEObject r:id="rId1"/>'
    package = word(f"<w:p><w:r><w:object>{inside}</w:object></w:r></w:p>" + paragraph("body"))
    package.relate(WORD, "oleObject", package.add("word/embeddings/oleObject1.bin", data), identity="rId1")
    package.relate(WORD, "image", package.add("word/media/image1.emf", PUMP), identity="rId2")
    return package


@pytest.mark.parametrize(
    ("name", "mime", "data"),
    [
        ("image1.emf", "", PUMP),
        ("image1.WMF", "", wmf(wmf_text(b"Pump"))),
        ("image1.emz", "", gzip.compress(PUMP, mtime=0)),
        ("image1.bin", "image/x-emf", PUMP),
    ],
)
def test_metafiles_are_read_by_name_or_type(name: str, mime: str, data: bytes) -> None:
    package = word(paragraph("body"))
    package.relate(WORD, "image", package.add(f"word/media/{name}", data, mime))
    assert read_word(package).text == "body\n\nPump"


def test_other_pictures_and_the_thumbnail_of_the_document_are_not_read() -> None:
    package = word(paragraph("body"))
    package.add("word/media/image1.emf", b"\x89PNG")
    package.add("word/media/image2.png", PUMP)
    package.add("docProps/thumbnail.emf", PUMP)
    assert read_word(package).text == "body"


def test_a_picture_of_an_object_is_read_unless_the_object_is_a_document() -> None:
    assert read_word(with_object(DOCUMENT)).text == "body"
    assert read_word(with_object(FORMULA)).text == "body\n\nPump"
    assert read_word(with_object(b"unknown")).text == "body\n\nPump"
    assert read_word(with_object(DOCUMENT, "")).text == "body\n\nPump"


def test_pictures_of_objects_on_slides_and_sheets_are_left_out() -> None:
    drawn = '<p:oleObj r:id="rId1"><p:pic><a:blip r:embed="rId2"/></p:pic></p:oleObj>'
    package = show(f"<p:graphicFrame><a:graphic>{drawn}</a:graphic></p:graphicFrame>")
    part = "ppt/slides/slide1.xml"
    package.relate(part, "oleObject", package.add("ppt/embeddings/oleObject1.bin", DOCUMENT), identity="rId1")
    package.relate(part, "image", package.add("ppt/media/image1.emf", PUMP), identity="rId2")
    assert read_show(package).text == ""
    package.relate(part, "image", package.add("ppt/media/image2.emf", emf(text("Valve"))), identity="rId3")
    assert read_show(package).text == "Valve"


def test_pictures_in_the_drawing_of_old_versions_are_left_out_where_all_objects_are_documents() -> None:
    for data, wanted in ((DOCUMENT, "Stock\n1"), (FORMULA, "Stock\n1\n\nPump")):
        package = book('<c r="A1"><v>1</v></c>')
        part, drawing = "xl/worksheets/sheet1.xml", package.add("xl/drawings/vmlDrawing1.vml", "<xml/>")
        package.relate(part, "oleObject", package.add("xl/embeddings/oleObject1.bin", data))
        package.relate(part, "vmlDrawing", drawing)
        package.relate(drawing, "image", package.add("xl/media/image1.emf", PUMP))
        assert read(package).text == wanted
