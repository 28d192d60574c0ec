"""Text documents of Word 2003 that are one XML file (WordprocessingML 2003, `w:wordDocument`).

Most elements are those of Office Open XML. The others are given their later form, so that one reader reads both:

    w:hlink w:dest                  a hyperlink with a relationship
    aml:annotation                  w:ins, w:del, w:comment
    w:footnote, w:endnote           notes in parts of their own, and a mark in their place
    w:hdr, w:ftr                    headers and footers in parts of their own
    wx:t in w:listPr                the number of a paragraph, as Word displayed it
    w:binData                       a picture in a part of its own, when it is a metafile
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from cormorant.extract.document.xml_tree import Element, attribute, local_name, parse_part, serialize_xml
from cormorant.extract.errors import Unreadable
from cormorant.extract.ooxml.namespaces import first_child, name_of_element
from cormorant.extract.ooxml.package_builder import PackageBuilder
from cormorant.extract.ooxml.properties_2003 import CUSTOM, STANDARD, add_properties
from cormorant.extract.ooxml.relationships import MAX_TREE

MAX_MARGINS: Final = 1_000
"""Headers and footers that are read."""
MAX_HYPERLINKS: Final = 100_000
"""Hyperlinks whose targets are kept."""

_WORD: Final = "http://schemas.microsoft.com/office/word/2003/wordml"
_ANNOTATION: Final = "{http://schemas.microsoft.com/aml/2001/core}annotation"
_ID: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_MAIN: Final = "word/document.xml"
_MAIN_TYPE: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_ANNOTATIONS: Final = {"Word.Deletion": "del", "Word.Insertion": "ins", "Word.Comment": "comment"}
_MARGINS: Final = {"w:hdr": "header", "w:ftr": "footer"}
_METAFILES: Final = (".emf", ".wmf", ".emz", ".wmz")


def packed_word_2003(body: bytes) -> tuple[bytes, bool]:
    """Return a document of Word 2003 as a ZIP file of Word 2007, and whether all of it was read.

    Raises Unreadable for XML that declares entities, and for any other document.
    """
    root, complete = parse_part(body[:MAX_TREE])
    document = first_child(root, "w:body") if root is not None else None
    if root is None or document is None:
        raise Unreadable("it has no body: it is cut short, or no Word document")
    builder = PackageBuilder()
    _Translation(builder).add(document)
    for child in root:
        name = local_name(child)
        if name in (STANDARD, CUSTOM):
            add_properties(builder, child)
        elif name == "styles":
            builder.add("word/styles.xml", serialize_xml(child))
            builder.relate(_MAIN, "styles", "word/styles.xml")
    return builder.package(), complete and len(body) <= MAX_TREE


class _Translation:
    """Makes parts of a body and of all that is in it."""

    def __init__(self, builder: PackageBuilder) -> None:
        self._builder = builder
        self._notes: dict[str, list[Element]] = {"footnotes": [], "endnotes": [], "comments": []}
        self._margins: list[Element] = []
        self._links = 0
        self._handlers: Mapping[str, Callable[[Element], None]] = {
            "aml:annotation": self._on_annotation, "w:listPr": self._on_list, "w:footnote": self._on_note,
            "w:endnote": self._on_note, "w:hdr": self._on_margin, "w:ftr": self._on_margin,
        }  # fmt: skip

    def add(self, document: Element) -> None:
        """Add the body, its headers, footers, notes and comments. Changes the tree."""
        tags = (_tag(name.removeprefix("w:")) for name in self._handlers if name.startswith("w:"))
        for each in list(document.iter(_ANNOTATION, *tags)):
            self._handlers[name_of_element(each)](each)
        self._builder.relate("", "officeDocument", _MAIN)
        self._add_part(_MAIN, "document", [document], _MAIN_TYPE)
        for kind, notes in self._notes.items():
            if notes:
                self._relate_part(kind, f"word/{kind}.xml", kind, notes)
        for number, margin in enumerate(self._margins, 1):
            kind = _MARGINS[name_of_element(margin)]
            self._relate_part(kind, f"word/{kind}{number}.xml", local_name(margin), margin)

    def _relate_part(self, kind: str, part: str, root: str, content: Iterable[Element]) -> None:
        self._add_part(part, root, content)
        self._builder.relate(_MAIN, kind, part)

    def _add_part(self, part: str, root: str, content: Iterable[Element], mime: str = "") -> None:
        pieces: list[bytes] = []
        for element in content:
            for link in element.iter(_tag("hlink")):
                self._add_link(part, link)
            for picture in element.iter(_tag("binData")):
                self._add_picture(part, picture)
            pieces.append(serialize_xml(element))
        start, end = f'<w:{root} xmlns:w="{_WORD}">', f"</w:{root}>"
        self._builder.add(part, b"".join((start.encode(), *pieces, end.encode())), mime)

    def _add_link(self, part: str, link: Element) -> None:
        target = attribute(link, "dest")
        bookmark = attribute(link, "bookmark")
        link.tag = _tag("hyperlink")
        self._links += 1
        if target and self._links <= MAX_HYPERLINKS:
            target = f"{target}#{bookmark}" if bookmark and "#" not in target else target
            link.set(_ID, self._builder.relate(part, "hyperlink", target, external=True))

    def _add_picture(self, part: str, picture: Element) -> None:
        name = attribute(picture, "name").rpartition("/")[2].lower()
        if name.endswith(_METAFILES):
            try:
                self._builder.add(f"word/media/{name}", b64decode(picture.text or ""))
            except ValueError:
                return
            self._builder.relate(part, "image", f"word/media/{name}")
        picture.clear()

    def _on_annotation(self, element: Element) -> None:
        """Give a tracked change its later name; take a comment out of its run."""
        name = _ANNOTATIONS.get(attribute(element, "type"))
        if name is not None:
            element.tag = _tag(name)
        if name == "comment":
            element.getparent().remove(element)
            self._notes["comments"].append(element)

    def _on_note(self, element: Element) -> None:
        element.addprevious(element.makeelement(element.tag + "Reference"))
        element.getparent().remove(element)
        self._notes[local_name(element) + "s"].append(element)

    def _on_margin(self, element: Element) -> None:
        element.getparent().remove(element)
        if len(self._margins) < MAX_MARGINS:
            self._margins.append(element)

    def _on_list(self, element: Element) -> None:
        """Write the number of a paragraph as its first run; the sign of a bullet is skipped."""
        hint = next((each for each in element if name_of_element(each) == "wx:t"), None)
        label = attribute(hint, "val").strip() if hint is not None else ""
        properties = element.getparent()
        if any(map(str.isalnum, label)) and name_of_element(properties) == "w:pPr":
            run, text = element.makeelement(_tag("r")), element.makeelement(_tag("t"))
            text.text = label + " "
            run.append(text)
            properties.addnext(run)


def _tag(name: str) -> str:
    return f"{{{_WORD}}}{name}"
