"""Reader of OpenDocument files of every kind, by their content: the media type and the file name are ignored.

body ──OdfPackage──> content ──Flow with the tables of readers──> text, links
            └──> styles: headers and footers     └──> meta: title and attributes
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cormorant.extract.document.links import page_links
from cormorant.extract.document.xml_tree import Element
from cormorant.extract.errors import Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.opendocument.charts import CHART_READERS
from cormorant.extract.opendocument.flow import ElementReader, Flow
from cormorant.extract.opendocument.metadata import read_metadata
from cormorant.extract.opendocument.names import clark, first_child, qualified
from cormorant.extract.opendocument.odf_package import OdfPackage
from cormorant.extract.opendocument.presentation import PRESENTATION_READERS
from cormorant.extract.opendocument.shapes import SHAPE_READERS
from cormorant.extract.opendocument.spreadsheet import SheetsReader
from cormorant.extract.opendocument.styles import pages_of_styles, read_master_pages
from cormorant.extract.opendocument.table import TABLE_READERS
from cormorant.extract.opendocument.text import TEXT_READERS
from cormorant.extract.sanitize import title_or_name
from cormorant.model.content import Extraction

_READERS: Final[Mapping[str, ElementReader]] = {
    **TEXT_READERS,
    **TABLE_READERS,
    **SHAPE_READERS,
    **CHART_READERS,
    **PRESENTATION_READERS,
}
_STYLES: Final = "styles.xml"
_META: Final = "meta.xml"
_DRAWN: Final = frozenset(("office:drawing", "office:presentation"))


def extract_odf(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the extraction of an OpenDocument file, packed or flat.

    Raises Protected for one behind a password, and Unreadable when nothing of its content can be read.
    """
    package = OdfPackage(body)
    flow = Flow(package, _READERS)
    meta = _read_sheets(flow) if package.has_sheets else _read_tree(flow)
    about = read_metadata(meta)
    links, seen = page_links(task.address, flow.links)
    return Extraction(
        text=flow.out.text(),
        title=title_or_name(about.title, task.address, task.file_name),
        links=links,
        language=about.language,
        attributes=about.attributes,
        links_seen=seen,
        truncated=flow.out.full or bool(package.fault),
        fault=package.fault,
    )


def _read_sheets(flow: Flow) -> Element | None:
    """Read a spreadsheet; return the element with its metadata."""
    reader = SheetsReader(flow)
    reader.read()
    _flush_controls(flow)
    flat = flow.package.is_flat
    styles = reader.kept.get(clark("office:master-styles")) if flat else flow.package.part_root(_STYLES)
    if styles is not None:
        read_master_pages(flow, styles, reader.pages, default=True)
    return reader.kept.get(clark("office:meta")) if flat else flow.package.part_root(_META)


def _read_tree(flow: Flow) -> Element | None:
    """Read a document of any other kind; return the element with its metadata."""
    root = flow.package.content_root()
    body = first_child(root, "office:body")
    if body is None and qualified(root) != "math:math":
        raise Unreadable("it is no OpenDocument file", f"its root is {qualified(root)[:100]}")
    styles = flow.package.part_root(_STYLES)
    for each in (root, styles):
        if each is not None:
            flow.lists.load(each)
    flow.read(root if body is None else body)
    _flush_controls(flow)
    if styles is not None:
        drawn = any(qualified(each) in _DRAWN for each in body) if body is not None else True
        used = _pages_in_use(root) | _pages_in_use(styles)
        read_master_pages(flow, styles, used, default=not drawn)
    return flow.package.part_root(_META)


def _pages_in_use(root: Element) -> set[str]:
    slides = {name for each in root.iter(clark("draw:page")) if (name := each.get(clark("draw:master-page-name")))}
    return pages_of_styles(root.iter(clark("style:style"))) | slides


def _flush_controls(flow: Flow) -> None:
    """Add the texts of form controls outside of all pages."""
    for text in flow.controls.values():
        flow.line(text)
