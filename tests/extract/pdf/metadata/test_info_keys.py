"""Keys of the Info dictionary, wherever it lies."""

from __future__ import annotations

import zlib

import pytest

from cormorant.extract.pdf.metadata.info_keys import MAX_DICTIONARY, info_keys
from tests.clocks import cpu_s
from tests.extract.pdf.pdf_writer import stream


def test_the_dictionary_of_the_last_trailer_counts() -> None:
    first = b"19 0 obj << /No (a) >> endobj 9 0 obj << /Old (a) >> endobj trailer << /Info 9 0 R >>"
    assert info_keys(first) == [b"Old"]
    assert info_keys(first + b" 9 0 obj << /New (a) >> endobj trailer << /Info 9 0 R >> /Info") == [b"New"]


def test_the_dictionary_may_lie_in_an_object_stream() -> None:
    head = b"7 0 9 12 "
    inner = zlib.compress(head + b"<< /No 1 >>".ljust(12) + b"<< /Yes (a) >>")
    whole = stream(inner, f"/Type /ObjStm /N 2 /First {len(head)} /Filter /FlateDecode")
    assert info_keys(b"5 0 obj\n" + whole + b"\nendobj /Info 9 0 R") == [b"Yes"]
    assert info_keys(b"5 0 obj\n" + whole + b"\nendobj /Info 8 0 R") == []


@pytest.mark.parametrize(
    "hostile",
    [b"", b"<<" * 100_000, b"<< /A (" + b"(" * MAX_DICTIONARY, b"<< " + b"/A " * 100_000, b">> << /B (x)", b"/A (x)"],
)
def test_what_is_no_dictionary_is_no_fault(hostile: bytes) -> None:
    body = b"9 0 obj " + hostile + b" /Info 9 0 R"
    assert info_keys(body) in ([], [b"A"])
    assert cpu_s(lambda: info_keys(body), 1) < 2


@pytest.mark.parametrize("body", [b"", b"/Info", b"/Info 9 0 R", b"/Info " * 1_000, b"/Info 99999999999 0 R"])
def test_a_file_without_the_dictionary_has_no_keys(body: bytes) -> None:
    assert info_keys(body) == []
