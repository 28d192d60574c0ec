"""Built-in formats of documents other than text, one row for each.

A new format is a row here and a module with its converter.
"""

from __future__ import annotations

from typing import Final

from cormorant.extract.detect.format import XBERG_SERVER, Format
from cormorant.extract.detect.media_types import (
    DOCX,
    EMF,
    ENCRYPTED,
    EPUB,
    EXCEL_2003,
    FLAT,
    FLAT_POWERPOINT,
    FLAT_WORD,
    IDML,
    MBOX,
    ODF,
    OOXML,
    PPTX,
    TNEF,
    WMF,
    WORD_2003,
    XLSX,
)

_XBERG: Final = "cormorant.extract.formats.office:extract_office"
_READERS: Final = "cormorant.extract."
_MACRO: Final = ".macroenabled.12"
_WORD: Final = "application/vnd.ms-word."
_EXCEL: Final = "application/vnd.ms-excel"
_POWERPOINT: Final = "application/vnd.ms-powerpoint"
_TEMPLATE: Final = "template" + _MACRO
_IN_OOXML: Final = _READERS + "ooxml.embedded_files:ooxml_embedded_files"
_IN_OLE: Final = _READERS + "ole.embedded:ole_embedded_files"
_IN_OUTLOOK: Final = _READERS + "outlook.attachments:outlook_embedded_files"

BUILT_IN: Final = (
    Format(
        "PDF", ("application/pdf",), _READERS + "pdf.pdf:extract_pdf", ("pdf",),
        embedded=_READERS + "pdf.attachments:pdf_embedded_files", proves_itself=True, server="convert", version=2,
        always_unpacked=True,
    ),
    Format(
        "Word",
        (DOCX, OOXML + "wordprocessingml.template", _WORD + "document" + _MACRO, _WORD + _TEMPLATE),
        _READERS + "ooxml.word.word_document:extract_docx", embedded=_IN_OOXML, proves_itself=True, version=2,
    ),
    Format(
        "Excel",
        (XLSX, OOXML + "spreadsheetml.template", _EXCEL + ".sheet" + _MACRO, _EXCEL + "." + _TEMPLATE),
        _READERS + "ooxml.sheets.spreadsheet:extract_xlsx", embedded=_IN_OOXML, proves_itself=True, version=2,
    ),
    Format(
        "Excel, binary", (_EXCEL + ".sheet.binary" + _MACRO,), _READERS + "ooxml.sheets.binary_workbook:extract_xlsb",
        ("xlsb",), embedded=_IN_OOXML, proves_itself=True,
    ),
    Format(
        "PowerPoint",
        (
            PPTX, OOXML + "presentationml.template", OOXML + "presentationml.slideshow",
            _POWERPOINT + ".presentation" + _MACRO, _POWERPOINT + ".slideshow" + _MACRO, _POWERPOINT + "." + _TEMPLATE,
        ),
        _READERS + "ooxml.slides.presentation:extract_pptx", embedded=_IN_OOXML, proves_itself=True, version=2,
    ),
    Format(
        "Word 97", ("application/msword",), _READERS + "ole.word:extract_doc", ("doc", "dot"),
        embedded=_IN_OLE, proves_itself=True, version=2,
    ),
    Format(
        "Excel 97", (_EXCEL,), _READERS + "ole.excel:extract_xls", ("xls", "xlt"),
        embedded=_IN_OLE, proves_itself=True, version=2,
    ),
    Format(
        "Excel 2 to 4", (_EXCEL + ".sheet.2", _EXCEL + ".sheet.3", _EXCEL + ".sheet.4"),
        _READERS + "ole.excel:extract_xls", ("xlw",), proves_itself=True, version=2,
    ),
    Format(
        "PowerPoint 97", (_POWERPOINT,), _READERS + "ole.powerpoint:extract_ppt", ("ppt", "pps"),
        embedded=_IN_OLE, proves_itself=True, version=2,
    ),
    Format(
        "Office document with a password", (ENCRYPTED,), _READERS + "ooxml.wrapped_document:extract_encrypted",
        embedded=_READERS + "ooxml.wrapped_document:encrypted_embedded_files", proves_itself=True, version=2,
    ),
    Format(
        "Office document as one XML file", (FLAT_WORD, FLAT_POWERPOINT, WORD_2003),
        _READERS + "ooxml.wrapped_document:extract_flat",
        embedded=_READERS + "ooxml.wrapped_document:flat_embedded_files", version=2,
    ),
    Format(
        "Excel 2003 as one XML file", (EXCEL_2003,), _READERS + "ooxml.sheets.spreadsheet_2003:extract_excel_2003",
        version=2,
    ),
    Format(
        "OpenDocument",
        (
            ODF + "text", ODF + "text-template", ODF + "text-master", ODF + "spreadsheet", ODF + "spreadsheet-template",
            ODF + "presentation", ODF + "presentation-template", ODF + "graphics", ODF + "graphics-template",
        ),
        _READERS + "opendocument.reader:extract_odf", embedded=_READERS + "opendocument.embedded:odf_embedded_files",
        proves_itself=True, version=2,
    ),
    Format(
        "OpenDocument as one XML file",
        (ODF + "text" + FLAT, ODF + "spreadsheet" + FLAT, ODF + "presentation" + FLAT, ODF + "graphics" + FLAT),
        _READERS + "opendocument.reader:extract_odf", version=2,
    ),
    Format(
        "Rich Text", ("application/rtf",), _READERS + "rtf.reader:extract_rtf", ("rtf",),
        embedded=_READERS + "rtf.reader:rtf_embedded_files", proves_itself=True, version=2,
    ),
    Format("EPUB", (EPUB,), _READERS + "formats.epub:extract_epub", ("epub",), proves_itself=True),
    Format("InDesign", (IDML,), _READERS + "formats.indesign:extract_idml", ("idml",), proves_itself=True, version=2),
    Format(
        "FictionBook", ("application/x-fictionbook+xml",), _READERS + "formats.fictionbook:extract_fictionbook",
        ("fb2",),
    ),
    Format(
        "Windows metafile", (EMF, WMF), _READERS + "formats.metafile:extract_metafile", ("emf",), proves_itself=True,
        version=2,
    ),
    Format("Jupyter notebook", ("application/x-ipynb+json",), _XBERG, ("ipynb",), server=XBERG_SERVER),
    Format(
        "WordPerfect", ("application/vnd.wordperfect",), _XBERG, ("wpd",), proves_itself=True, server=XBERG_SERVER
    ),
    Format(
        "Outlook message", ("application/vnd.ms-outlook",), _READERS + "outlook.msg:extract_msg", ("msg",),
        embedded=_IN_OUTLOOK, proves_itself=True, version=2,
    ),
    Format(
        "Outlook's winmail.dat", (TNEF,), _READERS + "outlook.tnef:extract_tnef", ("tnef",),
        embedded=_IN_OUTLOOK, proves_itself=True, version=2,
    ),
    Format(
        "Mail", ("message/rfc822",), _READERS + "mail.message:extract_eml", ("eml",),
        embedded=_READERS + "mail.message:mail_embedded_files", version=2,
    ),
    Format(
        "Mailbox", (MBOX,), _READERS + "mail.mailbox:extract_mbox", ("mbox", "mbx"),
        embedded=_READERS + "mail.mailbox:mbox_embedded_files", always_unpacked=True,
    ),
    Format("Web archive", ("multipart/related",), _READERS + "mail.mhtml:extract_mhtml", ("mht", "mhtml")),
    Format(
        "Archive",
        (
            "application/zip", "application/x-tar", "application/x-gzip", "application/x-bzip2", "application/x-xz",
            "application/zstd", "application/x-7z-compressed", "application/x-rar-compressed",
        ),
        _READERS + "archives.archive:extract_archive",
        embedded=_READERS + "archives.archive:archive_embedded_files", proves_itself=True, always_unpacked=True,
    ),
)  # fmt: skip

EXTENSIONS: Final = {
    "7z": "application/x-7z-compressed", "bz2": "application/x-bzip2", "docm": _WORD + "document" + _MACRO,
    "docx": DOCX, "dotm": _WORD + _TEMPLATE, "dotx": OOXML + "wordprocessingml.template",
    "fodg": ODF + "graphics" + FLAT, "fodp": ODF + "presentation" + FLAT, "fods": ODF + "spreadsheet" + FLAT,
    "fodt": ODF + "text" + FLAT, "gz": "application/x-gzip", "odg": ODF + "graphics", "odm": ODF + "text-master",
    "odp": ODF + "presentation", "ods": ODF + "spreadsheet", "odt": ODF + "text", "otg": ODF + "graphics-template",
    "otp": ODF + "presentation-template", "ots": ODF + "spreadsheet-template", "ott": ODF + "text-template",
    "potm": _POWERPOINT + "." + _TEMPLATE, "potx": OOXML + "presentationml.template",
    "ppsm": _POWERPOINT + ".slideshow" + _MACRO, "ppsx": OOXML + "presentationml.slideshow",
    "pptm": _POWERPOINT + ".presentation" + _MACRO, "pptx": PPTX, "rar": "application/x-rar-compressed",
    "tar": "application/x-tar", "tgz": "application/x-gzip", "wmf": WMF, "xlsm": _EXCEL + ".sheet" + _MACRO,
    "xlsx": XLSX, "xltm": _EXCEL + "." + _TEMPLATE, "xltx": OOXML + "spreadsheetml.template", "xz": "application/x-xz",
    "zip": "application/zip", "zst": "application/zstd",
} | {extension: each.media_types[0] for each in BUILT_IN for extension in each.extensions}  # fmt: skip
"""File-name extensions of these formats, lower case without the dot, also for formats of several types."""
BY_MEDIA_TYPE: Final = {mime: each for each in BUILT_IN for mime in each.media_types}
