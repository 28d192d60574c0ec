"""Text of drawings: shapes, tables, charts, SmartArt and alternative text, in slides, sheets and text documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cormorant.extract.document.text_builder import CELL
from cormorant.extract.document.xml_tree import Element, attribute, walk_tree
from cormorant.extract.html.links import MAX_ANCHOR, MAX_LINKS
from cormorant.extract.ooxml.alt_text import alt_texts
from cormorant.extract.ooxml.charts import chart_lines
from cormorant.extract.ooxml.diagrams import diagram_lines
from cormorant.extract.ooxml.drawing_text import body_paragraphs, paragraph_runs
from cormorant.extract.ooxml.namespaces import is_passed_over, name_of_element
from cormorant.extract.ooxml.relationships import OoxmlPackage

MAX_FOUND: Final = 4 * MAX_LINKS
"""Hyperlinks that are kept before repeats are dropped."""
MAX_GRAPHICS: Final = 5_000
"""Charts and diagrams of a document that are read."""


class DrawingReader:
    """Gathers the text of drawings that stand in one part.

    `lines` are paragraphs, rows of tables and words of charts in their order; `links` pairs of an address as written
    and its text.
    """

    def __init__(self, package: OoxmlPackage, part: str) -> None:
        self.package = package
        self.part = part
        self.lines: list[str] = []
        self.links: list[tuple[str, str]] = []
        self._handlers: dict[str, Callable[[Element], bool]] = {
            "a:tbl": self._on_table,
            "mc:Choice": is_passed_over,
            "mc:Fallback": is_passed_over,
            **dict.fromkeys(("a:txBody", "cdr:txBody", "dsp:txBody", "p:txBody", "xdr:txBody"), self._on_body),
            **dict.fromkeys(("c:chart", "cx:chart", "dgm:relIds"), self._on_graphic),
            **dict.fromkeys(("a:cNvPr", "cdr:cNvPr", "p:cNvPr", "pic:cNvPr", "xdr:cNvPr"), self._on_properties),
        }
        """Readers of elements, each of which says whether all that is in its element is done with."""

    def read(self, element: Element) -> None:
        """Add the text of an element and of all that is in it; of alternative contents the first."""
        walk = walk_tree(element, "start")
        for _, each in walk:
            handle = self._handlers.get(name_of_element(each))
            if handle is not None and handle(each):
                walk.skip_subtree()

    def take(self) -> list[str]:
        """Return the lines gathered so far, and begin with none."""
        lines, self.lines = self.lines, []
        return lines

    def read_graphic(self, element: Element) -> list[str]:
        """Return the lines of the chart or diagram that an element refers to; each part is read once."""
        diagram = name_of_element(element) == "dgm:relIds"
        part = self.package.target(self.part, attribute(element, "dm" if diagram else "id"))
        known = self.package.graphics
        if not part or part in known or len(known) >= MAX_GRAPHICS:
            return []
        known.add(part)
        return (diagram_lines if diagram else chart_lines)(self.package, part)

    def add_properties(self, properties: Element) -> list[str]:
        """Return the alternative text of an object, and keep the hyperlink that lies on it."""
        texts = alt_texts(properties)
        for child in properties:
            if name_of_element(child) in ("a:hlinkClick", "a:hlinkHover"):
                self._link(attribute(child, "id"), " ".join(texts))
        return texts

    def body_lines(self, body: Element) -> list[str]:
        """Return the paragraphs of a text body that say something, and keep their hyperlinks."""
        lines = []
        for number, paragraph in body_paragraphs(body):
            text = self._paragraph(paragraph)
            if text.strip():
                lines.append(f"{number} {text}" if number else text)
        return lines

    def _paragraph(self, paragraph: Element) -> str:
        pieces: list[str] = []
        label: list[str] = []
        linked = ""
        for text, hyperlink in paragraph_runs(paragraph):
            pieces.append(text)
            if hyperlink != linked:
                self._link(linked, "".join(label))
                linked, label = hyperlink, []
            label.append(text)
        self._link(linked, "".join(label))
        return "".join(pieces)

    def add_link(self, target: str, label: str) -> None:
        """Keep a hyperlink, unless there are too many."""
        if target and len(self.links) < MAX_FOUND:
            self.links.append((target, label[:MAX_ANCHOR]))

    def external_target(self, relationship_id: str) -> str:
        """Return the address that a relationship of the part leads to, "" for none and for places in the document."""
        found = self.package.relationships(self.part).get(relationship_id) if relationship_id else None
        return found.target if found and found.external else ""

    def _link(self, relationship_id: str, label: str) -> None:
        self.add_link(self.external_target(relationship_id), label)

    def _on_body(self, element: Element) -> bool:
        self.lines += self.body_lines(element)
        return True

    def _on_table(self, element: Element) -> bool:
        for row in element:
            if name_of_element(row) == "a:tr":
                cells = ("\n".join(self._cell_lines(cell)) for cell in row if name_of_element(cell) == "a:tc")
                line = CELL.join(cell for cell in cells if cell)
                self.lines += [line] if line else []
        return True

    def _cell_lines(self, cell: Element) -> list[str]:
        return [line for child in cell if name_of_element(child) == "a:txBody" for line in self.body_lines(child)]

    def _on_graphic(self, element: Element) -> bool:
        self.lines += self.read_graphic(element)
        return True

    def _on_properties(self, element: Element) -> bool:
        self.lines += self.add_properties(element)
        return True


def drawing_text(package: OoxmlPackage, part: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the lines of a part that is a drawing (of a sheet, of a chart), and its links."""
    reader = DrawingReader(package, part)
    root = package.xml(part)
    if root is not None:
        reader.read(root)
    return reader.lines, reader.links
