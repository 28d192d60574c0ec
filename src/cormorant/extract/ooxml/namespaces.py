"""Names of OOXML elements, the same for strict (ISO/IEC 29500-1), transitional (29500-4) and Word 2003 documents."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from cormorant.extract.document.xml_tree import Element

_OPEN: Final = "http://schemas.openxmlformats.org/"
_STRICT: Final = "http://purl.oclc.org/ooxml/"
_MICROSOFT: Final = "http://schemas.microsoft.com/office/"
_PREFIXES: Final = {
    _OPEN + "wordprocessingml/2006/main": "w",
    _STRICT + "wordprocessingml/main": "w",
    _OPEN + "presentationml/2006/main": "p",
    _STRICT + "presentationml/main": "p",
    _OPEN + "spreadsheetml/2006/main": "s",
    _STRICT + "spreadsheetml/main": "s",
    _OPEN + "drawingml/2006/main": "a",
    _STRICT + "drawingml/main": "a",
    _OPEN + "drawingml/2006/chart": "c",
    _STRICT + "drawingml/chart": "c",
    _OPEN + "drawingml/2006/chartDrawing": "cdr",
    _STRICT + "drawingml/chartDrawing": "cdr",
    _OPEN + "drawingml/2006/diagram": "dgm",
    _STRICT + "drawingml/diagram": "dgm",
    _OPEN + "drawingml/2006/picture": "pic",
    _STRICT + "drawingml/picture": "pic",
    _OPEN + "drawingml/2006/lockedCanvas": "lc",
    _STRICT + "drawingml/lockedCanvas": "lc",
    _OPEN + "drawingml/2006/wordprocessingDrawing": "wp",
    _STRICT + "drawingml/wordprocessingDrawing": "wp",
    _OPEN + "drawingml/2006/spreadsheetDrawing": "xdr",
    _STRICT + "drawingml/spreadsheetDrawing": "xdr",
    _OPEN + "officeDocument/2006/math": "m",
    _STRICT + "officeDocument/math": "m",
    _OPEN + "officeDocument/2006/relationships": "r",
    _STRICT + "officeDocument/relationships": "r",
    _OPEN + "markup-compatibility/2006": "mc",
    _MICROSOFT + "drawing/2008/diagram": "dsp",
    _MICROSOFT + "drawing/2014/chartex": "cx",
    _MICROSOFT + "word/2010/wordprocessingShape": "wps",
    _MICROSOFT + "word/2010/wordprocessingGroup": "wpg",
    _MICROSOFT + "word/2010/wordprocessingCanvas": "wpc",
    _MICROSOFT + "word/2010/wordml": "w14",
    _MICROSOFT + "word/2012/wordml": "w15",
    _MICROSOFT + "powerpoint/2018/8/main": "p188",
    _MICROSOFT + "word/2003/wordml": "w",
    _MICROSOFT + "word/2003/auxHint": "wx",
    "http://schemas.microsoft.com/aml/2001/core": "aml",
    "urn:schemas-microsoft-com:vml": "v",
    "urn:schemas-microsoft-com:office:office": "o",
}
_UNKNOWN: Final = "?"


@lru_cache(maxsize=4096)
def short_name(tag: str) -> str:
    """Return an lxml tag with its usual prefix: `w:p`, `a:p`; with `?` for a namespace that no reader knows."""
    namespace, brace, name = tag[1:].partition("}")
    if not brace:
        return tag
    return f"{_PREFIXES.get(namespace, _UNKNOWN)}:{name}"


def name_of_element(element: Element) -> str:
    """Return the short name of an element, "" for what is none (a reference to an entity)."""
    tag = element.tag
    return short_name(tag) if isinstance(tag, str) else ""


def first_child(element: Element, name: str) -> Element | None:
    """Return the first child of a short name, None when there is none."""
    for child in element:
        if name_of_element(child) == name:
            return child
    return None


def leading_child(element: Element, name: str) -> Element | None:
    """Return the first of all children when it is of this short name: where the properties of an element stand."""
    child = next(iter(element), None)
    return child if child is not None and name_of_element(child) == name else None


def is_passed_over(alternative: Element) -> bool:
    """Return whether another form of the same content stands before this one: ECMA-376-3 9.3."""
    before = alternative.getprevious()
    return before is not None and name_of_element(before) in ("mc:Choice", "mc:Fallback")
