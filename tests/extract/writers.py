"""Small real documents, written here byte by byte so that no test needs a file or an office program."""

from __future__ import annotations

import hashlib
import io
import struct
import zipfile
from collections.abc import Sequence

from cormorant.extract.ole.compound_writer import write_compound

_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>{}</Types>'
)
_OVERRIDE = '<Override PartName="/{}" ContentType="{}"/>'
_RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    "{}</Relationships>"
)
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATION = '<Relationship Id="{}" Type="' + _OFFICE + '/{}" Target="{}"/>'
_CORE = (
    '<?xml version="1.0"?><cp:coreProperties'
    ' xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{}</dc:title><dc:creator>{}</dc:creator>'
    "<cp:keywords>{}</cp:keywords></cp:coreProperties>"
)
_CORE_RELATION = (
    '<Relationship Id="rIdCore"'
    ' Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"'
    ' Target="docProps/core.xml"/>'
)
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_KIND = "application/vnd.openxmlformats-officedocument."


def zipped(files: dict[str, str | bytes], *, stored: Sequence[str] = ()) -> bytes:
    """Return a ZIP file of these files, in this order."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data, zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED)
    return out.getvalue()


def docx(*paragraphs: str, title: str = "", author: str = "", keywords: str = "") -> bytes:
    """Return a Word document."""
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    return zipped(
        {
            "[Content_Types].xml": _TYPES.format(
                _OVERRIDE.format("word/document.xml", _KIND + "wordprocessingml.document.main+xml")
                + _OVERRIDE.format("docProps/core.xml", "application/vnd.openxmlformats-package.core-properties+xml")
            ),
            "_rels/.rels": _RELATIONS.format(
                _RELATION.format("rId1", "officeDocument", "word/document.xml") + _CORE_RELATION
            ),
            "docProps/core.xml": _CORE.format(title, author, keywords),
            "word/document.xml": f'<?xml version="1.0"?><w:document xmlns:w="{_WORD}"><w:body>{body}</w:body>'
            "</w:document>",
        }
    )


def xlsx(*rows: Sequence[str | int]) -> bytes:
    """Return an Excel workbook of one sheet."""
    lines = []
    for number, row in enumerate(rows, 1):
        cells = (
            f"<c><v>{value}</v></c>" if isinstance(value, int) else f'<c t="inlineStr"><is><t>{value}</t></is></c>'
            for value in row
        )
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    return zipped(
        {
            "[Content_Types].xml": _TYPES.format(
                _OVERRIDE.format("xl/workbook.xml", _KIND + "spreadsheetml.sheet.main+xml")
                + _OVERRIDE.format("xl/worksheets/sheet1.xml", _KIND + "spreadsheetml.worksheet+xml")
            ),
            "_rels/.rels": _RELATIONS.format(_RELATION.format("rId1", "officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f'<?xml version="1.0"?><workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets>'
            '<sheet name="Stock" sheetId="1" r:id="rId1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": _RELATIONS.format(
                _RELATION.format("rId1", "worksheet", "worksheets/sheet1.xml")
            ),
            "xl/worksheets/sheet1.xml": f'<?xml version="1.0"?><worksheet xmlns="{_SHEET}"><sheetData>'
            f"{''.join(lines)}</sheetData></worksheet>",
        }
    )


def pptx(*slides: str) -> bytes:
    """Return a PowerPoint presentation, a text a slide."""
    files: dict[str, str | bytes] = {}
    types = _OVERRIDE.format("ppt/presentation.xml", _KIND + "presentationml.presentation.main+xml")
    numbers, relations = "", ""
    for number, text in enumerate(slides, 1):
        types += _OVERRIDE.format(f"ppt/slides/slide{number}.xml", _KIND + "presentationml.slide+xml")
        numbers += f'<p:sldId id="{255 + number}" r:id="rId{number}"/>'
        relations += _RELATION.format(f"rId{number}", "slide", f"slides/slide{number}.xml")
        files[f"ppt/slides/slide{number}.xml"] = (
            f'<?xml version="1.0"?><p:sld xmlns:p="{_SLIDE}" xmlns:a="{_DRAWING}"><p:cSld><p:spTree><p:sp><p:txBody>'
            f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
        )
    return zipped(
        {
            "[Content_Types].xml": _TYPES.format(types),
            "_rels/.rels": _RELATIONS.format(_RELATION.format("rId1", "officeDocument", "ppt/presentation.xml")),
            "ppt/presentation.xml": f'<?xml version="1.0"?><p:presentation xmlns:p="{_SLIDE}" xmlns:r="{_OFFICE}">'
            f"<p:sldIdLst>{numbers}</p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": _RELATIONS.format(relations),
            **files,
        }
    )


def odt(*paragraphs: str) -> bytes:
    """Return an OpenDocument text."""
    mime = "application/vnd.oasis.opendocument.text"
    names = (
        'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
        ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    )
    body = "".join(f"<text:p>{text}</text:p>" for text in paragraphs)
    return zipped(
        {
            "mimetype": mime,
            "content.xml": f'<?xml version="1.0"?><office:document-content {names}><office:body><office:text>{body}'
            "</office:text></office:body></office:document-content>",
            "META-INF/manifest.xml": '<?xml version="1.0"?><manifest:manifest'
            ' xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry'
            f' manifest:full-path="/" manifest:media-type="{mime}"/></manifest:manifest>',
        },
        stored=("mimetype",),
    )


def epub(text: str, title: str) -> bytes:
    """Return a book of one chapter."""
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<?xml version="1.0"?><container version="1.0"'
            ' xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf"'
            ' media-type="application/oebps-package+xml"/></rootfiles></container>',
            "book.opf": '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
            f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></metadata>'
            '<manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="c"/></spine></package>',
            "c.xhtml": f'<html xmlns="http://www.w3.org/1999/xhtml"><head/><body><p>{text}</p></body></html>',
        },
        stored=("mimetype",),
    )


def rtf(text: str) -> bytes:
    """Return a Rich Text document."""
    return rb"{\rtf1\ansi\deff0{\fonttbl{\f0 Arial;}}\f0 " + text.encode("ascii") + rb"\par}"


def pdf(*pages: str, title: str = "", author: str = "", keywords: str = "", password: str = "") -> bytes:
    """Return a PDF with a line of text a page, behind a password if one is given (RC4, revision 2)."""
    locked = _Lock(password) if password else None
    fonts = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(pages)))
    objects: list[bytes] = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        fonts.encode(),
        f"<< /Title ({title}) /Author ({author}) /Keywords ({keywords}) >>".encode(),
    ]
    for number, text in enumerate(pages):
        place = 6 + 2 * number
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {place} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        stream = f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET".encode()
        stream = locked.crypt(stream, place) if locked else stream
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    if locked:
        objects.append(locked.dictionary())
    return _pdf_file(objects, locked)


def _pdf_file(objects: list[bytes], locked: _Lock | None) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    more = b" /Encrypt %d 0 R /ID [<%s> <%s>]" % (len(objects), _Lock.ID.hex().encode(), _Lock.ID.hex().encode())
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R%s >>\n" % (len(objects) + 1, more if locked else b"")
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


class _Lock:
    """The standard security handler, revision 2: ISO 32000-1, 7.6.3."""

    ID = b"0123456789abcdef"
    _PAD = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
    _PERMISSIONS = -4

    def __init__(self, password: str) -> None:
        padded = (password.encode() + self._PAD)[:32]
        self._owner = _rc4(hashlib.md5(padded).digest()[:5], padded)
        permissions = struct.pack("<i", self._PERMISSIONS)
        self._key = hashlib.md5(padded + self._owner + permissions + self.ID).digest()[:5]
        self._user = _rc4(self._key, self._PAD)

    def crypt(self, data: bytes, number: int) -> bytes:
        """Lock the stream of an object."""
        return _rc4(hashlib.md5(self._key + struct.pack("<I", number)[:3] + b"\0\0").digest()[:10], data)

    def dictionary(self) -> bytes:
        """Return the /Encrypt dictionary."""
        return (
            f"<< /Filter /Standard /V 1 /R 2 /O <{self._owner.hex()}> /U <{self._user.hex()}> /P {self._PERMISSIONS} >>"
        ).encode()


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    out = bytearray()
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def ole(*streams: str) -> bytes:
    """Return an OLE file with these streams, all of them empty: [MS-CFB] 2.2 and 2.6."""
    return write_compound(dict.fromkeys(streams, b""))
