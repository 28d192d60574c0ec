"""Which pages are looked at, and what becomes of the text that is found on them?"""

from __future__ import annotations

import pytest

from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ocr import documents, engines
from cormorant.extract.ocr.documents import extract_image, extract_pdf_with_ocr
from cormorant.extract.ocr.engine_interface import EngineMissing, GreyPicture, OcrEngine, RecognitionFailed
from cormorant.extract.ocr.engines import OcrBudget
from tests.extract import writers
from tests.extract.ocr.scans import drawn, png, scan, tiff
from tests.extract.pdf.pdf_writer import TASK, page_file, stream

PICTURE = ExtractionTask("image/png", "http://example.org/photo.png")
BLANK = [b"\xff" * 60] * 40


class Reader:
    """An engine that knows what stands on each picture that it is shown."""

    def __init__(self, *texts: str | Exception) -> None:
        self.texts = list(texts)
        self.seen: list[GreyPicture] = []

    def text_of(self, picture: GreyPicture, seconds: float) -> str:
        assert seconds > 0
        self.seen.append(picture)
        text = self.texts.pop(0)
        if isinstance(text, Exception):
            raise text
        return text


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    known = Reader()

    def load(name: str) -> OcrEngine:
        if name == "none":
            raise EngineMissing("It is not installed.")
        return known

    monkeypatch.setattr(documents, "load_engine", load)
    monkeypatch.setattr(engines, "load_engine", load)
    return known


def test_a_scan_has_the_text_of_its_pictures_and_says_so(reader: Reader) -> None:
    reader.texts = ["first of sev-\neral pages\n", "second"]
    found = extract_pdf_with_ocr(scan(BLANK, BLANK), TASK, "tesseract")
    assert found.text == "first of several pages\n\nsecond"
    assert found.attributes["OCR"] == "tesseract"
    assert (found.truncated, found.fault) == (False, "")


def test_pages_with_text_and_empty_pages_are_not_looked_at(reader: Reader) -> None:
    assert extract_pdf_with_ocr(writers.pdf("a word"), TASK, "rapidocr").text == "a word"
    found = extract_pdf_with_ocr(page_file(more={4: stream("")}), TASK, "rapidocr")
    assert (reader.seen, dict(found.attributes)) == ([], {})


def test_a_stamp_on_a_scan_does_not_hide_it(reader: Reader) -> None:
    reader.texts = ["the letter"]
    assert extract_pdf_with_ocr(scan(BLANK, text="Received 3"), TASK, "x").text == "Received 3\nthe letter"
    reader.texts = ["the letter, received 3"]
    assert extract_pdf_with_ocr(scan(BLANK, text="Received 3"), TASK, "x").text == "the letter, received 3"


def test_a_page_full_of_text_over_a_picture_is_not_looked_at(reader: Reader) -> None:
    words = "illicit little lilies " * 6  # narrow letters, so that all stand within the page
    assert extract_pdf_with_ocr(scan(BLANK, text=words), TASK, "x").text == words.strip()
    assert not reader.seen


def test_text_drawn_as_outlines_is_looked_at(reader: Reader) -> None:
    reader.texts = ["outlines"]
    assert extract_pdf_with_ocr(page_file(more={4: stream("0 0 m 50 50 l S")}), TASK, "x").text == "outlines"


def test_pages_beyond_the_budget_are_counted(reader: Reader) -> None:
    reader.texts = ["one", "two"]
    found = extract_pdf_with_ocr(scan(*[BLANK] * 5), TASK, "x", OcrBudget(pages=2))
    assert found.text == "one\n\ntwo"
    assert (found.truncated, found.fault) == (True, "Text was looked for on 2 of its 5 scanned pages.")


def test_a_page_on_which_the_engine_fails_is_counted(reader: Reader) -> None:
    reader.texts = ["one", RecognitionFailed("no memory"), "three"]
    found = extract_pdf_with_ocr(scan(*[BLANK] * 3), TASK, "x")
    assert found.text == "one\n\nthree"
    assert (found.truncated, found.fault) == (True, "Text was looked for on 2 of its 3 scanned pages.")


def test_without_the_engine_the_rest_is_read_and_the_fault_named(reader: Reader) -> None:
    found = extract_pdf_with_ocr(writers.pdf("a word"), TASK, "none")
    assert (found.text, found.fault) == ("a word", "It is not installed.")
    assert "not installed" in extract_image(png(BLANK), PICTURE, "none").fault


def test_locks_and_damage_are_as_without_recognition(reader: Reader) -> None:
    with pytest.raises(Protected):
        extract_pdf_with_ocr(writers.pdf("x", password="y"), TASK, "x")
    with pytest.raises(Unreadable):
        extract_pdf_with_ocr(b"x", TASK, "x")


def test_a_huge_page_is_drawn_smaller(reader: Reader) -> None:
    reader.texts = [""]
    body = page_file(page="/UserUnit 1", more={4: stream("0 0 m 50 50 l S")}).replace(
        b"[0 0 600 800]", b"[0 0 14400 14400]"
    )
    assert extract_pdf_with_ocr(body, TASK, "x").text == ""
    (picture,) = reader.seen
    assert 40_000_000 < picture.width * picture.height <= 50_000_000
    assert picture.dpi == 72


def test_a_picture_is_a_document_under_its_name(reader: Reader) -> None:
    pytest.importorskip("PIL")
    reader.texts = ["a sign"]
    found = extract_image(png(BLANK), PICTURE, "rapidocr")
    assert (found.title, found.text, found.attributes) == ("photo.png", "a sign", {"OCR": "rapidocr"})
    reader.texts = [""]
    assert extract_image(png(BLANK), PICTURE, "rapidocr").attributes == {}


def test_every_page_of_a_fax_is_looked_at_within_the_budget(reader: Reader) -> None:
    pytest.importorskip("PIL")
    reader.texts = ["one", "two", "three"]
    assert extract_image(tiff(BLANK, BLANK, BLANK), PICTURE, "x").text == "one\n\ntwo\n\nthree"
    reader.texts = ["one", "two"]
    found = extract_image(tiff(BLANK, BLANK, BLANK), PICTURE, "x", OcrBudget(pages=2))
    assert found.text == "one\n\ntwo"
    assert (found.truncated, found.fault) == (True, "Text was looked for on its first 2 pages only.")


def test_damage_behind_the_first_page_costs_the_rest(reader: Reader) -> None:
    pytest.importorskip("PIL")
    reader.texts = ["one"]
    broken = bytearray(tiff(BLANK, BLANK))
    second = broken.rindex(b"\x11\x01\x04\x00") + 8  # where the bytes of the second picture begin
    broken[second : second + 4] = b"\xff\xff\xff\x7f"
    found = extract_image(bytes(broken), PICTURE, "x")
    assert (found.text, found.truncated) == ("one", True)
    assert found.fault == "A page of it cannot be read: the picture is damaged."


def test_lines_of_a_scan_are_drawn_upright(reader: Reader) -> None:
    reader.texts = [""]
    extract_pdf_with_ocr(scan(drawn("dark words")), TASK, "x")
    (picture,) = reader.seen
    assert picture.stride >= picture.width
    assert len(picture.pixels) == picture.stride * picture.height
    upper = picture.pixels[: len(picture.pixels) // 2]
    assert (min(upper) < 100, max(upper) > 250) == (True, True)
