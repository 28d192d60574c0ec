"""Reader of PDF: text page by page, and its asides.

    page by page   text, free-text annotations, values of form fields, descriptions of pictures
    asides         comments, titles of the outline, names of attached files, hyphenated forms in doubt
    links          of annotations, with the text under them

A form of Adobe LiveCycle has its texts elsewhere (`xfa`); they replace the page that asks to wait for them. Not read:
page labels, actions other than links, scripts, and pictures, unless a recogniser of text is passed in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import pypdfium2
import pypdfium2.raw as pdfium

from cormorant.extract.document.links import page_links
from cormorant.extract.document.text_builder import TextBuilder
from cormorant.extract.job import ExtractionTask
from cormorant.extract.pdf.annotations import page_annotations
from cormorant.extract.pdf.attachments import attachment_names
from cormorant.extract.pdf.cpu_time import cpu_is_short
from cormorant.extract.pdf.form_fields import FormFields, opened_form
from cormorant.extract.pdf.line_hyphens import joined_lines
from cormorant.extract.pdf.metadata.document_metadata import PdfMetadata
from cormorant.extract.pdf.open_file import MAX_PAGES, PdfFile, is_cut_short, opened_pdf
from cormorant.extract.pdf.outline import OutlineTitle, outline_titles
from cormorant.extract.pdf.page_numbers import PageFaults
from cormorant.extract.pdf.pages import PageText, page_text
from cormorant.extract.pdf.structure_tags import AlternativeTexts
from cormorant.extract.pdf.xfa import dynamic_form_texts, is_dynamic_form
from cormorant.extract.sanitize import MAX_TEXT, title_or_name
from cormorant.model.content import Extraction

PageRecogniser: TypeAlias = Callable[[Any, PageText], PageText]
"""Takes a page of pypdfium2 and its text, returns the text with what was recognised in the page's picture."""

_WORD: Final = re.compile(r"\w+")
_MAX_COMPARED: Final = 1_000_000_000
"""Characters that are searched for the titles of an outline; titles beyond are taken as they are."""


def extract_pdf(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the text of a PDF, a blank line between pages.

    Raises Protected when it cannot be opened without a password, Unreadable when it is no PDF. A page that cannot be
    read is left out and flags the result truncated.
    """
    return read_pdf(body, task)


def read_pdf(body: bytes, task: ExtractionTask, recognise: PageRecogniser | None = None) -> Extraction:
    """Return the extraction of a PDF, with the text that `recognise` finds on its pages.

    Raises what `extract_pdf` raises.
    """
    with opened_pdf(body) as document, opened_form(document) as fields:
        about = PdfMetadata(document, body)
        found = _Findings()
        found.faults.cut_short = is_cut_short(body, document)
        _read_pages(document, fields, found, recognise)
        links, seen = page_links(task.address, found.links)
        return Extraction(
            text=_text(document, found),
            title=title_or_name(about.title, task.address, task.file_name),
            links=links,
            language=about.language,
            attributes=about.attributes(),
            links_seen=seen,
            truncated=found.faults.truncated,
            fault=found.faults.sentence(),
        )


@dataclass(slots=True)
class _Findings:
    """Findings: a text, and the lines behind it, for each page up to the last; comments and links of all."""

    texts: list[str] = field(default_factory=list)
    lines: list[list[str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    described: set[str] = field(default_factory=set)
    faults: PageFaults = field(default_factory=PageFaults)


def _read_pages(document: PdfFile, fields: FormFields, found: _Findings, recognise: PageRecogniser | None) -> None:
    count, size = len(document), 0
    tags = AlternativeTexts() if pdfium.FPDFCatalog_IsTagged(document) else None
    for number in range(min(count, MAX_PAGES)):
        if size > MAX_TEXT or cpu_is_short():
            found.faults.left_out = number + 1
            return
        found.texts.append("")
        found.lines.append([])
        try:
            page = document[number]
        except pypdfium2.PdfiumError:
            found.faults.damaged.append(number + 1)
            continue
        try:
            _read_page(document, page, fields, found, recognise)
            if tags:
                _add_descriptions(tags.of_page(page), found)
        except pypdfium2.PdfiumError:
            found.faults.damaged.append(number + 1)
        finally:
            page.close()
        size += len(found.texts[-1])
    if count > MAX_PAGES:
        found.faults.left_out = MAX_PAGES + 1


def _read_page(
    document: PdfFile, page: Any, fields: FormFields, found: _Findings, recognise: PageRecogniser | None
) -> None:
    text_page = page.get_textpage()
    try:
        read = page_text(text_page)
        beside = page_annotations(document, page, text_page, fields)
    finally:
        text_page.close()
    if recognise is not None:
        read = recognise(page, read)
    if read.is_garbled:
        found.faults.garbled.append(len(found.texts))
    found.texts[-1] = read.text
    found.lines[-1] += (*beside.written, *beside.values)
    found.comments += beside.comments
    found.links += beside.links


def _add_descriptions(texts: Iterable[str], found: _Findings) -> None:
    """Add the texts of the page's tags that are not read already: an element that spans pages is met on each."""
    words = " ".join(found.texts[-1].split())
    for text in texts:
        line = " ".join(text.split())
        if line not in found.described and line not in words:
            found.described.add(line)
            found.lines[-1].append(line)


def _text(document: PdfFile, found: _Findings) -> str:
    texts, hyphenated = joined_lines(found.texts)
    if is_dynamic_form(document):
        drawn = [text for text in dynamic_form_texts(document) if text]
        texts = ["\n".join(drawn)] if drawn else texts
    builder = TextBuilder()
    for text, lines in zip(texts, found.lines, strict=False):
        builder.add(text)
        for line in lines:
            builder.line(line)
        builder.blank_line()
    asides = [*found.comments, *_titles_not_in(texts, outline_titles(document)), *attachment_names(document)]
    for aside in (*asides, *hyphenated):
        builder.aside(aside)
    return builder.text()


def _titles_not_in(texts: Sequence[str], titles: Iterable[OutlineTitle]) -> Iterator[str]:
    """Yield the titles that do not stand in the text, which most headings do: on their pages, or elsewhere."""
    pages: dict[int, str] = {}
    whole, left = "", _MAX_COMPARED
    for title in titles:
        wanted = _comparable(title.text)
        if 0 <= title.page < len(texts):
            if title.page not in pages:
                pages[title.page] = _comparable(texts[title.page])
            if wanted in pages[title.page]:
                continue
        whole = whole or _comparable(" ".join(texts))
        left -= len(whole)
        if left < 0 or wanted not in whole:
            yield title.text


def _comparable(text: str) -> str:
    """Return the words of a text alone: quotation marks and dots differ between a heading and its title."""
    return " ".join(_WORD.findall(text.lower()))
