"""Document formats with their MIME types, readers and file name extensions. Tables only."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class FormatReader(StrEnum):
    """The reader that extracts the text from a format."""

    HTML = "html"
    TEXT = "text"
    MARKDOWN = "markdown"
    CSV = "csv"
    XML = "xml"
    JSON = "json"
    PDF = "pdf"
    OFFICE = "office"
    PLUGIN = "plugin"


OOXML: Final = "application/vnd.openxmlformats-officedocument."
ODF: Final = "application/vnd.oasis.opendocument."
DOCX: Final = OOXML + "wordprocessingml.document"
XLSX: Final = OOXML + "spreadsheetml.sheet"
PPTX: Final = OOXML + "presentationml.presentation"
OCTETS: Final = "application/octet-stream"
EPUB: Final = "application/epub+zip"
ENCRYPTED: Final = "application/x-ole-encrypted"
"""An Office document behind a password: an OLE file around a ZIP nobody can read."""

EXTENSIONS: Final = {
    "bmp": "image/bmp", "csv": "text/csv", "css": "text/css", "doc": "application/msword",
    "docm": "application/vnd.ms-word.document.macroenabled.12", "docx": DOCX, "dot": "application/msword",
    "dotx": OOXML + "wordprocessingml.template", "eml": "message/rfc822", "epub": EPUB,
    "fb2": "application/x-fictionbook+xml", "gif": "image/gif", "gz": "application/x-gzip", "htm": "text/html",
    "html": "text/html", "ico": "image/x-icon", "ics": "text/calendar", "ipynb": "application/x-ipynb+json",
    "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json",
    "jsonl": "application/x-ndjson", "log": "text/plain", "markdown": "text/markdown", "md": "text/markdown",
    "mht": "multipart/related", "mhtml": "multipart/related", "mp3": "audio/mpeg", "mp4": "video/mp4",
    "msg": "application/vnd.ms-outlook", "ndjson": "application/x-ndjson", "odf": ODF + "formula",
    "odg": ODF + "graphics", "odp": ODF + "presentation", "ods": ODF + "spreadsheet", "odt": ODF + "text",
    "ott": ODF + "text-template", "pdf": "application/pdf", "png": "image/png",
    "potx": OOXML + "presentationml.template", "pps": "application/vnd.ms-powerpoint",
    "ppsx": OOXML + "presentationml.slideshow", "ppt": "application/vnd.ms-powerpoint",
    "pptm": "application/vnd.ms-powerpoint.presentation.macroenabled.12", "pptx": PPTX,
    "rst": "text/prs.fallenstein.rst", "rtf": "application/rtf", "svg": "image/svg+xml", "tar": "application/x-tar",
    "tex": "application/x-latex", "text": "text/plain", "tsv": "text/tab-separated-values", "txt": "text/plain",
    "wpd": "application/vnd.wordperfect", "xhtml": "application/xhtml+xml", "xht": "application/xhtml+xml",
    "xls": "application/vnd.ms-excel", "xlsb": "application/vnd.ms-excel.sheet.binary.macroenabled.12",
    "xlsm": "application/vnd.ms-excel.sheet.macroenabled.12", "xlsx": XLSX, "xltx": OOXML + "spreadsheetml.template",
    "xml": "text/xml", "yaml": "application/yaml", "yml": "application/yaml", "zip": "application/zip",
}  # fmt: skip
"""File-name extensions, lower case without the dot."""

ALIASES: Final = {
    "application/acrobat": "application/pdf",
    "application/csv": "text/csv",
    "application/gzip": "application/x-gzip",
    "application/javascript": "text/javascript",
    "application/msexcel": "application/vnd.ms-excel",
    "application/mspowerpoint": "application/vnd.ms-powerpoint",
    "application/powerpoint": "application/vnd.ms-powerpoint",
    "application/vnd.msword": "application/msword",
    "application/x-csv": "text/csv",
    "application/x-excel": "application/vnd.ms-excel",
    "application/x-javascript": "text/javascript",
    "application/x-msexcel": "application/vnd.ms-excel",
    "application/x-msword": "application/msword",
    "application/x-pdf": "application/pdf",
    "application/x-rtf": "application/rtf",
    "application/x-yaml": "application/yaml",
    "application/x-zip": "application/zip",
    "application/x-zip-compressed": "application/zip",
    "audio/mp3": "audio/mpeg",
    "image/jpg": "image/jpeg",
    "image/x-bmp": "image/bmp",
    "image/x-ms-bmp": "image/bmp",
    "image/x-png": "image/png",
    "text/richtext": "application/rtf",
    "text/rtf": "application/rtf",
    "text/tsv": "text/tab-separated-values",
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
"""Declarations that say nothing: https://mimesniff.spec.whatwg.org/#unknown-mime-type, and what servers send."""

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
    "application/pdf": FormatReader.PDF,
    "application/yaml": FormatReader.TEXT,
    "application/toml": FormatReader.TEXT,
    "application/sql": FormatReader.TEXT,
    "application/x-sh": FormatReader.TEXT,
    "application/x-httpd-php": FormatReader.TEXT,
    "application/x-latex": FormatReader.TEXT,
    "application/x-tex": FormatReader.TEXT,
    "application/x-subrip": FormatReader.TEXT,
    "application/msword": FormatReader.OFFICE,
    "application/rtf": FormatReader.OFFICE,
    "application/vnd.ms-excel": FormatReader.OFFICE,
    "application/vnd.ms-excel.sheet.binary.macroenabled.12": FormatReader.OFFICE,
    "application/vnd.ms-excel.sheet.macroenabled.12": FormatReader.OFFICE,
    "application/vnd.ms-outlook": FormatReader.OFFICE,
    "application/vnd.ms-powerpoint": FormatReader.OFFICE,
    "application/vnd.ms-powerpoint.presentation.macroenabled.12": FormatReader.OFFICE,
    "application/vnd.ms-word.document.macroenabled.12": FormatReader.OFFICE,
    "application/vnd.wordperfect": FormatReader.OFFICE,
    "application/x-fictionbook+xml": FormatReader.OFFICE,
    "application/x-ipynb+json": FormatReader.OFFICE,
    EPUB: FormatReader.OFFICE,
    ENCRYPTED: FormatReader.OFFICE,
    "message/rfc822": FormatReader.OFFICE,
    DOCX: FormatReader.OFFICE,
    XLSX: FormatReader.OFFICE,
    PPTX: FormatReader.OFFICE,
    OOXML + "wordprocessingml.template": FormatReader.OFFICE,
    OOXML + "spreadsheetml.template": FormatReader.OFFICE,
    OOXML + "presentationml.template": FormatReader.OFFICE,
    OOXML + "presentationml.slideshow": FormatReader.OFFICE,
    ODF + "text": FormatReader.OFFICE,
    ODF + "text-template": FormatReader.OFFICE,
    ODF + "spreadsheet": FormatReader.OFFICE,
    ODF + "spreadsheet-template": FormatReader.OFFICE,
    ODF + "presentation": FormatReader.OFFICE,
    ODF + "presentation-template": FormatReader.OFFICE,
}

PROVEN: Final = frozenset(
    mime
    for mime, reader in _READERS.items()
    if reader in (FormatReader.PDF, FormatReader.OFFICE) and mime not in ("message/rfc822", "application/x-ipynb+json")
)
"""Formats that begin with bytes of their own, so that others are damage."""

IN_WORDS: Final = frozenset(
    (FormatReader.HTML, FormatReader.TEXT, FormatReader.MARKDOWN, FormatReader.CSV, FormatReader.XML, FormatReader.JSON)
)
"""Formats that are text in themselves."""


def essence(declared: str) -> str:
    """Return a declared type in lower case without parameters and under its usual name, "" when it says nothing."""
    name = declared.partition(";")[0].strip().lower()
    name = ALIASES.get(name, name)
    return "" if name in UNKNOWN or "/" not in name else name


def by_name(file_name: str) -> str:
    """Return the type that the extension of a file name or path stands for, "" when it stands for none."""
    return EXTENSIONS.get(extension_of(file_name), "")


def extension_of(file_name: str) -> str:
    """Return the extension of a file name or path in small letters, "" when it has none."""
    _, dot, extension = file_name.rpartition("/")[2].rpartition(".")
    return extension.lower() if dot else ""


def has_reader(mime: str) -> bool:
    """Say whether a type has a reader of its own, and is not read as what its family is."""
    return mime in _READERS


def reader_of(mime: str) -> FormatReader | None:
    """Return the built-in reader of this type (lower case, without parameters), None when there is none."""
    reader = _READERS.get(mime)
    if reader is not None:
        return reader
    family, _, kind = mime.partition("/")
    if family in ("image", "audio", "video", "font", "model"):
        return None
    if kind.endswith("+xml"):
        return FormatReader.XML
    if kind.endswith("+json"):
        return FormatReader.JSON
    return FormatReader.TEXT if family == "text" else None
