"""Reader of FictionBook 2 (http://www.gribuser.ru/xml/fictionbook/2.0): a book in one XML file, often packed as ZIP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cormorant.extract.document.alt_text import human_text
from cormorant.extract.document.links import page_links
from cormorant.extract.document.text_builder import CELL, TextBuilder
from cormorant.extract.document.xml_tree import Element, attribute, local_name, parse_part
from cormorant.extract.document.zip_package import ZipPackage
from cormorant.extract.errors import Unreadable
from cormorant.extract.html.head import MAX_KEYWORDS, language_tag
from cormorant.extract.job import ExtractionTask
from cormorant.extract.sanitize import MAX_VALUE, one_line, title_or_name
from cormorant.model.content import Extraction, Value

_LINES: Final = frozenset(("date", "p", "subtitle", "text-author", "v"))
_ROW: Final = "tr"
_CELLS: Final = frozenset(("td", "th"))
_NOTES: Final = frozenset(("comments", "footnotes", "notes"))
"""Names of bodies that hold notes."""
_NAMES: Final = ("first-name", "middle-name", "last-name")


def extract_fictionbook(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the text of a FictionBook, notes after it. Raises Unreadable for any other document."""
    root, whole = parse_part(_book(body) if body.startswith(b"PK") else body)
    if root is None or local_name(root) != "FictionBook":
        raise Unreadable("it is no FictionBook")
    _remove_marks(root)
    out = TextBuilder()
    for part in root.iterchildren("{*}body"):
        if attribute(part, "name").lower() in _NOTES:
            _read_notes(part, out)
        else:
            out.blank_line()
            for line in _lines(part):
                out.line(line)
    about = next(root.iter("{*}title-info"), None)
    references = ((attribute(each, "href"), _words(each)) for each in root.iter("{*}a"))
    links, seen = page_links(task.address, references)
    return Extraction(
        text=out.text(),
        title=title_or_name(_first(about, "book-title"), task.address, task.file_name),
        links=links,
        language=language_tag(_first(about, "lang")),
        attributes=_attributes(about),
        links_seen=seen,
        truncated=out.full or not whole,
        fault="" if whole else "Its XML is damaged: text behind the damage may be missing.",
    )


def _book(body: bytes) -> bytes:
    package = ZipPackage(body)
    names = [name for name in package.names if name.lower().endswith(".fb2")]
    return (package.read(names[0]) if names else None) or b""


def _remove_marks(root: Element) -> None:
    """Take out the marks that lead to notes: `[1]`."""
    for link in root.iter("{*}a"):
        if attribute(link, "type") == "note":
            link.text = None
            for child in list(link):
                link.remove(child)


def _lines(part: Element) -> Iterator[str]:
    """Yield paragraphs, verses and rows of tables, and what a person wrote about a picture."""
    for element in part.iter():
        name = local_name(element)
        if name in _LINES:
            yield _words(element)
        elif name == _ROW:
            yield CELL.join(filter(None, (_words(cell) for cell in element if local_name(cell) in _CELLS)))
        elif name == "image":
            yield human_text(attribute(element, "title")) or human_text(attribute(element, "alt"))


def _read_notes(part: Element, out: TextBuilder) -> None:
    """Add each note apart, without the number that is its title."""
    for section in part.iterchildren("{*}section"):
        lines = [line for line in _lines(section) if line]
        title = section.find("{*}title")
        if title is not None and not any(map(str.isalpha, "".join(title.itertext()))):
            del lines[: sum(1 for line in _lines(title) if line)]
        out.aside("\n".join(lines))


def _words(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _first(about: Element | None, name: str) -> str:
    found = None if about is None else about.find(f"{{*}}{name}")
    return "" if found is None else _words(found)


def _attributes(about: Element | None) -> dict[str, Value]:
    if about is None:
        return {}
    found: dict[str, Value] = {}
    authors = tuple(dict.fromkeys(filter(None, map(_person, about.iterchildren("{*}author")))))[:MAX_KEYWORDS]
    if authors:
        found["Author"] = authors[0] if len(authors) == 1 else authors
    annotation = about.find("{*}annotation")
    description = "" if annotation is None else one_line(" ".join(_lines(annotation)), MAX_VALUE)
    if description:
        found["Description"] = description
    words = (one_line(word) for word in _first(about, "keywords").replace(";", ",").split(","))
    keywords = tuple(dict.fromkeys(filter(None, words)))[:MAX_KEYWORDS]
    if keywords:
        found["Keywords"] = keywords
    return found


def _person(element: Element) -> str:
    parts = (_first(element, name) for name in _NAMES)
    return one_line(" ".join(filter(None, parts))) or one_line(_first(element, "nickname"))
