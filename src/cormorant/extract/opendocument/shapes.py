"""Drawings in a document (ODF 1.3-3 10): shapes, text boxes, pictures with their alternative text, form controls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from cormorant.extract.document.alt_text import human_text
from cormorant.extract.document.xml_tree import Element
from cormorant.extract.opendocument.charts import object_lines
from cormorant.extract.opendocument.flow import ElementReader, Flow
from cormorant.extract.opendocument.names import clark, qualified, value_of
from cormorant.extract.opendocument.odf_package import object_name
from cormorant.extract.opendocument.text import ignore, target_of

MAX_CHOICES: Final = 1_000

_REPEATED: Final = frozenset(("date-time", "footer", "header"))
"""Classes of shapes with the same text on every slide."""
_LIST: Final = "cell-content-is-in-list("
_CHOICE: Final = re.compile(r'"([^"]*)"')
_UNSEEN_CONTROLS: Final = frozenset(("form:hidden", "form:password", "form:generic-control"))


def read_shape(flow: Flow, element: Element) -> None:
    """Read a shape or frame apart from the paragraph that it is anchored in; an empty placeholder has only a prompt."""
    kind = value_of(element, "presentation:class")
    if value_of(element, "presentation:placeholder") == "true" or kind == "page-number":
        return
    if kind in _REPEATED:
        flow.out.aside(flow.apart(element))
        return
    flow.add(" ")
    flow.beside(flow.apart(element))


def _alternative_text(flow: Flow, element: Element) -> None:
    flow.line(human_text(" ".join((element.text or "").split())))


def _linked_shape(flow: Flow, element: Element) -> None:
    text = flow.apart(element)
    flow.links.append((target_of(flow, element), text))
    flow.beside(text)


def _area(flow: Flow, element: Element) -> None:
    """Read an area of a picture that is a link (ODF 1.3-3 10.4.13)."""
    text = flow.apart(element)
    flow.links.append((target_of(flow, element), text))
    flow.line(text)


def _object(flow: Flow, element: Element) -> None:
    """Read an embedded object once: a chart or formula. A document of its own is an embedded file."""
    reference = value_of(element, "xlink:href")
    name = object_name(reference)
    root: Element | None = element
    if name:
        if name in flow.objects:
            return
        flow.objects.add(name)
        root = flow.package.object_root(reference)
    if root is not None:
        for line in object_lines(root):
            flow.line(line)


def _forms(flow: Flow, element: Element) -> None:
    """Store the controls of the forms of a page, which are read at their positions (ODF 1.3-3 13)."""
    for control in element.iter():
        identifier = value_of(control, "xml:id") or value_of(control, "form:id")
        if identifier and qualified(control).startswith("form:"):
            text = "\n".join(dict.fromkeys(_control_lines(control)))
            if text:
                flow.controls.setdefault(identifier, text)


def _control_lines(control: Element) -> Iterator[str]:
    """Yield the words of a control: its label and help, its value, and its choices."""
    name = qualified(control)
    if name == "form:hidden":
        return
    yield from (value_of(control, each) for each in ("form:label", "form:title") if value_of(control, each))
    if name in _UNSEEN_CONTROLS:
        return
    text = "\n".join("".join(each.itertext()) for each in control.iter(clark("text:p")))
    stated = value_of(control, "form:current-value") or value_of(control, "form:value") or text
    if stated and name not in ("form:checkbox", "form:radio", "form:button"):
        yield stated
    for option in control.iter(clark("form:option"), clark("form:item")):
        yield value_of(option, "form:label")


def _control(flow: Flow, element: Element) -> None:
    flow.beside(flow.controls.pop(value_of(element, "draw:control"), ""))
    read_shape(flow, element)


def _validation(flow: Flow, element: Element) -> None:
    """Read the choices of a cell, and its messages to users (ODF 1.3-3 9.4.5)."""
    condition = value_of(element, "table:condition")
    if _LIST in condition:
        for choice in _CHOICE.findall(condition)[:MAX_CHOICES]:
            flow.line(choice)
    flow.descend(element)


def _message(flow: Flow, element: Element) -> None:
    """Read a message to the user who fills in a cell (ODF 1.3-3 9.4.6 and 9.4.7)."""
    flow.line(value_of(element, "table:title"))
    flow.descend(element)


SHAPE_READERS: Final[dict[str, ElementReader]] = {
    **dict.fromkeys(
        (
            "dr3d:scene", "draw:caption", "draw:circle", "draw:connector", "draw:custom-shape", "draw:ellipse",
            "draw:frame", "draw:g", "draw:line", "draw:measure", "draw:path", "draw:polygon", "draw:polyline",
            "draw:rect", "draw:regular-polygon",
        ),
        read_shape,
    ),
    **dict.fromkeys(("draw:area-circle", "draw:area-polygon", "draw:area-rectangle"), _area),
    "draw:a": _linked_shape,
    "draw:control": _control,
    "draw:object": _object,
    "draw:object-ole": ignore,
    "draw:page-thumbnail": ignore,
    "office:forms": _forms,
    "table:content-validation": _validation,
    "table:error-message": _message,
    "table:help-message": _message,
    "svg:title": _alternative_text,
    "svg:desc": _alternative_text,
    "table:title": _alternative_text,
    "table:desc": _alternative_text,
}  # fmt: skip
