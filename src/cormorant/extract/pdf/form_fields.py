"""Values of form fields: ISO 32000-1, 12.7.4.

They come from the fields instead of their appearance, so a field without an appearance stream is read too. Check boxes,
radio buttons, push buttons and signatures have names for machines and no value to read; passwords are skipped.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import pypdfium2.raw as pdfium

from cormorant.extract.pdf.open_file import PdfFile
from cormorant.extract.pdf.pdfium_text import wide_text

MAX_OPTIONS: Final = 2_000
"""Choices of a field that are tested for their selection."""


class FormFields:
    """The fields of an open document. A field with several places has its value once."""

    def __init__(self, environment: Any) -> None:
        """Take PDFium's form environment, None for a document without a form."""
        self._environment = environment
        self._read: set[tuple[str, str]] = set()

    def values(self, widget: Any) -> list[str]:
        """Return the value that a field shows, or the labels of its selected choices."""
        if not self._environment:
            return []
        kind = pdfium.FPDFAnnot_GetFormFieldType(self._environment, widget)
        if kind in (pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX):
            found = list(self._selected(widget)) or [self._value(widget)]
        elif kind == pdfium.FPDF_FORMFIELD_TEXTFIELD and not self._is_password(widget):
            found = [self._value(widget)]
        else:
            return []
        name = wide_text(partial(pdfium.FPDFAnnot_GetFormFieldName, self._environment, widget))
        new = [text for text in found if text.strip() and (name, text) not in self._read]
        self._read.update((name, text) for text in new)
        return new

    def _selected(self, widget: Any) -> Iterator[str]:
        for index in range(min(MAX_OPTIONS, pdfium.FPDFAnnot_GetOptionCount(self._environment, widget))):
            if pdfium.FPDFAnnot_IsOptionSelected(self._environment, widget, index):
                yield wide_text(partial(pdfium.FPDFAnnot_GetOptionLabel, self._environment, widget, index))

    def _value(self, widget: Any) -> str:
        return wide_text(partial(pdfium.FPDFAnnot_GetFormFieldValue, self._environment, widget))

    def _is_password(self, widget: Any) -> bool:
        flags = pdfium.FPDFAnnot_GetFormFieldFlags(self._environment, widget)
        return bool(flags & pdfium.FPDF_FORMFLAG_TEXT_PASSWORD)


@contextlib.contextmanager
def opened_form(document: PdfFile) -> Iterator[FormFields]:
    """Load the form of a document, if it has one. No script of it is run: this PDFium has no interpreter."""
    if pdfium.FPDF_GetFormType(document) == pdfium.FORMTYPE_NONE:
        yield FormFields(None)
        return
    callbacks = pdfium.FPDF_FORMFILLINFO(version=2)
    environment = pdfium.FPDFDOC_InitFormFillEnvironment(document, callbacks)
    try:
        yield FormFields(environment)
    finally:
        if environment:
            pdfium.FPDFDOC_ExitFormFillEnvironment(environment)
