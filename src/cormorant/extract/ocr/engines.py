"""Engines that recognise text in a picture, by name, and their limits for a document.

    recognise(pictures, "tesseract", OcrBudget()) -> text of each picture, until the budget is used up

An engine is loaded once in a process (`load_engine`), best before a server forks its children: what they share, the
models of some 30 to 300 MB, is loaded once then, and a child need not be able to read the files.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple

from cormorant.extract.errors import Unreadable
from cormorant.extract.ocr.engine_interface import GreyPicture, OcrEngine, RecognitionFailed
from cormorant.extract.pdf.cpu_time import cpu_left, cpu_seconds

RAPIDOCR: Final = "rapidocr"
TESSERACT: Final = "tesseract"
OCR_ENGINES: Final = (RAPIDOCR, TESSERACT)


class OcrBudget(NamedTuple):
    """Limits of a document: pictures that are looked at, and seconds of processor time for each, on average."""

    pages: int = 30
    page_seconds: float = 20.0


class RecognisedText(NamedTuple):
    """The texts of pictures in their order, and a sentence about what is missing, "" when nothing is."""

    texts: tuple[str, ...]
    fault: str = ""


@cache
def load_engine(name: str) -> OcrEngine:
    """Load the engine of this name, once. Starts no thread. Raises EngineMissing, and ValueError for another name."""
    if name == RAPIDOCR:
        from cormorant.extract.ocr.rapidocr_engine import RapidOcrEngine  # noqa: PLC0415 - an extra, and slow to load

        return RapidOcrEngine()
    if name == TESSERACT:
        from cormorant.extract.ocr.tesseract_engine import TesseractEngine  # noqa: PLC0415 - not on every machine

        return TesseractEngine()
    raise ValueError(f"there is no engine {name!r}: {' or '.join(OCR_ENGINES)}")


def recognise(pictures: Iterable[GreyPicture], engine: str, budget: OcrBudget) -> RecognisedText:
    """Return the texts of pictures, which are taken one by one.

    Raises what `load_engine` raises, and Unreadable when the first of them cannot be had.
    """
    meter = OcrMeter(budget)
    texts: list[str] = []
    fault = ""
    try:
        for picture in pictures:
            if not meter.has_room():
                fault = f"Text was looked for on its first {len(texts):,} pages only."
                break
            texts.append(meter.text_of(load_engine(engine), picture))
            fault = fault if picture.is_complete else "The picture has lost its end."
    except Unreadable as error:
        if not texts:
            raise
        fault = f"A page of it cannot be read: {error}."
    if meter.failed:
        fault = f"{fault} On {meter.failed:,} pages the recognition of text failed.".strip()
    return RecognisedText(tuple(texts), fault)


class OcrMeter:
    """Counts what a document has used of its budget, and the pictures on which its engine `failed`."""

    def __init__(self, budget: OcrBudget) -> None:
        self._budget = budget
        self._pages = 0
        self._seconds = 0.0
        self.failed = 0

    def has_room(self) -> bool:
        """Return whether another picture may be looked at."""
        pages, page_seconds = self._budget
        usual = self._seconds / self._pages if self._pages else page_seconds / 2
        return self._pages < pages and self._seconds < pages * page_seconds and cpu_left() > 2 * usual

    def text_of(self, engine: OcrEngine, picture: GreyPicture) -> str:
        """Return the text in a picture, "" when the engine fails, and count it."""
        before = cpu_seconds()
        try:
            return engine.text_of(picture, self._budget.page_seconds)
        except RecognitionFailed:
            self.failed += 1
            return ""
        finally:
            self._pages += 1
            self._seconds += cpu_seconds() - before
