"""Paragraph styles of a text document, as far as they affect its text: ECMA-376-1 17.7."""

from __future__ import annotations

from typing import Final, NamedTuple

from cormorant.extract.document.xml_tree import Element, attribute
from cormorant.extract.ooxml.namespaces import first_child, name_of_element

_MAX_ANCESTORS: Final = 20


class _Style(NamedTuple):
    name: str
    base: str
    list_id: str
    level: str


class WordStyles:
    """The styles of a document by their ids."""

    def __init__(self, root: Element | None) -> None:
        """Read a styles part (`w:styles`); None for a document without one."""
        self._styles: dict[str, _Style] = {}
        for element in root if root is not None else ():
            if name_of_element(element) == "w:style":
                self._styles.setdefault(attribute(element, "styleId"), _style(element))

    def is_title(self, style_id: str) -> bool:
        """Return whether a style is that of titles; the names of built-in styles are English in every file."""
        style = self._styles.get(style_id)
        return style is not None and style.name.lower() == "title"

    def list_of(self, style_id: str) -> tuple[str, str]:
        """Return the list and the level that a style gives to its paragraphs, "" for none."""
        list_id = level = ""
        for _ in range(_MAX_ANCESTORS):
            style = self._styles.get(style_id)
            if style is None or (list_id and level):
                break
            list_id, level = list_id or style.list_id, level or style.level
            style_id = style.base
        return list_id, level


def list_properties(properties: Element | None) -> tuple[str, str]:
    """Return the list and the level in properties of a paragraph (`w:pPr`), "" for none."""
    numbering = first_child(properties, "w:numPr") if properties is not None else None
    return (value_of(numbering, "w:numId"), value_of(numbering, "w:ilvl")) if numbering is not None else ("", "")


def value_of(element: Element, name: str) -> str:
    """Return the `w:val` of a child, "" when there is none."""
    child = first_child(element, name)
    return attribute(child, "val") if child is not None else ""


def is_on(element: Element | None) -> bool:
    """Return whether a switch is there and on: ECMA-376-1 22.9.2.7."""
    return element is not None and attribute(element, "val", "1").lower() not in ("0", "false", "off")


def _style(element: Element) -> _Style:
    list_id, level = list_properties(first_child(element, "w:pPr"))
    return _Style(value_of(element, "w:name"), value_of(element, "w:basedOn"), list_id, level)
