"""Media types with their names, file name extensions and, for text formats, readers. Tables only.

Other formats are declared in `built_in`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class FormatReader(StrEnum):
    """The reader that extracts the text from a format; DECLARED: the converter that its `Format` names."""

    HTML = "html"
    TEXT = "text"
    MARKDOWN = "markdown"
    CSV = "csv"
    XML = "xml"
    JSON = "json"
    DECLARED = "declared"


OOXML: Final = "application/vnd.openxmlformats-officedocument."
ODF: Final = "application/vnd.oasis.opendocument."
DOCX: Final = OOXML + "wordprocessingml.document"
XLSX: Final = OOXML + "spreadsheetml.sheet"
PPTX: Final = OOXML + "presentationml.presentation"
OCTETS: Final = "application/octet-stream"
EPUB: Final = "application/epub+zip"
IDML: Final = "application/vnd.adobe.indesign-idml-package"
MBOX: Final = "application/mbox"
EMF: Final = "image/emf"
WMF: Final = "image/wmf"
TNEF: Final = "application/vnd.ms-tnef"
FLAT: Final = "-flat-xml"
"""Suffix of the OpenDocument types that are one XML file instead of a ZIP."""
WORD_2003: Final = "application/vnd.ms-wordml"
FLAT_WORD: Final = "application/vnd.ms-word2006ml"
FLAT_POWERPOINT: Final = "application/vnd.ms-powerpoint2006ml"
EXCEL_2003: Final = "application/vnd.ms-spreadsheetml"
"""Office documents that are one XML file, by their names in Apache Tika."""
ENCRYPTED: Final = "application/x-ole-encrypted"
"""An Office document behind a password: an OLE file around an encrypted ZIP."""

EXTENSIONS: Final = {
    "bmp": "image/bmp", "css": "text/css", "csv": "text/csv", "gif": "image/gif", "htm": "text/html",
    "html": "text/html", "ico": "image/x-icon", "ics": "text/calendar", "jpeg": "image/jpeg", "jpg": "image/jpeg",
    "js": "text/javascript", "json": "application/json", "jsonl": "application/x-ndjson", "log": "text/plain",
    "markdown": "text/markdown", "md": "text/markdown", "mp3": "audio/mpeg", "mp4": "video/mp4",
    "ndjson": "application/x-ndjson", "odf": ODF + "formula", "png": "image/png", "rst": "text/prs.fallenstein.rst",
    "svg": "image/svg+xml", "tex": "application/x-latex", "text": "text/plain", "tif": "image/tiff",
    "tiff": "image/tiff", "tsv": "text/tab-separated-values", "txt": "text/plain", "webp": "image/webp",
    "xht": "application/xhtml+xml", "xhtml": "application/xhtml+xml", "xml": "text/xml", "yaml": "application/yaml",
    "yml": "application/yaml",
}  # fmt: skip
"""File-name extensions of types without a `Format`, in lower case without the dot."""

ALIASES: Final = {
    "application/acrobat": "application/pdf",
    "application/csv": "text/csv",
    "application/gzip": "application/x-gzip",
    "application/javascript": "text/javascript",
    "application/ms-tnef": TNEF,
    "application/msexcel": "application/vnd.ms-excel",
    "application/mspowerpoint": "application/vnd.ms-powerpoint",
    "application/powerpoint": "application/vnd.ms-powerpoint",
    "application/vnd.msword": "application/msword",
    "application/vnd.rar": "application/x-rar-compressed",
    "application/x-7z": "application/x-7z-compressed",
    "application/x-bzip": "application/x-bzip2",
    "application/x-csv": "text/csv",
    "application/x-excel": "application/vnd.ms-excel",
    "application/x-javascript": "text/javascript",
    "application/x-emf": EMF,
    "application/x-msexcel": "application/vnd.ms-excel",
    "application/x-msmetafile": WMF,
    "application/x-msword": "application/msword",
    "application/x-pdf": "application/pdf",
    "application/x-rar": "application/x-rar-compressed",
    "application/x-rtf": "application/rtf",
    "application/x-yaml": "application/yaml",
    "application/x-zip": "application/zip",
    "application/x-zip-compressed": "application/zip",
    "audio/mp3": "audio/mpeg",
    "image/jpg": "image/jpeg",
    "image/x-bmp": "image/bmp",
    "image/x-ms-bmp": "image/bmp",
    "image/x-emf": EMF,
    "image/x-png": "image/png",
    "image/x-wmf": WMF,
    "text/richtext": "application/rtf",
    "text/rtf": "application/rtf",
    "text/tsv": "text/tab-separated-values",
    "message/rfc2557": "multipart/related",
    "text/x-csv": "text/csv",
    "text/x-json": "application/json",
    "text/x-markdown": "text/markdown",
    "text/x-pdf": "application/pdf",
    "text/yaml": "application/yaml",
}
"""Other names of the same type."""

UNKNOWN: Final = frozenset(
    (
        "", "*/*", "application/download", "application/force-download", OCTETS, "application/unknown",
        "application/x-download", "application/x-unknown", "application/x-unknown-content-type",
        "application/x-octet-stream", "binary/octet-stream", "text/*", "unknown/unknown",
    )
)  # fmt: skip
"""Declarations without a meaning: https://mimesniff.spec.whatwg.org/#unknown-mime-type, and others that servers send.
"""

_READERS: Final = {
    "text/html": FormatReader.HTML,
    "application/xhtml+xml": FormatReader.HTML,
    "text/markdown": FormatReader.MARKDOWN,
    "text/csv": FormatReader.CSV,
    "text/tab-separated-values": FormatReader.CSV,
    "text/xml": FormatReader.XML,
    "application/xml": FormatReader.XML,
    "application/json": FormatReader.JSON,
    "application/x-ndjson": FormatReader.JSON,
    "application/yaml": FormatReader.TEXT,
    "application/toml": FormatReader.TEXT,
    "application/sql": FormatReader.TEXT,
    "application/x-sh": FormatReader.TEXT,
    "application/x-httpd-php": FormatReader.TEXT,
    "application/x-latex": FormatReader.TEXT,
    "application/x-tex": FormatReader.TEXT,
    "application/x-subrip": FormatReader.TEXT,
}


TEXT_VERSIONS: Final[Mapping[FormatReader, int]] = dict.fromkeys(set(FormatReader) - {FormatReader.DECLARED}, 1)
"""Versions of the readers of text: raise the number if a reader's results for the same document change."""


def read_as_text() -> Mapping[str, FormatReader]:
    """Return the text types with their readers."""
    return _READERS


def essence(declared: str) -> str:
    """Return a declared type in lower case without parameters and under its usual name, "" if it has no meaning."""
    name = declared.partition(";")[0].strip().lower()
    name = ALIASES.get(name, name)
    return "" if name in UNKNOWN or "/" not in name else name


def extension_of(file_name: str) -> str:
    """Return the extension of a file name or path in lower case, "" if it has none."""
    _, dot, extension = file_name.rpartition("/")[2].rpartition(".")
    return extension.lower() if dot else ""


def text_reader(mime: str) -> FormatReader | None:
    """Return the reader of a text type, None for all others."""
    return _READERS.get(mime)


def reader_of_family(mime: str) -> FormatReader | None:
    """Return the reader of a type without one of its own, by its family or suffix; None if there is none."""
    family, _, kind = mime.partition("/")
    if family in ("image", "audio", "video", "font", "model"):
        return None
    if kind.endswith("+xml"):
        return FormatReader.XML
    if kind.endswith("+json"):
        return FormatReader.JSON
    return FormatReader.TEXT if family == "text" else None
