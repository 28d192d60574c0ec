"""Text layout of an HTML page: elements that separate words, and removal of invisible text.

    document ──break inside inline elements──> part at boxes and cells──> plain blocks──> renderer ──clean──> text

The renderer of the parser knows blocks and loses none of their words, with exceptions that are made good in the tree
before it runs: https://html.spec.whatwg.org/multipage/rendering.html says what a block is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import chain, islice
from typing import Final, NamedTuple

from turbohtml import Document, Element, Text

from cormorant.extract.sanitize import clean

_MAY_BE_HIDDEN: Final = "body [hidden]:not([hidden=until-found]), body [style*=none i]"
_NOT_DISPLAYED: Final = re.compile(r"display\s*:\s*none", re.IGNORECASE)

# The renderer shows only rows of tables and items of lists, drops captions, pads columns to equal width (quadratic in
# hostile tables), indents quotations and runs the words of neighbouring form elements together. As plain blocks all of
# them keep every word.
_PLAIN: Final = (
    "blockquote", "button", "center", "dialog", "dir", "fieldset", "form", "hgroup", "marquee", "menu", "ol", "search",
    "select", "table", "textarea", "ul", "audio", "canvas", "object", "video",
)  # fmt: skip
# Blocks that stand within one of the above or of themselves, where nothing is glued to them.
_PLAIN_WITHIN: Final = ("caption", "legend", "optgroup", "option", "tr")
_PREFORMATTED: Final = ("listing", "plaintext", "xmp")
# Blocks that the renderer knows.
_KNOWN: Final = (
    "address", "article", "aside", "details", "div", "dl", "figcaption", "figure", "footer", "h1", "h2", "h3", "h4",
    "h5", "h6", "header", "hr", "main", "nav", "p", "pre", "section", "summary",
)  # fmt: skip
_BREAKING: Final = frozenset((*_PLAIN, *_PLAIN_WITHIN, *_PREFORMATTED, *_KNOWN, "dd", "dt", "li"))
_WITH_BLOCKS: Final = _BREAKING - {"pre"} | {"body", "html", "tbody", "td", "tfoot", "th", "thead"}
"""Elements whose blocks the renderer parts from what follows."""
_DRAWINGS: Final = 200
"""Drawings of a page in which words are looked for, each with all that is in it."""
_BOXES: Final = ("embed", "img", "input")
"""Elements without words that stand between words."""


def render(document: Document, alternatives: Callable[[str], str] | None = None) -> str:
    """Return the visible text, blocks separated by blank lines, rows of a table and lines by line ends.

    `alternatives` returns the part of an alternative text that replaces the picture; without it there are none. Changes
    the tree, so call it last: a change costs the parser its index.
    """
    find = document.find_all
    plain = [element for tag in _PLAIN for element in find(tag)]
    within = [element for tag in _PLAIN_WITHIN for element in find(tag)]
    preformatted = [element for tag in _PREFORMATTED for element in find(tag)]
    known = [element for tag in _KNOWN for element in find(tag)]
    frames, rubies, preserved = find("iframe"), find("ruby"), find("pre")
    breaks = find("br") if preserved else []
    apart = _apart(document)

    for parent in _inline_parents(chain(plain, preformatted, known)):
        _break_after_blocks(parent, within_pre=bool(preserved) and parent.closest("pre") is not None)
    for element in breaks:
        if element.closest("pre") is not None:
            element.insert_after(Text("\n"))
    apart.part()
    if alternatives:
        for element in find("img"):
            _show_in_place(element, alternatives(alternative_of(element)))
    for element in chain(plain, within, frames):
        element.tag = "div"
    for element in preformatted:
        element.tag = "pre"
    for frame in frames:
        frame.clear()
    _gather_readings(rubies)
    remove_hidden(document)
    return clean(document.to_text())


def alternative_of(picture: Element) -> str:
    """Return the alternative text of a picture on one line, "" for none."""
    return " ".join((picture.attr("alt") or "").split())


def _show_in_place(picture: Element, text: str) -> None:
    """Make a picture an element that has a text, and is hidden where the picture is."""
    if text:
        picture.tag = "span"
        picture.append(Text(f" {text} "))


def words_of(element: Element) -> str:
    """Return the text of one element: a link, a heading. Most hold nothing but text, which is read at once."""
    if len(element) == 1 and isinstance(element[0], Text):
        return element.text
    return element.to_text()


class _Apart(NamedTuple):
    """Elements beside whose words or place no other words may stand: cells, boxes, and notes on formulas."""

    cells: list[Element]
    boxes: list[Element]
    notes: list[Element]

    def part(self) -> None:
        """Put spaces between their words and those of their neighbours."""
        for cell in self.cells:
            cell.append(Text(" "))
        for box in self.boxes:
            following = box.next_sibling
            if isinstance(following, Text):
                parted = following.data[:1].isspace()
            else:
                parted = isinstance(following, Element) and following.tag in _BOXES  # which parts them itself
            if not parted:
                box.insert_after(Text(" "))
        for note in self.notes:
            note.insert_before(Text(" "))


def _apart(document: Document) -> _Apart:
    find = document.find_all
    cells, boxes, notes = find("td") + find("th"), [element for tag in _BOXES for element in find(tag)], []
    drawings = find("svg")
    boxes += [drawing for drawing in drawings if drawing.next_sibling is not None]  # few icons have neighbours
    if any(drawing.text.strip() for drawing in islice(drawings, _DRAWINGS)):
        boxes += document.select("svg :is(text, title, desc, foreignObject)")
    if find("math"):
        cells += find("mtd")
        notes += find("annotation")
    return _Apart(cells, boxes, notes)


def _inline_parents(blocks: Iterable[Element]) -> set[Element]:
    """Return the elements whose blocks the renderer does not part from what follows."""
    last, found = None, set[Element]()
    for element in blocks:
        parent = element.parent
        if parent is not last:
            last = parent
            if isinstance(parent, Element) and parent.tag not in _WITH_BLOCKS:
                found.add(parent)
    return found


def remove_hidden(document: Document) -> None:
    """Remove elements that the page's markup or inline styles hide."""
    for element in document.select(_MAY_BE_HIDDEN):
        if element.attr("hidden") not in (None, "until-found") or _NOT_DISPLAYED.search(element.attr("style") or ""):
            element.extract()


def _break_after_blocks(parent: Element, *, within_pre: bool) -> None:
    """Break the line after each block that lies in an inline element, where the renderer does not."""
    broken = True
    for child in list(parent.children):
        block = isinstance(child, Element) and child.tag in _BREAKING
        if block and within_pre:
            child.insert_after(Text("\n"))
            if not broken:
                child.insert_before(Text("\n"))
        elif block:
            child.insert_after(Element("br"))
        broken = block


def _gather_readings(rubies: Iterable[Element]) -> None:
    """Put the readings of ruby text behind the words that they explain, which they would tear apart.

    In parentheses, which is how a browser shows ruby that it does not know, by the `rp` elements around a reading.
    """
    for ruby in rubies:
        if ruby.find("ruby") is not None:  # or words would be copied once a level
            continue
        readings = [each for tag in ("rt", "rtc") for each in ruby.find_all(tag) if each.find("rt") is None]
        words = "".join(reading.text.strip() for reading in readings)
        for reading in readings:
            reading.extract()
        if words:
            ruby.append(Text(f"({words})"))
