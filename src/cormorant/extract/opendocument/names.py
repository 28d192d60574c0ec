"""Names of OpenDocument elements and attributes with their usual prefixes: `text:p`, `office:value`."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from cormorant.extract.document.xml_tree import Element

_ODF: Final = "urn:oasis:names:tc:opendocument:xmlns:"
_NAMESPACES: Final = {
    **{
        name: f"{_ODF}{name}:1.0"
        for name in ("chart", "dr3d", "form", "manifest", "meta", "office", "presentation", "style", "table", "text")
    },
    "draw": _ODF + "drawing:1.0",
    "svg": _ODF + "svg-compatible:1.0",
    "dc": "http://purl.org/dc/elements/1.1/",
    "field": "urn:openoffice:names:experimental:ooo-ms-interop:xmlns:field:1.0",
    "loext": "urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0",
    "math": "http://www.w3.org/1998/Math/MathML",
    "xlink": "http://www.w3.org/1999/xlink",
    "xml": "http://www.w3.org/XML/1998/namespace",
}
_PREFIXES: Final = {namespace: prefix for prefix, namespace in _NAMESPACES.items()}


@lru_cache(maxsize=1024)
def clark(name: str) -> str:
    """Return a name as lxml has it: `text:p` with its namespace in braces."""
    prefix, _, local = name.partition(":")
    return f"{{{_NAMESPACES[prefix]}}}{local}"


def qualified(element: Element) -> str:
    """Return the name of an element with its usual prefix, "" for any other node."""
    tag = element.tag
    return _qualified(tag) if isinstance(tag, str) else ""


@lru_cache(maxsize=4096)
def _qualified(tag: str) -> str:
    namespace, brace, local = tag[1:].partition("}")
    return f"{_PREFIXES.get(namespace, '?')}:{local}" if brace else tag


def value_of(element: Element, name: str) -> str:
    """Return the attribute of a qualified name, "" for none."""
    return element.get(clark(name)) or ""


def first_child(element: Element | None, name: str) -> Element | None:
    """Return the first child of a qualified name, None when there is none."""
    return None if element is None else element.find(clark(name))
