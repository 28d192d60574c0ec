from __future__ import annotations

import pytest

from cormorant.base.profiling import StepTable
from cormorant.extract.router import ReadMode, extract_inline, reading_of, unread_status
from cormorant.model.content import Manner

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
