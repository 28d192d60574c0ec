"""Reader of presentations: ECMA-376-1 19 (`.pptx`, `.pptm`, `.potx`, `.ppsx`).

    slide      title, then the shapes in their order; its notes and comments follow it
    asides     footers, and words that stand on a layout or master and are no prompt

Slides come in the order of the presentation; one that is hidden is read like the others.
"""

from __future__ import annotations

from typing import Final

from cormorant.extract.document.text_builder import TextBuilder
from cormorant.extract.document.xml_tree import Element, attribute
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ooxml.drawing import DrawingReader
from cormorant.extract.ooxml.extraction import ooxml_extraction
from cormorant.extract.ooxml.namespaces import first_child, name_of_element
from cormorant.extract.ooxml.relationships import OoxmlPackage
from cormorant.extract.ooxml.slide_comments import CommentAuthors, comment_lines
from cormorant.extract.sanitize import MAX_TITLE
from cormorant.model.content import Extraction

MAX_SLIDES: Final = 20_000

_TITLES: Final = frozenset(("title", "ctrTitle"))
_MARGINS: Final = frozenset(("ftr", "hdr"))
# The number and the day, which the program writes; on a page of notes also the picture of its slide.
_MADE: Final = frozenset(("sldNum", "dt", "sldImg"))
_ROOTS: Final = frozenset(("p:sld", "p:notes", "p:sldLayout", "p:sldMaster"))
_OF_PROGRAM: Final = frozenset(
    (
        "default section", "untitled section", "standardabschnitt", "abschnitt ohne titel", "section par défaut",
        "section sans titre", "sección predeterminada", "sección sin título", "sezione predefinita",
        "sezione senza titolo", "seção padrão", "standaardsectie", "domyślna sekcja", "výchozí oddíl",
    )
)  # fmt: skip


def extract_pptx(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the text of a presentation, its links and properties.

    A damaged slide costs its own text. Raises Protected for one behind a password, Unreadable when nothing of it can
    be read.
    """
    package = OoxmlPackage(body)
    reader = _PresentationReader(package)
    for slide in reader.slides():
        reader.read_slide(slide)
        if reader.builder.full:
            break
    reader.read_sections()
    return ooxml_extraction(package, task, reader.builder, reader.links, reader.title)


class _PresentationReader:
    def __init__(self, package: OoxmlPackage) -> None:
        self.package = package
        self.builder = TextBuilder()
        self.links: list[tuple[str, str]] = []
        self.title = ""
        self._main = package.main_part()
        self._root = package.xml(self._main)
        self._authors = CommentAuthors(package, self._main)
        self._known: set[str] = set()

    def slides(self) -> list[str]:
        """Return the names of the slides' parts in their order; where the list of slides is lost, in that of parts."""
        entries = self._root.iter("{*}sldId") if self._root is not None else ()
        ids = (_relationship_id(each) for each in entries if name_of_element(each) == "p:sldId")
        found = [name for name in dict.fromkeys(self.package.target(self._main, each) for each in ids) if name]
        if not found:
            found = self.package.related(self._main, "slide")
        if not found and self._main in self.package.faults:
            found = [name for name in self.package.zip.names if name.lower().startswith("ppt/slides/slide")]
        return found[:MAX_SLIDES]

    def read_slide(self, part: str) -> None:
        """Add a slide, its notes, its comments, and what its layout and master say."""
        root = self.package.xml(part)
        titles: list[str] = []
        if root is not None:
            titles, lines = self._shapes(part, root)
            self._add(titles + lines)
        if titles and not self.title:
            self.title = " ".join(" ".join(titles).split())[:MAX_TITLE]
        for notes in self.package.related(part, "notesSlide"):
            self._add(self._notes(notes))
        for comments in self.package.related(part, "comments"):
            self._add(comment_lines(self.package.xml(comments), self._authors))
        self.builder.blank_line()
        if root is None or attribute(root, "showMasterSp", "1") not in ("0", "false"):
            self._read_template(part, "slideLayout")

    def read_sections(self) -> None:
        """Add the names of sections, which PowerPoint shows beside the slides, unless it made them up."""
        for each in self._root.iter("{*}section") if self._root is not None else ():
            name = attribute(each, "name").strip()
            if name.lower() not in _OF_PROGRAM:
                self.builder.aside(name)

    def _add(self, lines: list[str]) -> None:
        for line in lines:
            self.builder.line(line)

    def _shapes(self, part: str, root: Element) -> tuple[list[str], list[str]]:
        """Return the lines of titles and of all other shapes; footers become asides."""
        reader = DrawingReader(self.package, part)
        reader.links = self.links
        titles: list[str] = []
        lines: list[str] = []
        for shape in _shape_tree(root):
            kind = _placeholder(shape)
            if kind in _MADE:
                continue
            reader.read(shape)
            found = reader.take()
            if kind in _MARGINS:
                self.builder.aside("\n".join(found))
            elif kind in _TITLES:
                titles += found
            else:
                lines += found
        return titles, lines

    def _notes(self, part: str) -> list[str]:
        root = self.package.xml(part)
        if root is None:
            return []
        titles, lines = self._shapes(part, root)
        return titles + lines

    def _read_template(self, part: str, kind: str) -> None:
        """Add the words of a layout or master as asides. Its placeholders hold prompts, which no slide shows."""
        for template in self.package.related(part, kind):
            if template in self._known:
                continue
            self._known.add(template)
            root = self.package.xml(template)
            if root is None:
                continue
            reader = DrawingReader(self.package, template)
            reader.links = self.links
            for shape in _shape_tree(root):
                if _placeholder(shape) is None:
                    reader.read(shape)
            for line in reader.take():
                self.builder.aside(line)
            if kind == "slideLayout" and attribute(root, "showMasterSp", "1") not in ("0", "false"):
                self._read_template(template, "slideMaster")


def _shape_tree(root: Element) -> list[Element]:
    """Return the shapes of a slide, layout, master or page of notes."""
    if name_of_element(root) not in _ROOTS:
        return []
    common = first_child(root, "p:cSld")
    tree = first_child(common, "p:spTree") if common is not None else None
    shapes: list[Element] = []
    for each in tree if tree is not None else ():
        chosen = first_child(each, "mc:Choice") if name_of_element(each) == "mc:AlternateContent" else None
        shapes += [each] if chosen is None else list(chosen)
    return shapes


def _placeholder(shape: Element) -> str | None:
    """Return the kind of a placeholder (ECMA-376-1 19.7.10), None for a shape that is none."""
    for properties in shape:
        if not name_of_element(properties).startswith("p:nv"):
            continue
        own = first_child(properties, "p:nvPr")
        placeholder = first_child(own, "p:ph") if own is not None else None
        if placeholder is not None:
            return attribute(placeholder, "type", "obj")
    return None


def _relationship_id(slide: Element) -> str:
    """Return the `r:id` of an entry of the list of slides, which has an `id` of its own as well."""
    return next((str(value) for key, value in slide.attrib.items() if key.endswith("}id")), "")
