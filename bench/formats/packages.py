"""Documents that are ZIP files of parts, zipped from the folders in documents/."""

from __future__ import annotations

import base64
import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from bench.formats.by_hand.metafile import metafile
from bench.formats.sample import Sample, named, places_in, sample

DOCUMENTS: Final = Path(__file__).resolve().parent / "documents"
PICTURE: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""A picture of one point."""
_TYPE: Final = re.compile(r'<Override PartName="([^"]+)" ContentType="([^"]+)"')
_DECLARATION: Final = re.compile(rb"^\s*<[?]xml[^>]*[?]>")
_WHEN: Final = (2026, 1, 2, 3, 4, 6)
_FOLDERS: Final = {
    "docx": (
        "docx",
        "by hand",
        ("list number", "plain number", "attachment text", "attachment name", "text in a metafile"),
    ),
    "docx-strict": ("docx", "by hand, strict", ()),
    "xlsx": (
        "xlsx",
        "by hand",
        (
            "percent as displayed", "percent as stored", "date as displayed", "date as stored", "number as displayed",
            "number as stored", "time as displayed", "number with unit", "plain number",
        ),
    ),
    "pptx": ("pptx", "by hand", ("plain number", "attachment text", "attachment name", "text in a metafile")),
    "odt": ("odt", "by hand", ()),
    "epub": ("epub", "by hand", ()),
    "idml": ("idml", "by hand", ()),
}  # fmt: skip
"""Per folder: the format, the writer, and the places that its text does not show."""
_FLAT: Final = "docx"
"""The folder whose package is written as one XML file too."""
_WITH_ATTACHMENT: Final = {"docx": "word", "pptx": "ppt"}


def packed() -> Iterator[Sample]:
    """Yield the documents by hand that are packages."""
    for folder, (form, writer, more) in _FOLDERS.items():
        parts = parts_of(folder)
        source = "\n".join(
            part.decode("utf-8") for name, part in parts.items() if not name.endswith((".png", ".emf", ".xlsx"))
        )
        places = (*places_in(source), *named(*more))
        yield sample(form, writer, zipped(parts), places)
        if folder == _FLAT:
            yield sample("flat.xml", writer, flat(parts), places)


def parts_of(folder: str) -> dict[str, bytes]:
    """Return the parts of a package by name, in their order: the type first where OpenDocument and EPUB want it."""
    root = DOCUMENTS / folder
    files = sorted(path for path in root.rglob("*") if path.is_file())
    parts = {path.relative_to(root).as_posix(): path.read_bytes() for path in files}
    place = _WITH_ATTACHMENT.get(folder)
    if place:
        parts[f"{place}/media/image1.png"] = PICTURE
        parts[f"{place}/media/image2.emf"] = metafile("quokkadrawntext")
        parts[f"{place}/embeddings/quokkaattachmentname.xlsx"] = attachment()
    return dict(sorted(parts.items(), key=lambda part: part[0] != "mimetype"))


def attachment() -> bytes:
    """Return a small workbook to embed, with the word of an attachment's text."""
    return zipped(parts_of("attachment"))


def flat(parts: Mapping[str, bytes]) -> bytes:
    """Return an Office document as one XML file: its parts as XML, or in Base64."""
    written = [b"<?xml version='1.0'?><?mso-application progid='Word.Document'?>"]
    written.append(b"<pkg:package xmlns:pkg='http://schemas.microsoft.com/office/2006/xmlPackage'>")
    types = dict(_TYPE.findall(parts["[Content_Types].xml"].decode()))
    for name, part in parts.items():
        if name == "[Content_Types].xml":
            continue
        mime = types.get(f"/{name}") or ("application/xml" if name.endswith((".xml", ".rels")) else "x/y")
        written.append(f"<pkg:part pkg:name='/{name}' pkg:contentType='{mime}'>".encode())
        if name.endswith((".xml", ".rels")):
            written += (b"<pkg:xmlData>", _DECLARATION.sub(b"", part), b"</pkg:xmlData>")
        else:
            written += (b"<pkg:binaryData>", base64.encodebytes(part), b"</pkg:binaryData>")
        written.append(b"</pkg:part>")
    return b"".join((*written, b"</pkg:package>"))


def zipped(parts: Mapping[str, bytes]) -> bytes:
    """Return a ZIP file of parts; what is called mimetype is stored as it is."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            how = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name, _WHEN), part, how)
    return stream.getvalue()
