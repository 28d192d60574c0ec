"""Walk over the elements of a document, which gathers their text.

    element ──table of readers──> reader ──add──> paragraph ──line──> body, or container that is read apart
       └──no reader: its children are read in turn

A text box is anchored within a paragraph; its lines follow that paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from cormorant.extract.document.text_builder import TextBuilder
from cormorant.extract.document.xml_tree import Element
from cormorant.extract.opendocument.list_labels import ListLabels
from cormorant.extract.opendocument.names import qualified
from cormorant.extract.opendocument.odf_package import OdfPackage

MAX_DEPTH: Final = 80
"""Elements in each other; text that lies deeper is read without its meaning."""

_BLANKS: Final = re.compile(r"[\t\n\r]+")
_SPACES: Final = re.compile(r"  +")

ElementReader: TypeAlias = "Callable[[Flow, Element], None]"


class Flow:
    """The text of a document while it is read. Readers of elements call its methods."""

    def __init__(self, package: OdfPackage, readers: Mapping[str, ElementReader]) -> None:
        """Start without text; `readers` are the readers of elements by qualified name."""
        self.package = package
        self.out = TextBuilder()
        self.links: list[tuple[str, str]] = []
        self.controls: dict[str, str] = {}
        """Texts of form controls that were not shown yet, by their identifiers."""
        self.objects: set[str] = set()
        """Names of embedded objects that were read."""
        self.lists = ListLabels()
        self._readers = readers
        self._depth = 0
        self._paragraph: list[str] | None = None
        self._beside: list[str] = []
        self._lines: list[str] | None = None

    def read(self, element: Element) -> None:
        """Read an element by its reader, or its children if it has none."""
        reader = self._readers.get(qualified(element))
        if reader is None:
            self.descend(element)
        else:
            reader(self, element)

    def descend(self, element: Element) -> None:
        """Read the text and the children of an element."""
        if self._depth >= MAX_DEPTH:
            self._flatten(element)
            return
        self._depth += 1
        self.add(element.text)
        readers = self._readers
        for child in element:
            if self.out.full:
                break
            reader = readers.get(qualified(child))
            if reader is None:
                self.descend(child)
            else:
                reader(self, child)
            self.add(child.tail)
        self._depth -= 1

    def add(self, text: str | None) -> None:
        """Add characters of XML to the paragraph, outside of which there are none (ODF 1.3-3 6.1.2)."""
        if text and self._paragraph is not None:
            self._paragraph.append(_BLANKS.sub(" ", text))

    def add_break(self, text: str) -> None:
        """Add a tab or a line break to the paragraph."""
        if self._paragraph is not None:
            self._paragraph.append(text)

    def line(self, text: str) -> None:
        """Add a paragraph that was read."""
        text = text.strip()
        if self._lines is None:
            self.out.line(text)
        elif text:
            self._lines.append(text)

    def paragraph(self, element: Element, label: str = "") -> None:
        """Read an element as a paragraph, with the label of a list in front, and then the boxes anchored in it."""
        outer = self._paragraph, self._beside
        self._paragraph, self._beside = [label], []
        self.descend(element)
        text, beside = _SPACES.sub(" ", "".join(self._paragraph)), self._beside
        self._paragraph, self._beside = outer
        self.line("" if text == label else text)
        for box in beside:
            self.line(box)

    def phrase(self, element: Element) -> str:
        """Read an element within the paragraph, and return the characters that it added."""
        if self._paragraph is None:
            self.descend(element)
            return ""
        start = len(self._paragraph)
        self.descend(element)
        return "".join(self._paragraph[start:])

    def apart(self, element: Element) -> str:
        """Read the children of an element, and return their lines instead of adding them."""
        return self._apart(element, self.descend)

    def apart_whole(self, element: Element) -> str:
        """Read an element itself, and return its lines instead of adding them."""
        return self._apart(element, self.read)

    def _apart(self, element: Element, read: Callable[[Element], None]) -> str:
        outer = self._paragraph, self._beside, self._lines
        lines: list[str] = []
        self._paragraph, self._beside, self._lines = None, [], lines
        read(element)
        self._paragraph, self._beside, self._lines = outer
        return "\n".join(lines)

    def beside(self, text: str) -> None:
        """Add lines separately from their paragraph."""
        if self._paragraph is None:
            self.line(text)
        elif text:
            self._beside.append(text)

    def _flatten(self, element: Element) -> None:
        text = " ".join(element.itertext())
        if self._paragraph is None:
            self.line(_BLANKS.sub(" ", text))
        else:
            self.add(text)
