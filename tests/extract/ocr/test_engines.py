"""Do the engines read what stands in a picture, in three languages, alone and behind the walls of the sandbox?"""

from __future__ import annotations

import asyncio
import re
from functools import partial

import pytest

from cormorant.extract.ocr import engines
from cormorant.extract.ocr.documents import extract_image, extract_pdf_with_ocr
from cormorant.extract.ocr.engine_interface import EngineMissing, GreyPicture
from cormorant.extract.ocr.engines import OCR_ENGINES, OcrBudget, OcrMeter, load_engine, recognise
from cormorant.sandbox import Finished, start_server
from cormorant.sandbox.client import ChildPool
from cormorant.sandbox.limits import Limits
from tests.extract.ocr.scans import ENGLISH, FRENCH, GERMAN, drawn, png, scan
from tests.extract.pdf.pdf_writer import TASK


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def read_share(lines: tuple[str, ...], text: str) -> float:
    """Return which part of the words of `lines` stands in `text`."""
    wanted, found = words(" ".join(lines)), words(text)
    return sum(word in found for word in wanted) / len(wanted)


@pytest.fixture(params=OCR_ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    try:
        load_engine(request.param)
    except EngineMissing as error:
        pytest.skip(str(error))
    return str(request.param)


@pytest.mark.slow
@pytest.mark.parametrize("lines", [ENGLISH, GERMAN, FRENCH], ids=["en", "de", "fr"])
def test_scans_are_read(engine: str, lines: tuple[str, ...]) -> None:
    found = extract_pdf_with_ocr(scan(drawn(*lines)), TASK, engine)
    assert read_share(lines, found.text) > 0.9, found.text
    assert found.text.count("\n") == 2
    assert found.attributes == {"OCR": engine}


@pytest.mark.slow
def test_pictures_of_a_screen_are_read(engine: str) -> None:
    pytest.importorskip("PIL")
    found = extract_image(png(drawn(*ENGLISH, dpi=80)), TASK, engine)
    assert read_share(ENGLISH, found.text) > 0.9, found.text


def test_an_empty_picture_says_nothing(engine: str) -> None:
    assert load_engine(engine).text_of(GreyPicture(400, 200, 400, b"\xff" * 80_000, 200), 5.0) == ""
    assert load_engine(engine).text_of(GreyPicture(30, 30, 30, b"\0" * 900, 200), 5.0) == ""


def test_an_engine_is_loaded_once(engine: str) -> None:
    assert load_engine(engine) is load_engine(engine)


def test_another_name_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="no engine 'cuneiform': rapidocr or tesseract"):
        load_engine("cuneiform")


def test_time_that_is_used_up_ends_the_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter([0.0, 7.0, 7.0, 14.0])
    monkeypatch.setattr(engines, "cpu_seconds", lambda: next(moments))
    meter = OcrMeter(OcrBudget(pages=2, page_seconds=3.0))
    nothing = GreyPicture(1, 1, 1, b"\0", 200)
    assert meter.has_room()
    meter.text_of(_Silent(), nothing)
    assert not meter.has_room()
    monkeypatch.setattr(engines, "cpu_left", lambda: 10.0)
    assert OcrMeter(OcrBudget(page_seconds=4.0)).has_room()
    assert not OcrMeter(OcrBudget(page_seconds=10.0)).has_room()


def test_pictures_are_taken_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "load_engine", lambda name: _Silent())
    taken = iter(range(10))
    pictures = (GreyPicture(number + 1, 1, 1, b"\0", 200) for number in taken)
    assert recognise(pictures, "x", OcrBudget(pages=3)).texts == ("", "", "")
    assert next(taken) == 4


class _Silent:
    def text_of(self, picture: GreyPicture, seconds: float) -> str:
        return ""


@pytest.mark.slow
def test_a_scan_is_read_behind_all_walls(engine: str) -> None:
    handle = start_server((), {"read": f"{__name__}:ocr_task {engine}"})
    try:
        limits = Limits(cpu_s=100, wall_s=400.0, memory_bytes=768 << 20)
        pool = ChildPool(handle.addresses)
        answer = asyncio.run(pool.run("read", scan(drawn(*ENGLISH)), limits=limits))
    finally:
        handle.stop()
    assert isinstance(answer, Finished), answer
    assert read_share(ENGLISH, answer.value.decode()) > 0.9, answer


def ocr_task(engine: str) -> partial[bytes]:
    """Load an engine in the server, as the program does, and return the task of its children."""
    load_engine(engine)
    return partial(_read, engine)


def _read(engine: str, payload: bytes) -> bytes:
    return extract_pdf_with_ocr(payload, TASK, engine).text.encode()
