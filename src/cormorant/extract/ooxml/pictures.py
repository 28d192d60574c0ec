"""Text in the metafiles of an Office Open XML document: pictures that programs draw, with the words in them.

A picture that only shows an embedded document, which is read as a document of its own, is left out; so is the
thumbnail of the document itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cormorant.extract.document.xml_tree import Element, local_name, walk_tree
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.formats.metafile import MAX_METAFILE, PictureText
from cormorant.extract.ooxml.embedded_files import is_read_apart
from cormorant.extract.ooxml.relationships import OoxmlPackage

MAX_PICTURES: Final = 2_000
"""Metafiles of a document that are read."""
MAX_OBJECTS: Final = 500
"""Embedded objects of a document whose previews are looked for."""

_EXTENSIONS: Final = (".emf", ".wmf", ".emz", ".wmz")
_TYPES: Final = ("image/x-emf", "image/x-wmf", "image/emf", "image/wmf", "image/x-emz", "image/x-wmz")
_OF_PACKAGE: Final = "docprops/"
_RELATIONSHIPS: Final = "_rels/"
_OBJECTS: Final = ("oleObject", "package")
_SHOWN: Final = frozenset(("object", "oleObj", "oleObject"))
"""Local names of elements that hold an object with its picture, in text documents, slides and sheets."""
_DRAWING: Final = "vmlDrawing"


def picture_lines(package: OoxmlPackage) -> Iterator[str]:
    """Yield the lines of text in the metafiles of a document."""
    names = [name for name in package.zip.names if _is_metafile(package, name)]
    if not names:
        return
    previews = _previews(package, {name.lower() for name in names})
    text = PictureText()
    for name in [name for name in names if name.lower() not in previews][:MAX_PICTURES]:
        try:
            data = package.zip.read_start(name, MAX_METAFILE)
        except Protected:
            continue
        yield from text.lines(data or b"")


def _is_metafile(package: OoxmlPackage, name: str) -> bool:
    if name.lower().startswith(_OF_PACKAGE):
        return False
    return name.lower().endswith(_EXTENSIONS) or package.content_type(name) in _TYPES


def _previews(package: OoxmlPackage, metafiles: set[str]) -> set[str]:
    """Return the pictures, in small letters, that show nothing but documents which are read apart."""
    found: set[str] = set()
    left = MAX_OBJECTS
    for name in package.zip.names:
        folder, _, file = name.rpartition(_RELATIONSHIPS)
        part = folder + file.removesuffix(".rels")
        if not file.endswith(".rels") or left <= 0:
            continue
        objects = package.related(part, *_OBJECTS)
        pictures = {each.lower() for each in _pictures_of(package, part)} & metafiles
        if objects and pictures:
            left -= len(objects)
            found |= _previews_of(package, part) & pictures
    return found


def _pictures_of(package: OoxmlPackage, part: str) -> list[str]:
    """Return the pictures of a part, and of the drawing in which old versions show its objects."""
    drawings = package.related(part, _DRAWING)
    return [picture for each in (part, *drawings) for picture in package.related(each, "image")]


def _previews_of(package: OoxmlPackage, part: str) -> set[str]:
    """Return the pictures, in small letters, of the objects of a part that are documents read apart."""
    objects = {each: _is_read_apart(package, each) for each in package.related(part, *_OBJECTS)[:MAX_OBJECTS]}
    found: set[str] = set()
    if all(objects.values()):
        found |= {picture for each in package.related(part, _DRAWING) for picture in package.related(each, "image")}
    root = package.xml(part) if part.lower().endswith(".xml") else None
    if root is None:
        return {each.lower() for each in found}
    walk = walk_tree(root, "start")
    for _, element in walk:
        if local_name(element) in _SHOWN:
            walk.skip_subtree()
            targets = _targets(package, part, element)
            if any(objects.get(target) for target in targets):
                found |= targets
    return {each.lower() for each in found}


def _targets(package: OoxmlPackage, part: str, element: Element) -> set[str]:
    """Return the parts that an element and all that is in it refer to."""
    known = package.relationships(part)
    values = {str(value) for each in element.iter("*") for value in each.attrib.values()}
    return {known[value].target for value in values if value in known and not known[value].external}


def _is_read_apart(package: OoxmlPackage, part: str) -> bool:
    try:
        return is_read_apart(package, part)
    except (Protected, Unreadable):
        return False
