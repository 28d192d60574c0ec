"""Writes the office documents and the PDFs of the sample: `python -m tests.app.sample.make_documents FOLDER`.

With nothing but the standard library and fixed dates, so that the same bytes come out everywhere; the files are kept
beside the other documents of the sample, and a test compares them.
"""

from __future__ import annotations

import hashlib
import io
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.app.sample import words

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OOXML = "http://schemas.openxmlformats.org"
_TYPES = f"{_OOXML}/package/2006/content-types"
_LINKS = f"{_OOXML}/package/2006/relationships"
_DOCUMENT = f"{_OOXML}/officeDocument/2006/relationships"
_KIND = "application/vnd.openxmlformats-officedocument"


def every() -> dict[str, bytes]:
    """Return the documents by their path below the folder `sample`."""
    safety = pdf("Boat safety on Skarvholm", words.BOAT_SAFETY)
    return {
        "documents/boat-safety.pdf": safety,
        "documents/volunteers-handbook.docx": docx("Handbook for volunteers", words.HANDBOOK),
        "documents/budget-2026.xlsx": xlsx("Budget 2026", words.BUDGET),
        "documents/annual-meeting.pptx": pptx("Annual meeting", words.MEETING),
        "documents/scan-of-the-log-1963.pdf": broken(),
        "site/visitor-guide.pdf": pdf("Skarvholm: a guide for visitors", words.GUIDE),
    }


def pdf(title: str, pages: Sequence[Sequence[str]]) -> bytes:
    """A PDF 1.4 file with lines of text in Helvetica; the first line of a page is set larger."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, lines in enumerate(pages):
        drawn = _drawn(lines)
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {5 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(drawn.encode('cp1252'))} >>\nstream\n{drawn}\nendstream")
    objects.append(f"<< /Title ({title}) /Author (Skarvholm Bird Observatory) /CreationDate (D:20260501080000Z) >>")
    return _numbered(objects)


def _drawn(lines: Sequence[str]) -> str:
    """The drawing operators of a page."""
    drawn = ["BT", "/F1 18 Tf", "72 770 Td"]
    for number, line in enumerate(lines):
        plain = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        drawn.append(f"({plain}) Tj" + (" /F1 11 Tf 0 -30 Td" if number == 0 else " 0 -16 Td"))
    return "\n".join([*drawn, "ET"])


def _numbered(objects: Sequence[str]) -> bytes:
    """Put objects into a file with its table of offsets; the last one is the information about the document."""
    out = io.BytesIO(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    out.seek(0, io.SEEK_END)
    offsets = []
    for number, each in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(f"{number} 0 obj\n{each}\nendobj\n".encode("cp1252"))
    table = out.tell()
    rows = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    trailer = f"trailer\n<< /Size {size} /Root 1 0 R /Info {size - 1} 0 R >>\nstartxref\n{table}\n%%EOF\n"
    out.write(f"xref\n0 {size}\n0000000000 65535 f \n{rows}{trailer}".encode())
    return out.getvalue()


def broken() -> bytes:
    """What begins as a PDF and goes on as noise."""
    return b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n" + hashlib.shake_256(b"the winter the ink froze").digest(3000)


def docx(title: str, lines: Sequence[str]) -> bytes:
    """A Word document; lines that begin with # are headings."""
    body = "".join(
        '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>'
        + _safe(line[2:])
        + "</w:t></w:r></w:p>"
        if line.startswith("# ")
        else f'<w:p><w:r><w:t xml:space="preserve">{_safe(line)}</w:t></w:r></w:p>'
        for line in lines
    )
    space = f"{_OOXML}/wordprocessingml/2006/main"
    parts = {"word/document.xml": f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>'}
    kinds = {"word/document.xml": f"{_KIND}.wordprocessingml.document.main+xml"}
    return _package(title, "word/document.xml", parts, kinds)


def xlsx(title: str, rows: Sequence[Sequence[str | int]]) -> bytes:
    """A workbook of one sheet, with its strings in the cells."""
    cells = "".join(
        f'<row r="{r}">' + "".join(_cell(f"{chr(64 + c)}{r}", value) for c, value in enumerate(row, 1)) + "</row>"
        for r, row in enumerate(rows, 1)
    )
    space = f"{_OOXML}/spreadsheetml/2006/main"
    sheets = f'<sheets><sheet name="{_safe(title)}" sheetId="1" r:id="rId1"/></sheets>'
    parts = {
        "xl/workbook.xml": f'<workbook xmlns="{space}" xmlns:r="{_DOCUMENT}">{sheets}</workbook>',
        "xl/_rels/workbook.xml.rels": _links([("worksheet", "worksheets/sheet1.xml")]),
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{space}"><sheetData>{cells}</sheetData></worksheet>',
    }
    kinds = {
        "xl/workbook.xml": f"{_KIND}.spreadsheetml.sheet.main+xml",
        "xl/worksheets/sheet1.xml": f"{_KIND}.spreadsheetml.worksheet+xml",
    }
    return _package(title, "xl/workbook.xml", parts, kinds)


def _cell(place: str, value: str | int) -> str:
    if isinstance(value, int):
        return f'<c r="{place}"><v>{value}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{_safe(value)}</t></is></c>'


_P = f'xmlns:a="{_OOXML}/drawingml/2006/main" xmlns:r="{_DOCUMENT}" xmlns:p="{_OOXML}/presentationml/2006/main"'
_TREE = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
_COLOURS = (
    'bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" '
    'accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"'
)


def pptx(title: str, slides: Sequence[Sequence[str]]) -> bytes:
    """A presentation; the first line of a slide is its title."""
    ids = "".join(f'<p:sldId id="{256 + n}" r:id="rId{n + 2}"/>' for n in range(len(slides)))
    masters = '<p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst>'
    size = '<p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/>'
    names = [f"slides/slide{n}.xml" for n in range(1, len(slides) + 1)]
    layouts = '<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst>'
    empty = f"<p:cSld><p:spTree>{_TREE}</p:spTree></p:cSld>"
    below = "ppt/slideMasters/slideMaster1.xml", "ppt/slideLayouts/slideLayout1.xml", "ppt/theme/theme1.xml"
    parts = {
        "ppt/presentation.xml": f"<p:presentation {_P}>{masters}<p:sldIdLst>{ids}</p:sldIdLst>{size}</p:presentation>",
        "ppt/_rels/presentation.xml.rels": _links(
            [("slideMaster", "slideMasters/slideMaster1.xml"), *(("slide", name) for name in names)]
        ),
        below[0]: f"<p:sldMaster {_P}>{empty}<p:clrMap {_COLOURS}/>{layouts}</p:sldMaster>",
        "ppt/slideMasters/_rels/slideMaster1.xml.rels": _links(
            [("slideLayout", "../slideLayouts/slideLayout1.xml"), ("theme", "../theme/theme1.xml")]
        ),
        below[1]: f'<p:sldLayout {_P} type="blank">{empty}</p:sldLayout>',
        "ppt/slideLayouts/_rels/slideLayout1.xml.rels": _links([("slideMaster", "../slideMasters/slideMaster1.xml")]),
        below[2]: _theme(),
    }
    for name, lines in zip(names, slides, strict=True):
        parts[f"ppt/{name}"] = _slide(lines)
        parts[f"ppt/slides/_rels/{name[7:]}.rels"] = _links([("slideLayout", "../slideLayouts/slideLayout1.xml")])
    kinds = {
        "ppt/presentation.xml": f"{_KIND}.presentationml.presentation.main+xml",
        below[0]: f"{_KIND}.presentationml.slideMaster+xml",
        below[1]: f"{_KIND}.presentationml.slideLayout+xml",
        below[2]: f"{_KIND}.theme+xml",
    } | {f"ppt/{name}": f"{_KIND}.presentationml.slide+xml" for name in names}
    return _package(title, "ppt/presentation.xml", parts, kinds)


def _slide(lines: Sequence[str]) -> str:
    """A slide with a title and a box of text."""
    first = "".join(_paragraph(line) for line in lines[:1])
    rest = "".join(_paragraph(line) for line in lines[1:])
    shapes = "".join(
        f'<p:sp><p:nvSpPr><p:cNvPr id="{n}" name="{name}"/><p:cNvSpPr/><p:nvPr>{holder}</p:nvPr></p:nvSpPr>'
        f'<p:spPr><a:xfrm><a:off x="600000" y="{y}"/><a:ext cx="7900000" cy="{height}"/></a:xfrm>'
        f'<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr>'
        f"<p:txBody><a:bodyPr/><a:lstStyle/>{text}</p:txBody></p:sp>"
        for n, name, holder, y, height, text in (
            (2, "Title", '<p:ph type="title"/>', 500000, 1000000, first),
            (3, "Text", "", 1800000, 4000000, rest),
        )
    )
    return f"<p:sld {_P}><p:cSld><p:spTree>{_TREE}{shapes}</p:spTree></p:cSld></p:sld>"


def _paragraph(line: str) -> str:
    return f"<a:p><a:r><a:t>{_safe(line)}</a:t></a:r></a:p>"


def _theme() -> str:
    """The least that is a theme: twelve colours, two fonts, and three of each thing it asks three of."""
    names = ("dk1", "lt1", "dk2", "lt2", *(f"accent{n}" for n in range(1, 7)), "hlink", "folHlink")
    tones = ("1D2B33", "FBFAF6", "0B5F79", "D8D4C8", *("0B5F79",) * 8)
    colours = "".join(f'<a:{n}><a:srgbClr val="{tone}"/></a:{n}>' for n, tone in zip(names, tones, strict=True))
    font = '<a:latin typeface="Georgia"/><a:ea typeface=""/><a:cs typeface=""/>'
    fill = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'
    line = f'<a:ln w="9525">{fill}</a:ln>'
    effect = "<a:effectStyle><a:effectLst/></a:effectStyle>"
    return (
        f'<a:theme xmlns:a="{_OOXML}/drawingml/2006/main" name="Skarvholm"><a:themeElements>'
        f'<a:clrScheme name="Skarvholm">{colours}</a:clrScheme>'
        f'<a:fontScheme name="Skarvholm"><a:majorFont>{font}</a:majorFont>'
        f"<a:minorFont>{font}</a:minorFont></a:fontScheme>"
        f'<a:fmtScheme name="Skarvholm"><a:fillStyleLst>{fill * 3}</a:fillStyleLst>'
        f"<a:lnStyleLst>{line * 3}</a:lnStyleLst><a:effectStyleLst>{effect * 3}</a:effectStyleLst>"
        f"<a:bgFillStyleLst>{fill * 3}</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>"
    )


def _package(title: str, main: str, parts: Mapping[str, str], kinds: Mapping[str, str]) -> bytes:
    """An Open Packaging Conventions file: the parts, what they are, and what is where."""
    core_kind = "application/vnd.openxmlformats-package.core-properties+xml"
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="{kind}"/>'
        for name, kind in {**kinds, "docProps/core.xml": core_kind}.items()
    )
    rels = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    xml = '<Default Extension="xml" ContentType="application/xml"/>'
    roots = [(f"{_DOCUMENT}/officeDocument", main), (f"{_LINKS}/metadata/core-properties", "docProps/core.xml")]
    files = {
        "[Content_Types].xml": f'<Types xmlns="{_TYPES}">{rels}{xml}{overrides}</Types>',
        "_rels/.rels": _links(roots),
        **parts,
        "docProps/core.xml": _core(title),
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 5, 1, 8, 0, 0)), (_XML + text).encode())
    return out.getvalue()


def _core(title: str) -> str:
    """Who wrote it and when."""
    spaces = (
        f'xmlns:cp="{_OOXML}/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    )
    created = '<dcterms:created xsi:type="dcterms:W3CDTF">2026-05-01T08:00:00Z</dcterms:created>'
    author = "<dc:creator>Skarvholm Bird Observatory</dc:creator>"
    return f"<cp:coreProperties {spaces}><dc:title>{_safe(title)}</dc:title>{author}{created}</cp:coreProperties>"


def _links(targets: Sequence[tuple[str, str]]) -> str:
    """A part that says which other parts belong to one; a type without a scheme is one of office documents."""
    rows = "".join(
        f'<Relationship Id="rId{n}" Type="{kind if ":" in kind else f"{_DOCUMENT}/{kind}"}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{_LINKS}">{rows}</Relationships>'


def _safe(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


if __name__ == "__main__":
    for path, data in every().items():
        (Path(sys.argv[1]) / path).write_bytes(data)
