"""Documents with the text of their pictures: scanned pages of a PDF, and pictures.

The attribute OCR names the engine where it found text: recognised text has errors.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from cormorant.extract.job import ExtractionTask
from cormorant.extract.ocr.engine_interface import EngineMissing, OcrEngine
from cormorant.extract.ocr.engines import OcrBudget, OcrMeter, load_engine, recognise
from cormorant.extract.ocr.page_images import decode_pictures, draw_page, is_scan
from cormorant.extract.pdf.line_hyphens import joined_lines
from cormorant.extract.pdf.pages import PageText
from cormorant.extract.pdf.pdf import extract_pdf, read_pdf
from cormorant.extract.sanitize import clean_lines, name_of
from cormorant.model.content import Extraction

BUDGET: Final = OcrBudget()
OCR: Final = "OCR"
"""The attribute."""


def extract_pdf_with_ocr(body: bytes, task: ExtractionTask, engine: str, budget: OcrBudget = BUDGET) -> Extraction:
    """Return the text of a PDF, that of pages without any recognised by `engine`.

    Raises what `extract_pdf` raises, and ValueError for an unknown engine. One that is not installed is a fault.
    """
    try:
        pages = _ScannedPages(load_engine(engine), budget)
    except EngineMissing as error:
        return _with_fault(extract_pdf(body, task), str(error))
    found = read_pdf(body, task, pages.read)
    if pages.recognised:
        found = msgspec.structs.replace(found, attributes={**found.attributes, OCR: engine})
    fault = pages.fault()
    return msgspec.structs.replace(_with_fault(found, fault), truncated=True) if fault else found


def extract_image(body: bytes, task: ExtractionTask, engine: str, budget: OcrBudget = BUDGET) -> Extraction:
    """Return the text in a picture. Raises Unreadable, and ValueError for an unknown engine."""
    name = name_of(task.address, task.file_name)
    try:
        found = recognise(decode_pictures(body), engine, budget)
    except EngineMissing as error:
        return Extraction(text="", title=name, fault=str(error))
    texts, hyphenated = joined_lines(found.texts)
    text = clean_lines("\n\n".join([*texts, "\n".join(hyphenated)]))
    attributes = {OCR: engine} if text else {}
    return Extraction(text=text, title=name, attributes=attributes, truncated=bool(found.fault), fault=found.fault)


class _ScannedPages:
    """The pages of a document without text of their own; `recognised` counts those on which text was found."""

    def __init__(self, engine: OcrEngine, budget: OcrBudget) -> None:
        self._engine = engine
        self._meter = OcrMeter(budget)
        self._seen = self._left_out = self.recognised = 0

    def read(self, page: Any, read: PageText) -> PageText:
        """Return the text of a page with what was recognised on it."""
        if not is_scan(page, read):
            return read
        if not self._meter.has_room():
            self._left_out += 1
            return read
        self._seen += 1
        text = self._meter.text_of(self._engine, draw_page(page)).strip()
        if not text:
            return read
        self.recognised += 1
        own = read.text.strip()
        stands_there = " ".join(own.split()).lower() in " ".join(text.split()).lower()
        return PageText(text if stands_there else f"{own}\n{text}")

    def fault(self) -> str:
        """Return a sentence about pages whose text is missing, "" for none."""
        every, read = self._seen + self._left_out, self._seen - self._meter.failed
        return "" if read == every else f"Text was looked for on {read:,} of its {every:,} scanned pages."


def _with_fault(found: Extraction, fault: str) -> Extraction:
    return msgspec.structs.replace(found, fault=f"{found.fault} {fault}".strip())
