"""Text content of a document (ODF 1.3-3 5 to 7 and 14.1): paragraphs, lists, notes, fields, links, annotations."""

from __future__ import annotations

from typing import Final

from cormorant.extract.document.xml_tree import Element
from cormorant.extract.opendocument.flow import ElementReader, Flow
from cormorant.extract.opendocument.names import clark, first_child, value_of

MAX_SPACES: Final = 8

_STAND_INS: Final = ("???",)
_ENTRY: Final = ("Dropdown_ListEntry", "ListEntry")
_CHOSEN: Final = ("Dropdown_Selected", "Result")


def ignore(_flow: Flow, _element: Element) -> None:
    """Read nothing: for hidden elements, and those that are displayed elsewhere."""


def _paragraph(flow: Flow, element: Element) -> None:
    flow.paragraph(element, flow.lists.label())


def _heading(flow: Flow, element: Element) -> None:
    flow.paragraph(element, flow.lists.heading_label(element))


def _list(flow: Flow, element: Element) -> None:
    flow.lists.enter(element)
    flow.descend(element)
    flow.lists.leave()


def _item(flow: Flow, element: Element) -> None:
    flow.lists.begin_item(element)
    flow.descend(element)


def _number(flow: Flow, element: Element) -> None:
    if not flow.lists.last:
        flow.add("".join(element.itertext()) + " ")


def _spaces(flow: Flow, element: Element) -> None:
    count = value_of(element, "text:c")
    flow.add(" " * (min(int(count), MAX_SPACES) if count.isascii() and count.isdigit() and len(count) < 3 else 1))


def _tab(flow: Flow, _element: Element) -> None:
    flow.add_break("\t")


def _line_break(flow: Flow, _element: Element) -> None:
    flow.add_break("\n")


def _note(flow: Flow, element: Element) -> None:
    for name in ("text:note-body", "text:footnote-body", "text:endnote-body"):
        body = first_child(element, name)
        if body is not None:
            flow.out.aside(flow.apart(body))


def _annotation(flow: Flow, element: Element) -> None:
    """Read a comment, its author in front (ODF 1.3-3 14.1)."""
    author = " ".join((element.findtext(clark("dc:creator")) or "").split())
    text = flow.apart(element)
    flow.out.aside(f"{author}: {text}" if author and text else text)


def _link(flow: Flow, element: Element) -> None:
    flow.links.append((target_of(flow, element), flow.phrase(element)))


def target_of(flow: Flow, element: Element) -> str:
    """Return the reference of a link relative to the document, which is a folder for its parts."""
    reference = value_of(element, "xlink:href")
    return reference if flow.package.is_flat else reference.removeprefix("../")


def _ruby(flow: Flow, element: Element) -> None:
    """Read annotated words and their reading in parentheses, as a browser shows ruby that it does not know."""
    base, reading = first_child(element, "text:ruby-base"), first_child(element, "text:ruby-text")
    if base is not None:
        flow.descend(base)
    words = "".join(reading.itertext()).strip() if reading is not None else ""
    if words:
        flow.add(f"({words})")


def _hidden_text(flow: Flow, element: Element) -> None:
    """Read text that a condition hides: its words stand in an attribute while it is hidden."""
    if not flow.phrase(element).strip():
        flow.add(value_of(element, "text:string-value"))


def _content_control(flow: Flow, element: Element) -> None:
    """Read the contents of a content control, unless it is empty and shows a prompt."""
    if value_of(element, "loext:showing-place-holder") != "true":
        flow.descend(element)


def _field(flow: Flow, element: Element) -> None:
    """Read a field as displayed, unless it holds a stand-in for a value that is only known when it is printed."""
    text = "".join(element.itertext()).strip()
    if text not in _STAND_INS and not (text.startswith("<") and text.endswith(">")):
        flow.descend(element)


def _drop_down(flow: Flow, element: Element) -> None:
    """Read the chosen entry of a list, which stands in the field or is marked among its entries (ODF 1.3-3 7.7.9)."""
    if flow.phrase(element).strip():
        return
    for label in element.iter(clark("text:label")):
        if value_of(label, "text:current-selected") == "true":
            flow.add(value_of(label, "text:value"))
            return


def _field_mark(flow: Flow, element: Element) -> None:
    """Read the chosen entry of a list in a form of Word, whose parameters LibreOffice names in two ways."""
    entries: list[str] = []
    chosen = ""
    if value_of(element, "field:type").endswith("FORMDROPDOWN"):
        for parameter in element.iter(clark("field:param")):
            name, value = value_of(parameter, "field:name"), value_of(parameter, "field:value")
            if name in _ENTRY:
                entries.append(value)
            elif name in _CHOSEN:
                chosen = value
    if chosen.isascii() and chosen.isdigit() and len(chosen) < 6 and int(chosen) < len(entries):
        flow.add(entries[int(chosen)])
    flow.descend(element)


TEXT_READERS: Final[dict[str, ElementReader]] = {
    "field:fieldmark": _field_mark,
    "field:fieldmark-start": _field_mark,
    "loext:content-control": _content_control,
    "text:drop-down": _drop_down,
    "text:p": _paragraph,
    "text:h": _heading,
    "text:list": _list,
    "text:list-item": _item,
    "text:number": _number,
    "text:s": _spaces,
    "text:tab": _tab,
    "text:line-break": _line_break,
    "text:note": _note,
    "text:footnote": _note,
    "text:endnote": _note,
    "text:a": _link,
    "text:ruby": _ruby,
    "text:hidden-text": _hidden_text,
    "text:placeholder": ignore,
    "text:script": ignore,
    "text:tracked-changes": ignore,
    "text:variable-decls": ignore,
    "text:user-field-decls": ignore,
    "text:sequence-decls": ignore,
    "office:annotation": _annotation,
    "office:binary-data": ignore,
    "office:event-listeners": ignore,
    "office:scripts": ignore,
    **dict.fromkeys(
        (
            "text:author-initials", "text:author-name", "text:chapter", "text:creation-date", "text:creator",
            "text:date", "text:description", "text:editing-cycles", "text:file-name", "text:initial-creator",
            "text:keywords", "text:modification-date", "text:page-continuation", "text:page-count",
            "text:page-number", "text:sheet-name", "text:subject", "text:time", "text:title",
        ),
        _field,
    ),
    **dict.fromkeys(
        (
            "text:alphabetical-index-source", "text:bibliography-source", "text:illustration-index-source",
            "text:object-index-source", "text:table-index-source", "text:table-of-content-source",
            "text:user-index-source",
        ),
        ignore,
    ),
}  # fmt: skip
