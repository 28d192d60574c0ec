"""Words of a SmartArt diagram, in the order of its outline: ECMA-376-1 21.4.3."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from cormorant.extract.document.xml_tree import Element, attribute, local_name
from cormorant.extract.ooxml.alt_text import alt_texts
from cormorant.extract.ooxml.drawing_text import body_paragraphs, paragraph_text
from cormorant.extract.ooxml.namespaces import name_of_element
from cormorant.extract.ooxml.relationships import OoxmlPackage

_OF_LAYOUT: Final = "pres"
_PARENT: Final = "parOf"


def diagram_lines(package: OoxmlPackage, part: str) -> list[str]:
    """Return the lines of a diagram's data part (`dgm:dataModel`), parents before their children."""
    root = package.xml(part)
    if root is None:
        return []
    points: dict[str, list[str]] = {}
    children: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for element in root.iter("{*}pt", "{*}cxn"):
        name = name_of_element(element)
        if name == "dgm:pt":
            points.setdefault(attribute(element, "modelId"), _point_lines(element))
        elif name == "dgm:cxn" and attribute(element, "type", _PARENT) == _PARENT:
            place = attribute(element, "srcOrd")
            order = int(place) if place.isdecimal() and len(place) < 10 else 0
            children[attribute(element, "srcId")].append((order, attribute(element, "destId")))
    below = {child for found in children.values() for _, child in found}
    tops = [point for point in points if point not in below]
    return [line for point in _outline([*tops, *points], children) for line in points.get(point, ())]


def _point_lines(point: Element) -> list[str]:
    if attribute(point, "type") == _OF_LAYOUT:
        return []
    lines: list[str] = []
    for child in point:
        if name_of_element(child) == "dgm:t":
            lines += [paragraph_text(paragraph).strip() for _, paragraph in body_paragraphs(child)]
        elif name_of_element(child) == "dgm:extLst":
            properties = (each for extension in child for each in extension if local_name(each) == "cNvPr")
            lines += [text for each in properties for text in alt_texts(each)]
    return [line for line in lines if line]


def _outline(tops: list[str], children: dict[str, list[tuple[int, str]]]) -> Iterator[str]:
    """Yield each point once, depth first, whatever loops the connections make."""
    met: set[str] = set()
    waiting = tops[::-1]
    while waiting:
        point = waiting.pop()
        if point in met:
            continue
        met.add(point)
        yield point
        waiting += (child for _, child in sorted(children.get(point, ()), reverse=True) if child not in met)
