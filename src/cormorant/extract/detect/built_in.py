"""Built-in formats of documents that are no text: one row for each, and nothing else to register.

A new format is a row here and a module with its converter.
"""

from __future__ import annotations

from typing import Final

from cormorant.extract.detect.format import Format
from cormorant.extract.detect.media_types import DOCX, ENCRYPTED, EPUB, ODF, OOXML, PPTX, XLSX

_XBERG: Final = "cormorant.extract.formats.office:extract_office"
_ARCHIVE: Final = "cormorant.extract.archives.archive:extract_archive"
_MACRO: Final = ".macroenabled.12"
_WORD: Final = "application/vnd.ms-word."
_EXCEL: Final = "application/vnd.ms-excel"
_POWERPOINT: Final = "application/vnd.ms-powerpoint"
_TEMPLATE: Final = "template" + _MACRO

BUILT_IN: Final = (
    Format(
        "PDF", ("application/pdf",), "cormorant.extract.formats.pdf:extract_pdf", ("pdf",),
        proves_itself=True, server="convert",
    ),
    Format(
        "Word",
        (DOCX, OOXML + "wordprocessingml.template", _WORD + "document" + _MACRO, _WORD + _TEMPLATE),
        _XBERG, proves_itself=True,
    ),
    Format(
        "Excel",
        (XLSX, OOXML + "spreadsheetml.template", _EXCEL + ".sheet" + _MACRO, _EXCEL + "." + _TEMPLATE),
        _XBERG, proves_itself=True,
    ),
    Format("Excel, binary", (_EXCEL + ".sheet.binary" + _MACRO,), _XBERG, ("xlsb",), proves_itself=True),
    Format(
        "PowerPoint",
        (
            PPTX, OOXML + "presentationml.template", OOXML + "presentationml.slideshow",
            _POWERPOINT + ".presentation" + _MACRO, _POWERPOINT + ".slideshow" + _MACRO, _POWERPOINT + "." + _TEMPLATE,
        ),
        _XBERG, proves_itself=True,
    ),
    Format("Word 97", ("application/msword",), _XBERG, ("doc", "dot"), proves_itself=True),
    Format("Excel 97", (_EXCEL,), _XBERG, ("xls", "xlt"), proves_itself=True),
    Format("PowerPoint 97", (_POWERPOINT,), _XBERG, ("ppt", "pps"), proves_itself=True),
    Format("Office document with a password", (ENCRYPTED,), _XBERG, proves_itself=True),
    Format(
        "OpenDocument",
        (
            ODF + "text", ODF + "text-template", ODF + "spreadsheet", ODF + "spreadsheet-template",
            ODF + "presentation", ODF + "presentation-template",
        ),
        _XBERG, proves_itself=True,
    ),
    Format("Rich Text", ("application/rtf",), _XBERG, ("rtf",), proves_itself=True),
    Format("EPUB", (EPUB,), _XBERG, ("epub",), proves_itself=True),
    Format("FictionBook", ("application/x-fictionbook+xml",), _XBERG, ("fb2",)),
    Format("Jupyter notebook", ("application/x-ipynb+json",), _XBERG, ("ipynb",)),
    Format("WordPerfect", ("application/vnd.wordperfect",), _XBERG, ("wpd",), proves_itself=True),
    Format("Outlook message", ("application/vnd.ms-outlook",), _XBERG, ("msg",), proves_itself=True),
    Format("Mail", ("message/rfc822",), _XBERG, ("eml",)),
    Format(
        "Archive",
        (
            "application/zip", "application/x-tar", "application/x-gzip", "application/x-bzip2", "application/x-xz",
            "application/zstd", "application/x-7z-compressed", "application/x-rar-compressed",
        ),
        _ARCHIVE, proves_itself=True, embedded="cormorant.extract.archives.archive:archive_embedded_files",
    ),
)  # fmt: skip

EXTENSIONS: Final = {
    "docm": _WORD + "document" + _MACRO, "docx": DOCX, "dotm": _WORD + _TEMPLATE,
    "dotx": OOXML + "wordprocessingml.template", "gz": "application/x-gzip", "mht": "multipart/related",
    "mhtml": "multipart/related", "odg": ODF + "graphics", "odp": ODF + "presentation", "ods": ODF + "spreadsheet",
    "odt": ODF + "text", "otp": ODF + "presentation-template", "ots": ODF + "spreadsheet-template",
    "ott": ODF + "text-template", "potm": _POWERPOINT + "." + _TEMPLATE, "potx": OOXML + "presentationml.template",
    "ppsm": _POWERPOINT + ".slideshow" + _MACRO, "ppsx": OOXML + "presentationml.slideshow",
    "pptm": _POWERPOINT + ".presentation" + _MACRO, "pptx": PPTX, "tar": "application/x-tar",
    "xlsm": _EXCEL + ".sheet" + _MACRO, "xlsx": XLSX, "xltm": _EXCEL + "." + _TEMPLATE,
    "xltx": OOXML + "spreadsheetml.template", "zip": "application/zip", "tgz": "application/x-gzip", "7z": "application/x-7z-compressed", "rar": "application/x-rar-compressed", "bz2": "application/x-bzip2", "xz": "application/x-xz",
    "zst": "application/zstd",
} | {extension: each.media_types[0] for each in BUILT_IN for extension in each.extensions}  # fmt: skip
"""File-name extensions of these formats, lower case without the dot; a format of several types has them here."""
BY_MEDIA_TYPE: Final = {mime: each for each in BUILT_IN for mime in each.media_types}
