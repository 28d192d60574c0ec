"""A PDF with annotations, a form, attachments and layers: ISO 32000-1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bench.formats.sample import Sample, named, sample

_PLACES: Final = (
    "body", "columns", "wide kerning", "word in pieces", "actual text", "invisible text", "rotated text",
    "form XObject", "hidden layer", "hyphen at line end", "annotation", "free text annotation", "remark on marked text",
    "link text", "link target", "form field", "chosen value", "attachment name", "attachment text", "nested attachment",
    "outline entry", "property title", "property subject", "property author", "property keywords", "custom property",
    "control name", "script", "layout name", "font name",
)  # fmt: skip
_PAGE: Final = """BT /F1 12 Tf 50 780 Td (quokkabody) Tj ET
BT /F1 12 Tf 50 760 Td (quokkacolumnone) Tj 250 0 Td (quokkacolumntwo) Tj ET
BT /F1 12 Tf 50 740 Td [(quokkakernone) -600 (quokkakerntwo)] TJ ET
BT /F1 12 Tf 50 720 Td [(quok) 20 (kapie) 15 (ces)] TJ ET
BT /F1 12 Tf 50 700 Td /Span <</ActualText (quokkaactualtext)>> BDC (shown) Tj EMC ET
BT /F1 12 Tf 3 Tr 50 680 Td (quokkainvisible) Tj 0 Tr ET
BT /F1 12 Tf 0 1 -1 0 500 300 Tm (quokkarotated) Tj ET
q 1 0 0 1 50 640 cm /X1 Do Q
/OC /L1 BDC BT /F1 12 Tf 50 620 Td (quokkahiddenlayer) Tj ET EMC
BT /F1 12 Tf 50 600 Td (It ends in quokkasoft\\255) Tj 0 -14 Td (line, and goes on.) Tj ET
BT /F1 12 Tf 50 560 Td (quokkalinktext) Tj ET"""


def pdf_samples() -> Iterator[Sample]:
    """Yield a document with all of it, and one whose title stands in its metadata stream alone."""
    yield sample("pdf", "by hand", _written(_objects()), named(*_PLACES))
    yield sample("pdf", "by hand, XMP", _written(_with_metadata()), named("body", "metadata title", "custom property"))


def _objects() -> dict[int, str]:
    form = "<</Fields [20 0 R 21 0 R] /NeedAppearances true /DA (/F1 12 Tf 0 g) /DR <</Font <</F1 5 0 R>>>>>>"  # no AP
    return {
        1: "<</Type /Catalog /Pages 2 0 R /Outlines 8 0 R /AcroForm " + form + " /OCProperties <</OCGs [7 0 R] /D "
        "<</OFF [7 0 R]>>>> /Names <</EmbeddedFiles <</Names [(a) 14 0 R]>> /JavaScript <</Names [(j) 18 0 R]>>>>>>",
        2: "<</Type /Pages /Kids [3 0 R] /Count 1>>",
        3: "<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources <</Font <</F1 5 0 R>> "
        "/XObject <</X1 6 0 R>> /Properties <</L1 7 0 R>>>> "
        "/Annots [10 0 R 11 0 R 12 0 R 13 0 R 16 0 R 20 0 R 21 0 R]>>",
        4: _stream(_PAGE),
        5: "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /Name /quokkafontname>>",
        6: _stream("BT /F1 12 Tf 0 0 Td (quokkaformxobject) Tj ET", "/Type /XObject /Subtype /Form /BBox [0 0 300 50] "
                   "/Resources <</Font <</F1 5 0 R>>>>"),
        7: "<</Type /OCG /Name (quokkalayoutname)>>",
        8: "<</Type /Outlines /First 9 0 R /Last 9 0 R /Count 1>>",
        9: "<</Title (quokkaoutline) /Parent 8 0 R /Dest [3 0 R /Fit]>>",
        10: "<</Type /Annot /Subtype /Text /Rect [400 780 420 800] /Contents (quokkaannotation) /T (Commentator)>>",
        11: "<</Type /Annot /Subtype /FreeText /Rect [300 500 500 520] /Contents (quokkafreetext) /DA (/F1 12 Tf)>>",
        12: "<</Type /Annot /Subtype /Highlight /Rect [50 778 120 792] /QuadPoints [50 792 120 792 50 778 120 778] "
        "/Contents (quokkamarkup)>>",
        13: "<</Type /Annot /Subtype /Link /Rect [50 558 150 572] /Border [0 0 0] /A <</S /URI /URI "
        "(https://example.org/quokkalinktarget)>>>>",
        14: "<</Type /Filespec /F (quokkaattachmentname.txt) /UF (quokkaattachmentname.txt) /EF <</F 15 0 R>>>>",
        15: _stream("quokkaattachmenttext", "/Type /EmbeddedFile /Subtype /text#2Fplain"),
        16: "<</Type /Annot /Subtype /FileAttachment /Rect [450 780 470 800] /FS 17 0 R>>",
        17: "<</Type /Filespec /F (second.txt) /UF (second.txt) /EF <</F 19 0 R>>>>",
        18: "<</S /JavaScript /JS (var quokkascript = 1;)>>",
        19: _stream("quokkanestedattachment", "/Type /EmbeddedFile /Subtype /text#2Fplain"),
        20: "<</Type /Annot /Subtype /Widget /FT /Tx /T (quokkacontrolname) /V (quokkaformfield) "
        "/Rect [50 450 250 470] /P 3 0 R>>",
        21: "<</Type /Annot /Subtype /Widget /FT /Ch /Ff 131072 /T (choice) /Opt [(quokkachoiceother) (quokkachoice)] "
        "/V (quokkachoice) /Rect [50 420 250 440] /P 3 0 R>>",
        22: "<</Title (quokkatitle of the report) /Subject (quokkasubject) /Author (Quokkaauthor Smith) "
        "/Keywords (quokkakeyword, second) /Department (quokkacustom)>>",
    }  # fmt: skip


def _with_metadata() -> dict[int, str]:
    rdf = (
        '<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF '
        'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdfx="http://ns.adobe.com/pdfx/1.3/">'
        "<pdfx:Department>quokkacustom</pdfx:Department>"
        '<dc:title><rdf:Alt><rdf:li xml:lang="x-default">quokkaxmptitle'
        '</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>'
    )
    return {
        1: "<</Type /Catalog /Pages 2 0 R /Metadata 6 0 R>>",
        2: "<</Type /Pages /Kids [3 0 R] /Count 1>>",
        3: "<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources <</Font <</F1 5 0 R>>>>>>",
        4: _stream("BT /F1 12 Tf 50 780 Td (quokkabody) Tj ET"),
        5: "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>",
        6: _stream(rdf, "/Type /Metadata /Subtype /XML"),
    }


def _stream(data: str, more: str = "") -> str:
    return f"<<{more} /Length {len(data.encode('latin-1'))}>>\nstream\n{data}\nendstream"


def _written(objects: dict[int, str]) -> bytes:
    """Return a PDF file of these objects; the information dictionary, when there is one, is object 22."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = {}
    for number, content in objects.items():
        places[number] = len(out)
        out += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    for number in sorted(objects):
        out += f"{places[number]:010} 00000 n \n".encode()
    info = " /Info 22 0 R" if 22 in objects else ""
    out += f"trailer\n<</Size {len(objects) + 1} /Root 1 0 R{info}>>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)
