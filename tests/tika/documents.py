"""Small documents that only a Tika server reads, as their programs write them: Visio, XPS, OneNote, Pages of 2009."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_LINKS = "http://schemas.openxmlformats.org/package/2006/relationships"
_PACKAGE = "application/vnd.openxmlformats-package."
_CORE = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
_VISIO = "http://schemas.microsoft.com/visio/2010/relationships/"
_DRAWING = "http://schemas.microsoft.com/office/visio/2012/main"
_XPS = "http://schemas.microsoft.com/xps/2005/06"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
ONE = bytes.fromhex("e4525c7b8cd8a74daeb15378d02996d3")
_OLDER = bytes.fromhex("2fe98d63d4a6c14b9a36b3fc2511a5b7")
ABOUT = {
    "dc:title": "Harbour plan", "dc:creator": "Ada Plover", "dc:subject": "Moorings",
    "dc:description": "Where ships lie", "cp:keywords": "quay, mole", "dc:language": "en-GB",
}  # fmt: skip


def zipped(parts: Mapping[str, str]) -> bytes:
    """A ZIP file of these parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, body in parts.items():
            package.writestr(zipfile.ZipInfo(name, (2024, 1, 2, 3, 4, 6)), body, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _types(parts: Mapping[str, str], **extensions: str) -> str:
    known = {"rels": f"{_PACKAGE}relationships+xml", "xml": "application/xml"} | extensions
    defaults = "".join(f'<Default Extension="{each}" ContentType="{mime}"/>' for each, mime in known.items())
    parts = {"docProps/core.xml": f"{_PACKAGE}core-properties+xml"} | dict(parts)
    named = "".join(f'<Override PartName="/{each}" ContentType="{mime}"/>' for each, mime in parts.items())
    return f'{_HEAD}<Types xmlns="{_TYPES}">{defaults}{named}</Types>'


def _links(**targets: str) -> str:
    given = (target.split(" ", 1) for target in targets.values())
    rows = "".join(
        f'<Relationship Id="rId{number}" Type="{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(given, 1)
    )
    return f'{_HEAD}<Relationships xmlns="{_LINKS}">{rows}</Relationships>'


def _core() -> str:
    rows = "".join(f"<{name}>{value}</{name}>" for name, value in ABOUT.items())
    return (
        f'{_HEAD}<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/">{rows}</cp:coreProperties>'
    )


def vsdx(words: str) -> bytes:
    """A drawing of Visio with one shape: [MS-VSDX] 2.2."""
    main = "application/vnd.ms-visio."
    cells = "".join(f'<Cell N="{name}" V="1"/>' for name in ("PinX", "PinY", "Width", "Height", "LocPinX", "LocPinY"))
    ids = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    return zipped(
        {
            "[Content_Types].xml": _types(
                {
                    "visio/document.xml": f"{main}drawing.main+xml", "visio/pages/pages.xml": f"{main}pages+xml",
                    "visio/pages/page1.xml": f"{main}page+xml",
                }
            ),
            "_rels/.rels": _links(main=f"{_VISIO}document visio/document.xml", core=f"{_CORE} docProps/core.xml"),
            "docProps/core.xml": _core(),
            "visio/document.xml": f'{_HEAD}<VisioDocument xmlns="{_DRAWING}"><DocumentSettings/></VisioDocument>',
            "visio/_rels/document.xml.rels": _links(pages=f"{_VISIO}pages pages/pages.xml"),
            "visio/pages/pages.xml": f'{_HEAD}<Pages xmlns="{_DRAWING}" {ids}><Page ID="0" NameU="Page-1">'
            '<PageSheet LineStyle="0" FillStyle="0" TextStyle="0"/><Rel r:id="rId1"/></Page></Pages>',
            "visio/pages/_rels/pages.xml.rels": _links(page=f"{_VISIO}page page1.xml"),
            "visio/pages/page1.xml": f'{_HEAD}<PageContents xmlns="{_DRAWING}"><Shapes><Shape ID="1" Type="Shape">'
            f"{cells}<Text>{words}</Text></Shape></Shapes></PageContents>",
        }
    )  # fmt: skip


def xps(words: str) -> bytes:
    """A printed page: ECMA-388 9 to 12."""
    kind = "application/vnd.ms-package.xps-"
    return zipped(
        {
            "[Content_Types].xml": _types(
                {}, fdseq=f"{kind}fixeddocumentsequence+xml", fdoc=f"{kind}fixeddocument+xml",
                fpage=f"{kind}fixedpage+xml",
            ),
            "_rels/.rels": _links(
                main=f"{_XPS}/fixedrepresentation /FixedDocSeq.fdseq", core=f"{_CORE} docProps/core.xml"
            ),
            "docProps/core.xml": _core(),
            "FixedDocSeq.fdseq": f'<FixedDocumentSequence xmlns="{_XPS}"><DocumentReference '
            'Source="/Documents/1/FixedDoc.fdoc"/></FixedDocumentSequence>',
            "Documents/1/FixedDoc.fdoc": f'<FixedDocument xmlns="{_XPS}"><PageContent '
            'Source="/Documents/1/Pages/1.fpage"/></FixedDocument>',
            "Documents/1/Pages/1.fpage": f'<FixedPage xmlns="{_XPS}" Width="816" Height="1056" xml:lang="en-GB">'
            f'<Glyphs OriginX="96" OriginY="96" FontRenderingEmSize="16" UnicodeString="{words}" Fill="#ff000000"/>'
            "</FixedPage>",
        }
    )  # fmt: skip


def one(words: str) -> bytes:
    """A section of an older OneNote, of which Tika reads the strings: [MS-ONESTORE] 2.3.1 for its head."""
    head = ONE + b"\x11" * 16 + _OLDER + _OLDER
    return head.ljust(1024, b"\0") + words.encode("utf-16-le") + bytes(3_000)


def pages(words: str) -> bytes:
    """A letter of Pages as iWork '09 writes it."""
    spaces = " ".join(f'xmlns:{name}="http://developer.apple.com/namespaces/{name}"' for name in ("sl", "sf", "sfa"))
    about = (
        '<sf:metadata><sf:authors><sf:string sfa:string="Ada Plover"/></sf:authors><sf:title>'
        '<sf:string sfa:string="Harbour letter"/></sf:title></sf:metadata>'
    )
    body = f"<sf:text-storage><sf:text-body><sf:page-start/><sf:p>{words}</sf:p></sf:text-body></sf:text-storage>"
    index = f'{_HEAD}<sl:document {spaces} sl:version="92008102400">{about}{body}</sl:document>'
    return zipped({"index.xml": index, "buildVersionHistory.plist": "<plist/>"})
