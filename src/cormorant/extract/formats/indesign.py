"""Reader of documents of Adobe InDesign in its format for exchange (IDML File Format Specification, 10).

designmap.xml ──> order of the stories, targets of links;  Stories/ ──> text;  Spreads/ ──> texts of pictures;
META-INF/metadata.xml ──> title and attributes (XMP)

A document in InDesign's own format (`.indd`) is none of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from cormorant.extract.document.alt_text import human_text
from cormorant.extract.document.links import page_links
from cormorant.extract.document.text_builder import CELL, TextBuilder
from cormorant.extract.document.xml_tree import Element, attribute, iterate_xml, local_name, parse_part, walk_tree
from cormorant.extract.document.zip_package import ZipPackage
from cormorant.extract.errors import Unreadable
from cormorant.extract.html.head import MAX_KEYWORDS
from cormorant.extract.job import ExtractionTask
from cormorant.extract.pdf.metadata.xmp import XmpPacket
from cormorant.extract.sanitize import MAX_VALUE, one_line, title_or_name
from cormorant.model.content import Extraction, Value

_MAP: Final = "designmap.xml"
_METADATA: Final = "META-INF/metadata.xml"
_STORY: Final = re.compile(r"stories/[^/]+\.xml", re.IGNORECASE)
_SPREAD: Final = re.compile(r"(?:master)?spreads/[^/]+\.xml", re.IGNORECASE)
_ASIDES: Final = frozenset(("Endnote", "Footnote", "Note"))
_UNSEEN: Final = frozenset(("Properties", "StoryPreference", "InCopyExportOption", "XMLAttribute"))
_DELETED: Final = "DeletedText"
_RIGHT_TAB: Final = b"<?ACE 8?>"
"""The instruction of a tab up to the right edge; others represent numbers that are counted at display."""
_LINE_ENDS: Final = str.maketrans({"\u2028": "\n", "\u2029": "\n", "\ufffc": " "})
_NONE: Final = "$ID/"
"""Prefix of InDesign's own values."""
_CELL_NAME: Final = re.compile(r"(\d{1,6}):(\d{1,6})")


def extract_idml(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the text of the stories of an InDesign document, in their order. Raises Unreadable if it has none."""
    package = ZipPackage(body)
    design = _root(package, _MAP)
    out = TextBuilder()
    read = damaged = 0
    for name in _stories(package, design):
        data = package.read(name)
        root, whole = parse_part(data.replace(_RIGHT_TAB, b"\t")) if data else (None, False)
        damaged += not whole
        if root is not None:
            read += 1
            out.blank_line()
            _StoryReader(out).read(root)
        if out.full:
            break
    if not read:
        raise Unreadable("it has no story that can be read")
    for name in package.names:
        data = package.read(name) if _SPREAD.fullmatch(name) else None
        for element in iterate_xml(data, "ObjectExportOption") if data else ():
            out.aside(_picture_text(element))
    about = XmpPacket(_root(package, _METADATA))
    links, seen = page_links(task.address, ((target, "") for target in _targets(design)))
    return Extraction(
        text=out.text(),
        title=title_or_name(next(map(one_line, about.dublin_core("title")), ""), task.address, task.file_name),
        links=links,
        attributes=_attributes(about),
        links_seen=seen,
        truncated=out.full or bool(damaged),
        fault=f"{damaged:,} of its stories are damaged or missing." if damaged else "",
    )


class _Flow:
    """Lines of a story, a note or a cell, and the paragraph that is being read."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.pieces: list[str] = []

    def end_paragraph(self) -> None:
        """End the paragraph, unless it is empty."""
        text = "".join(self.pieces).strip()
        self.pieces.clear()
        if text:
            self.lines.append(text)


class _StoryReader:
    """Walks over the elements of a story; notes are read apart, and rows of a table become lines."""

    def __init__(self, out: TextBuilder) -> None:
        self._out = out
        self._flows = [_Flow()]
        self._tables: list[dict[tuple[int, int], str]] = []

    def read(self, root: Element) -> None:
        """Add the lines of a story, and its notes as asides."""
        walk = walk_tree(root, "start", "end")
        for event, element in walk:
            name = local_name(element)
            if event == "end":
                self._end(name, element)
            elif name in _UNSEEN or (name == "Change" and attribute(element, "ChangeType") == _DELETED):
                walk.skip_subtree()
            else:
                self._start(name, element)
        self._flows[0].end_paragraph()
        for line in self._flows[0].lines:
            self._out.line(line)

    def _start(self, name: str, element: Element) -> None:
        flow = self._flows[-1]
        if name == "Content":
            flow.pieces.append("".join(element.itertext()).translate(_LINE_ENDS))
        elif name == "Br":
            flow.end_paragraph()
        elif name == "TextVariableInstance":
            flow.pieces.append(attribute(element, "ResultText"))
        elif name == "Table":
            flow.end_paragraph()
            self._tables.append({})
        elif name == "ObjectExportOption":
            self._out.aside(_picture_text(element))
        elif name in _ASIDES or name == "Cell":
            self._flows.append(_Flow())

    def _end(self, name: str, element: Element) -> None:
        flow = self._flows[-1]
        if name == "ParagraphStyleRange":
            flow.end_paragraph()
        elif name == "CharacterStyleRange" and attribute(element, "RubyFlag") == "true":
            reading = attribute(element, "RubyString").strip()
            flow.pieces += (f"({reading})",) if reading else ()
        elif name == "Table" and self._tables:
            flow.lines += _rows(self._tables.pop())
        elif name in _ASIDES:
            self._out.aside("\n".join(self._ended_flow()))
        elif name == "Cell":
            self._end_cell(attribute(element, "Name"))

    def _end_cell(self, name: str) -> None:
        lines = self._ended_flow()
        if not self._tables:
            self._flows[-1].lines += lines
            return
        cells, place = self._tables[-1], _CELL_NAME.fullmatch(name)
        cells[(int(place[2]), int(place[1])) if place else (len(cells), 0)] = " ".join(lines)

    def _ended_flow(self) -> list[str]:
        flow = self._flows.pop()
        flow.end_paragraph()
        return flow.lines


def _rows(cells: dict[tuple[int, int], str]) -> Iterator[str]:
    row: list[str] = []
    last = -1
    for (number, _), text in sorted(cells.items()):
        if number != last and row:
            yield CELL.join(row)
            row = []
        last = number
        row += (text,) if text else ()
    if row:
        yield CELL.join(row)


def _root(package: ZipPackage, name: str) -> Element | None:
    data = package.read(name)
    return parse_part(data)[0] if data else None


def _stories(package: ZipPackage, design: Element | None) -> list[str]:
    """Return the names of the stories, those that the map of the document lists in front."""
    listed = [] if design is None else [attribute(each, "src") for each in design.iter("{*}Story")]
    found = [name for name in package.names if _STORY.fullmatch(name)]
    return list(dict.fromkeys((*(name for name in listed if _STORY.fullmatch(name)), *found)))


def _picture_text(options: Element) -> str:
    """Return the alternative text of a picture, "" when no person wrote one."""
    text = attribute(options, "CustomAltText")
    return "" if text.startswith(_NONE) else human_text(one_line(text, MAX_VALUE))


def _targets(design: Element | None) -> Iterator[str]:
    for each in () if design is None else design.iter("{*}HyperlinkURLDestination"):
        yield attribute(each, "DestinationURL")


def _attributes(about: XmpPacket) -> dict[str, Value]:
    found: dict[str, Value] = {}
    authors = _each_once(about.dublin_core("creator"))
    if authors:
        found["Author"] = authors[0] if len(authors) == 1 else authors
    description = next((one_line(text, MAX_VALUE) for text in about.dublin_core("description")), "")
    if description:
        found["Description"] = description
    keywords = _each_once(about.dublin_core("subject"))
    if keywords:
        found["Keywords"] = keywords
    return found


def _each_once(values: Iterable[str]) -> tuple[str, ...]:
    lines = (one_line(value, MAX_VALUE) for value in values)
    return tuple(dict.fromkeys(line for line in lines if line))[:MAX_KEYWORDS]
