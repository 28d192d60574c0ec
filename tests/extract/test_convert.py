"""What the limited child does, without the limits: real documents of every sort, and a broken one of each."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import pytest

from cormorant.extract import convert as conversion, convert_office, convert_xberg
from cormorant.extract.detect.sniff import sniff
from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.job import ConversionFault, ExtractionTask, decode_result, encode_task
from cormorant.extract.router import OFFICE_TASK, TASK, XBERG_TASK, task_of
from cormorant.model.content import Extraction
from tests.clocks import HANG_S
from tests.extract import writers

WHERE = "https://h.example/files/"
_CONVERTERS = {TASK: conversion.convert, OFFICE_TASK: convert_office.convert, XBERG_TASK: convert_xberg.convert}


def result_of(name: str, body: bytes, mime: str = "") -> Extraction | ConversionFault:
    mime = mime or sniff("", body, name)
    convert = _CONVERTERS[task_of(mime).name]
    return decode_result(convert(b"".join(encode_task(mime, body, address=WHERE + name, file_name=name))))


def read(name: str, body: bytes, mime: str = "") -> Extraction:
    result = result_of(name, body, mime)
    assert isinstance(result, Extraction), result
    return result


def fault(name: str, body: bytes, mime: str = "") -> ConversionFault:
    """What is told of a document that cannot be read: by the converter itself, or by the child it died in."""
    try:
        result = result_of(name, body, mime)
    except Exception as error:  # noqa: BLE001 - whatever foreign converters raise, as the child does
        return ConversionFault(903, f"{type(error).__name__}: {error}")
    assert isinstance(result, ConversionFault), result
    return result


MAIL = b"Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nFrom: Ada <a@h.example>\r\nTo: b@h.example\r\n\r\nhello body\r\n"
NOTEBOOK = (
    b'{"cells":[{"cell_type":"markdown","metadata":{},"source":["pumps"]}],'
    b'"metadata":{},"nbformat":4,"nbformat_minor":5}'
)


@pytest.mark.parametrize(
    ("name", "body", "words"),
    [
        ("a.docx", writers.docx("Hello pumps", "again"), ["Hello pumps", "again"]),
        ("a.xlsx", writers.xlsx(["Name", "Count"], ["Pump", 42]), ["Stock", "Pump\t42"]),
        ("a.pptx", writers.pptx("First slide", "Second slide"), ["First slide", "Second slide"]),
        ("a.odt", writers.odt("Hello pumps", "again"), ["Hello pumps", "again"]),
        ("a.epub", writers.epub("Hello pumps", "Book"), ["Hello pumps"]),
        ("a.rtf", writers.rtf("Hello pumps"), ["Hello pumps"]),
        ("a.pdf", writers.pdf("Hello pumps", "page two"), ["Hello pumps\n\npage two"]),
        ("a.eml", MAIL, ["Grüße", "hello body"]),
        ("a.ipynb", NOTEBOOK, ["pumps"]),
        ("a.csv", b"a;b\n1;2\n", ["a, b\n1, 2"]),
        ("a.tsv", b"a,b\tc\n", ["a,b, c"]),
        ("a.json", b'{"a": "\\u00e9"}', ['"é"']),
        ("a.xml", b"<?xml version='1.0'?><a><title>T</title>x</a>", ["T\nx"]),
        ("a.txt", b"x" * 2_000_000, ["xxx"]),
        ("a.md", b"# T\n", ["T"]),
        ("a.html", b"<title>T</title>" + b"<p>word</p>" * 400_000, ["word\n\nword"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_format_is_read(name: str, body: bytes, words: list[str]) -> None:
    said = read(name, body)
    for word in words:
        assert word in said.text
    assert said.title


def test_a_document_says_what_its_authors_noted() -> None:
    said = read("a.docx", writers.docx("x", title="The pumps", author="Ada", keywords="water, air"))
    assert said.title == "The pumps"
    assert said.attributes == {"Author": "Ada", "Keywords": ("water", "air")}
    said = read("a.pdf", writers.pdf("x", title="The pumps", author="Ada", keywords="water; air,water"))
    assert said.title == "The pumps"
    assert said.attributes == {"Author": "Ada", "Keywords": ("water", "air")}
    assert read("a.eml", MAIL).title == "Grüße"
    assert read("a.epub", writers.epub("x", "The pumps")).title == "The pumps"


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.docx", writers.docx("x")),
        ("b.pdf", writers.pdf("x", title="untitled")),
        ("c.rtf", writers.rtf("x")),
        ("d.csv", b"a,b\n"),
    ],
)
def test_a_document_without_a_title_is_called_by_its_file(name: str, body: bytes) -> None:
    assert read(name, body).title == name


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("locked.pdf", writers.pdf("secret words", title="Secret", password="swordfish")),
        ("locked.docx", writers.ole("EncryptionInfo", "EncryptedPackage")),
    ],
)
def test_what_is_behind_a_password_is_found_by_its_name(name: str, body: bytes) -> None:
    said = read(name, body)
    assert said == Extraction(text="", title=name, attributes={"Protection": "password"})


@pytest.mark.parametrize(
    ("name", "body", "mime"),
    [
        ("a.docx", writers.docx("x")[:-300], ""),
        ("a.docx", writers.zipped({"[Content_Types].xml": "<broken", "word/document.xml": "<w:document"}), ""),
        ("a.docx", writers.zipped({"[Content_Types].xml": "x", "word/document.xml": bytes(50_000_000)}), ""),
        ("a.odt", writers.odt("x")[:-200], ""),
        ("a.epub", writers.zipped({"mimetype": "application/epub+zip"}, stored=("mimetype",)), ""),
        ("a.doc", writers.ole("WordDocument"), ""),
        ("a.xls", writers.ole("Workbook"), ""),
        ("a.ppt", writers.ole("PowerPoint Document"), ""),
        ("a.pdf", writers.pdf("x")[:120], ""),
        ("a.pdf", b"", "application/pdf"),
        ("a.xml", b"<?xml version='1.0'?><!DOCTYPE z [<!ENTITY a 'b'>]><z>&a;</z>", ""),
    ],
)
def test_a_broken_document_is_a_fault_with_a_reason(name: str, body: bytes, mime: str) -> None:
    found = fault(name, body, mime)
    assert found.status == 903
    assert len(found.reason) > 20


def test_what_has_no_converter_says_so() -> None:
    found = fault("a.jar", writers.zipped({"META-INF/MANIFEST.MF": "x"}))
    assert found.status == 908
    assert "application/java-archive" in found.reason


def test_a_pdf_that_lost_its_end_is_still_read() -> None:
    assert "Hello" in read("a.pdf", writers.pdf("Hello pumps").partition(b"startxref")[0]).text


def test_whatever_a_converter_raises_is_left_to_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> Extraction:
        raise ZeroDivisionError("in the depths")

    monkeypatch.setattr("cormorant.extract.pdf.pdf.extract_pdf", broken)
    with pytest.raises(ZeroDivisionError):
        result_of("a.pdf", writers.pdf("x"))


def test_too_little_memory_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def hungry(*_: object, **__: object) -> Extraction:
        raise MemoryError

    monkeypatch.setattr("cormorant.extract.pdf.pdf.extract_pdf", hungry)
    with pytest.raises(MemoryError):
        result_of("a.pdf", writers.pdf("x"))


def test_a_payload_that_is_none_is_an_error() -> None:
    for payload in (b"\xff", b"\0\0\0\x09\xff", b"\0\0\0\x01\xff"):
        with pytest.raises(msgspec.DecodeError):
            conversion.convert(payload)


def test_links_of_a_document_are_followed() -> None:
    said = read("a.html", b"<a href=b.html>b</a>" + b"<p>x</p>" * 600_000)
    assert said.links[0].address == WHERE + "b.html"


def test_a_document_says_whether_others_lie_in_it() -> None:
    within = {"word/embeddings/one.docx": writers.docx("inner")}
    assert not read("a.docx", writers.docx("outer")).embeds
    assert read("a.docx", with_files(writers.docx("outer"), within)).embeds
    for always in (read("a.zip", writers.zipped({})), read("a.pdf", writers.pdf("one page"))):
        assert always.embeds, "it is unpacked in any case"


def test_a_fault_in_a_document_within_costs_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(body: bytes, task: ExtractionTask) -> Iterator[EmbeddedFile]:
        raise IndexError(f"{len(body)} {task.mime}")

    monkeypatch.setattr(conversion, "embedded_files", lambda _: faulty)
    said = read("a.docx", writers.docx("outer"))
    assert (said.text, said.embeds) == ("outer", True)


def with_files(body: bytes, files: Mapping[str, bytes]) -> bytes:
    """The bytes of a zip file with more files in it."""
    changed = io.BytesIO(body)
    with zipfile.ZipFile(changed, "a") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return changed.getvalue()


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="counts threads as Linux shows them")
def test_loading_the_converters_starts_no_thread() -> None:
    program = (
        f"import os, {convert_office.__name__}, {convert_xberg.__name__}\nprint(len(os.listdir('/proc/self/task')))"
    )
    path = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
        timeout=HANG_S,
    )
    assert done.stdout.strip() == "1"


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="counts threads as Linux shows them")
def test_an_office_document_takes_few_threads() -> None:
    program = (
        "import os, sys\n"
        "from cormorant.extract.convert_office import convert\n"
        "convert(sys.stdin.buffer.read())\n"
        "print(len(os.listdir('/proc/self/task')), flush=True)\n"
        "os._exit(0)"
    )
    path = os.pathsep.join(entry for entry in sys.path if entry)
    body = writers.docx("x")
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": path}, input=b"".join(encode_task(sniff("", body), body, address=WHERE)),
        capture_output=True, check=True, timeout=HANG_S,
    )  # fmt: skip
    assert int(done.stdout) <= 6


@pytest.mark.parametrize(
    ("name", "body", "part"),
    [
        ("a.pptx", writers.pptx("one", "two"), "ppt/slides/slide2.xml"),
        ("a.xlsx", writers.xlsx(["one"]), "xl/worksheets/sheet1.xml"),
    ],
)
def test_of_a_document_with_a_broken_part_the_others_are_read(name: str, body: bytes, part: str) -> None:
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        files: dict[str, str | bytes] = {each: archive.read(each) for each in archive.namelist()}
    files[part] = files[part][: len(files[part]) // 2]
    said = read(name, writers.zipped(files))
    assert said.text
    assert said.truncated
    assert part in said.fault


def test_what_a_converter_says_is_kept_apart_from_the_reason() -> None:
    found = fault("a.pdf", writers.pdf("x")[:120])
    assert found.reason == "The document cannot be read: it is damaged, or no PDF."
    assert "PDFium" in found.detail
