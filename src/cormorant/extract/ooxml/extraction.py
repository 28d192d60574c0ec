"""Result of a reader of Office Open XML documents, made of the text, the links and the properties of one."""

from __future__ import annotations

from collections.abc import Iterable

from cormorant.extract.document.links import page_links
from cormorant.extract.document.text_builder import TextBuilder
from cormorant.extract.errors import Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ooxml.embedded_files import words_of_objects
from cormorant.extract.ooxml.pictures import picture_lines
from cormorant.extract.ooxml.properties import document_properties
from cormorant.extract.ooxml.relationships import CUT, OoxmlPackage
from cormorant.extract.sanitize import is_made_up, title_or_name
from cormorant.model.content import Extraction


def ooxml_extraction(
    package: OoxmlPackage,
    task: ExtractionTask,
    builder: TextBuilder,
    links: Iterable[tuple[str, str]],
    heading: str = "",
) -> Extraction:
    """Return the extraction of a document, with the text in its metafiles and the names of embedded files.

    `heading` is its title when its properties name none, or one that a program made up. Raises Unreadable when its
    main part is damaged and nothing could be read.
    """
    properties = document_properties(package)
    for line in (*picture_lines(package), *words_of_objects(package)):
        builder.aside(line)
    text = builder.text()
    main = package.main_part()
    if not text and (main in package.faults or CUT in package.faults):
        raise Unreadable("its main part is damaged", main)
    title = heading if heading and is_made_up(properties.title) else properties.title
    found, seen = page_links(task.address, links)
    return Extraction(
        text=text,
        title=title_or_name(title, task.address, task.file_name),
        links=found,
        language=properties.language,
        attributes=properties.attributes,
        links_seen=seen,
        truncated=builder.full or bool(package.faults),
        fault=_fault(package.faults),
    )


def _fault(parts: list[str]) -> str:
    if not parts:
        return ""
    if CUT in parts:
        return "The directory of its archive is missing or damaged, as in a file that was cut."
    if len(parts) == 1:
        return f"A part of it is damaged, or larger than is read: {parts[0]}."
    return f"{len(parts)} parts of it are damaged, or larger than is read; the first of them is {parts[0]}."
