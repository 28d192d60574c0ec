"""Small Office Open XML documents, written by hand part by part."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from cormorant.extract.job import ExtractionTask
from cormorant.extract.ooxml.presentation import extract_pptx
from cormorant.extract.ooxml.wordprocessing import extract_docx
from cormorant.model.content import Extraction

TASK = ExtractionTask("", "https://host.example/folder/paper.docx")
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STRICT_OFFICE = "http://purl.oclc.org/ooxml/officeDocument/relationships"
_DECLARED = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "r": OFFICE,
    "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "cx": "http://schemas.microsoft.com/office/drawing/2014/chartex",
    "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
    "p188": "http://schemas.microsoft.com/office/powerpoint/2018/8/main",
    "v": "urn:schemas-microsoft-com:vml",
    "o": "urn:schemas-microsoft-com:office:office",
}
STRICT = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "http://purl.oclc.org/ooxml/wordprocessingml/main",
    "http://schemas.openxmlformats.org/presentationml/2006/main": "http://purl.oclc.org/ooxml/presentationml/main",
    "http://schemas.openxmlformats.org/drawingml/2006/main": "http://purl.oclc.org/ooxml/drawingml/main",
    OFFICE: STRICT_OFFICE,
}
NAMESPACES = " ".join(f'xmlns:{prefix}="{address}"' for prefix, address in _DECLARED.items())
_FORMATS = "application/vnd.openxmlformats-officedocument."
WORD = "word/document.xml"
SHOW = "ppt/presentation.xml"


class OfficePackage:
    """The parts of a document while it is written."""

    def __init__(self) -> None:
        self.parts: dict[str, str | bytes] = {}
        self.types: dict[str, str] = {}
        self.relationships: dict[str, list[str]] = {}

    def add(self, name: str, data: str | bytes, mime: str = "") -> str:
        """Add a part and return its name."""
        self.parts[name] = data
        if mime:
            self.types[name] = mime
        return name

    def relate(self, source: str, kind: str, target: str, *, identity: str = "", external: bool = False) -> str:
        """Make a part refer to another, or to an address, and return the relationship's id."""
        found = self.relationships.setdefault(source, [])
        identity = identity or f"rId{len(found) + 1}"
        kind = kind if "/" in kind else f"{OFFICE}/{kind}"
        mode = ' TargetMode="External"' if external else ""
        target = target if external else "/" + target
        found.append(f'<Relationship Id="{identity}" Type="{kind}" Target="{target}"{mode}/>')
        return identity

    def data(self) -> bytes:
        """Return the document."""
        overrides = "".join(f'<Override PartName="/{name}" ContentType="{mime}"/>' for name, mime in self.types.items())
        files: dict[str, str | bytes] = {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
        }
        for source, found in self.relationships.items():
            folder, _, name = source.rpartition("/")
            files[f"{folder}/_rels/{name}.rels".lstrip("/")] = (
                '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
                f"{''.join(found)}</Relationships>"
            )
        return zipped(files | self.parts)


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """Return a ZIP file of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def root(name: str, content: str, attributes: str = "") -> str:
    """Return a part whose root has this name."""
    return f'<?xml version="1.0" encoding="UTF-8"?><{name} {NAMESPACES} {attributes}>{content}</{name}>'


def word(body: str, **stories: str) -> OfficePackage:
    """Return a text document; `stories` are the contents of further parts by their kind: `footnotes`, `header`."""
    package = OfficePackage()
    package.relate("", "officeDocument", package.add(WORD, root("w:document", f"<w:body>{body}</w:body>")))
    names = {"header": "w:hdr", "footer": "w:ftr"}
    for kind, content in stories.items():
        part = package.add(f"word/{kind}.xml", root(names.get(kind, f"w:{kind}"), content))
        package.relate(WORD, kind, part)
    return package


def paragraph(*runs: str, properties: str = "") -> str:
    """Return a paragraph of a text document, each text a run."""
    about = f"<w:pPr>{properties}</w:pPr>" if properties else ""
    return f"<w:p>{about}{''.join(run(text) for text in runs)}</w:p>"


def run(text: str) -> str:
    """Return a run of a text document."""
    return f'<w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def show(*slides: str) -> OfficePackage:
    """Return a presentation; a slide is the content of its shape tree."""
    package = OfficePackage()
    entries = []
    for number, shapes in enumerate(slides, 1):
        part = package.add(f"ppt/slides/slide{number}.xml", slide_part("p:sld", shapes))
        identity = package.relate(SHOW, "slide", part)
        entries.append(f'<p:sldId id="{255 + number}" r:id="{identity}"/>')
    package.add(SHOW, root("p:presentation", f"<p:sldIdLst>{''.join(entries)}</p:sldIdLst>"))
    package.relate("", "officeDocument", SHOW)
    return package


def slide_part(name: str, shapes: str) -> str:
    """Return a slide, layout, master or page of notes."""
    return root(name, f"<p:cSld><p:spTree><p:nvGrpSpPr/><p:grpSpPr/>{shapes}</p:spTree></p:cSld>")


def shape(*paragraphs: str, placeholder: str = "", alt: str = "") -> str:
    """Return a shape of a slide with paragraphs of text."""
    kind = f'<p:ph type="{placeholder}"/>' if placeholder else ""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="Shape 1" descr="{alt}"/><p:cNvSpPr/><p:nvPr>{kind}</p:nvPr></p:nvSpPr>'
        f"<p:txBody><a:bodyPr/>{''.join(map(drawn, paragraphs))}</p:txBody></p:sp>"
    )


def drawn(text: str) -> str:
    """Return a paragraph of a drawing."""
    return f"<a:p><a:r><a:rPr/><a:t>{text}</a:t></a:r></a:p>"


def read_word(package: OfficePackage | str, **stories: str) -> Extraction:
    """Return what the reader of text documents says of one, or of a body."""
    document = word(package, **stories) if isinstance(package, str) else package
    return extract_docx(document.data(), TASK)


def read_show(package: OfficePackage) -> Extraction:
    """Return what the reader of presentations says of one."""
    return extract_pptx(package.data(), TASK)
