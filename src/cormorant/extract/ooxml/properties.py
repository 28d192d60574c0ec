"""Properties of an Office Open XML document: core (ECMA-376-2 11), extended and custom (ECMA-376-1 22.2 and 22.3)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from cormorant.extract.document.xml_tree import Element, attribute, local_name
from cormorant.extract.html.head import MAX_KEYWORDS, language_tag
from cormorant.extract.ooxml.escapes import decode_escapes
from cormorant.extract.ooxml.relationships import OoxmlPackage
from cormorant.extract.sanitize import MAX_VALUE, one_line
from cormorant.model.content import Value
from cormorant.model.no_text import OF_READING

MAX_CUSTOM: Final = 50
"""Custom properties that are kept."""

_CORE: Final = "docProps/core.xml"
_EXTENDED: Final = "docProps/app.xml"
_CUSTOM: Final = "docProps/custom.xml"
_TEXTS: Final = {"subject": "Subject", "description": "Description", "category": "Category"}
_SEPARATORS: Final = re.compile(r"[,;\n]")
_TEXT_TYPES: Final = frozenset(("lpstr", "lpwstr", "bstr"))
_NUMBER_TYPES: Final = frozenset(
    ("i1", "i2", "i4", "i8", "int", "ui1", "ui2", "ui4", "ui8", "uint", "r4", "r8", "decimal", "cy")
)
_DATE_TYPES: Final = frozenset(("filetime", "date"))
# Written by programs for programs: identifiers of SharePoint, sensitivity labels, settings of reviews.
_OF_PROGRAMS: Final = re.compile(
    r"_|MSIP_Label_|Mendeley |ZOTERO_|EN\.|xd_|(?:AppVersion|ComplianceAssetId|ContentTypeId|DocSecurity"
    r"|GrammarlyDocumentId|HiddenSlides|HyperlinksChanged|ICV|KSOProductBuildVer|KSOTemplateUUID|LinksUpToDate"
    r"|MMClips|MTWinEqns|MediaServiceImageTags|Order|Paragraphs|PresentationFormat|ScaleCrop|ShareDoc|Slides"
    r"|TemplateUrl|TitusGUID|TriggerFlowInfo)$"
)


class OoxmlProperties(NamedTuple):
    """The properties of a document: its title and language, "" for none, and its attributes by name."""

    title: str
    language: str
    attributes: dict[str, Value]


def document_properties(package: OoxmlPackage) -> OoxmlProperties:
    """Return the properties of a document; missing or damaged parts are skipped."""
    core = _fields(_root(package, _CORE, "core-properties", "coreProperties"))
    extended = _fields(_root(package, _EXTENDED, "extended-properties", "extendedProperties"))
    found: dict[str, Value] = {}
    authors = _several(core.get("creator", "").split(";"))
    if authors:
        found["Author"] = authors[0] if len(authors) == 1 else authors
    for field, name in _TEXTS.items():
        found[name] = one_line(core.get(field, ""), MAX_VALUE)
    found["Keywords"] = _several(_SEPARATORS.split(core.get("keywords", "")))
    found["Company"] = one_line(extended.get("Company", ""), MAX_VALUE)
    found = {name: value for name, value in found.items() if value}
    for name, value in _custom(_root(package, _CUSTOM, "custom-properties", "customProperties")):
        found.setdefault(name, value)
    return OoxmlProperties(one_line(core.get("title", "")), language_tag(core.get("language", "")), found)


def _root(package: OoxmlPackage, usual: str, *kinds: str) -> Element | None:
    part = next(iter(package.related("", *kinds)), usual)
    return package.xml(part) if part in package.zip else None


def _fields(root: Element | None) -> dict[str, str]:
    """Return the text of each child by its local name, the first of each; keywords may stand in several languages."""
    found: dict[str, str] = {}
    for each in root if root is not None else ():
        text = " ".join(each.itertext())[: MAX_VALUE * 8]
        found.setdefault(local_name(each), decode_escapes(text).strip())
    return found


def _several(values: Iterable[str]) -> tuple[str, ...]:
    lines = (one_line(value) for value in values)
    return tuple(dict.fromkeys(line for line in lines if line))[:MAX_KEYWORDS]


def _custom(root: Element | None) -> Iterator[tuple[str, Value]]:
    count = 0
    for each in root if root is not None else ():
        name = one_line(attribute(each, "name"))
        if not name or name in OF_READING or _OF_PROGRAMS.match(name):
            continue
        value = next((found for child in each if (found := _variant(child)) is not None), None)
        if value is not None:
            yield name, value
            count += 1
        if count == MAX_CUSTOM:
            return


def _variant(element: Element) -> Value | None:
    """Return the value of a variant (ECMA-376-1 22.4), None for an unknown type or an empty value."""
    kind, text = local_name(element), one_line(decode_escapes(element.text or ""), MAX_VALUE)
    if kind in _TEXT_TYPES:
        return text or None
    if kind in _DATE_TYPES:
        return _date(text)
    return _number(text) if kind in _NUMBER_TYPES else None


def _date(text: str) -> str | None:
    """Return a date, with its time where it has one; Office writes a date as midnight or ten o'clock in UTC."""
    day, _, time = text.removesuffix("Z").partition("T")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", day):
        return None
    return day if time[:8] in ("", "00:00:00", "10:00:00") else f"{day} {time[:8]}"


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
