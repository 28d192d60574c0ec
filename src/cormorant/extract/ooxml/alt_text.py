"""Alternative text of drawing objects: ECMA-376-1 20.1.2.2.8."""

from __future__ import annotations

from cormorant.extract.document.alt_text import human_text
from cormorant.extract.document.xml_tree import Element, attribute

__all__ = ["alt_texts", "human_text"]


def alt_texts(properties: Element) -> list[str]:
    """Return the title and the description of a drawing object, given its non-visual properties (`cNvPr`, `docPr`)."""
    found = (human_text(attribute(properties, name)) for name in ("title", "descr"))
    return list(dict.fromkeys(text for text in found if text))
