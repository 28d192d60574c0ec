"""Properties of documents of Office 2003 in XML, in the form that they have in Office Open XML documents.

o:DocumentProperties > o:Title, o:Author ...            core and extended properties
o:CustomDocumentProperties > o:Checked_x0020_by dt:dt   custom properties
"""

from __future__ import annotations

from html import escape
from typing import Final

from cormorant.extract.document.xml_tree import Element, attribute, local_name
from cormorant.extract.ooxml.escapes import decode_escapes
from cormorant.extract.ooxml.package_builder import PackageBuilder
from cormorant.extract.sanitize import MAX_VALUE

STANDARD: Final = "DocumentProperties"
CUSTOM: Final = "CustomDocumentProperties"
"""Local names of the elements that hold properties."""

_CORE: Final = {
    "Title": "title", "Subject": "subject", "Author": "creator", "Keywords": "keywords", "Description": "description",
    "Category": "category",
}  # fmt: skip
_TYPES: Final = {"float": "r8", "int": "i4", "dateTime.tz": "filetime", "date": "filetime", "boolean": "bool"}
_MAX_FIELDS: Final = 1_000


def add_properties(builder: PackageBuilder, element: Element) -> None:
    """Add the parts of properties that an element of one of the names above stands for."""
    children = [(local_name(child), child) for child in element[:_MAX_FIELDS]]
    if local_name(element) == CUSTOM:
        _add(builder, "custom", [_custom(name, child) for name, child in children if name])
    else:
        _add(builder, "core", [_field(_CORE[name], child) for name, child in children if name in _CORE])
        _add(builder, "app", [_field(name, child) for name, child in children if name == "Company"])


def _add(builder: PackageBuilder, name: str, fields: list[str]) -> None:
    builder.add(f"docProps/{name}.xml", f"<Properties>{''.join(fields)}</Properties>".encode(errors="replace"))


def _field(name: str, element: Element) -> str:
    return f"<{name}>{escape((element.text or '')[: MAX_VALUE * 8])}</{name}>"


def _custom(name: str, element: Element) -> str:
    value = _field(_TYPES.get(attribute(element, "dt"), "lpwstr"), element)
    return f'<property name="{escape(decode_escapes(name))}">{value}</property>'
