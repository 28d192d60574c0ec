from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from cormorant.extract.detect import built_in, media_types
from cormorant.extract.detect.formats import by_name, reader_of
from cormorant.extract.detect.media_types import (
    DOCX,
    ENCRYPTED,
    EXCEL_2003,
    FLAT_POWERPOINT,
    FLAT_WORD,
    ODF,
    PPTX,
    WORD_2003,
    XLSX,
    essence,
)
from cormorant.extract.detect.sniff import is_text, sniff
from tests.extract import writers
from tests.suites.record import record

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
MAIL = b"Received: from x (y [1.2.3.4])\n\tby z\nFrom: a@b\nTo: c@d\nSubject: x\n\ntext"
SPLIT = struct.pack("<4s4H2LH", b"PK\5\6", 3, 0, 1, 1, 46, 10, 0)
PAGE = b"<!DOCTYPE html>\n<title>x</title>"
XHTML = b"<?xml version='1.0'?><!DOCTYPE html><!-- c --><html xmlns='http://www.w3.org/1999/xhtml'>"

FLAT_PACKAGE = (
    b"<?mso-application progid='Word.Document'?>"
    b"<pkg:package xmlns:pkg='http://schemas.microsoft.com/office/2006/xmlPackage'>"
)
WORKBOOK = b"<?xml version='1.0'?>\n<Workbook xmlns='urn:schemas-microsoft-com:office:spreadsheet'>"


@pytest.mark.parametrize(
    ("declared", "body", "file_name", "wanted"),
    [
        # the content proves it
        ("text/html", PNG, "", "image/png"),
        ("application/pdf", PNG, "a.pdf", "image/png"),
        ("image/png", PAGE, "a.png", "text/html"),
        ("application/pdf", PAGE, "a.pdf", "text/html"),
        ("application/pdf", b"Not found", "", "text/plain"),
        ("application/pdf", b"MZ\x90\0\3\0\0\0", "a.pdf", "application/vnd.microsoft.portable-executable"),
        ("", b"\x7fELF\2\1\1\0", "", "application/x-executable"),
        ("text/plain", b"%PDF-1.7\n", "", "application/pdf"),
        ("application/pdf", b"\n\n junk %PDF-1.7\n", "", "application/pdf"),
        ("", b"\n\n junk %PDF-1.7\n", "a.PDF", "application/pdf"),
        ("", b"{\\rtf1 x}", "a.doc", "application/rtf"),
        ("text/plain", b"\x1f\x8b\x08\0", "", "application/x-gzip"),
        ("", b"\x09\0\4\0\2\0\x10\0\x0a\0\0\0", "a.xls", "application/vnd.ms-excel.sheet.2"),
        ("application/vnd.ms-excel", b"\x09\2\6\0\0\0\x20\0\0\0", "", "application/vnd.ms-excel.sheet.3"),
        ("text/plain", b"\x09\4\6\0\0\0\0\1\0\0", "", "application/vnd.ms-excel.sheet.4"),
        ("text/plain", b"\x09\0\4\0\2\0\5\0\x0a\0\0\0", "", "application/octet-stream"),
        ("text/plain", "\tone\ttwo".encode("utf-16-le"), "", "text/plain"),
        ("", b"middle of a split one" + SPLIT, "a.zip", "application/zip"),
        ("application/zip", b"\1\2\3" + SPLIT, "", "application/zip"),
        ("application/zip", b"\1\2\3" + SPLIT + b"more", "", "application/octet-stream"),
        ("", b"text" + SPLIT, "a.txt", "application/octet-stream"),
        ("", b"PK\7\x08PK\3\4", "a.z01", "application/zip"),
        ("", b"x" * 257 + b"ustar\x0000", "", "application/x-tar"),
        # words that begin like a format
        ("text/plain", b"BMW builds cars. MZ built motorcycles.", "", "text/plain"),
        ("", b"MZ built motorcycles.", "", "text/plain"),
        # text
        ("", PAGE, "", "text/html"),
        ("", b"\xef\xbb\xbf  <HTML>", "", "text/html"),
        ("", b"<p>", "README.md", "text/markdown"),
        ("text/plain", b"<p>", "", "text/plain"),
        ("text/plain", b"# Head", "a.md", "text/markdown"),
        ("text/plain", b"a,b", "a.csv", "text/csv"),
        ("text/plain", b"<html>", "a.html", "text/plain"),
        ("", b"<html>", "a.txt", "text/plain"),
        ("application/octet-stream", b"hello", "a.txt", "text/plain"),
        ("application/octet-stream", b"hello", "", "text/plain"),
        ("", b"{}", "a.json", "application/json"),
        ("application/x-unheard-of", b"hello", "", "application/x-unheard-of"),
        ("message/rfc822", b"Subject: x\n\n", "", "message/rfc822"),
        ("", b"Subject: x\n\n", "a.eml", "message/rfc822"),
        ("", MAIL, "", "message/rfc822"),
        ("application/octet-stream", MAIL, "", "message/rfc822"),
        ("", MAIL, "1234.M5P6.host:2,S", "message/rfc822"),
        ("", MAIL, "a.msg", "message/rfc822"),
        (
            "",
            b"From: <Saved by Blink>\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart/related\n\n",
            "",
            "multipart/related",
        ),
        ("text/plain", MAIL, "", "text/plain"),
        ("application/pdf", MAIL, "", "text/plain"),
        ("", MAIL, "a.txt", "text/plain"),
        ("", b"Subject: x\n\nDear all", "", "text/plain"),
        ("", b"From a@b Sat Mar 14 09:30:00 2026\nSubject: x\n\n", "", "application/mbox"),
        ("", b"", "", "text/plain"),
        ("text/html; charset=x", b"", "", "text/html"),
        ("", b"", "a.docx", DOCX),
        ("image/png", b" \n", "a.docx", "image/png"),
        ("", "hello wörld".encode("utf-16-le"), "a.txt", "text/plain"),
        ("text/html", "<p>hello".encode("utf-16-be"), "", "text/html"),
        # XML
        ("", XHTML, "", "application/xhtml+xml"),
        ("application/xml", XHTML, "", "application/xhtml+xml"),
        ("text/xml", b"<!DOCTYPE html>\n<html xmlns='http://www.w3.org/1999/xhtml'>", "", "application/xhtml+xml"),
        ("text/xml", b"<!-- <a> --><html xmlns='http://www.w3.org/1999/xhtml'>", "", "application/xhtml+xml"),
        ("application/xml", b"<h:html xmlns:h='http://www.w3.org/1999/xhtml'>", "", "application/xhtml+xml"),
        ("application/xhtml+xml", b"<html>", "", "application/xhtml+xml"),
        ("text/html", XHTML, "a.xhtml", "text/html"),
        ("text/xml", b"<div>", "", "text/xml"),
        ("text/xml", b"<!-- <html> --><a/>", "", "text/xml"),
        ("text/html", XHTML, "", "text/html"),
        ("", b"<?xml version='1.0'?><a/>", "", "text/xml"),
        ("application/atom+xml", b"<?xml version='1.0'?><feed/>", "", "application/atom+xml"),
        ("", b"<?xml version='1.0'?><rss/>", "a.xml", "application/rss+xml"),
        ("application/dita+xml", b"<?xml version='1.0'?><topic/>", "", "application/dita+xml"),
        ("", b"<svg xmlns='x'>", "a.svg", "image/svg+xml"),
        # office documents that are one XML file
        ("", FLAT_PACKAGE, "a.xml", FLAT_WORD),
        ("application/xml", FLAT_PACKAGE, "", FLAT_WORD),
        ("text/xml", FLAT_PACKAGE.replace(b"Word.Document", b"PowerPoint.Show"), "", FLAT_POWERPOINT),
        ("", b"<?xml version='1.0'?>" + FLAT_PACKAGE[41:], "", FLAT_WORD),
        ("", b"<?xml version='1.0'?><package version='3.0'>", "", "text/xml"),
        ("application/msword", b"<?xml version='1.0'?><w:wordDocument xmlns:w='x'>", "a.doc", WORD_2003),
        ("application/vnd.ms-excel", WORKBOOK, "a.xls", EXCEL_2003),
        ("text/xml", WORKBOOK, "a.xml", EXCEL_2003),
        ("text/xml", b"<Workbook/>", "a.xml", "text/xml"),
        ("text/html", WORKBOOK, "a.xls", "text/html"),
        # binary
        ("text/plain", b"\0\1\2\3", "", "application/octet-stream"),
        ("application/msword", b"\0\1\2\3", "", "application/octet-stream"),
        ("application/x-unheard-of", b"\0\1\2\3", "", "application/x-unheard-of"),
        ("image/gif", b"\0\1\2\3", "", "image/gif"),
        ("", b"\0\1\2\3", "a.mp4", "video/mp4"),
    ],
)
def test_the_content_decides(declared: str, body: bytes, file_name: str, wanted: str) -> None:
    assert sniff(declared, body, file_name) == wanted


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (writers.docx("x"), DOCX),
        (writers.xlsx(["x"]), XLSX),
        (writers.pptx("x"), PPTX),
        (writers.odt("x"), ODF + "text"),
        (writers.epub("x", "y"), "application/epub+zip"),
        (writers.pdf("x"), "application/pdf"),
        (writers.rtf("x"), "application/rtf"),
        (writers.zipped({"a.txt": "x"}), "application/zip"),
        (writers.zipped({"META-INF/MANIFEST.MF": "x"}), "application/java-archive"),
        (writers.zipped({"mimetype": "application/evil\0"}, stored=("mimetype",)), "application/zip"),
        (writers.ole("WordDocument", "1Table"), "application/msword"),
        (writers.ole("Workbook"), "application/vnd.ms-excel"),
        (writers.ole("Book"), "application/vnd.ms-excel"),
        (writers.ole("Pictures", "PowerPoint Document"), "application/vnd.ms-powerpoint"),
        (writers.ole("__properties_version1.0"), "application/vnd.ms-outlook"),
        (writers.ole("EncryptionInfo", "EncryptedPackage"), ENCRYPTED),
        (writers.ole("Nothing known"), "application/x-ole-storage"),
    ],
)
def test_documents_are_known_by_what_lies_in_them(body: bytes, wanted: str) -> None:
    for declared, name in (("", ""), ("text/html", "a.html"), ("application/octet-stream", "a.bin"), ("image/png", "")):
        assert sniff(declared, body, name) == wanted


def test_a_declared_relative_of_the_format_is_kept() -> None:
    macro = "application/vnd.ms-word.document.macroEnabled.12"
    assert sniff(macro, writers.docx("x")) == macro.lower()
    assert sniff("", writers.docx("x"), "a.dotx").endswith("wordprocessingml.template")
    assert sniff("", writers.xlsx(["x"]), "a.docx") == XLSX


def test_an_archive_cut_short_is_what_it_was_said_to_be() -> None:
    assert sniff("", writers.docx("x")[:-100], "a.docx") == DOCX
    assert sniff("", writers.docx("x")[:-100]) == "application/zip"


@pytest.mark.parametrize(
    ("declared", "wanted"),
    [
        (" Text/HTML ; charset=utf-8", "text/html"),
        ("application/x-pdf", "application/pdf"),
        ("application/octet-stream", ""),
        ("nonsense", ""),
        ("", ""),
    ],
)
def test_a_declaration_has_one_form(declared: str, wanted: str) -> None:
    assert essence(declared) == wanted


def test_names_tell_by_their_extension() -> None:
    assert by_name("/a.b/c.PDF") == "application/pdf"
    assert by_name("/a.pdf/c") == ""
    assert by_name("pdf") == ""


def test_every_extension_stands_for_one_name_of_a_type() -> None:
    for mime in (*media_types.EXTENSIONS.values(), *built_in.EXTENSIONS.values()):
        assert essence(mime) == mime
    assert is_text("text/x-anything")
    assert reader_of("image/svg+xml") is None


@given(st.text(max_size=40), st.binary(max_size=1600), st.text(max_size=20))
def test_anything_gets_a_type(declared: str, body: bytes, file_name: str) -> None:
    mime = sniff(declared, body, file_name)
    assert "/" in mime
    assert mime == mime.lower()


@given(
    st.sampled_from(
        [b"PK\3\4", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"\x1a\x45\xdf\xa3B\x82", b"\0\0\0\x14ftyp", b"\xff\xfb"]
    ),
    st.binary(),
)
def test_broken_containers_get_a_type(start: bytes, rest: bytes) -> None:
    assert sniff("", start + rest)


# What the standard leaves to the declaration and we do not: binary content declared as markup, text or another picture
# (fault B10), X-Content-Type-Options (for browsers), and the standard's own arithmetic for two rare kinds of MP3.
DELIBERATE = 29


def test_the_public_cases(suite: Callable[[str], Path]) -> None:
    cases = json.loads((suite("mimesniff") / "sniff_cases.json").read_text())["cases"]
    different = []
    for case in cases:
        declared = case["options"].get("contentTypeHeader") or case["options"].get("providedType") or ""
        if isinstance(declared, dict):
            declared = f"{declared['_type']}/{declared['_subtype']}"
        body = base64.b64decode(case["bytes_b64"])
        got, wanted = sniff(declared, body), case["expect"].partition(";")[0]
        if got != wanted:
            different.append((case["test"], declared, body[:12], wanted, got))
    for _, declared, _, _, got in different:
        assert declared or got == "application/octet-stream"
    assert len(different) == DELIBERATE, different
    assert len(cases) == 109
    reason = "a signature contradicts what was declared, or it is left to browsers"
    differing = {f"{each[0]} {number}": reason for number, each in enumerate(different)}
    record("mimesniff", len(cases) - len(different), len(cases), differing)
