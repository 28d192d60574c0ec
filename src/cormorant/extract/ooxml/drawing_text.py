"""Text of DrawingML paragraphs and text bodies: ECMA-376-1 21.1.2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cormorant.extract.document.xml_tree import Element, attribute, walk_tree
from cormorant.extract.ooxml.escapes import decode_escapes
from cormorant.extract.ooxml.list_numbers import drawing_number
from cormorant.extract.ooxml.namespaces import first_child, is_passed_over, name_of_element
from cormorant.extract.ooxml.symbols import with_symbols

_MAX_LEVEL: Final = 9
_LARGEST_START: Final = 32_767
# Fields whose text the program makes: the number of a slide, the day on which it is shown.
_MADE_FIELDS: Final = ("slidenum", "datetime")


def paragraph_text(paragraph: Element) -> str:
    """Return the text of an `a:p`, its line breaks as ends of lines."""
    return "".join(text for text, _ in paragraph_runs(paragraph))


def paragraph_runs(paragraph: Element) -> Iterator[tuple[str, str]]:
    """Yield the pieces of an `a:p` with the relationship id of the hyperlink that each carries, "" for none."""
    for child in paragraph:
        name = name_of_element(child)
        if name == "a:r":
            yield run_text(child), _hyperlink_id(child)
        elif name == "a:br":
            yield "\n", ""
        elif name == "a:fld":
            made = attribute(child, "type").lower().startswith(_MADE_FIELDS)
            yield "" if made else run_text(child), _hyperlink_id(child)
        elif name not in ("a:pPr", "a:endParaRPr", ""):
            yield _mathematics(child), ""


def run_text(run: Element) -> str:
    """Return the text of a run or field (`a:t`)."""
    text = "".join(decode_escapes(child.text or "") for child in run if name_of_element(child) == "a:t")
    return with_symbols(text, run)


def body_paragraphs(body: Element) -> Iterator[tuple[str, Element]]:
    """Yield the paragraphs of a text body with the number that stands before each, "" for none."""
    counts: dict[int, int] = {}
    for paragraph in body:
        if name_of_element(paragraph) == "a:p":
            yield _number(paragraph, counts), paragraph


def _hyperlink_id(run: Element) -> str:
    for properties in run:
        if name_of_element(properties) == "a:rPr":
            links = (child for child in properties if name_of_element(child) in ("a:hlinkClick", "a:hlinkMouseOver"))
            return next((found for link in links if (found := attribute(link, "id"))), "")
    return ""


def _mathematics(element: Element) -> str:
    """Return the text of what stands beside the runs: formulas, in the first of their forms."""
    pieces = []
    walk = walk_tree(element, "start")
    for _, each in walk:
        name = name_of_element(each)
        if name in ("m:t", "a:t"):
            pieces.append(each.text or "")
        elif name in ("mc:Choice", "mc:Fallback") and is_passed_over(each):
            walk.skip_subtree()
    return "".join(pieces)


def _number(paragraph: Element, counts: dict[int, int]) -> str:
    """Return the number of a paragraph; `counts` are those of the levels so far. An empty one breaks no list."""
    properties = first_child(paragraph, "a:pPr")
    scheme = first_child(properties, "a:buAutoNum") if properties is not None else None
    level = _integer(attribute(properties, "lvl"), 0) if properties is not None else 0
    level = min(level, _MAX_LEVEL)
    if not paragraph_text(paragraph).strip():
        return ""
    for deeper in [known for known in counts if known > level]:
        del counts[deeper]
    if scheme is None:
        counts.pop(level, None)
        return ""
    counts[level] = counts[level] + 1 if level in counts else _integer(attribute(scheme, "startAt"), 1)
    return drawing_number(counts[level], attribute(scheme, "type"))


def _integer(text: str, default: int) -> int:
    return min(int(text), _LARGEST_START) if text.isdecimal() and len(text) < 10 else default
