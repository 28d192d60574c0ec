"""The page of formats: which documents are read, by what, and what of them is not."""

# ruff: noqa: INP001, E501 - a folder of pages is no package; cells of a table are one line each

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from cormorant.extract.detect.built_in import BUILT_IN, EXTENSIONS
from cormorant.extract.detect.format import Format


class Coverage(NamedTuple):
    """The library of a reader, the places of a document that it reads, and those that it does not."""

    library: str
    found: str
    missing: str = ""


_XML_IN_ZIP: Final = "own reader over `zipfile` and `lxml`"
_OLE: Final = "own reader of [MS-CFB] files"

COVERAGE: Final = {
    "PDF": Coverage(
        "`pypdfium2`",
        "text, form values, annotations, bookmarks, links, the properties of Info and XMP, attached files",
        "text in pictures without OCR; forms of Adobe's XFA",
    ),
    "Word": Coverage(
        _XML_IN_ZIP,
        "body, headers and footers, notes, comments, text boxes, tables, fields as shown, form controls, list numbers, "
        "charts, SmartArt, equations, tracked insertions, alternative texts, properties, embedded files",
        "deleted text, field codes, names of styles",
    ),
    "Excel": Coverage(
        _XML_IN_ZIP,
        "cells as displayed and as kept, formulas' results, hidden sheets, comments and threads, headers and footers, text "
        "boxes, charts, names of sheets, defined names, properties, embedded files",
        "formulas themselves; pivot caches",
    ),
    "Excel, binary": Coverage("own reader of [MS-XLSB] records", "as of Excel", "as of Excel"),
    "PowerPoint": Coverage(
        _XML_IN_ZIP,
        "slides in order, notes, comments, tables, charts, SmartArt, alternative texts, properties, embedded files",
        "prompts of masters and layouts",
    ),
    "Word 97": Coverage(
        _OLE,
        "body, headers and footers, notes, comments, text boxes, tables, list numbers, fields as shown, properties",
        "lists of Word 6 and 95; deleted text, field codes",
    ),
    "Excel 97": Coverage(
        _OLE,
        "cells as displayed and as kept, comments, headers and footers, text boxes, charts, properties",
        "formulas",
    ),
    "Excel 2 to 4": Coverage("own reader of BIFF records", "cells as displayed and as kept", "charts, macros"),
    "PowerPoint 97": Coverage(_OLE, "slides, notes, comments, tables, charts, properties", "prompts of masters"),
    "Office document with a password": Coverage(
        "`cryptography`",
        "documents whose password is the one that Excel tries by itself, like those that are protected from changes",
        "documents with another password: found by name and title, and said to be protected",
    ),
    "Office document as one XML file": Coverage("own reader over `lxml`", "as of Word and PowerPoint", ""),
    "Excel 2003 as one XML file": Coverage(
        "own reader over `lxml`", "cells, comments, headers and footers, properties"
    ),
    "OpenDocument": Coverage(
        _XML_IN_ZIP,
        "body, headers and footers, notes, comments, text boxes, tables, cells as displayed, charts, form controls, "
        "fields and their choices, slides and their notes, alternative texts, properties, embedded files",
        "deleted text, prompts of placeholders",
    ),
    "OpenDocument as one XML file": Coverage("own reader over `lxml`", "as of OpenDocument"),
    "Rich Text": Coverage(
        "own reader",
        "body, headers and footers, notes, comments, tables, text boxes, fields as shown, ruby, properties, embedded files",
        "deleted text",
    ),
    "EPUB": Coverage(_XML_IN_ZIP, "chapters in reading order, table of contents, properties", "books behind a DRM"),
    "InDesign": Coverage(
        _XML_IN_ZIP, "stories, notes, tables, links, alternative texts", "documents in `.indd` format"
    ),
    "FictionBook": Coverage("own reader over `lxml`", "text, notes, title page"),
    "Windows metafile": Coverage("own reader", "text that is drawn, also in pictures of office documents"),
    "Jupyter notebook": Coverage("`xberg`", "cells and their text output"),
    "WordPerfect": Coverage("`xberg`", "body"),
    "Outlook message": Coverage(
        _OLE, "sender, receivers, subject, date, body as text, HTML or RTF, attachments", "signatures are not checked"
    ),
    "Outlook's winmail.dat": Coverage("own reader of [MS-OXTNEF]", "body and attachments"),
    "Mail": Coverage(
        "own walker over `email`",
        "sender, receivers, subject, date, body, alternative texts of pictures, attachments",
        "encrypted mail",
    ),
    "Mailbox": Coverage("own walker", "each message as a document"),
    "Web archive": Coverage("own walker", "the page that it shows"),
    "Archive": Coverage(
        "`zipfile`, `tarfile`, `lzma`, `bz2`, `zlib`, `zstandard`, `rars`",
        "each member as a document: ZIP, TAR, 7z, RAR, and GZ, BZ2, XZ, ZST of one file",
        "parts of split archives, members behind a password",
    ),
}
"""By the label of the format."""

TEXTS: Final = (
    (
        "HTML, XHTML",
        "html, htm, xhtml, xht",
        "`turbohtml`",
        "text in reading order, title, metas, links, headlines",
        "scripts",
    ),
    (
        "text, program texts",
        "txt, log, rst, tex, yaml, ...",
        "own reader",
        "everything, in the charset that was detected",
        "",
    ),
    ("Markdown", "md, markdown", "own reader", "text, headings, links", ""),
    ("CSV, TSV", "csv, tsv", "`csv`", "cells", ""),
    ("JSON, JSON Lines", "json, jsonl, ndjson", "`msgspec`", "names and values", ""),
    ("XML, SVG", "xml, svg", "`lxml`", "texts, attributes that people see", ""),
)
"""Formats that are text in themselves."""


def paragraphs() -> Iterator[str]:
    """Yield the lines of the page. Raises KeyError for a format that `COVERAGE` does not know."""
    yield "# Formats"
    yield ""
    yield (
        "The content decides what a document is, and its name only where that does not tell. Every format below but plain text "
        "and pages is read in a child process that can only compute. [A table](formats-found.md) shows, place by place, what "
        "is found beside other readers; [Apache Tika](../how-to/tika.md) reads more formats, and "
        "[OCR](../how-to/ocr.md) finds text in pictures."
    )
    yield ""
    yield "| format | names of files | read by | read | not read |"
    yield "|---|---|---|---|---|"
    for row in TEXTS:
        yield f"| {' | '.join(row)} |"
    for each in BUILT_IN:
        covered = COVERAGE[each.label]
        names = ", ".join(_extensions(each)) or "by content"
        yield f"| {each.label} | {names} | {covered.library} | {covered.found} | {covered.missing} |"
    yield ""


def _extensions(made: Format) -> list[str]:
    """The extensions of file names that stand for a format."""
    return sorted({*made.extensions, *(name for name, mime in EXTENSIONS.items() if mime in made.media_types)})
