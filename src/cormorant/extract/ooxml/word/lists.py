"""Numbers of the lists and headings of a text document, counted as they are displayed: ECMA-376-1 17.9."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from cormorant.extract.document.list_counter import LEVELS, MAX_LABEL, MAX_START, ListCounter, ListLevel
from cormorant.extract.document.xml_tree import Element, attribute
from cormorant.extract.ooxml.namespaces import first_child, name_of_element
from cormorant.extract.ooxml.symbols import with_symbols
from cormorant.extract.ooxml.word.styles import WordStyles, is_on, list_properties, value_of

_PLACE: Final = re.compile(r"%([1-9])")
_NO_LIST: Final = "0"


class _List(NamedTuple):
    abstract: str
    starts: dict[int, int]
    levels: dict[int, ListLevel]


class ListNumbering:
    """Counts the paragraphs of the lists of a document; asked for each paragraph once, in their order."""

    def __init__(self, root: Element | None, styles: WordStyles) -> None:
        """Read a numbering part (`w:numbering`); None for a document without one."""
        self._styles = styles
        self._abstracts: dict[str, dict[int, ListLevel]] = {}
        self._links: dict[str, str] = {}
        self._lists: dict[str, _List] = {}
        self._counter = ListCounter()
        for element in root if root is not None else ():
            self._read(element)

    def label(self, properties: Element | None) -> str:
        """Return the number before a paragraph with these properties (`w:pPr`), "" for bullets and for none."""
        if not self._lists or properties is None:
            return ""
        style_id = value_of(properties, "w:pStyle")
        own_list, own_level = list_properties(properties)
        style_list, style_level = self._styles.list_of(style_id) if style_id else ("", "")
        found = self._lists.get(own_list or style_list)
        if found is None or (own_list or style_list) == _NO_LIST:
            return ""
        abstract = self._resolved(found.abstract)
        levels = self._abstracts.get(abstract, {}) | found.levels
        default = own_level or ("" if own_list else style_level) or self._level_of_style(levels, style_id)
        number = _integer(default, 0)
        if number >= LEVELS:
            return ""
        return self._counter.next_label(own_list or style_list, abstract, levels, found.starts, number)

    @staticmethod
    def _level_of_style(levels: dict[int, ListLevel], style_id: str) -> str:
        return next((str(place) for place, level in levels.items() if style_id and level.style == style_id), "")

    def _resolved(self, abstract: str) -> str:
        """Follow the link of a definition to a list style, which holds the levels."""
        style = self._links.get(abstract)
        target = self._lists.get(self._styles.list_of(style)[0]) if style else None
        return target.abstract if target else abstract

    def _read(self, element: Element) -> None:
        name = name_of_element(element)
        if name == "w:abstractNum":
            identity = attribute(element, "abstractNumId")
            self._abstracts.setdefault(identity, _levels(element))
            link = value_of(element, "w:numStyleLink")
            if link:
                self._links[identity] = link
        elif name == "w:num":
            starts: dict[int, int] = {}
            levels: dict[int, ListLevel] = {}
            for override in element:
                if name_of_element(override) != "w:lvlOverride":
                    continue
                start = value_of(override, "w:startOverride")
                if start:
                    starts[_integer(attribute(override, "ilvl"), 0)] = _integer(start, 1)
                levels |= _levels(override)
            abstract = value_of(element, "w:abstractNumId")
            self._lists.setdefault(attribute(element, "numId"), _List(abstract, starts, levels))


def _levels(parent: Element) -> dict[int, ListLevel]:
    found: dict[int, ListLevel] = {}
    for element in parent:
        place = _integer(attribute(element, "ilvl"), LEVELS)
        if name_of_element(element) == "w:lvl" and place < LEVELS:
            found.setdefault(place, _level(element))
    return found


def _level(element: Element) -> ListLevel:
    formats = (attribute(each, "val") for each in element.iter("{*}numFmt"))
    text = value_of(element, "w:lvlText")
    return ListLevel(
        start=_integer(value_of(element, "w:start"), 0),
        number_format=next((each for each in formats if each != "custom"), "decimal"),
        text=_PLACE.sub(lambda match: chr(int(match[1]) - 1), with_symbols(text[:MAX_LABEL], None)),
        restarts_below=_integer(value_of(element, "w:lvlRestart"), LEVELS),
        is_legal=is_on(first_child(element, "w:isLgl")),
        style=value_of(element, "w:pStyle"),
    )


def _integer(text: str, default: int) -> int:
    return min(int(text), MAX_START) if text.isdecimal() and len(text) < 10 else default
