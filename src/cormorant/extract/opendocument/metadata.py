"""Metadata of a document (ODF 1.3-3 4)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from cormorant.extract.document.xml_tree import Element
from cormorant.extract.html.head import MAX_KEYWORDS, language_tag
from cormorant.extract.opendocument.names import clark, value_of
from cormorant.extract.sanitize import MAX_VALUE, one_line
from cormorant.model.content import Value
from cormorant.model.no_text import OF_READING

MAX_CUSTOM: Final = 50
"""Custom properties that are kept."""

# Written by programs for programs, when Office saves as OpenDocument.
_OF_PROGRAMS: Final = re.compile(
    r"(?:_|MSIP_Label_|ZOTERO_|Mendeley )|(?:AppVersion|ContentTypeId|DocSecurity|HyperlinksChanged|LinksUpToDate"
    r"|KSOProductBuildVer|ScaleCrop|ShareDoc)\Z"
)


class OdfMetadata(NamedTuple):
    """Title, language and attributes of a document; unset values are "" or missing."""

    title: str = ""
    language: str = ""
    attributes: dict[str, Value] = {}  # noqa: RUF012 - never changed


def read_metadata(root: Element | None) -> OdfMetadata:
    """Return the metadata of an `office:meta` anywhere under `root`; empty for None."""
    meta = None if root is None else next(root.iter(clark("office:meta")), None)
    if meta is None:
        return OdfMetadata()
    found: dict[str, Value] = {}
    people = _texts(meta, "meta:initial-creator") + _texts(meta, "dc:creator")
    authors = _several(name for text in people for name in text.split(";"))
    if authors:
        found["Author"] = authors[0] if len(authors) == 1 else authors
    for name, attribute in (("dc:subject", "Subject"), ("dc:description", "Description")):
        text = one_line(" ".join(_texts(meta, name)), MAX_VALUE)
        if text:
            found[attribute] = text
    keywords = _several(word for text in _texts(meta, "meta:keyword") for word in text.replace(";", ",").split(","))
    if keywords:
        found["Keywords"] = keywords
    _add_custom(meta, found)
    title = next(iter(_texts(meta, "dc:title")), "") or str(found.get("Subject", ""))
    return OdfMetadata(title, language_tag(next(iter(_texts(meta, "dc:language")), "")), found)


def _texts(meta: Element, name: str) -> list[str]:
    texts = ("".join(each.itertext()).strip() for each in meta.iterchildren(clark(name)))
    return [text for text in texts if text]


def _several(values: Iterable[str]) -> tuple[str, ...]:
    lines = (one_line(value) for value in values)
    return tuple(dict.fromkeys(line for line in lines if line))[:MAX_KEYWORDS]


def _add_custom(meta: Element, found: dict[str, Value]) -> None:
    count = 0
    for each in meta.iterchildren(clark("meta:user-defined")):
        name = one_line(value_of(each, "meta:name"))
        text = one_line("".join(each.itertext()), MAX_VALUE)
        if not name or name in found or name in OF_READING or _OF_PROGRAMS.match(name):
            continue
        if text and count < MAX_CUSTOM:
            found[name] = _typed(text, value_of(each, "meta:value-type"))
            count += 1


def _typed(text: str, kind: str) -> str | float:
    """Return a number as a number, a date without the time of midnight, and other values as they are written."""
    if kind == "float":
        try:
            number = float(text)
        except ValueError:
            return text
        return number if math.isfinite(number) else text
    return text.removesuffix("T00:00:00") if kind == "date" else text
