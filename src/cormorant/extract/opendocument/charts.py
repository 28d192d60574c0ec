"""Charts (ODF 1.3-3 11) and formulas (MathML 3) as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cormorant.extract.document.xml_tree import Element
from cormorant.extract.opendocument.flow import ElementReader, Flow
from cormorant.extract.opendocument.names import clark, qualified, value_of

_TITLES: Final = tuple(clark(f"chart:{name}") for name in ("title", "subtitle", "footer", "data-label"))
_TOKENS: Final = frozenset(("math:mi", "math:mn", "math:mo", "math:ms", "math:mtext"))
_NUMBER_TYPES: Final = frozenset(("currency", "float", "percentage"))
_INVISIBLE: Final = frozenset("\u2061\u2062\u2063\u2064")
"""Operators of MathML that are not displayed: application of a function, multiplication, comma, addition."""


def object_lines(root: Element) -> Iterator[str]:
    """Yield the lines of an embedded object, each once; none for one that is a document of its own."""
    if qualified(root) == "math:math":
        yield formula_text(root)
        return
    for chart in root.iter(clark("chart:chart")):
        yield from chart_lines(chart)
    for formula in root.iter(clark("math:math")):
        yield formula_text(formula)


def chart_lines(chart: Element) -> Iterator[str]:
    """Yield titles, names of axes and series, labels of categories, and texts drawn into the chart."""
    lines = (" ".join(line.split()) for line in (*_titles(chart), *_labels(chart), *_drawn(chart)))
    yield from dict.fromkeys(line for line in lines if line)


def formula_text(formula: Element) -> str:
    """Return a formula as its symbols in their order, else as it was written by hand (`annotation`)."""
    tokens = ("".join(each.itertext()).strip() for each in formula.iter() if qualified(each) in _TOKENS)
    text = " ".join(token for token in tokens if token and token not in _INVISIBLE)
    if text:
        return text
    written = formula.find(f".//{clark('math:annotation')}")
    return " ".join("".join(written.itertext()).split()) if written is not None else ""


def _titles(chart: Element) -> Iterator[str]:
    for title in chart.iter(*_TITLES):
        for paragraph in title.iter(clark("text:p")):
            yield "".join(paragraph.itertext())


def _labels(chart: Element) -> Iterator[str]:
    """Yield the texts of the table that the chart was made from: names of series and of categories, no numbers."""
    for cell in chart.iter(clark("table:table-cell")):
        if value_of(cell, "office:value-type") not in _NUMBER_TYPES:
            for paragraph in cell.iterchildren(clark("text:p")):
                yield "".join(paragraph.itertext())


def _drawn(chart: Element) -> Iterator[str]:
    for shapes in chart.iter(clark("table:shapes")):
        for paragraph in shapes.iter(clark("text:p")):
            yield "".join(paragraph.itertext())


def _chart(flow: Flow, element: Element) -> None:
    for line in chart_lines(element):
        flow.line(line)


def _formula(flow: Flow, element: Element) -> None:
    flow.beside(formula_text(element))


CHART_READERS: Final[dict[str, ElementReader]] = {"chart:chart": _chart, "math:math": _formula}
