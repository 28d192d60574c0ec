"""Reader of text documents: ECMA-376-1 17 (`.docx`, `.docm`, `.dotx`, `.dotm`).

    body                                     in its order, boxes and graphics after the paragraph that anchors them
    headers, footers, notes, comments        each once, after the body

The building blocks that a template offers (`word/glossary`) are not part of its text.
"""

from __future__ import annotations

from typing import Final

from cormorant.extract.detect.charset import decoded
from cormorant.extract.document.text_builder import TextBuilder
from cormorant.extract.document.xml_tree import ChildStream, Element
from cormorant.extract.html.page import extract_html
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ooxml.drawing import DrawingReader
from cormorant.extract.ooxml.extraction import ooxml_extraction
from cormorant.extract.ooxml.relationships import MAX_TREE, OoxmlPackage
from cormorant.extract.ooxml.word_lists import ListNumbering
from cormorant.extract.ooxml.word_story import WordContext, WordReader
from cormorant.extract.ooxml.word_styles import WordStyles
from cormorant.model.content import Extraction

_MARGINS: Final = ("header", "footer")
_NOTES: Final = ("footnotes", "endnotes", "comments")
_HTML: Final = ("text/html", "application/xhtml+xml")
_TEXT: Final = "text/plain"


def extract_docx(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the text of a text document, its links and properties.

    Raises Protected for one behind a password, Unreadable when nothing of it can be read.
    """
    package = OoxmlPackage(body)
    main = package.main_part()
    styles = WordStyles(_related_root(package, main, "styles"))
    numbering = ListNumbering(_related_root(package, main, "numbering"), styles)
    context = WordContext(styles, numbering, lambda part: _chunk_lines(package, part, task))
    builder = TextBuilder()
    _read_body(package, main, context, builder)
    for part in package.related(main, *_MARGINS):
        builder.aside("\n".join(_part_lines(package, part, context, is_margin=True)))
    for part in (each for kind in _NOTES for each in package.related(main, kind)):
        for note in _part_lines(package, part, context):
            builder.aside(note)
    return ooxml_extraction(package, task, builder, context.links, context.title)


def _related_root(package: OoxmlPackage, main: str, kind: str) -> Element | None:
    part = next(iter(package.related(main, kind)), "")
    return package.xml(part) if part else None


def _read_body(package: OoxmlPackage, main: str, context: WordContext, builder: TextBuilder) -> None:
    data = package.read(main)
    if data is None:
        return
    stream = ChildStream(data, "body", MAX_TREE)
    reader = WordReader(context, DrawingReader(package, main))
    for block in stream:
        for line in reader.read(block):
            builder.line(line)
        if builder.full:
            return
    for line in reader.finish():
        builder.line(line)
    if not stream.complete:
        package.blame(main)


def _part_lines(package: OoxmlPackage, part: str, context: WordContext, *, is_margin: bool = False) -> list[str]:
    root = package.xml(part)
    if root is None:
        return []
    reader = WordReader(context, DrawingReader(package, part), is_margin=is_margin)
    return [*reader.read(root), *reader.finish()]


def _chunk_lines(package: OoxmlPackage, part: str, task: ExtractionTask) -> list[str]:
    """Return the text of an imported part (`w:altChunk`, ECMA-376-1 17.17.2.1) that is a page or plain text."""
    mime = package.content_type(part).partition(";")[0].strip()
    suffix = part.rpartition(".")[2].lower()
    if mime in _HTML or suffix in ("htm", "html", "xhtml"):
        data = package.read(part)
        text = extract_html(data[:MAX_TREE], address=task.address).text if data else ""
    elif mime == _TEXT or suffix == "txt":
        data = package.read(part)
        text = decoded(data[:MAX_TREE]).text if data else ""
    else:
        return []
    return [line for line in text.splitlines() if line.strip()]
