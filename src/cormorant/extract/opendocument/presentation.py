"""Slides and pages of drawings (ODF 1.3-3 3.5, 3.6 and 10.2.4): their shapes in order, then their notes."""

from __future__ import annotations

import re
from typing import Final

from cormorant.extract.document.xml_tree import Element
from cormorant.extract.opendocument.flow import ElementReader, Flow
from cormorant.extract.opendocument.names import value_of
from cormorant.extract.opendocument.text import ignore

_NUMBERED: Final = re.compile(r"[^\W\d]{0,20}[ _-]?\d{1,6}|", re.UNICODE)
"""A name that a program gives to a page: `page1`, `Slide 12`, `Folie 3`."""


def _page(flow: Flow, page: Element) -> None:
    flow.out.blank_line()
    name = value_of(page, "draw:name").strip()
    if not _NUMBERED.fullmatch(name):
        flow.line(name)
    flow.descend(page)


def _declaration(flow: Flow, element: Element) -> None:
    """Read the footer or header that slides share; each wording once (ODF 1.3-3 10.10)."""
    if value_of(element, "presentation:source") != "current-date":
        flow.out.aside("".join(element.itertext()))


def _notes(flow: Flow, element: Element) -> None:
    flow.line(flow.apart(element))


PRESENTATION_READERS: Final[dict[str, ElementReader]] = {
    "draw:page": _page,
    "presentation:date-time": ignore,
    "presentation:date-time-decl": _declaration,
    "presentation:footer": ignore,
    "presentation:footer-decl": _declaration,
    "presentation:header": ignore,
    "presentation:header-decl": _declaration,
    "presentation:notes": _notes,
}
