"""XML parts of office documents as lxml elements, with nothing resolved, loaded or fetched.

Office formats (ECMA-376-2 8, ODF 1.3 part 2) need no document type, so a part that declares entities is refused: every
XML bomb needs them. A part that is not well-formed is read as far as possible.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from lxml import etree

from cormorant.extract.errors import Unreadable

Element: TypeAlias = Any
"""An element of lxml, which comes without types."""

_OPTIONS: Final[dict[str, Any]] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "dtd_validation": False,
    "remove_comments": True,
    "remove_pis": True,
    "huge_tree": True,
    "recover": True,
}

_STEP: Final = 1024 * 1024
_HARMLESS: Final = frozenset(
    (
        "ERR_DOCUMENT_END", "ERR_INVALID_CHAR", "ERR_INVALID_ENCODING", "ERR_RESERVED_XML_NAME",
        "ERR_UNDECLARED_ENTITY", "ERR_UNSUPPORTED_ENCODING",
    )
)  # fmt: skip
"""Errors of libxml2 after which it has read all elements."""


def parse_xml(data: bytes) -> Element | None:
    """Return the root element, None when there is none. Raises Unreadable for XML that declares entities."""
    _refuse_entities(data)
    try:
        return etree.fromstring(data, etree.XMLParser(**_OPTIONS))
    except (etree.XMLSyntaxError, ValueError):
        return None


def parse_part(data: bytes) -> tuple[Element | None, bool]:
    """Return the root element, None when there is none, and whether all of its content was read.

    Raises Unreadable for XML that declares entities.
    """
    _refuse_entities(data)
    parser = etree.XMLParser(**_OPTIONS)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None, False
    return root, root is not None and not has_loss(parser)


def has_loss(parser: Any) -> bool:
    """Return whether a parser met an error that lost content, not just a character or a declaration."""
    return _has_loss(parser.error_log)


def _has_loss(log: Any) -> bool:
    return any(error.type_name not in _HARMLESS for error in log.filter_from_fatals())


def iterate_xml(data: bytes, *names: str) -> Iterator[Element]:
    """Yield each element of these local names once it is complete, and free it afterwards: for parts without bounds.

    Raises Unreadable for XML that declares entities. Ends without an error where the XML ends.
    """
    _refuse_entities(data)
    tags = tuple("{*}" + name for name in names)
    try:
        for _, element in etree.iterparse(io.BytesIO(data), tag=tags, **_OPTIONS):
            yield element
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    except etree.XMLSyntaxError:
        return


def walk_tree(element: Element, *events: str) -> Any:
    """Return the walk over an element and its descendants: pairs of an event (`start`, `end`) and an element.

    Its `skip_subtree()` skips the descendants of the element whose start has just been returned.
    """
    return etree.iterwalk(element, events=events)


class ChildStream:
    """The children of the first element of a local name, each freed when the next is requested.

    For parts of any size whose children each fit into memory: one of more than `largest` bytes ends the stream.
    `complete` becomes false if content is lost, by that or by damage.
    """

    def __init__(self, data: bytes, name: str, largest: int) -> None:
        """Hold a part. Raises Unreadable for XML that declares entities."""
        _refuse_entities(data)
        self.complete = True
        self._data = data
        self._name = name
        self._largest = largest

    def __iter__(self) -> Iterator[Element]:
        parser = etree.XMLPullParser(events=("start",), tag="{*}" + self._name, **_OPTIONS)
        parent: Element | None = None
        unread = 0
        for start in range(0, len(self._data), _STEP):
            parser.feed(self._data[start : start + _STEP])
            unread += _STEP
            parent = next((found for _, found in parser.read_events()), None) if parent is None else parent
            while parent is not None and (child := _first_of_several(parent)) is not None:
                yield child
                _remove(child)
                unread = 0
            if unread > self._largest:
                self.complete = False
                break
        yield from self._last(parser, parent)

    def _last(self, parser: Any, parent: Element | None) -> Iterator[Element]:
        try:
            parser.close()
        except etree.XMLSyntaxError:
            self.complete = False
        self.complete = self.complete and parent is not None and not _has_loss(parser.feed_error_log)
        while parent is not None and (child := next(iter(parent), None)) is not None:
            yield child
            _remove(child)


def _remove(child: Element) -> None:
    """Free an element and remove it from its parent; emptied first, or lxml would search its namespaces far up."""
    child.clear()
    child.getparent().remove(child)


def _first_of_several(parent: Element) -> Element | None:
    """Return the first child, None when no other follows it. The length of an element would count all of them."""
    child = next(iter(parent), None)
    return child if child is not None and child.getnext() is not None else None


def iterate_events(data: bytes, *tags: str) -> Iterator[tuple[str, Element]]:
    """Yield `start` and `end` of each element of these names (as lxml has them), which the caller may free at its end.

    At the start only its attributes are known. The last event is `loss`, with None, if damage lost content. Raises
    Unreadable for XML that declares entities.
    """
    _refuse_entities(data)
    events = etree.iterparse(io.BytesIO(data), events=("start", "end"), tag=tags, **_OPTIONS)
    try:
        yield from events
    except etree.XMLSyntaxError:
        yield "loss", None
        return
    if has_loss(events):
        yield "loss", None


def serialize_xml(element: Element) -> bytes:
    """Return an element as a document of its own in UTF-8, with the namespaces that it needs."""
    return bytes(etree.tostring(element, encoding="utf-8", with_tail=False))


def local_name(element: Element) -> str:
    """Return the name of an element or attribute without its namespace; "" for what is no element."""
    tag = element if isinstance(element, str) else element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element, name: str, default: str = "") -> str:
    """Return an attribute by its local name, whatever its namespace is: strict and transitional files differ in it."""
    for key, value in element.attrib.items():
        if key == name or key.endswith("}" + name):
            return str(value)
    return default


def _refuse_entities(data: bytes) -> None:
    head = data[:4096].replace(b"\0", b"")
    if b"<!DOCTYPE" in head and b"<!ENTITY" in data.replace(b"\0", b""):
        raise Unreadable("it declares XML entities of its own, which could make it larger without end")
