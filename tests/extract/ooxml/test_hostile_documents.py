"""Damaged and hostile documents: the readers say what they can read, or that they cannot, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.ooxml.embedded_files import ooxml_embedded_files
from cormorant.extract.ooxml.presentation import extract_pptx
from cormorant.extract.ooxml.wordprocessing import extract_docx
from tests.extract.ooxml.package_writer import (
    SHOW,
    TASK,
    WORD,
    OfficePackage,
    drawn,
    paragraph,
    read_word,
    root,
    run,
    shape,
    show,
    slide_part,
    word,
)

ROUNDS = 300


def rich_word() -> OfficePackage:
    field = (
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        '<w:r><w:instrText> HYPERLINK "https://b.example/" </w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run("linked")}'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    )
    content = f"<wps:txbx><w:txbxContent>{paragraph('boxed')}</w:txbxContent></wps:txbx>"
    graphics = "<wp:docPr id='1' descr='Gannets'/><c:chart r:id='rId9'/><dgm:relIds r:dm='rId10'/>"
    box = f"<w:p><w:r><w:drawing>{graphics}{content}</w:drawing></w:r></w:p>"
    table = f"<w:tbl><w:tr><w:tc>{paragraph('a')}</w:tc><w:tc>{paragraph('b')}</w:tc></w:tr></w:tbl>"
    numbered = paragraph("item", properties='<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>')
    package = word(
        paragraph("Cormo", "rant")
        + field
        + box
        + table
        + numbered
        + '<w:sdt><w:sdtPr/><w:sdtContent/></w:sdt><w:altChunk r:id="rId11"/>',
        footnotes=f'<w:footnote w:id="1">{paragraph("note")}</w:footnote>',
        comments=f'<w:comment w:author="Ada">{paragraph("remark")}</w:comment>',
        header=paragraph("head"),
        numbering='<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
        '<w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
        styles='<w:style w:styleId="A"><w:name w:val="Title"/></w:style>',
    )
    point = '<c:formatCode>d.m.yyyy</c:formatCode><c:pt idx="0"><c:v>4</c:v></c:pt>'
    categories = f"<c:cat><c:numRef><c:numCache>{point}</c:numCache></c:numRef></c:cat>"
    chart = root("c:chartSpace", f"<c:ser><c:tx><c:v>gannets</c:v></c:tx>{categories}</c:ser>")
    package.relate(WORD, "chart", package.add("word/charts/chart1.xml", chart), identity="rId9")
    points = f'<dgm:ptLst><dgm:pt modelId="1"><dgm:t>{drawn("point")}</dgm:t></dgm:pt></dgm:ptLst>'
    model = f'{points}<dgm:cxnLst><dgm:cxn srcId="0" destId="1" srcOrd="0"/></dgm:cxnLst>'
    diagram = package.add("word/diagrams/data1.xml", root("dgm:dataModel", model))
    package.relate(WORD, "diagramData", diagram, identity="rId10")
    package.relate(WORD, "aFChunk", package.add("word/chunk.html", "<p>page</p>"), identity="rId11")
    package.relate(
        WORD,
        "oleObject",
        package.add("word/embeddings/oleObject1.bin", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)),
    )
    return package


def rich_show() -> OfficePackage:
    cell = f"<a:tc><a:txBody>{drawn('cell')}</a:txBody></a:tc>"
    table = f"<p:graphicFrame><a:tbl><a:tr>{cell}</a:tr></a:tbl></p:graphicFrame>"
    package = show(shape("Title", placeholder="title") + shape("body", alt="Terns") + table, shape("second"))
    slide = "ppt/slides/slide1.xml"
    package.relate(
        slide, "notesSlide", package.add("ppt/n.xml", slide_part("p:notes", shape("notes", placeholder="body")))
    )
    package.relate(slide, "slideLayout", package.add("ppt/l.xml", slide_part("p:sldLayout", shape("layout"))))
    package.relate(
        slide,
        "comments",
        package.add("ppt/c.xml", root("p:cmLst", '<p:cm authorId="0"><p:text>remark</p:text></p:cm>')),
    )
    package.relate(
        SHOW, "commentAuthors", package.add("ppt/a.xml", root("p:cmAuthorLst", '<p:cmAuthor id="0" name="Ada"/>'))
    )
    return package


def ends_well(reader: Callable[..., object], body: bytes) -> None:
    try:
        reader(body, TASK)
        list(ooxml_embedded_files(body, TASK))
    except (Unreadable, Protected):
        pass


READERS = [(extract_docx, rich_word), (extract_pptx, rich_show)]


@pytest.mark.parametrize(("reader", "make"), READERS)
def test_changed_bytes_of_the_archive_end_well(
    reader: Callable[..., object], make: Callable[[], OfficePackage]
) -> None:
    chance = random.Random(20)
    body = make().data()
    for _ in range(ROUNDS):
        changed = bytearray(body)
        for _ in range(chance.randint(1, 8)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        ends_well(reader, bytes(changed))


@pytest.mark.parametrize(("reader", "make"), READERS)
def test_archives_cut_anywhere_end_well(reader: Callable[..., object], make: Callable[[], OfficePackage]) -> None:
    body = make().data()
    for size in range(0, len(body), max(1, len(body) // ROUNDS)):
        ends_well(reader, body[:size])


@pytest.mark.parametrize(("reader", "make"), READERS)
def test_changed_markup_ends_well(reader: Callable[..., object], make: Callable[[], OfficePackage]) -> None:
    chance = random.Random(21)
    for _ in range(ROUNDS):
        package = make()
        for name in chance.sample(sorted(package.parts), 3):
            data = package.parts[name]
            text = data if isinstance(data, str) else data.decode("latin-1")
            package.parts[name] = mutated(text, chance)
        ends_well(reader, package.data())


def mutated(text: str, chance: random.Random) -> str:
    """Return a text with a piece left out, doubled, moved or replaced by something that numbers are not."""
    start = chance.randrange(len(text))
    piece = text[start : start + chance.randint(1, 60)]
    to = chance.randrange(len(text))
    match chance.randrange(4):
        case 0:
            return text.replace(piece, "", 1)
        case 1:
            return text[:to] + piece * chance.randint(1, 50) + text[to:]
        case 2:
            return text.replace('"1"', chance.choice(['"-1"', '"99999999999999999999"', '"²"', '"x"', '""', '"1e9"']))
        case _:
            return (
                text[:to]
                + chance.choice(["<", ">", "&#0;", "\x00", "]]>", "<!--", "<![CDATA[", "<w:p>", "</w:p>"])
                + text[to:]
            )


def test_parts_that_lead_to_themselves_end() -> None:
    package = word(
        paragraph("body")
        + '<w:altChunk r:id="rId7"/><w:p><w:r><c:chart r:id="rId7"/><dgm:relIds r:dm="rId7"/></w:r></w:p>'
    )
    for kind in ("footnotes", "header", "chartUserShapes", "aFChunk", "chart"):
        package.relate(WORD, kind, WORD, identity="rId7" if kind == "chart" else "")
    assert "body" in read_word(package).text


def test_poison_documents_end_well(suite: Callable[[str], Path]) -> None:
    folder = suite("poi-poison-documents")
    found = [*folder.glob("document/*.docx"), *folder.glob("slideshow/*.pptx")]
    assert found
    for path in found:
        ends_well(extract_pptx if path.suffix == ".pptx" else extract_docx, path.read_bytes())
