from __future__ import annotations

import pytest

from cormorant.base.profiling import StepTable
from cormorant.extract.job import ConversionFault, decode_result
from cormorant.extract.router import ReadMode, answer_mail, extract_inline, reading_of, unread_status
from cormorant.model.content import Extraction, Manner

MB = 1_000_000


@pytest.mark.parametrize(
    ("mime", "size", "wanted"),
    [
        ("text/html", 4 * MB, ReadMode.INLINE),
        ("text/html", 4 * MB + 1, ReadMode.CHILD),
        ("application/xhtml+xml", 10, ReadMode.INLINE),
        ("text/plain", MB, ReadMode.INLINE),
        ("text/plain", MB + 1, ReadMode.CHILD),
        ("text/markdown", 10, ReadMode.INLINE),
        ("text/x-python", 10, ReadMode.INLINE),
        ("text/csv", 10, ReadMode.CHILD),
        ("text/xml", 10, ReadMode.CHILD),
        ("application/rss+xml", 10, ReadMode.CHILD),
        ("application/json", 10, ReadMode.CHILD),
        ("application/ld+json", 10, ReadMode.CHILD),
        ("application/pdf", 10, ReadMode.CHILD),
        ("application/msword", 10, ReadMode.CHILD),
        ("image/png", 10, ReadMode.NONE),
        ("image/svg+xml", 10, ReadMode.NONE),
        ("video/mp4", 10, ReadMode.NONE),
        ("application/zip", 10, ReadMode.CHILD),
        ("message/rfc822", 100_000, ReadMode.MAIL),
        ("message/rfc822", 100_001, ReadMode.CHILD),
        ("application/octet-stream", 10, ReadMode.NONE),
    ],
)
def test_where_a_document_is_read(mime: str, size: int, wanted: ReadMode) -> None:
    assert reading_of(mime, size) is wanted


@pytest.mark.parametrize(
    ("mime", "status"),
    [
        ("image/png", 1001),
        ("audio/mpeg", 1001),
        ("application/x-executable", 1001),
        ("application/octet-stream", 1001),
        ("application/zip", 908),
        ("application/vnd.visio", 908),
    ],
)
def test_what_nobody_reads_has_a_status(mime: str, status: int) -> None:
    assert unread_status(mime) == status


def test_small_mail_is_read_here() -> None:
    where = "mail://1/INBOX/1"
    body = b"Subject: Rudder\r\nFrom: ada@example.org\r\n\r\nIt is \0 broken.\r\n"
    said = decode_result(answer_mail(body, address=where))
    assert isinstance(said, Extraction)
    assert (said.title, said.embeds) == ("Rudder", False)
    assert "It is  broken." in said.text, "cleaned as the answer of a child is"
    fault = decode_result(answer_mail(bytes(range(256)), address=where))
    assert isinstance(fault, ConversionFault)
    assert (fault.status, fault.reason) == (903, "The document cannot be read: it begins with no header of a mail.")


def test_what_is_read_here() -> None:
    steps = StepTable()
    where = "https://h.example/a.txt"
    assert extract_inline("text/html", b"<title>T", address=where, steps=steps).title == "T"
    assert extract_inline("text/markdown", b"# H", address=where).title == "H"
    assert extract_inline("text/plain", b"\xe9", address=where, charset="latin1").text == "é"
    assert extract_inline(
        "text/html", b"<p>" + b"Words enough to count. " * 20, address=where, manner=Manner(main=True)
    ).main_text
    assert "parse" in steps.rows
