"""Words of a chart: its titles, names of series, categories and labels.

ECMA-376-1 21.2 (`c:chartSpace`), and the kinds that came with Office 2016 ([MS-ODRAWXML] 2.24.3, `cx:chartSpace`).
Its figures are words only where they are written beside the bars and lines, or in a table below them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from cormorant.extract.document.cells.number_format import GENERAL, NumberFormat
from cormorant.extract.document.text_builder import CELL
from cormorant.extract.document.xml_tree import Element, attribute, local_name
from cormorant.extract.ooxml.drawing_text import paragraph_text
from cormorant.extract.ooxml.escapes import decode_escapes
from cormorant.extract.ooxml.namespaces import first_child, name_of_element
from cormorant.extract.ooxml.relationships import OoxmlPackage

MAX_LINES: Final = 20_000
"""Lines of one chart that are kept."""
MAX_FIGURES: Final = 2_000
"""Figures of one series that are kept."""

_CACHES: Final = frozenset(("strCache", "strLit", "multiLvlStrCache", "dlblRangeCache", "lvl"))
_FIGURES: Final = frozenset(("c:val", "c:yVal"))
_TEXTS: Final = frozenset(("cx:v", "c:name"))
_DIMENSIONS: Final = frozenset(("cat", "colorStr"))


def chart_lines(package: OoxmlPackage, part: str) -> list[str]:
    """Return the lines of a chart part, each wording once, with those of the shapes that are drawn upon it."""
    lines: dict[str, None] = {}
    root = package.xml(part)
    if root is not None:
        _ChartReader(root, lines).read()
    for shapes in package.related(part, "chartUserShapes"):
        drawing = package.xml(shapes)
        for each in drawing.iter("{*}p") if drawing is not None else ():
            _add(lines, paragraph_text(each))
    return list(lines)


class _ChartReader:
    def __init__(self, root: Element, lines: dict[str, None]) -> None:
        self._root = root
        self._lines = lines
        self._from_1904 = any(_is_set(each) for each in root.iter("{*}date1904"))
        self._are_labelled: dict[Element, bool] = {}
        self._has_table = next(root.iter("{*}dTable"), None) is not None

    def read(self) -> None:
        """Add the words of the chart in the order of its elements."""
        for element in self._root.iter("{*}p", "{*}v", "{*}name", "{*}pt", "{*}cat", "{*}val", "{*}yVal"):
            for line in self._lines_of(element, name_of_element(element)):
                _add(self._lines, line)
            if len(self._lines) > MAX_LINES:
                return

    def _lines_of(self, element: Element, name: str) -> Iterable[str]:
        if name == "a:p":
            return (paragraph_text(element),)
        if name == "c:cat":
            return _figures(element, "", self._from_1904)
        if name in _FIGURES and self._shows_figures(element.getparent()):
            return (CELL.join(_figures(element, _label_format(element.getparent()), self._from_1904)),)
        is_text = name in _TEXTS or (name == "cx:pt" and _is_category(element)) or (name == "c:v" and _is_word(element))
        return (element.text or "",) if is_text else ()

    def _shows_figures(self, series: Element | None) -> bool:
        if series is None or self._has_table:
            return series is not None
        plot = series.getparent()
        found = (first_child(each, "c:dLbls") for each in (series, plot) if each is not None)
        labels = next((each for each in found if each is not None), None)
        if labels is None:
            return False
        if labels not in self._are_labelled:
            self._are_labelled[labels] = any(_is_set(each) for each in labels.iter("{*}showVal"))
        return self._are_labelled[labels]


def _figures(element: Element, number_format: str, from_1904: bool) -> Iterator[str]:
    """Yield cached numbers as they are displayed, and their raw or ISO forms behind them; of words none."""
    caches = element.iter("{*}numCache", "{*}numLit")
    cache = next(caches, None)
    if cache is None:
        return
    code = number_format or next((each.text or "" for each in cache if local_name(each) == "formatCode"), "")
    shape = NumberFormat(code or GENERAL, from_1904=from_1904)
    raw_forms = []
    points = (each for each in cache if local_name(each) == "pt")
    for _, point in zip(range(MAX_FIGURES), points, strict=False):
        value = first_child(point, "c:v")
        try:
            shown, raw = shape.words(float(value.text or "")) if value is not None else ("", "")
        except ValueError:
            continue
        yield shown
        raw_forms.append(raw)
    yield from (raw for raw in raw_forms if raw)


def _label_format(series: Element) -> str:
    """Return the number format of the labels of a series, "" for that of its figures."""
    labels = first_child(series, "c:dLbls")
    number_format = first_child(labels, "c:numFmt") if labels is not None else None
    if number_format is None or attribute(number_format, "sourceLinked", "0") not in ("0", "false"):
        return ""
    return attribute(number_format, "formatCode")


def _is_category(point: Element) -> bool:
    """Return whether a point is one of a dimension of words (`cx:strDim`), and not of map entities."""
    level = point.getparent()
    dimension = level.getparent() if level is not None else None
    return (
        dimension is not None
        and local_name(dimension) == "strDim"
        and attribute(dimension, "type", "cat") in _DIMENSIONS
    )


def _is_word(value: Element) -> bool:
    """Return whether a `c:v` is a cached word, or the literal name of a series."""
    parent = value.getparent()
    around = parent.getparent() if parent is not None else None
    return around is not None and (name_of_element(parent) == "c:tx" or local_name(around) in _CACHES)


def _is_set(switch: Element) -> bool:
    return attribute(switch, "val", "1") not in ("0", "false")


def _add(lines: dict[str, None], text: str) -> None:
    text = decode_escapes(text).strip()
    if text:
        lines[text] = None
